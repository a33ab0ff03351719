import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { isRecord, show } from '../../nodes/shared/guards.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { fields, form, message, node, inner } from './parameters-form.mts';

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
			'My Field must contain only letters, digits and . _ ~ : @ + = -, got',
		),
	);
	it('one of 1,000 characters is taken, and none of more', () => {
		expect(form('a'.repeat(1_000)).pathId('x')).toHaveLength(1_000);
		expect(message(() => form('a'.repeat(1_001)).pathId('x'))).toBe(
			'My Field must have at most 1000 characters, got 1001',
		);
	});
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
		expect(form({}).group('group').integer('inner', { optional: true, min: 1 })).toBeUndefined();
	});
	it('a key that is set to nothing is not absent', () => {
		expect(
			message(() =>
				form({ inner: undefined }).group('group').integer('inner', { optional: true, min: 1 }),
			),
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
