import { expect, it } from 'vitest';
import { numberOf } from '../../nodes/shared/numbers.ts';

it.each([0, -1, 1.5, 1e300])('%d is a number, also as text', (number) => {
	expect(numberOf(number)).toBe(number);
	expect(numberOf(String(number))).toBe(number);
	expect(numberOf(` ${number}\n`)).toBe(number);
});

it.each([
	[undefined],
	[null],
	[''],
	[' \n'],
	['free'],
	['1,5'],
	['1 GPU'],
	['NaN'],
	['Infinity'],
	[NaN],
	[-Infinity],
	[true],
	[false],
	[[1]],
	[{ value: 1 }],
	[new Date(0)],
])('%j is none', (value) => {
	expect(numberOf(value)).toBeUndefined();
});
