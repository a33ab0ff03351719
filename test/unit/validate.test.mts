import { NodeOperationError } from 'n8n-workflow';
import type { INode, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { isRecord, show } from '../../nodes/shared/guards.ts';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const inner: INodeProperties = {
	displayName: 'Inner Field',
	name: 'inner',
	type: 'number',
	default: 0,
};
const fields: INodeProperties[] = [
	{ displayName: 'My Field', name: 'x', type: 'string', default: '' },
	{ displayName: 'My Group', name: 'group', type: 'collection', default: {}, options: [inner] },
	{
		displayName: 'My Rows',
		name: 'rows',
		type: 'fixedCollection',
		default: {},
		options: [{ displayName: 'Row', name: 'row', values: [inner] }],
	},
];

/** A form whose fields all hold this value. */
const form = (value: unknown) => new Parameters(node, 3, fields, () => value);
const message = (work: () => unknown): string => {
	try {
		work();
	} catch (error) {
		if (error instanceof NodeOperationError) return error.message;
		throw error;
	}
	return 'no error';
};

describe('fail', () => {
	it.each([
		'must be one of error, useExisting',
		'must be a number, got "nurseENOENT"',
		'is not ECONNREFUSED',
	])(
		'keeps its words where n8n would put those of a system error in their place: %s',
		(problem) => {
			expect(message(() => form(1).fail('x', problem))).toBe(`My Field ${problem}`);
		},
	);

	it('names the field by its label, the item, and what to do', () => {
		const fail = () => form(1).fail('x', 'is wrong', 'do this');
		expect(fail).toThrow('My Field is wrong');
		expect(message(() => form(1).fail('unknown', 'is wrong'))).toBe('unknown is wrong');
		try {
			fail();
		} catch (error) {
			expect(error).toMatchObject({ context: { itemIndex: 3 }, description: 'do this' });
		}
	});
});

describe('text', () => {
	it.each([
		['a', 'a'],
		['  a b ', 'a b'],
		[7, '7'],
		[0, '0'],
		['0', '0'],
	])('%j is %j', (value, text) => expect(form(value).text('x')).toBe(text));
	it.each([
		['', 'My Field is required and must not be empty'],
		[' \n\t', 'My Field is required and must not be empty'],
		[undefined, 'My Field must be text, got nothing'],
		[null, 'My Field must be text, got nothing'],
		[true, 'My Field must be text, got true'],
		[['a'], 'My Field must be text, got ["a"]'],
		[{}, 'My Field must be text, got {}'],
	])('%j: %s', (value, words) => expect(message(() => form(value).text('x'))).toBe(words));
	it('optional: absent and blank are unset, nothing that an expression found is not', () => {
		expect(form(undefined).optionalText('x')).toBeUndefined();
		expect(form('').optionalText('x')).toBeUndefined();
		expect(message(() => form(null).optionalText('x'))).toBe('My Field must be text, got nothing');
	});
});

describe('verbatim', () => {
	it('keeps the blanks', () => {
		expect(form(' a ').verbatim('x')).toBe(' a ');
		expect(form(7).verbatim('x')).toBe('7');
		expect(form(new Date(0)).verbatim('x')).toBe('1970-01-01T00:00:00.000Z');
		expect(message(() => form(' ').verbatim('x'))).toBe(
			'My Field is required and must not be empty',
		);
	});
	it.each([
		[['a', ' b'], 'a\n b'],
		['a\nb ', 'a\nb '],
		[[''], ''],
	])('lines of %j are %j', (value, text) => expect(form(value).lines('x')).toBe(text));
	it.each([
		[[], '[]'],
		[['a', 1], '["a",1]'],
		[null, 'nothing'],
	])('lines of %j are none', (value, shown) =>
		expect(message(() => form(value).lines('x'))).toBe(`My Field must be text, got ${shown}`),
	);
	it.each([
		['a, b', ['a, b']],
		[7, ['7']],
		[
			['a', ' b '],
			['a', ' b '],
		],
	])('texts of %j are %j', (value, texts) => {
		expect(form(value).verbatimTexts('x')).toEqual(texts);
		expect(form(value).optionalTexts('x')).toEqual(texts);
	});
	it.each([
		[[], 'is required: the list of texts is empty'],
		[['a', ' '], 'must hold texts that are not empty, got " " at position 2'],
		[[1], 'must hold texts that are not empty, got 1 at position 1'],
		[' ', 'is required and must not be empty'],
		[null, 'must be text, got nothing'],
	])('texts of %j are none', (value, words) =>
		expect(message(() => form(value).verbatimTexts('x'))).toBe(`My Field ${words}`),
	);
	it.each([[undefined], [''], [[]]])('optional texts may be absent: %j', (value) =>
		expect(form(value).optionalTexts('x')).toEqual([]),
	);
	it('optional texts that an expression did not find are not absent', () => {
		expect(message(() => form(null).optionalTexts('x'))).toBe('My Field must be text, got nothing');
		expect(message(() => form(['']).optionalTexts('x'))).toBe(
			'My Field must hold texts that are not empty, got "" at position 1',
		);
	});
	it('a field is set when it is there, be it blank', () => {
		expect(form('').isSet('x')).toBe(true);
		expect(form(null).isSet('x')).toBe(true);
		expect(form(undefined).isSet('x')).toBe(false);
	});
	it('optional text is trimmed', () => expect(form(' a ').optionalText('x')).toBe('a'));
});

describe('scalar, object, list', () => {
	it.each(['', ' a', 0, false])('%j is a value as it is', (value) =>
		expect(form(value).scalar('x')).toBe(value),
	);
	it.each([
		[null, 'nothing'],
		[undefined, 'nothing'],
		[['a'], '["a"]'],
		[{}, '{}'],
	])('%j is none', (value, shown) =>
		expect(message(() => form(value).scalar('x'))).toBe(
			`My Field must be text, a number, true or false, got ${shown}`,
		),
	);
	it.each([
		['{"a":[1]}', { a: [1] }],
		[{ b: 2 }, { b: 2 }],
	])('%j is an object', (value, object) => expect(form(value).object('x')).toEqual(object));
	it.each([
		['[1]', '[1]'],
		['7', '7'],
		[[1], '[1]'],
		[null, 'nothing'],
	])('%j is no object', (value, shown) =>
		expect(message(() => form(value).object('x'))).toBe(
			`My Field must be a JSON object such as {"key": "value"}, got ${shown}`,
		),
	);
	it.each([
		['["a",{}]', ['a', {}]],
		[[1], [1]],
		[[], []],
	])('%j is a list', (value, list) => expect(form(value).list('x')).toEqual(list));
	it.each([
		['{}', '{}'],
		[{}, '{}'],
		[undefined, 'nothing'],
	])('%j is no list', (value, shown) =>
		expect(message(() => form(value).list('x'))).toBe(
			`My Field must be a JSON list such as ["a", "b"], got ${shown}`,
		),
	);
	it('text that is no JSON', () => {
		expect(message(() => form('{a').object('x'))).toBe('My Field must be valid JSON, got "{a"');
		expect(message(() => form('').list('x'))).toBe('My Field must be valid JSON, got ""');
	});
});

describe('integer', () => {
	const limits = { min: 1, max: 8 };
	it.each([
		[1, 1],
		[8, 8],
		['8', 8],
		[' 3 ', 3],
		['3.0', 3],
	])('%j is %j', (value, number) => expect(form(value).integer('x', limits)).toBe(number));
	it.each([
		[0, '0'],
		[9, '9'],
		[-1, '-1'],
		[1.5, '1.5'],
		['9', '9'],
	])('%j is out of 1 to 8', (value, shown) =>
		expect(message(() => form(value).integer('x', limits))).toBe(
			`My Field must be a whole number from 1 to 8, got ${shown}`,
		),
	);
	it.each([
		['', '""'],
		[' ', '" "'],
		['ten', '"ten"'],
		[true, 'true'],
		[null, 'nothing'],
		[[5], '[5]'],
		[NaN, 'null'],
		[Infinity, 'null'],
		['Infinity', '"Infinity"'],
		['1e999', '"1e999"'],
	])('%j is no number', (value, shown) =>
		expect(message(() => form(value).integer('x', limits))).toBe(
			`My Field must be a number, got ${shown}`,
		),
	);
	it('without a maximum: safe integers only', () => {
		expect(form(Number.MAX_SAFE_INTEGER).integer('x', { min: 0 })).toBe(Number.MAX_SAFE_INTEGER);
		expect(message(() => form(2 ** 53).integer('x', { min: 0 }))).toBe(
			'My Field must be a whole number of at least 0, got 9007199254740992',
		);
	});
	it('optional: only an absent one is unset; a blank one may be a limit that was lost', () => {
		expect(form(undefined).optionalInteger('x', limits)).toBeUndefined();
		expect(message(() => form('').optionalInteger('x', limits))).toBe(
			'My Field must be a number, got ""',
		);
		expect(message(() => form(null).optionalInteger('x', limits))).toBe(
			'My Field must be a number, got nothing',
		);
	});
});

describe('number', () => {
	it.each([
		[0, 0],
		[0.01, 0.01],
		['0.5', 0.5],
		[-0, -0],
		['1e3', 1000],
	])('%j is %j', (value, number) => expect(form(value).number('x', { min: 0 })).toBe(number));
	it.each([[true], [[5]], [{}]])('%j is none, though JavaScript could make one of it', (value) =>
		expect(message(() => form(value).number('x'))).toContain('My Field must be a number, got'),
	);
	it('without limits: any', () => expect(form(-1e9).number('x')).toBe(-1e9));
	it('limits are inclusive', () => {
		expect(form(2).number('x', { min: 2, max: 2 })).toBe(2);
		expect(message(() => form(1.99).number('x', { min: 2 }))).toBe(
			'My Field must be a number of at least 2, got 1.99',
		);
		expect(message(() => form(2.01).number('x', { min: 0, max: 2 }))).toBe(
			'My Field must be a number from 0 to 2, got 2.01',
		);
	});
	it('optional', () => {
		expect(form(undefined).optionalNumber('x')).toBeUndefined();
		expect(form(0).optionalNumber('x')).toBe(0);
		expect(message(() => form('').optionalNumber('x'))).toBe('My Field must be a number, got ""');
	});
});

describe('flag', () => {
	it.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
		[undefined, false],
	])('%j is %j', (value, flag) => expect(form(value).flag('x')).toBe(flag));
	it.each([
		[null, 'nothing'],
		['', '""'],
		['yes', '"yes"'],
		[0, '0'],
		[1, '1'],
		['TRUE', '"TRUE"'],
	])('%j is neither', (value, shown) =>
		expect(message(() => form(value).flag('x'))).toBe(
			`My Field must be true or false, got ${shown}`,
		),
	);
});

