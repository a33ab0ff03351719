import { LogDecoder, type LogDecoderOptions } from '../../nodes/shared/stream/logDecoder.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';
import { cuts, pieces } from '../conformance/cases.mts';

/** A decoder and what it has emitted. */
export function open(options: LogDecoderOptions = {}) {
	const entries: StreamEvent[] = [];
	const decoder = new LogDecoder(options, (entry) => entries.push(entry));
	return {
		decoder,
		entries,
		push: (text: string) => decoder.push(Buffer.from(text)),
		texts: () => entries.map(({ data }) => data),
	};
}

/** The entries of a stream, to its end where `isComplete`. */
export function decode(chunks: Uint8Array[], options: LogDecoderOptions = {}, isComplete = false) {
	const { decoder, entries } = open(options);
	for (const chunk of chunks) decoder.push(chunk);
	if (isComplete) decoder.end();
	return entries;
}

/** The texts of the entries, whole, byte by byte and in chunks of three. */
export const lines = (text: string, options: LogDecoderOptions = {}, isComplete = false) =>
	cuts.map((size) => decode(pieces(text, size), options, isComplete).map(({ data }) => data));

export const same = <T,>(...data: T[]) => cuts.map(() => data);
