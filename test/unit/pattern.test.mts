import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, type Pattern } from '../../nodes/shared/pattern.ts';

function compiled(source: string): Pattern {
	const pattern = compilePattern(source);
	if ('problem' in pattern) throw new Error(pattern.problem);
	return pattern;
}

const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '\\s', '\\W', '[ab]', '[^a]', '[a-c\\d]', '(a|b)', '(a*)', '(?:ab)', '(?:c)', '(|a)', 'c', '\\.', '\\x41', '{', 'é');
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?');
const assertion = fc.constantFrom('^', '$', '\\b', '\\B', '|');
const expression = fc.array(fc.oneof(fc.tuple(atom, repeat).map((parts) => parts.join('')), assertion), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''));
const text = fc.array(fc.constantFrom('a', 'b', 'c', 'A', 'B', ' ', '1', '_', '.', '{', 'é', 'É', '\n', '\r'), { maxLength: 12 }).map((parts) => parts.join(''));

describe('a regular expression', () => {
	it.each(['', 'i', 'm', 's', 'ims'])('matches as JavaScript says, flags "%s"', (flags) => {
		fc.assert(fc.property(expression, text, (source, line) => {
			expect(compiled(flags === '' ? source : `(?${flags})${source}`).test(line)).toBe(new RegExp(source, flags).test(line));
		}), { numRuns: 4_000 });
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
		[`${'('.repeat(490)}a${')'.repeat(490)}`, ''],
	])('%s is refused, or runs', (source, problem) => {
		const result = compilePattern(source);
		expect('problem' in result ? result.problem : '').toContain(problem);
		if ('problem' in result) expect(result.advice).not.toBe('');
	});

	it('is refused when it is very long', () => {
		expect(compilePattern('a'.repeat(1_001))).toEqual({ problem: 'must have at most 1000 characters, got 1001', advice: expect.any(String) });
	});
});
