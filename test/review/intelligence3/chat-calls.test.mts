import { describe, expect, it } from 'vitest';
import { ask, COMPLETIONS, heardOf, QUESTION, useStage } from '../intelligence2/play.mts';
import { completion, json, stream, type Fields } from '../intelligence2/service.mts';

const stage = useStage();
const NAMES = ['get', 'destroy'];
const OPTIONS = {
	stream: true,
	tools: JSON.stringify(
		NAMES.map((name) => ({
			type: 'function',
			function: { name, description: name, parameters: { type: 'object' } },
		})),
	),
};

/** A call that must come out: its name and its arguments as JSON. */
type Called = [name: string, args: string];

const delta = (fields: Fields, called: Fields) => ({
	tool_calls: [{ ...fields, function: called }],
});
const called = (calls: Array<{ name: unknown; args: unknown }>): Called[] =>
	calls.map(({ name, args }) => {
		// The texts of the node have numbers of all digits, those of the model texts
		const exact = String(args).replace(/:\s*(\d{16,})/g, ':"$1"');
		return [String(name), JSON.stringify(JSON.parse(exact))];
	});

/** The calls of a stream, in Chat Completion and in the chat model. */
async function callsIn(deltas: Fields[]): Promise<{ node: Called[]; model: Called[] }> {
	stage.service.when(COMPLETIONS, stream(deltas, 'tool_calls'));
	const { items, error } = await stage.run(ask(OPTIONS));
	expect(error?.message).toBeUndefined();
	const node = items[0]?.tool_calls as Array<{ function: { name: string; arguments: string } }>;
	const model = (await stage.model()).withTools(
		NAMES.map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
	);
	const { calls } = await heardOf(model.stream(QUESTION));
	return {
		node: called(node.map(({ function: { name, arguments: args } }) => ({ name, args }))),
		model: called(calls.map(({ name, argumentsDelta: args }) => ({ name, args }))),
	};
}

const ONE = '{"x":1,"y":2}';
/** The same value in other words. */
const AGAIN = '{ "y": 2.0, "x": 1 }';
const TWO = '{"x":2}';

describe('whitespace after whole arguments is no call, and takes nothing from one', () => {
	it.each<[string, Fields[], Called[]]>([
		[
			'the name comes with each delta, without an ID',
			[
				delta({ index: 0 }, { name: 'get', arguments: ONE }),
				delta({ index: 0 }, { name: 'get', arguments: '\n' }),
			],
			[['get', ONE]],
		],
		[
			'the name comes with each delta, without an ID or an index',
			[
				delta({}, { name: 'get', arguments: ONE.slice(0, 5) }),
				delta({}, { name: 'get', arguments: ONE.slice(5) }),
				delta({}, { name: 'get', arguments: ' ' }),
				delta({}, { name: 'get', arguments: '\r\n' }),
			],
			[['get', ONE]],
		],
		[
			'the name has come again, and the next call follows',
			[
				delta({ index: 0 }, { name: 'get', arguments: ONE }),
				delta({ index: 0 }, { name: 'get', arguments: '' }),
				delta({ index: 0 }, { arguments: '\n' }),
				delta({ index: 0 }, { arguments: '{"x"' }),
				delta({ index: 0 }, { arguments: ':2}' }),
			],
			[
				['get', ONE],
				['get', TWO],
			],
		],
		[
			'the arguments came as an object',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: { x: 2 } }),
				delta({ index: 0, id: 'a' }, { arguments: '\n' }),
			],
			[['get', TWO]],
		],
		[
			'before they come again as a whole',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
				delta({ index: 0 }, { arguments: '\n' }),
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
			],
			[['get', ONE]],
		],
		[
			'under another index, without a name',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
				delta({ index: 1 }, { arguments: '\n' }),
			],
			[['get', ONE]],
		],
		[
			'within a text of the arguments it is kept',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":"a' }),
				delta({ index: 0 }, { arguments: ' ' }),
				delta({ index: 0 }, { arguments: 'b"}' }),
			],
			[['get', '{"x":"a b"}']],
		],
	])('%s', async (_, deltas, calls) => {
		expect(await callsIn(deltas)).toEqual({ node: calls, model: calls });
	});
});

