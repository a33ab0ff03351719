/** Stop words: they say nothing about the topic of a question. */
const COMMON = new Set(
	'a an and are as at be by can do does for from how i in is it its many much of on or that the this to was what when where which who why will with you your'.split(
		' ',
	),
);

const wordsOf = (text: string): string[] =>
	(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word));

const near = (a: string, b: string): boolean =>
	a === b || (a.length > 4 && b.length > 4 && a.slice(0, -2) === b.slice(0, -2));

const sentencesOf = (text: string): string[] =>
	(text.match(/[^.!?\n]+[.!?]*/g) ?? [])
		.map((sentence) => sentence.trim())
		.filter((sentence) => sentence !== '');

/** The sentence that shares most words with the question, and the number of the source that holds it, from 1. */
export function bestSentence(
	question: string,
	sources: readonly string[],
): { sentence: string; source: number } | undefined {
	const asked = [...new Set(wordsOf(question))];
	const candidates = sources.flatMap((text, index) =>
		sentencesOf(text).map((sentence) => {
			const words = wordsOf(sentence);
			return {
				sentence,
				source: index + 1,
				shared: asked.filter((word) => words.some((other) => near(word, other))).length,
			};
		}),
	);
	return candidates.reduce<(typeof candidates)[number] | undefined>(
		(best, one) => (best === undefined || one.shared > best.shared ? one : best),
		undefined,
	);
}

/** An answer from the sources alone, with the number of the one that it is taken from. */
export function answerFrom(question: string, sources: readonly string[]): string {
	const found = bestSentence(question, sources);
	return found
		? `To "${question}" the context says: ${found.sentence} [${found.source}]`
		: `To "${question}" the context says nothing`;
}
