import { describe, expect, it } from 'vitest';
import { readScalar } from '../../nodes/intelligence/retrieval/scalar.ts';
import { form, message } from './parameters-form.mts';

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
		expect(form(undefined).text('x', { optional: true })).toBeUndefined();
		expect(form('').text('x', { optional: true })).toBeUndefined();
		expect(message(() => form(null).text('x', { optional: true }))).toBe(
			'My Field must be text, got nothing',
		);
		expect(message(() => form(' ').text('x', { optional: true }))).toBe(
			'My Field must not be white space alone',
		);
	});
});

describe('text with its white space', () => {
	it('keeps the blanks', () => {
		expect(form(' a ').text('x', { trim: false })).toBe(' a ');
		expect(form(7).text('x', { trim: false })).toBe('7');
		expect(form(new Date(0)).text('x', { trim: false })).toBe('1970-01-01T00:00:00.000Z');
		expect(message(() => form(' ').text('x', { trim: false }))).toBe(
			'My Field is required and must not be empty',
		);
	});
	it.each([
		['a, b', ['a, b']],
		[7, ['7']],
		[
			['a', ' b '],
			['a', ' b '],
		],
	])('texts of %j are %j', (value, texts) => {
		expect(form(value).texts('x', { split: false })).toEqual(texts);
	});
	it.each([
		[[], 'is required: the list of texts is empty'],
		[['a', ' '], 'must contain texts that are not empty, got " " at position 2'],
		[[1], 'must contain texts that are not empty, got 1 at position 1'],
		[' ', 'is required and must not be empty'],
		[null, 'must be text, got nothing'],
	])('texts of %j are none', (value, words) =>
		expect(message(() => form(value).texts('x', { split: false }))).toBe(`My Field ${words}`),
	);
	it('a value is as it is, undefined only where it is absent', () => {
		expect(form('').value('x')).toBe('');
		expect(form(null).value('x')).toBeNull();
		expect(form(undefined).value('x')).toBeUndefined();
	});
	it('optional text is trimmed', () => expect(form(' a ').text('x', { optional: true })).toBe('a'));
});

describe('scalar, object, list', () => {
	it.each(['', ' a', 0, false])('%j is a value as it is', (value) =>
		expect(readScalar(form(value), 'x')).toBe(value),
	);
	it.each([
		[null, 'nothing'],
		[undefined, 'nothing'],
		[['a'], '["a"]'],
		[{}, '{}'],
	])('%j is none', (value, shown) =>
		expect(message(() => readScalar(form(value), 'x'))).toBe(
			`My Field must be text, a number, true or false, got ${shown}`,
		),
	);
	it.each([
		['{"a":[1]}', { a: [1] }],
		[{ b: 2 }, { b: 2 }],
	])('%j is an object', (value, object) => expect(form(value).json('x', 'object')).toEqual(object));
	it.each([
		['[1]', '[1]'],
		['7', '7'],
		[[1], '[1]'],
		[null, 'nothing'],
	])('%j is no object', (value, shown) =>
		expect(message(() => form(value).json('x', 'object'))).toBe(
			`My Field must be a JSON object such as {"key": "value"}, got ${shown}`,
		),
	);
	it.each([
		['["a",{}]', ['a', {}]],
		[[1], [1]],
		[[], []],
	])('%j is a list', (value, list) => expect(form(value).json('x', 'list')).toEqual(list));
	it.each([
		['{}', '{}'],
		[{}, '{}'],
		[undefined, 'nothing'],
	])('%j is no list', (value, shown) =>
		expect(message(() => form(value).json('x', 'list'))).toBe(
			`My Field must be a JSON list such as ["a", "b"], got ${shown}`,
		),
	);
	it('text that is no JSON', () => {
		expect(message(() => form('{a').json('x', 'object'))).toBe(
			'My Field must be valid JSON, got "{a"',
		);
		expect(message(() => form('').json('x', 'list'))).toBe('My Field must be valid JSON, got ""');
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