describe('two calls of one chunk under one index, with IDs of their own, are two', () => {
	const two = (...calls: Array<[id: string, called: Fields]>) => ({
		tool_calls: calls.map(([id, one]) => ({ index: 0, id, function: one })),
	});
	it.each<[string, Fields[], Called[]]>([
		[
			'whose arguments follow',
			[
				two(['a', { name: 'get', arguments: '' }], ['b', { name: 'get', arguments: '' }]),
				two(['a', { arguments: ONE }], ['b', { arguments: TWO }]),
			],
			[
				['get', ONE],
				['get', TWO],
			],
		],
		[
			'whole and the same',
			[two(['a', { name: 'get', arguments: ONE }], ['b', { name: 'get', arguments: ONE }])],
			[
				['get', ONE],
				['get', ONE],
			],
		],
	])('%s', async (_, deltas, calls) => {
		expect(await callsIn(deltas)).toEqual({ node: calls, model: calls });
	});
});

describe('a call that comes again as a whole is one call, however its JSON is written', () => {
	it.each<[string, Fields[], Called[]]>([
		[
			'with its ID and name',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE.slice(0, 3) }),
				delta({ index: 0 }, { arguments: ONE.slice(3) }),
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: AGAIN }),
			],
			[['get', ONE]],
		],
		[
			'with its index alone',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
				delta({ index: 0 }, { arguments: AGAIN }),
			],
			[['get', ONE]],
		],
		[
			'without an ID, all of them at the end',
			[
				delta({ index: 0 }, { name: 'get', arguments: ONE }),
				delta({ index: 1 }, { name: 'destroy', arguments: TWO }),
				delta({ index: 0 }, { name: 'get', arguments: AGAIN }),
				delta({ index: 1 }, { name: 'destroy', arguments: '{"x": 2}' }),
			],
			[
				['get', ONE],
				['destroy', TWO],
			],
		],
		[
			'as an object after text',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: { y: 2, x: 1 } }),
			],
			[['get', ONE]],
		],
		[
			'as text after an object',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: { y: 2, x: 1 } }),
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
			],
			[['get', '{"y":2,"x":1}']],
		],
		[
			'as an object with its keys in another order',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: { y: 2, x: 1 } }),
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: { x: 1, y: 2 } }),
			],
			[['get', '{"y":2,"x":1}']],
		],
		[
			'under another index with its ID',
			[
				delta({ index: 0, id: 'a' }, { name: 'get', arguments: ONE }),
				delta({ index: 1, id: 'a' }, { name: 'get', arguments: AGAIN }),
			],
			[['get', ONE]],
		],
		[
			'but an ID of 19 digits makes it another one',
			[
				delta({ index: 0 }, { name: 'get', arguments: '{"id":1234567890123456789}' }),
				delta({ index: 0 }, { name: 'get', arguments: '{"id":1234567890123456788}' }),
			],
			[
				['get', '{"id":"1234567890123456789"}'],
				['get', '{"id":"1234567890123456788"}'],
			],
		],
	])('%s', async (_, deltas, calls) => {
		expect(await callsIn(deltas)).toEqual({ node: calls, model: calls });
	});

	it('also in a response in one piece, and in two choices', async () => {
		const message = (args: unknown) => ({
			tool_calls: [{ id: 'a', type: 'function', function: { name: 'get', arguments: args } }],
		});
		const twice = [...message(ONE).tool_calls, ...message(AGAIN).tool_calls];
		stage.service.when(
			COMPLETIONS,
			json(
				completion({ tool_calls: [...twice, ...message({ y: 2, x: 1 }).tool_calls] }, 'tool_calls'),
			),
		);
		const one = await stage.run(ask({ tools: OPTIONS.tools }));
		expect(one.items[0]?.tool_calls).toHaveLength(1);
		const choices = [ONE, AGAIN].map((args, index) => ({
			index,
			message: { role: 'assistant', content: null, ...message(args) },
			finish_reason: 'tool_calls',
		}));
		stage.service.when(COMPLETIONS, json(completion({}, 'tool_calls', { choices })));
		const two = await stage.run(ask({ tools: OPTIONS.tools }));
		expect(two.items[0]?.tool_calls).toHaveLength(1);
	});
});
