import { describe, expect, it } from 'vitest';
import { compileRegex } from '../../nodes/shared/regex/index.ts';
import { StepBudget, StepLimitError } from '../../nodes/shared/regex/matcher.ts';

/** Letters without a pattern in them, the same in each run. */
function mixed(letters: string, length: number): string {
	let state = 1;
	return Array.from({ length }, () => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return letters[(state >>> 16) % letters.length];
	}).join('');
}

/** Patterns and texts that an engine which goes back takes exponential or polynomial time for, or that need very many states. */
const HOSTILE: Array<[pattern: string, textOf: (length: number) => string]> = [
	['(a+)+$', (length) => `${'a'.repeat(length)}!`],
	['^(\\w+\\s?)*$', (length) => `${'a'.repeat(length)}!`],
	['(a|a)*b$', (length) => `${'a'.repeat(length)}!`],
	['(.*.*.*.*.*)=x', (length) => '='.repeat(length)],
	['(a|b)*a(a|b){9}c', (length) => mixed('ab', length)],
	['(a|b)*a(a|b){120}c', (length) => mixed('ab', length)],
	['[^x]*a[^x]{480}c', (length) => mixed('abdefghij', length)],
];

function stepsOf(pattern: string, text: string): number {
	const budget = new StepBudget();
	const regex = compileRegex(pattern, {}, { budget });
	if ('problem' in regex) throw new Error(regex.problem);
	expect(regex.test(text)).toBe(false);
	return budget.used;
}

describe('the steps of a match', () => {
	it.each(HOSTILE)('%s: twice the text, twice the steps', (pattern, textOf) => {
		const [once, twice, fourTimes] = [4_000, 8_000, 16_000].map((length) =>
			stepsOf(pattern, textOf(length)),
		);
		expect(twice).toBeLessThanOrEqual(2.1 * Number(once));
		expect(fourTimes).toBeLessThanOrEqual(2.1 * Number(twice));
	});

	it.each(HOSTILE.slice(0, 4))('%s: about one step for each character', (pattern, textOf) => {
		expect(stepsOf(pattern, textOf(1_000_000))).toBeLessThan(1_000_000 + 1_000);
	});

	it('never take more than a budget, which several expressions may share', () => {
		const budget = new StepBudget(250);
		const [first, second] = ['a', 'b'].map((pattern) => {
			const regex = compileRegex(pattern, {}, { budget });
			if ('problem' in regex) throw new Error(regex.problem);
			return () => regex.test('x'.repeat(90));
		});
		expect([first?.(), second?.()]).toEqual([false, false]);
		expect(first).toThrow(StepLimitError);
	});
});
