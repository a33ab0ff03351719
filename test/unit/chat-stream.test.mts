import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { fromCompletion } from '../../nodes/LmChatCompute/sdkMessages.ts';
import { eventsOf as events } from '../../nodes/shared/stream/stream.ts';

async function* cut(bytes: Uint8Array, borders: readonly number[]): AsyncGenerator<Uint8Array> {
	let from = 0;
	for (const border of [...new Set(borders)].sort((a, b) => a - b)) {
		yield bytes.subarray(from, border);
		from = border;
	}
	yield bytes.subarray(from);
}

const message = (data: string) => ({ type: 'message', data });

const eventsOf = async (text: string, borders: readonly number[] = []) => {
	const found: Array<{ type: string; data: string }> = [];
	for await (const { type, data } of events(cut(Buffer.from(text), borders)))
		found.push({ type, data });
	return found;
};

describe('the events of a stream', () => {
	it.each([
		[
			'fields, the space after the colon, comments',
			'event: a\n: comment\ndata:1\ndata: 2\nid: 7\nretry: 9\n\n',
			[{ type: 'a', data: '1\n2' }],
		],
		[
			'line ends of all kinds',
			'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n',
			[message('1'), message('2'), message('3')],
		],
		[
			'line ends that change in mid-stream',
			'data: 1\r\n\ndata: 2\r\r\ndata: 3\n\r',
			[message('1'), message('2'), message('3')],
		],
		['a byte order mark', '\ufeffdata: 1\n\n', [message('1')]],
		['a name without a colon, and empty data', 'data\n\ndata:\n\n', [message(''), message('')]],
		['no data, no event', 'event: a\n\n\n: only\n\n', []],
		['no empty line, no last event', 'data: 1\n\ndata: 2', [message('1')]],
	])('%s', async (_, text, expected) => {
		expect(await eventsOf(text)).toEqual(expected);
		const bytes = Buffer.byteLength(text);
		expect(
			await eventsOf(
				text,
				Array.from({ length: bytes }, (__, index) => index),
			),
		).toEqual(expected);
	});
});

it('the same events however the bytes are cut, also where the line ends change in mid-stream', async () => {
	const piece = fc.constantFrom(
		'data: 1é',
		': comment',
		'event: a',
		'data',
		'\n',
		'\r\n',
		'\r',
		'\n\n',
		'\r\r',
		'\r\n\r\n',
	);
	const property = fc.asyncProperty(
		fc.array(piece, { maxLength: 16 }),
		fc.array(fc.nat(120), { maxLength: 12 }),
		async (pieces, borders) => {
			expect(await eventsOf(pieces.join(''), borders)).toEqual(await eventsOf(pieces.join('')));
		},
	);
	await fc.assert(property, { numRuns: 5_000, seed: 1 });
});

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

