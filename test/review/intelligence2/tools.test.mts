import { describe, expect, it } from 'vitest';
import { random as seeded } from '../../engine/random.mts';
import { ask, COMPLETIONS, heardOf, QUESTION, rejection, useStage } from './play.mts';
import { chunk, completion, events, json, nthOf, pieces, stream, type Fields } from './service.mts';

const stage = useStage();
const tool = (name: string) => ({
	type: 'function',
	function: { name, description: name, parameters: { type: 'object' } },
});
const NAMES = ['get', 'get_price', 'destroy', 'destroy_all'];
const OPTIONS = { stream: true, tools: JSON.stringify(NAMES.map(tool)) };

/** What a model has decided to call. */
interface Meant {
	name: string;
	args: Fields;
}

const meantOf = (calls: unknown) =>
	(calls as Array<{ function: { name: string; arguments: string } }>).map(
		({ function: { name, arguments: args } }) => ({ name, args: JSON.parse(args) as Fields }),
	);

describe('a tool call has the arguments that the model has written, or there is an error', () => {
	const call = (fields: Fields, called: Fields) => ({
		tool_calls: [{ ...fields, function: called }],
	});
	it.each<[string, Fields[], Meant[]]>([
		[
			'index as text',
			[
				call({ index: '0', id: 'a' }, { name: 'get', arguments: '' }),
				call({ index: '1', id: 'b' }, { name: 'destroy', arguments: '' }),
				call({ index: '0' }, { arguments: '{"x":' }),
				call({ index: '1' }, { arguments: '{"y":2}' }),
				call({ index: '0' }, { arguments: '1}' }),
			],
			[
				{ name: 'get', args: { x: 1 } },
				{ name: 'destroy', args: { y: 2 } },
			],
		],
		[
			'no index, the ID with every piece, two calls interleaved',
			[
				call({ id: 'a' }, { name: 'get', arguments: '' }),
				call({ id: 'b' }, { name: 'get', arguments: '' }),
				call({ id: 'a' }, { arguments: '{"x":' }),
				call({ id: 'b' }, { arguments: '{"x":2}' }),
				call({ id: 'a' }, { arguments: '1}' }),
			],
			[
				{ name: 'get', args: { x: 1 } },
				{ name: 'get', args: { x: 2 } },
			],
		],
		[
			'an index that is reused',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
				call({ index: 0, id: 'b' }, { name: 'get', arguments: '{"x":' }),
				call({ index: 0 }, { arguments: '2}' }),
			],
			[
				{ name: 'get', args: { x: 1 } },
				{ name: 'get', args: { x: 2 } },
			],
		],
		[
			'the same ID for both',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
				call({ index: 1, id: 'a' }, { name: 'get_price', arguments: '{"x":2}' }),
			],
			[
				{ name: 'get', args: { x: 1 } },
				{ name: 'get_price', args: { x: 2 } },
			],
		],
		[
			'the name in pieces',
			[
				call({ index: 0, id: 'a' }, { name: 'get_' }),
				call({ index: 0 }, { name: 'price' }),
				call({ index: 0 }, { arguments: '{}' }),
			],
			[{ name: 'get_price', args: {} }],
		],
		[
			'arguments as an object',
			[call({ index: 0, id: 'a' }, { name: 'get', arguments: { x: 1 } })],
			[{ name: 'get', args: { x: 1 } }],
		],
		[
			'indices with gaps, backwards',
			[
				call({ index: 7, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
				call({ index: 3, id: 'b' }, { name: 'get', arguments: '{"x":2}' }),
			],
			[
				{ name: 'get', args: { x: 1 } },
				{ name: 'get', args: { x: 2 } },
			],
		],
		[
			'a call at the end again as a whole',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x"' }),
				call({ index: 0 }, { arguments: ':1}' }),
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
			],
			[{ name: 'get', args: { x: 1 } }],
		],
	])('%s', async (_, deltas, meant) => {
		stage.service.when(COMPLETIONS, stream(deltas, 'tool_calls'));
		const { items, error } = await stage.run(ask(OPTIONS));
		expect(error?.message).toBeUndefined();
		expect(meantOf(items[0]?.tool_calls)).toEqual(meant);
		stage.service.when(COMPLETIONS, stream(deltas, 'tool_calls'));
		const model = (await stage.model()).withTools(
			NAMES.map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
		);
		const { calls } = await heardOf(model.stream(QUESTION));
		expect(
			calls.map(({ name, argumentsDelta: args }) => ({
				name,
				args: JSON.parse(String(args)) as Fields,
			})),
		).toEqual(meant);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
	});

	it.each<[string, Fields[], string]>([
		[
			'arguments that are cut off',
			[call({ index: 0, id: 'a' }, { name: 'destroy', arguments: '{"x":1' })],
			'tool_calls',
		],
		[
			'arguments that are cut off at the limit, but parse',
			[call({ index: 0, id: 'a' }, { name: 'destroy', arguments: '{}' })],
			'length',
		],
		[
			'a list of arguments',
			[call({ index: 0, id: 'a' }, { name: 'destroy', arguments: '[1]' })],
			'tool_calls',
		],
		[
			'two whole arguments in one call',
			[call({ index: 0, id: 'a' }, { name: 'destroy', arguments: '{"x":1}{"x":2}' })],
			'tool_calls',
		],
		[
			'arguments under another name',
			[
				{
					tool_calls: [{ index: 0, id: 'a', function: { name: 'destroy', parameters: { x: 1 } } }],
				},
			],
			'tool_calls',
		],
		['a stream that ends for a call and has none', [{ content: 'I will call.' }], 'tool_calls'],
	])('%s are an error', async (_, deltas, finish) => {
		stage.service.when(COMPLETIONS, stream(deltas, finish));
		expect((await stage.run(ask(OPTIONS))).error).toBeDefined();
		const model = (await stage.model()).withTools(
			NAMES.map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
		);
		stage.service.when(COMPLETIONS, stream(deltas, finish));
		const calls: Fields[] = [];
		const failed = await rejection(
			(async () => {
				for await (const part of model.stream(QUESTION))
					if (part.type === 'tool-call-delta') calls.push(part);
			})(),
		);
		expect(failed).toBeDefined();
		expect(calls).toEqual([]);
	});

	it('a number of 20 digits in arguments that come as an object keeps its digits', async () => {
		const body = JSON.stringify(
			completion(
				{
					tool_calls: [
						{ id: 'a', type: 'function', function: { name: 'destroy', arguments: { id: 'BIG' } } },
					],
				},
				'tool_calls',
			),
		);
		stage.service.when(COMPLETIONS, json(body.replace('"BIG"', '12345678901234567891')));
		const { items } = await stage.run(ask({ tools: OPTIONS.tools }));
		expect(JSON.stringify(items[0]?.tool_calls)).toContain('12345678901234567891');
	});

	it('so does one in a JSON answer, and to its schema it is a number', async () => {
		stage.service.when(
			COMPLETIONS,
			json(completion({ content: '{"id": 12345678901234567891, "n": 3}' })),
		);
		const schema = {
			type: 'object',
			properties: { id: { type: 'integer' }, n: { type: 'integer' } },
			required: ['id'],
		};
		const { items, error } = await stage.run(ask({ jsonSchema: JSON.stringify(schema) }));
		expect(error?.message).toBeUndefined();
		expect(items[0]?.content).toEqual({ id: '12345678901234567891', n: 3 });
	});

	it('in 400 random streams of two calls, in the ways of eight services', async () => {
		const int = seeded(20261124);
		const wrong: string[] = [];
		for (let round = 0; round < 400; round++) {
			const meant: Meant[] = Array.from({ length: 1 + int(3) }, (_, n) => ({
				name: nthOf(NAMES, int(NAMES.length)),
				args: int(5) === 0 ? {} : { n, x: ['a', '{', '}', '"', '\\', 'é'].slice(int(6)) },
			}));
			const style = {
				index: nthOf(['number', 'text', 'none', 'zero', 'one'] as const, int(5)),
				id: nthOf(['first', 'every', 'none', 'number'] as const, int(4)),
				name: nthOf(['first', 'every'] as const, int(2)),
				mixed: int(2) === 0,
				again: int(4) === 0,
			};
			// What nothing tells apart is no fault of the reader
			if (style.mixed && (style.index === 'none' || style.index === 'zero') && style.id !== 'every')
				style.mixed = false;
			const queues = meant.map(({ name, args }, n) => {
				const text = JSON.stringify(args);
				const cuts = [
					0,
					...Array.from({ length: int(4) }, () => int(text.length)).sort((a, b) => a - b),
					text.length,
				];
				const parts = cuts.slice(1).map((to, at) => text.slice(cuts[at], to));
				const index = { number: n, text: String(n), none: undefined, zero: 0, one: n + 1 }[
					style.index
				];
				const id = style.id === 'number' ? n + 100 : `call-${round}-${n}`;
				const deltas = ['', ...parts].map((part, at) =>
					call(
						{
							index,
							...(style.id !== 'none' &&
								(at === 0 || style.id === 'every') && { id, type: 'function' }),
						},
						{ ...((at === 0 || style.name === 'every') && { name }), arguments: part },
					),
				);
				if (style.again && style.id !== 'none')
					deltas.push(call({ index, id }, { name, arguments: text }));
				return deltas;
			});
			const deltas: Fields[] = [];
			while (queues.some((queue) => queue.length > 0)) {
				const left = queues.filter((queue) => queue.length > 0);
				deltas.push(...nthOf(left, style.mixed ? int(left.length) : 0).splice(0, 1));
			}
			stage.service.when(
				COMPLETIONS,
				pieces([
					events([...deltas.map((delta) => chunk(delta)), chunk({}, 'tool_calls'), '[DONE]']).join(
						'',
					),
				]),
			);
			const { items, error } = await stage.run(ask(OPTIONS));
			const unique = (calls: Meant[]) =>
				[...new Set(calls.map((one) => JSON.stringify(one)))].sort();
			if (!error) {
				const got = unique(meantOf(items[0]?.tool_calls));
				// Of equal calls without any difference one may be taken for the other again
				if (JSON.stringify(got) !== JSON.stringify(unique(meant)))
					wrong.push(JSON.stringify({ round, style, meant, got: items[0]?.tool_calls, deltas }));
			} else wrong.push(JSON.stringify({ refused: error.message, style, meant, deltas }));
		}
		const refused = wrong.filter((one) => one.startsWith('{"refused'));
		expect(wrong.filter((one) => !refused.includes(one))).toEqual([]);
		// Such as names that begin with another one's, without an ID: better no call than a wrong one
		expect(refused.length).toBeLessThan(8);
	});
});