describe('choice', () => {
	const options = ['a', 'b'] as const;
	it('takes exactly one of the options', () => expect(form('b').choice('x', options)).toBe('b'));
	it.each([
		['c', '"c"'],
		['A', '"A"'],
		[' a', '" a"'],
		[null, 'nothing'],
		[['a'], '["a"]'],
	])('%j is none', (value, shown) =>
		expect(message(() => form(value).choice('x', options))).toBe(
			`My Field must be one of a, b, got ${shown}`,
		),
	);
});

describe('texts', () => {
	it.each([
		[undefined, []],
		['', []],
		[[], []],
		['a', ['a']],
		['a, b ,,c', ['a', 'b', 'c']],
		[
			['a', ' ', 'b,c'],
			['a', 'b,c'],
		],
		[7, ['7']],
		[
			[1, '2'],
			['1', '2'],
		],
	])('%j is %j', (value, texts) => expect(form(value).texts('x')).toEqual(texts));
	it.each([
		[null, 'nothing'],
		[[null], '[null]'],
		[[['a']], '[["a"]]'],
		[{}, '{}'],
		[[true], '[true]'],
	])('%j is none', (value, shown) =>
		expect(message(() => form(value).texts('x'))).toBe(
			`My Field must be a list of texts, got ${shown}`,
		),
	);
});

