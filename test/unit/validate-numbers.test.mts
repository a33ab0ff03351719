import { describe, expect, it } from 'vitest';
import { form, message } from './parameters-form.mts';

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
		expect(form(undefined).integer('x', { ...limits, optional: true })).toBeUndefined();
		expect(message(() => form('').integer('x', { ...limits, optional: true }))).toBe(
			'My Field must be a number, got ""',
		);
		expect(message(() => form(null).integer('x', { ...limits, optional: true }))).toBe(
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
		expect(form(undefined).number('x', { optional: true })).toBeUndefined();
		expect(form(0).number('x', { optional: true })).toBe(0);
		expect(message(() => form('').number('x', { optional: true }))).toBe(
			'My Field must be a number, got ""',
		);
	});
});
