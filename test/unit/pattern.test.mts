import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, LONGEST_TESTED, type Pattern } from '../../nodes/shared/pattern.ts';

function compiled(source: string): Pattern {
	const pattern = compilePattern(source);
	if ('problem' in pattern) throw new Error(pattern.problem);
	return pattern;
}

const atom = fc.constantFrom(
	'a',
	'b',
	'.',
	'\\d',
	'\\w',
	'\\s',
	'\\W',
	'[ab]',
	'[^a]',
	'[a-c\\d]',
	'(a|b)',
	'(a*)',
	'(?:ab)',
	'(?:c)',
	'(|a)',
	'c',
	'\\.',
	'\\x41',
	'{',
	'é',
);
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?');
const assertion = fc.constantFrom('^', '$', '\\b', '\\B', '|');
const expression = fc
	.array(
		fc.oneof(
			fc.tuple(atom, repeat).map((parts) => parts.join('')),
			assertion,
		),
		{ minLength: 1, maxLength: 7 },
	)
	.map((parts) => parts.join(''));
const text = fc
	.array(fc.constantFrom('a', 'b', 'c', 'A', 'B', ' ', '1', '_', '.', '{', 'é', 'É', '\n', '\r'), {
		maxLength: 12,
	})
	.map((parts) => parts.join(''));

describe('a regular expression', () => {
	it.each(['', 'i', 'm', 's', 'ims'])('matches as JavaScript says, flags "%s"', (flags) => {
		fc.assert(
			fc.property(expression, text, (source, line) => {
				expect(compiled(flags === '' ? source : `(?${flags})${source}`).test(line)).toBe(
					new RegExp(source, flags).test(line),
				);
			}),
			{ numRuns: 1_500 },
		);
	});

	it.each([
		'\\b',
		'\\B',
		'a\\b',
		'a\\B',
		'\\b-',
		'\\w',
		'\\W',
		'\\d',
		'\\D',
		'\\s',
		'\\S',
		'.',
		'[^a-]',
		'(?m)^a',
		'(?m)a$',
		'(?m)^-$',
		'^a',
		'a$',
		'(?i)K',
		'(?s)a.a',
		'\\ba\\b',
		'[A-Z]',
		'[a-z0-9]',
	])('%s tells the edges of every class of characters as JavaScript does', (source) => {
		const [, flags = '', body = ''] = /^(?:\(\?(\w+)\))?(.*)$/.exec(source) ?? [];
		const expected = new RegExp(body, flags);
		const pattern = compiled(source);
		const edges = [
			0, 9, 10, 13, 14, 31, 32, 33, 47, 48, 57, 58, 64, 65, 75, 90, 91, 94, 95, 96, 97, 107, 122,
			123, 126, 127, 128, 129, 159, 160, 161, 0x1680, 0x200a, 0x200b, 0x2027, 0x2028, 0x2029,
			0x202a, 0x202f, 0x205f, 0x3000, 0xfeff, 0xfffe, 0xffff,
		];
		for (const unit of edges.map((edge) => String.fromCharCode(edge))) {
			for (const text of [unit, `a${unit}a`, `-${unit}-`, `${unit}a`, `a${unit}`])
				expect([text, pattern.test(text)]).toEqual([text, expected.test(text)]);
		}
	});

	it('of very many states is worked out again and again, and stays right', () => {
		const [source, text] = [
			'(a|b)*a(a|b){12}c',
			Array.from({ length: 16_000 }, (_, index) =>
				(index * index) % 7 > 3 || index % 11 === 0 ? 'a' : 'b',
			).join(''),
		];
		const pattern = compiled(source);
		for (const end of ['abbbbbbbbbbbbc', 'bbbbbbbbbbbbbc', 'abababababababc', ''])
			expect(pattern.test(text + end)).toBe(/a[ab]{12}c/.test(text + end));
	});

	it('may name its groups', () => {
		expect(compiled('(?<code>[45]\\d\\d) ').test('503 upstream')).toBe(true);
	});

	it('may stand between slashes, with flags behind', () => {
		expect(compiled('/out of memory/i').test('Out Of Memory')).toBe(true);
		expect(compiled('/usr/bin').test('in /usr/bin')).toBe(true);
	});

	it.each([
		['(a', 'does not close a group'],
		['a)', 'closes a group that was never opened'],
		['[a', 'does not close a class ['],
		['[b-a]', 'has a range in a class in the wrong order'],
		['*a', 'repeats nothing'],
		['a**', 'repeats nothing'],
		['^*', 'repeats with * what has no length'],
		['a{3,1}', 'has the bounds of {3,1} in the wrong order'],
		['(a)\\1', 'refers back to a group with \\1'],
		['(?=a)', 'looks around'],
		['(?<!a)b', 'looks around'],
		['a\\', 'ends with a backslash'],
		['(?x)a', 'has the unknown flag "x"'],
		['(?>a)', 'has a group that begins with an unknown (?'],
		['(a{100}){100}', 'is too large once its repetitions are written out'],
		['((){99999999}a){99999999}', 'is too large once its repetitions are written out'],
		[`${'('.repeat(490)}a${')'.repeat(490)}`, ''],
	])('%s is refused, or runs', (source, problem) => {
		const result = compilePattern(source);
		expect('problem' in result ? result.problem : '').toContain(problem);
		if ('problem' in result) expect(result.advice).not.toBe('');
	});

	it('is refused when it is very long', () => {
		expect(compilePattern('a'.repeat(1_001))).toEqual({
			problem: 'must have at most 1000 characters, got 1001',
			advice: expect.any(String),
		});
	});
});

describe('limits of a pattern', () => {
	it('1,000 characters', () => {
		expect('problem' in compilePattern('a'.repeat(999))).toBe(false);
		expect(compilePattern('a'.repeat(1_001))).toEqual({
			problem: 'must have at most 1000 characters, got 1001',
			advice: 'Use several filters or a Filter node after the trigger.',
		});
		expect(compilePattern('[a]'.repeat(333) + 'a')).not.toHaveProperty('problem');
	});

	it('the beginning of a line', () => {
		const pattern = compiled('b');
		expect(pattern.test(`${'a'.repeat(LONGEST_TESTED - 1)}b`)).toBe(true);
		expect(pattern.test(`${'a'.repeat(LONGEST_TESTED)}b`)).toBe(false);
	});
});
