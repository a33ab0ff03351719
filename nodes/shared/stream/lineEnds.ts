import type { StreamFormat } from './format';

export const LF = 10;
export const CR = 13;

/** Index of the first line end in a chunk, or -1. In bare lines a lone CR is a progress bar that redraws itself, not a line end. */
export function firstLineEnd(chunk: Buffer, format: StreamFormat): number {
	const lf = chunk.indexOf(LF);
	if (format === 'lines') return lf;
	const cr = (lf < 0 ? chunk : chunk.subarray(0, lf)).indexOf(CR);
	return cr < 0 ? lf : cr;
}

/** Index of the last line end in a chunk, or -1; see {@link firstLineEnd}. */
export function lastLineEnd(chunk: Buffer, format: StreamFormat): number {
	const lf = chunk.lastIndexOf(LF);
	if (format === 'lines') return lf;
	const cr = chunk.subarray(lf + 1).lastIndexOf(CR);
	return cr < 0 ? lf : lf + 1 + cr;
}

/**
 * The data of the events from an index on that consist of a single `data` line each, and the index of the first other one.
 * Not a method: V8 enters a long loop in the middle, and where `this` has changed its shape since, it would leave the
 * compiled code again at each chunk.
 */
export function singleLineEvents(text: string, begin: number): { texts: string[]; to: number } {
	const texts: string[] = [];
	let from = begin;
	while (text.startsWith('data: ', from)) {
		const to = text.indexOf('\n', from);
		if (to + 1 === text.length || text.charCodeAt(to + 1) !== LF) break;
		texts.push(text.slice(from + 6, to));
		from = to + 2;
	}
	return { texts, to: from };
}
