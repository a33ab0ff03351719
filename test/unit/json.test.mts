import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../nodes/shared/json.ts';

const nested = (depth: number, [open = '', inner = '', close = '']: string[]) =>
	`${open.repeat(depth)}${inner}${close.repeat(depth)}`;

it('reads what JSON.parse reads', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
		}),
	);
	expect(['', '{', 'undefined', '<html>'].map(parseJson)).toEqual([
		undefined,
		undefined,
		undefined,
		undefined,
	]);
});

it.each([
	['lists', ['[', '', ']']],
	['objects', ['{"a":', '1', '}']],
])('nested %s: 500 deep and no deeper', (_, parts) => {
	expect(parseJson(nested(500, parts))).toBeDefined();
	expect(parseJson(nested(501, parts))).toBeUndefined();
	expect(parseJson(nested(100_000, parts))).toBeUndefined();
});

it('brackets in a string are not nesting', () => {
	for (const text of ['['.repeat(1_000), '\\"['.repeat(1_000), '"\\'.repeat(999), '{"'.repeat(600)])
		expect(parseJson(JSON.stringify({ [text]: text }))).toEqual({ [text]: text });
	const wide = Array.from({ length: 2_000 }, () => [{ a: [] }]);
	expect(parseJson(JSON.stringify(wide))).toEqual(wide);
});
