import { describe, expect, it } from 'vitest';
import {
	argumentsText,
	isBlank,
	isSameArguments,
	joinArguments,
	wholeArguments,
} from '../../nodes/intelligence/toolArguments.ts';
import { mergeCalled, mergeToolCalls } from '../../nodes/intelligence/toolCallDeltas.ts';

describe('the arguments of a call', () => {
	it.each<[unknown, string]>([
		['{"a": 1} ', '{"a": 1} '],
		['', ''],
		[undefined, ''],
		[null, ''],
		[{ a: 1 }, '{"a":1}'],
		[[1], '[1]'],
		[0, '0'],
		[false, 'false'],
	])('%j are the text %j', (args, text) => {
		expect(argumentsText(args)).toBe(text);
		expect(isBlank(args)).toBe(text === '');
	});

	it('that are whitespace alone say nothing', () => expect(isBlank(' \n\t')).toBe(true));

	it.each<[unknown, unknown]>([
		['{"a":1}', { a: 1 }],
		['{"a":1} \n', { a: 1 }],
		[' {"a":1}', { a: 1 }],
		[{ a: 1 }, { a: 1 }],
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		['{"a":', undefined],
		['{"a":"}', undefined],
		['{"a":1', undefined],
		['[1]', undefined],
		[[1], undefined],
		['', undefined],
		[null, undefined],
	])('%j are whole as %j', (args, whole) => expect(wholeArguments(args)).toEqual(whole));

	it.each<[unknown, unknown, boolean]>([
		['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', true],
		['{"b":2,"a":1,"c":3}', { a: 1, c: 3, b: 2 }, true],
		['{"x":[{"b":1,"a":2}]}', '{"x":[{"a":2,"b":1}]}', true],
		['{"a":1,"b":2}', '{"a":2,"b":1}', false],
		['{"a":[1,2]}', '{"a":[2,1]}', false],
		['{"a":1}', '{"a":"1"}', false],
		['{"a":1}', '{"a":1', false],
		['{"a":', '{"a":', false],
		['{}', {}, true],
		['{}', '', false],
		['{"id":9007199254740993}', '{"id":9007199254740992}', false],
	])('%j and %j are the same: %s', (one, other, isSame) => {
		expect(isSameArguments(one, other)).toBe(isSame);
		expect(isSameArguments(other, one)).toBe(isSame);
	});

	it.each<[unknown, unknown, unknown]>([
		[undefined, undefined, undefined],
		[undefined, '{"a"', '{"a"'],
		['{"a"', ':1}', '{"a":1}'],
		['{"a":"x', ' ', '{"a":"x '],
		['{"a":1}', null, '{"a":1}'],
		[{ a: 1 }, ' ', { a: 1 }],
		['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1,"b":2}'],
		['{ }', '{"a"', '{"a"'],
		['{}', '', '{}'],
		['{"a"', { a: 1 }, { a: 1 }],
		['{"a":1}', { a: 2 }, '{"a":1}{"a":2}'],
	])('%j and then %j are %j', (before, piece, joined) =>
		expect(joinArguments(before, piece)).toEqual(joined),
	);
});

describe('a piece of a call', () => {
	const none = new Set<string>();

	it('takes back nothing that was said before', () => {
		const called = { name: 'deploy', strict: true, arguments: '{}' };
		expect(mergeCalled(called, { name: '', strict: null }, none)).toEqual(called);
		expect(mergeCalled(called, { name: null, strict: false }, none)).toEqual({
			...called,
			strict: false,
		});
	});

	it.each([
		['get_', 'price', 'get_price'],
		['get', 'get', 'get'],
		['get', 'get_price', 'get_price'],
	])('of an unknown tool has the name %j, then %j: %j', (before, name, joined) =>
		expect(mergeCalled({ name: before }, { name }, none).name).toBe(joined),
	);

	it.each([
		['go', 'go', ['gogo'], 'gogo'],
		['go', 'go', ['gogo', 'go'], 'go'],
		['go', 'go', ['x_gogo'], 'go'],
		['go', 'go', ['gogogo'], 'gogo'],
	])('has the name %j, then %j, where the tools are %j: %j', (before, name, tools, joined) =>
		expect(mergeCalled({ name: before }, { name }, new Set(tools)).name).toBe(joined),
	);

	/** The calls of a stream with these deltas, each in a chunk of its own. */
	const merged = (tools: string[], ...deltas: object[]) => {
		const known = new Map();
		let calls: object[] = [];
		for (const delta of deltas)
			calls = mergeToolCalls(calls as never, [delta], known, new Set(tools));
		return calls;
	};
	const piece = (name: string | undefined, args?: string, id?: string) => ({
		index: 0,
		id,
		function: { name, arguments: args },
	});

	it('may be arguments under an empty name, before the name', () => {
		expect(merged([], piece('', '{"x":1}'), piece('deploy'))).toEqual([
			{ function: { name: 'deploy', arguments: '{"x":1}' } },
		]);
	});

	it.each([
		['list', '_all', ['list']],
		['list_', 'all', ['all']],
		['list', 'list_all', []],
	])('is of the call of its ID where not both of %j and %j are tools', (before, name, tools) => {
		const [first, second] = [piece(before, '{"x"', 'a'), piece(name, ':1}', 'a')];
		expect(merged(tools, first, second)).toEqual([
			{ id: 'a', function: { name: 'list_all', arguments: '{"x":1}' } },
		]);
	});

	it('is of a call of its own where both names are those of tools', () => {
		expect(merged(['list', 'all'], piece('list', '{}', 'a'), piece('all', '{}', 'a'))).toEqual(
			['list', 'all'].map((name) => ({ id: 'a', function: { name, arguments: '{}' } })),
		);
	});
});