describe('requireFilled', () => {
	it.each([null, '', ' \n'])('%j is nothing', (value) =>
		expect(message(() => form(value).requireFilled('x', 'must not be empty'))).toBe(
			'My Field must not be empty',
		),
	);
	it.each([undefined, 0, false, ',', 'a', [], [''], {}])(
		'%j is not there or for its reader to judge',
		(value) =>
			expect(message(() => form(value).requireFilled('x', 'must not be empty'))).toBe('no error'),
	);
});

describe('id', () => {
	const byId = (value: unknown) => ({ __rl: true, mode: 'id', value });
	const fromList = (value: unknown) => ({ __rl: true, mode: 'list', value });
	it.each([
		[7, 7],
		['7', 7],
		[' 7 ', 7],
		['0', 0],
		['007', '007'],
		['-7', '-7'],
		['7.0', '7.0'],
		['9007199254740993', '9007199254740993'],
		['8H100.80S.176V', '8H100.80S.176V'],
		[byId('12'), 12],
		[byId(12), 12],
		[fromList('12'), '12'],
		[fromList(12), 12],
		[['a'], 'a'],
		[byId(['12']), 12],
	])('%j is %j', (value, id) => expect(form(value).id('x')).toBe(id));
	it.each([
		['', 'is required: choose one from the list or enter its ID'],
		[fromList(' '), 'is required: choose one from the list or enter its ID'],
		[undefined, 'must be an identifier, got nothing'],
		[byId(null), 'must be an identifier, got nothing'],
		[1.5, 'must be an identifier, got 1.5'],
		[true, 'must be an identifier, got true'],
		[{ id: 1 }, 'must be an identifier, got {"id":1}'],
		[[], 'must be exactly one value, got 0'],
		[['a', 'b'], 'must be exactly one value, got 2'],
		[byId([1, 2, 3]), 'must be exactly one value, got 3'],
	])('%j %s', (value, words) =>
		expect(message(() => form(value).id('x'))).toBe(`My Field ${words}`),
	);
});

