import { describe, expect, it } from 'vitest';
import { compileFilter, type Pattern } from '../../nodes/shared/regex/filter.ts';

function compiled(source: string): Pattern {
	const pattern = compileFilter(source);
	if ('problem' in pattern) throw new Error(pattern.problem);
	return pattern;
}

describe('a regular expression', () => {
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
	])('%s knows the edges of every class of characters as RegExp does', (source) => {
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

	it('with more states than are kept matches what RegExp matches', () => {
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

	it('may be between slashes, with flags behind or in front', () => {
		expect(compiled('/out of memory/i').test('Out Of Memory')).toBe(true);
		expect(compiled('/^b/gm').test('a\nb')).toBe(true);
		expect(compiled('(?is)^a.b$').test('A\nB')).toBe(true);
		expect(compiled('/(?i)^a.b$/s').test('A\nB')).toBe(true);
	});

	it.each(['/usr/bin', '/var/log/d', '/a/b/v'])('%s is a path', (path) => {
		expect(compiled(path).test(`in ${path}`)).toBe(true);
	});

	it('sees code units, as RegExp without the flag u', () => {
		expect(compiled('^.$').test('😀')).toBe(false);
		expect(compiled('^..$').test('😀')).toBe(true);
	});

	it.each([
		['(a', 'unterminated group "(" at position 1'],
		['a(b(c)', 'unterminated group "(" at position 2'],
		['a)', 'unmatched ")" at position 2'],
		['[a', 'unterminated character class "[" at position 1'],
		['x[b-a]', 'range out of order "b-a" at position 3'],
		['*a', 'nothing to repeat before "*" at position 1'],
		['a**', 'nothing to repeat before "*" at position 3'],
		['a{2}{3}', 'nothing to repeat before "{3}" at position 5'],
		['(|{2})', 'nothing to repeat before "{2}" at position 3'],
		['^*', 'nothing to repeat before "*" at position 2'],
		['a{3,1}', 'numbers out of order in "{3,1}" at position 2'],
		['(?<n>a)(?<n>b)', 'duplicate group name "n" at position 8'],
		['a\\', 'backslash at the end at position 2'],
		['(a)\\1', 'back-reference "\\1" at position 4'],
		['(?<n>a)\\k<n>', 'back-reference "\\k" at position 8'],
		['a(?=a)', 'lookahead "(?=" at position 2'],
		['(?!a)', 'lookahead "(?!" at position 1'],
		['(?<=a)b', 'lookbehind "(?<=" at position 1'],
		['(?<!a)b', 'lookbehind "(?<!" at position 1'],
		['(?>a)', 'unknown group "(?>" at position 1'],
		['a(?i:b)', 'unknown group "(?i" at position 2'],
		['(?<é>a)', 'unknown group "(?<" at position 1'],
		['\\p{L}', 'Unicode property escape "\\p" at position 1'],
		['[a\\P{L}]', 'Unicode property escape "\\P" at position 3'],
		['\\u{61}', 'code point escape "\\u{" at position 1'],
		['\\u12', 'incomplete escape "\\u" at position 1'],
		['\\x4', 'incomplete escape "\\x" at position 1'],
		['\\01', 'octal escape "\\01" at position 1'],
		['\\e', 'unknown escape "\\e" at position 1'],
		['\\A', 'unknown escape "\\A" at position 1'],
		['a\\Z', 'unknown escape "\\Z" at position 2'],
		['\\cA', 'unknown escape "\\c" at position 1'],
		['[\\B]', 'unknown escape "\\B" at position 2'],
		['(?x)a', 'unknown flag "x" at position 3'],
		['(?iu)a', 'unknown flag "u" at position 4'],
		['/a/u', 'unknown flag "u" at position 4'],
		['/a/iv', 'unknown flag "v" at position 5'],
		['/a/y', 'unknown flag "y" at position 4'],
		['/a/d', 'unknown flag "d" at position 4'],
		['/(?iy)a/g', 'unknown flag "y" at position 5'],
		['/a(?=b)/i', 'lookahead "(?=" at position 3'],
		['(?i)a(', 'unterminated group "(" at position 6'],
		['/(?i)a(/s', 'unterminated group "(" at position 7'],
		['(a{100}){100}', 'too large once its repetitions are written out'],
		['((){99999999}a){99999999}', 'too large once its repetitions are written out'],
		[`${'('.repeat(101)}a${')'.repeat(101)}`, 'more than 100 nested groups at position 101'],
	])('%s is refused: %s', (source, what) => {
		expect(compileFilter(source)).toEqual({
			problem: `is not a supported regular expression: ${what}`,
			advice: expect.stringMatching(/\.$/),
		});
	});
});

describe('limits of a filter', () => {
	it('1,000 characters', () => {
		expect(compileFilter('a'.repeat(1_000))).not.toHaveProperty('problem');
		expect(compileFilter('a'.repeat(1_001))).toEqual({
			problem: 'must have at most 1000 characters, got 1001',
			advice: 'Split it into several shorter ones.',
		});
	});

	it('100 nested groups', () => {
		expect(compiled(`${'('.repeat(100)}a${')'.repeat(100)}`).test('a')).toBe(true);
	});

	it('no end of a line: a match may be anywhere in it', () => {
		const line = `${'a'.repeat(1_000_000)}b`;
		expect(compiled('b').test(line)).toBe(true);
		expect(compiled('a$').test(line)).toBe(false);
	});
});
