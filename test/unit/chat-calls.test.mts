import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { callsOf, faultOf } from '../../nodes/intelligence/choice.ts';

type Delta = [index?: number, id?: string, name?: string, args?: string];

/** The calls of a stream with these deltas: name and arguments. */
function streamed(...deltas: Delta[]): Array<[unknown, unknown]> {
	return streamedFor([], ...deltas);
}

/** The same where the request offers tools. */
function streamedFor(tools: string[], ...deltas: Delta[]): Array<[unknown, unknown]> {
	const accumulator = new CompletionAccumulator(new Set(tools));
	for (const [index, id, name, args] of deltas)
		accumulator.add({
			choices: [{ delta: { tool_calls: [{ index, id, function: { name, arguments: args } }] } }],
		});
	const [choice] = accumulator.completion().choices as Array<{ message: object }>;
	return callsOf({ ...choice?.message }).map(({ function: called }) => [
		called.name,
		called.arguments,
	]);
}

const [one, two] = ['{"x":1}', '{"x":2}'];

describe('streamed calls without IDs', () => {
	it.each<[string, Delta[], Array<[string, string]>]>([
		[
			'of two names under one index',
			[
				[0, '', 'f', one],
				[0, '', 'g', two],
			],
			[
				['f', one],
				['g', two],
			],
		],
		[
			'of one name, its arguments in pieces',
			[
				[0, undefined, 'f', ''],
				[0, undefined, undefined, '{"x"'],
				[0, undefined, undefined, ':1}'],
				[0, undefined, 'f', ''],
				[0, undefined, undefined, '{"x"'],
				[0, undefined, undefined, ':2}'],
			],
			[
				['f', one],
				['f', two],
			],
		],
		[
			'of one name without an index',
			[
				[undefined, undefined, 'f', one],
				[undefined, undefined, 'f', two],
			],
			[
				['f', one],
				['f', two],
			],
		],
		[
			'of two names and the same arguments, without an index',
			[
				[undefined, undefined, 'f', one],
				[undefined, undefined, 'g', one],
			],
			[
				['f', one],
				['g', one],
			],
		],
		[
			'whose name comes with each piece, without an index',
			[
				[undefined, undefined, 'f', '{"x"'],
				[undefined, undefined, 'f', ':1}'],
			],
			[['f', one]],
		],
		[
			'whose name comes with each piece',
			[
				[0, undefined, 'f', '{"x"'],
				[0, undefined, 'f', ':1}'],
				[0, undefined, 'f', ''],
			],
			[['f', one]],
		],
		[
			'whose arguments come again',
			[
				[0, undefined, 'f', one],
				[0, undefined, undefined, one],
			],
			[['f', one]],
		],
		[
			'that come again as a whole at the end',
			[
				[0, undefined, 'f', '{"x"'],
				[0, undefined, undefined, ':1}'],
				[1, undefined, 'g', two],
				[undefined, undefined, 'f', one],
				[undefined, undefined, 'g', two],
				[0, undefined, 'f', one],
			],
			[
				['f', one],
				['g', two],
			],
		],
		[
			'that are the same under two indices',
			[
				[0, undefined, 'f', one],
				[1, undefined, 'f', one],
			],
			[
				['f', one],
				['f', one],
			],
		],
		[
			'that begin with {}',
			[
				[0, 'a', 'f', '{}'],
				[0, 'a', undefined, '{"x"'],
				[0, 'a', undefined, ':1}'],
			],
			[['f', one]],
		],
	])('%s', (_, deltas, calls) => expect(streamed(...deltas)).toEqual(calls));

	it.each<[string, string[], Delta[], string[]]>([
		[
			'in pieces, with an ID',
			[],
			[
				[0, 'a', 'get_', ''],
				[0, undefined, 'price', ''],
			],
			['get_price'],
		],
		[
			'in pieces, with the ID again',
			[],
			[
				[0, 'a', 'get_'],
				[0, 'a', 'price'],
			],
			['get_price'],
		],
		[
			'in pieces, without an ID',
			['get_price'],
			[
				[0, '', 'get_'],
				[0, '', 'price'],
			],
			['get_price'],
		],
		[
			'in pieces that begin with another tool',
			['get', 'get_price'],
			[
				[0, 'a', 'get', ''],
				[0, undefined, '_price'],
			],
			['get_price'],
		],
		[
			'in pieces, and whole at the end',
			['ab'],
			[
				[0, 'a', 'a'],
				[0, '', 'b'],
				[0, '', 'ab'],
			],
			['ab'],
		],
		[
			'of one piece twice',
			['gogo'],
			[
				[0, 'a', 'go'],
				[0, '', 'go'],
			],
			['gogo'],
		],
		[
			'again with each delta',
			['go', 'gogo'],
			[
				[0, 'a', 'go'],
				[0, '', 'go'],
				[0, '', 'go'],
			],
			['go'],
		],
		[
			'all of it so far',
			['get_price'],
			[
				[0, '', 'get'],
				[0, '', 'get_price'],
			],
			['get_price'],
		],
		[
			'of two unknown tools under one index',
			[],
			[
				[0, '', 'get'],
				[0, '', 'get_price'],
				[0, '', 'list'],
			],
			['get', 'get_price', 'list'],
		],
		[
			'of two tools under one index',
			['f', 'g'],
			[
				[0, '', 'f'],
				[0, '', 'g'],
			],
			['f', 'g'],
		],
		[
			'of two tools under one index and ID',
			['f', 'g'],
			[
				[0, 'a', 'f'],
				[0, 'a', 'g'],
			],
			['f', 'g'],
		],
	])('a name %s', (_, tools, deltas, names) =>
		expect(streamedFor(tools, ...deltas).map(([name]) => name)).toEqual(names),
	);

	it('more arguments after complete ones are no call that can run', () => {
		const calls = streamed([0, 'a', 'f', one], [0, 'a', undefined, two]);
		expect(calls).toEqual([['f', one + two]]);
		const message = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: one + two } }] };
		expect(faultOf({ message }, {})?.message).toContain('not a JSON object');
	});
});

