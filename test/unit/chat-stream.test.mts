import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { eventsOf as events } from '../../nodes/shared/stream/stream.ts';

async function* cut(bytes: Uint8Array, borders: readonly number[]): AsyncGenerator<Uint8Array> {
	let from = 0;
	for (const border of [...new Set(borders)].sort((a, b) => a - b)) {
		yield bytes.subarray(from, border);
		from = border;
	}
	yield bytes.subarray(from);
}

type Delta = Record<string, unknown>;
const text = fc.string({
	unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\u2028', 'é', '你', '🚀'),
	maxLength: 20,
});
const pieces = fc.array(text, { maxLength: 6 });

/** A completion of some choices, and the chunks that it comes in. */
const streamed = fc
	.record({
		choices: fc.array(
			fc.record({
				content: pieces,
				reasoning: pieces,
				calls: fc.array(fc.record({ name: fc.string({ minLength: 1 }), args: pieces }), {
					maxLength: 3,
				}),
			}),
			{ minLength: 1, maxLength: 4 },
		),
		tokens: fc.nat(),
		lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
		keepAlives: fc.boolean(),
		done: fc.boolean(),
	})
	.map(({ choices, tokens, lineEnd, keepAlives, done }) => {
		const usage = {
			prompt_tokens: tokens,
			completion_tokens_details: { reasoning_tokens: tokens },
		};
		const lists = choices.map(({ content, reasoning, calls }) => [
			{ role: 'assistant', content: '' },
			...reasoning.map((piece): Delta => ({ reasoning_content: piece })),
			...content.map((piece): Delta => ({ content: piece })),
			...calls.flatMap(({ name, args }, index): Delta[] => [
				{
					tool_calls: [
						{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
					],
				},
				...args.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
			]),
		]);
		const head = { id: 'x', object: 'chat.completion.chunk', model: 'm' };
		const deltas = lists.flatMap((list, index) => [
			...list.map((delta) => ({
				...head,
				choices: [{ index, delta, logprobs: null, finish_reason: null }],
				usage: null,
			})),
			{
				...head,
				choices: [{ index, delta: {}, logprobs: null, finish_reason: 'stop' }],
				usage: null,
			},
		]);
		const end = lineEnd + lineEnd;
		const lines = [...deltas, { ...head, choices: [], usage }].map(
			(chunk) => `data: ${JSON.stringify(chunk)}${end}${keepAlives ? `: keep-alive${end}` : ''}`,
		);
		const whole = {
			id: 'x',
			object: 'chat.completion',
			model: 'm',
			usage,
			choices: choices.map(({ content, reasoning, calls }, index) => ({
				index,
				message: {
					role: 'assistant',
					content: content.join(''),
					...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
					...(calls.length > 0 && {
						tool_calls: calls.map(({ name, args }, at) => ({
							id: `call_${at}`,
							type: 'function',
							function: { name, arguments: args.join('') },
						})),
					}),
				},
				logprobs: null,
				finish_reason: 'stop',
			})),
		};
		return { bytes: Buffer.from(lines.join('') + (done ? `data: [DONE]${end}` : '')), whole };
	});

async function accumulated(
	bytes: Uint8Array,
	borders: readonly number[],
): Promise<CompletionAccumulator> {
	const accumulator = new CompletionAccumulator();
	for await (const { data } of events(cut(bytes, borders))) {
		if (data !== '[DONE]') accumulator.add(JSON.parse(data) as Record<string, unknown>);
	}
	return accumulator;
}

describe('a streamed completion', () => {
	it('equals the whole one for 1,000 seeded chunkings', async () => {
		let cutsInCharacters = 0;
		let streams = 0;
		// Without fast-check's liking for small numbers, which would cut at the beginning alone
		const everywhere = fc.noBias(
			fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 60, size: 'max' }),
		);
		await fc.assert(
			fc.asyncProperty(fc.noBias(streamed), everywhere, async ({ bytes, whole }, places) => {
				const borders = places.map((place) => place % bytes.length);
				cutsInCharacters += borders.filter(
					(border) => ((bytes[border] ?? 0) & 0xc0) === 0x80,
				).length;
				streams++;
				const accumulator = await accumulated(bytes, borders);
				expect(accumulator.completion()).toEqual(whole);
				expect(accumulator.isComplete(whole.choices.length)).toBe(true);
			}),
			{ numRuns: 1_000, seed: 20_261_121 },
		);
		// Mutation testing ends long tests early
		expect(cutsInCharacters).toBeGreaterThan(0.3 * streams);
	});

	it('equals the whole one byte by byte', async () => {
		await fc.assert(
			fc.asyncProperty(streamed, async ({ bytes, whole }) => {
				expect((await accumulated(bytes, [...bytes.keys()])).completion()).toEqual(whole);
			}),
			{ numRuns: 50, seed: 20_261_121 },
		);
	});

	it('is incomplete while a choice has no finish_reason', () => {
		const accumulator = new CompletionAccumulator();
		expect(accumulator.isComplete(1)).toBe(false);
		accumulator.add({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] });
		expect([accumulator.isComplete(1), accumulator.isComplete(2)]).toEqual([true, false]);
		accumulator.add({ choices: [{ index: 5, delta: { content: 'b' } }] });
		expect(accumulator.isComplete(1)).toBe(false);
	});

	it('is complete after a finish_reason between empty ones', () => {
		const accumulator = new CompletionAccumulator();
		const isWhole = ['', 'stop', ''].map((reason, nth) => {
			const delta = { content: nth < 2 ? 'a' : '' };
			accumulator.add({ choices: [{ index: 0, delta, finish_reason: reason }] });
			return accumulator.isComplete(1);
		});
		expect(isWhole).toEqual([false, true, true]);
	});

	it('after a finish_reason after which more came, is complete with [DONE] or another reason', () => {
		const accumulator = new CompletionAccumulator();
		const isWhole = ['stop', '', null, 'stop'].map((reason) => {
			accumulator.add({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: reason }] });
			return [accumulator.isComplete(1), accumulator.isComplete(1, true)];
		});
		expect(isWhole).toEqual([
			[true, true],
			[false, true],
			[false, true],
			[true, true],
		]);
	});
});