it('a call without the name of a function is none for an agent', () => {
	const calls = [
		{ id: 'a', function: { arguments: '{}' } },
		{ id: 'b', function: { name: '' } },
		{},
		{ id: 'c', function: { name: 'f', arguments: '{}' } },
	];
	expect(fromCompletion({ choices: [{ message: { tool_calls: calls } }] }).calls).toEqual([
		{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{}' },
	]);
});

describe('a streamed completion', () => {
	it('is the whole one, however its bytes are cut: 1,000 seeded chunkings, inside characters, names and JSON', async () => {
		let cutsInCharacters = 0;
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
				const accumulator = await accumulated(bytes, borders);
				expect(accumulator.completion()).toEqual(whole);
				expect(accumulator.isComplete(whole.choices.length)).toBe(true);
			}),
			{ numRuns: 1_000, seed: 20_261_121 },
		);
		expect(cutsInCharacters).toBeGreaterThan(300);
	});

	it('is the whole one byte by byte', async () => {
		await fc.assert(
			fc.asyncProperty(streamed, async ({ bytes, whole }) => {
				expect((await accumulated(bytes, [...bytes.keys()])).completion()).toEqual(whole);
			}),
			{ numRuns: 50, seed: 20_261_121 },
		);
	});

	it('is not whole while a choice has no end', () => {
		const accumulator = new CompletionAccumulator();
		expect(accumulator.isComplete(1)).toBe(false);
		accumulator.add({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] });
		expect([accumulator.isComplete(1), accumulator.isComplete(2)]).toEqual([true, false]);
		accumulator.add({ choices: [{ index: 5, delta: { content: 'b' } }] });
		expect(accumulator.isComplete(1)).toBe(false);
	});

	it('has its end where its chunks carry an empty one before and after it, but not before', () => {
		const accumulator = new CompletionAccumulator();
		const whole = ['', 'stop', ''].map((reason) => {
			accumulator.add({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: reason }] });
			return accumulator.isComplete(1);
		});
		expect(whole).toEqual([false, true, true]);
	});

	it.each<[string, Delta[], unknown]>([
		[
			'a role in every chunk',
			[
				{ role: 'assistant', content: 'a' },
				{ role: 'assistant', content: 'b' },
			],
			{ role: 'assistant', content: 'ab' },
		],
		[
			'null before text',
			[{ content: null }, { content: 'a' }, { content: null }],
			{ content: 'a' },
		],
		['null alone', [{ content: null }], { content: null }],
		[
			'new ids without a name or an index',
			[
				{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] },
				{ tool_calls: [{ id: 'b', function: { arguments: '}' } }] },
			],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
		],
		[
			'calls without an index',
			[
				{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] },
				{ tool_calls: [{ function: { arguments: '}' } }] },
				{ tool_calls: [{ id: 'b', function: { name: 'g', arguments: '[]' } }] },
			],
			{
				tool_calls: [
					{ id: 'a', function: { name: 'f', arguments: '{}' } },
					{ id: 'b', function: { name: 'g', arguments: '[]' } },
				],
			},
		],
		[
			'a call whose id and name come again',
			[
				{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }] },
				{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '2' } }] },
			],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '12' } }] },
		],
		[
			'an index that no model reaches',
			[{ tool_calls: [{ index: 1e9, id: 'a', function: { name: 'f', arguments: '1' } }] }],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '1' } }] },
		],
		[
			'a first call whose index is 1',
			[
				{ tool_calls: [{ index: 1, id: 'a', function: { name: 'f', arguments: '{' } }] },
				{ tool_calls: [{ index: 1, function: { arguments: '}' } }] },
			],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
		],
		[
			'two calls under one index',
			[
				{
					tool_calls: [
						{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } },
						{ index: 0, id: 'b', function: { name: 'g', arguments: '2' } },
					],
				},
				{ tool_calls: [{ index: 0, function: { arguments: '3' } }] },
				{ tool_calls: [{ index: 0, id: 'a', function: { arguments: '4' } }] },
			],
			{
				tool_calls: [
					{ id: 'a', function: { name: 'f', arguments: '14' } },
					{ id: 'b', function: { name: 'g', arguments: '23' } },
				],
			},
		],
		[
			'an id of its own for each piece of one call',
			[
				{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }] },
				{ tool_calls: [{ index: 0, id: 'b', function: { name: '', arguments: '2' } }] },
				{ tool_calls: [{ index: 0, id: 'c', function: { arguments: '3' } }] },
			],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '123' } }] },
		],
		[
			'an id that comes late or empty',
			[
				{ tool_calls: [{ index: 0, function: { name: 'f', arguments: '1' } }] },
				{ tool_calls: [{ index: 0, id: 'a' }] },
				{ tool_calls: [{ index: 0, id: '', function: { arguments: '2' } }] },
			],
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '12' } }] },
		],
		[
			'one id under two indices',
			[
				{
					tool_calls: [0, 1].map((index) => ({
						index,
						id: 'a',
						function: { name: `f${index}`, arguments: '1' },
					})),
				},
			],
			{
				tool_calls: [0, 1].map((index) => ({
					id: 'a',
					function: { name: `f${index}`, arguments: '1' },
				})),
			},
		],
		['a field of the service’s own', [{ annotations: ['x'] }, {}], { annotations: ['x'] }],
	])('survives %s', (_, deltas, message) => {
		const accumulator = new CompletionAccumulator();
		for (const delta of deltas) accumulator.add({ choices: [{ index: 0, delta }] });
		expect(accumulator.completion().choices).toEqual([{ index: 0, message }]);
	});
});