describe('pathId', () => {
	it.each([
		[7, '7'],
		['007', '007'],
		['0f6f9a52-3a9b', '0f6f9a52-3a9b'],
		['a._~:@+=-Z', 'a._~:@+=-Z'],
		['..a', '..a'],
		['a..', 'a..'],
		['__proto__', '__proto__'],
	])('%j is %j', (value, id) => expect(form(value).pathId('x')).toBe(id));
	it.each([
		'a/b',
		'.',
		'..',
		'...',
		'a b',
		'ä',
		'a%2f',
		'a?b',
		'a#b',
		'a\\b',
		'a\nb',
		'a;b',
		'a,b',
		'\u202e',
		'a..b/',
	])('%j is refused', (value) =>
		expect(message(() => form(value).pathId('x'))).toContain(
			'My Field may only hold letters, digits and . _ ~ : @ + = -, got',
		),
	);
	it('pathIds: one, several, none', () => {
		expect(form('a').pathIds('x')).toEqual(['a']);
		expect(form({ __rl: true, mode: 'id', value: ['a', 7] }).pathIds('x')).toEqual(['a', '7']);
		expect(message(() => form([]).pathIds('x'))).toBe(
			'My Field is required: the list of IDs is empty',
		);
		expect(message(() => form(['a', 'b/c']).pathIds('x'))).toContain('got "b/c"');
		expect(message(() => form(['a', null]).pathIds('x'))).toBe(
			'My Field must be an identifier, got nothing',
		);
	});
});

