import { stableNumber } from '../core/ids.mts';

/** A token of this service is a word or a punctuation mark: simple and deterministic. */
export const tokensOf = (text: string): string[] =>
	text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

/**
 * The embedding of a text: its words counted in buckets, normalized to length 1. Texts that share words are similar, so
 * that a search over these vectors finds what a person expects.
 */
export function vectorOf(text: string, dimensions: number): number[] {
	const vector = new Array<number>(dimensions).fill(0);
	for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
		const bucket = stableNumber(word, dimensions);
		vector[bucket] = (vector[bucket] ?? 0) + 1;
	}
	const length = Math.hypot(...vector);
	return length === 0 ? vector : vector.map((value) => value / length);
}
