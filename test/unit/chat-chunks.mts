import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';

export type Chunk = Record<string, unknown>;

/** An accumulator of these chunks. */
export function of(...chunks: Chunk[]): CompletionAccumulator {
	const accumulator = new CompletionAccumulator();
	for (const chunk of chunks) accumulator.add(chunk);
	return accumulator;
}

export const delta = (content: unknown, more: object = {}) => ({
	choices: [{ index: 0, delta: { content }, ...more }],
});

export const contents = (accumulator: CompletionAccumulator) =>
	(accumulator.completion().choices as Array<{ message: { content: unknown } }>).map(
		({ message }) => message.content,
	);