describe('IDs of calls', () => {
	const message = (...ids: unknown[]) => ({
		tool_calls: ids.map((id, at) => ({ id, function: { name: 'f', arguments: `{"at":${at}}` } })),
	});

	it('the service gives are kept, unless the conversation has them', () => {
		const taken = new Set(['b']);
		const [a, b, again] = callsOf(message('a', 'b', 'a'), taken).map(({ id }) => id);
		expect(a).toBe('a');
		expect(new Set([a, b, again, 'b']).size).toBe(4);
		expect([...taken]).toEqual(expect.arrayContaining([a, b, again]));
	});

	it.each([[''], [undefined], [null], [7]])('%j is none: nine letters and digits', (id) => {
		expect(callsOf(message(id))[0]?.id).toMatch(/^[a-z0-9]{9}$/);
	});
});

describe('arguments', () => {
	it.each([
		['', '{}'],
		[null, '{}'],
		[undefined, '{}'],
		[{ x: 1 }, one],
		[one, one],
	])('%j are %s', (args, text) => {
		const call = { id: 'a', function: { name: 'f', arguments: args } };
		expect(callsOf({ tool_calls: [call] })[0]?.function.arguments).toBe(text);
	});
});

describe('calls of a message', () => {
	it('the older form with one function is a call with an ID of its own', () => {
		const called = { name: 'price', arguments: '{"gpu":"h100"}' };
		for (const calls of [undefined, null, []])
			expect(callsOf({ tool_calls: calls, function_call: called } as never)).toEqual([
				{ id: expect.stringMatching(/./), function: called },
			]);
	});

	it('a message without calls has none', () => {
		for (const message of [{}, { tool_calls: [] }, { tool_calls: null, function_call: null }])
			expect(callsOf(message)).toEqual([]);
	});
});