describe('group and rows', () => {
	it('a group is a form of its own, with its label before that of a field', () => {
		expect(form({ inner: 5 }).group('group').integer('inner', { min: 1 })).toBe(5);
		expect(message(() => form({ inner: 0 }).group('group').integer('inner', { min: 1 }))).toBe(
			'My Group: Inner Field must be a whole number of at least 1, got 0',
		);
		expect(form('').group('group').has('inner')).toBe(false);
		expect(form({}).group('group').optionalInteger('inner', { min: 1 })).toBeUndefined();
	});
	it('a key that is set to nothing is not absent', () => {
		expect(
			message(() => form({ inner: undefined }).group('group').optionalInteger('inner', { min: 1 })),
		).toBe('My Group: Inner Field must be a number, got nothing');
	});
	it('what an object inherits is not read', () => {
		expect(form({}).group('group').has('constructor')).toBe(false);
		expect(form(JSON.parse('{"__proto__": {"inner": 1}}')).group('group').has('inner')).toBe(false);
	});
	it.each([
		[null, 'nothing'],
		[7, '7'],
		['a', '"a"'],
		[[], '[]'],
		[false, 'false'],
	])('a group that is %j is refused: no rule is lifted by it', (value, shown) =>
		expect(message(() => form(value).group('group'))).toBe(
			`My Group must be an object, got ${shown}`,
		),
	);
	it('a row has the labels of its own fields', () => {
		const two: INodeProperties = {
			...fields[2],
			displayName: 'My Rows',
			name: 'rows',
			type: 'fixedCollection',
			default: {},
			options: [
				{ displayName: 'Other', name: 'other', values: [{ ...inner, displayName: 'Not This' }] },
				{ displayName: 'Row', name: 'row', values: [inner] },
			],
		};
		const rows = new Parameters(node, 3, [two], () => ({ row: [{ inner: 0 }] })).rows(
			'rows',
			'row',
		);
		expect(message(() => rows[0]?.integer('inner', { min: 1 }))).toBe(
			'My Rows 1: Inner Field must be a whole number of at least 1, got 0',
		);
	});
	it('a field that the form does not know has its name for a label, and no fields within', () => {
		const group = form({ inner: 0 }).group('unknown');
		expect(message(() => group.integer('inner', { min: 1 }))).toBe(
			'unknown: inner must be a whole number of at least 1, got 0',
		);
		expect(message(() => form({ x: 0 }).group('x').integer('y', { min: 1 }))).toBe(
			'My Field: y must be a number, got nothing',
		);
	});
	it('rows are counted from 1 in messages', () => {
		const rows = form({ row: [{ inner: 1 }, { inner: 0 }] }).rows('rows', 'row');
		expect(rows).toHaveLength(2);
		expect(message(() => rows[1]?.integer('inner', { min: 1 }))).toBe(
			'My Rows 2: Inner Field must be a whole number of at least 1, got 0',
		);
	});
	it('rows: none, a single one, a list from an expression', () => {
		expect(form('').rows('rows', 'row')).toEqual([]);
		expect(form({}).rows('rows', 'row')).toEqual([]);
		expect(form({ row: { inner: 1 } }).rows('rows', 'row')).toHaveLength(1);
		expect(form([{ inner: 1 }]).rows('rows', 'row')).toHaveLength(1);
		expect(message(() => form({ row: ['a'] }).rows('rows', 'row'))).toBe(
			'My Rows must be a list of objects, got "a"',
		);
		expect(message(() => form(null).rows('rows', 'row'))).toBe(
			'My Rows must be a list of objects, got nothing',
		);
	});
});

describe('show', () => {
	it.each([
		[undefined, 'nothing'],
		[null, 'nothing'],
		['a', '"a"'],
		[7, '7'],
		[() => 1, 'function'],
	])('%j is shown as %s', (value, text) => expect(show(value)).toBe(text));
	it('80 characters at most', () => {
		expect(show('x'.repeat(78))).toBe(`"${'x'.repeat(78)}"`);
		expect(show('x'.repeat(78))).toHaveLength(80);
		expect(show('x'.repeat(79))).toBe(`"${'x'.repeat(76)}...`);
	});
	it('an object that holds itself', () => {
		const self: Record<string, unknown> = {};
		self.self = self;
		expect(show(self)).toBe('object');
	});
});

describe('isRecord', () => {
	it.each([
		[{}, true],
		[[], false],
		[null, false],
		['a', false],
		[undefined, false],
	])('%j: %j', (value, answer) => expect(isRecord(value)).toBe(answer));
});
