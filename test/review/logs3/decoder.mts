import { LogDecoder, type LogDecoderOptions } from '../../../nodes/shared/stream/logDecoder.ts';

/** The texts of the entries of a complete stream that comes in pieces. */
export function entriesOf(
	bytes: Buffer,
	cuts: number[] = [],
	options: LogDecoderOptions = {},
): string[] {
	const entries: string[] = [];
	const decoder = new LogDecoder(options, ({ data }) => void entries.push(data));
	for (const [index, cut] of [...cuts, bytes.length].entries())
		decoder.push(bytes.subarray(cuts[index - 1] ?? 0, cut));
	decoder.end();
	return entries;
}

/** All ways to cut a stream once or twice. */
export function* cutsOf({ length }: Buffer): Generator<number[]> {
	yield [];
	for (let first = 1; first < length; first++) {
		yield [first];
		for (let second = first + 1; second < length; second++) yield [first, second];
	}
}
