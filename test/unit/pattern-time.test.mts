import { describe, expect, it } from 'vitest';
import { compilePattern, LONGEST_TESTED } from '../../nodes/shared/pattern.ts';

describe('a regular expression cannot hang n8n', () => {
	it.each([
		['(a+)+$', `${'a'.repeat(LONGEST_TESTED - 1)}!`],
		['(a|a)*b$', `${'a'.repeat(LONGEST_TESTED - 1)}!`],
		['(.*.*.*.*.*)=x', '='.repeat(LONGEST_TESTED)],
		[
			'(a|b)*a(a|b){9}c',
			Array.from({ length: LONGEST_TESTED }, (_, index) => ((index * 7) % 3 ? 'a' : 'b')).join(''),
		],
		[
			'(a|b)*a(a|b){120}c',
			Array.from({ length: LONGEST_TESTED }, (_, index) =>
				(index * index) % 7 > 3 ? 'a' : 'b',
			).join(''),
		],
		[
			'(?i)(\\w|\\W)*a(\\w|\\W){160}\\d',
			Array.from({ length: LONGEST_TESTED }, (_, index) => 'abéü'[((index * index) % 13) % 4]).join(
				'',
			),
		],
		[
			'(?i)[^x]*a[^x]{480}c',
			Array.from(
				{ length: LONGEST_TESTED },
				(_, index) => 'abdefghij'[((index * index) % 23) % 9],
			).join(''),
		],
		['x', 'y'.repeat(1_000_000)],
	])('%s takes less than a second, with all that it takes to make it ready', (source, line) => {
		// Time of the processor, not of the clock: that of a busy machine goes on while others work
		const begin = process.cpuUsage();
		const pattern = compilePattern(source);
		if ('problem' in pattern) throw new Error(pattern.problem);
		expect(pattern.test(line)).toBe(false);
		const { user } = process.cpuUsage(begin);
		expect(user / 1_000).toBeLessThan(1_000);
	});
});
