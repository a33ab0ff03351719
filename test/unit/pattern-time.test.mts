import { describe, expect, it } from 'vitest';
import { compilePattern, LONGEST_TESTED } from '../../nodes/shared/pattern.ts';

describe('a regular expression cannot hang n8n', () => {
	it.each([
		['(a+)+$', `${'a'.repeat(LONGEST_TESTED - 1)}!`],
		['(a|a)*b$', `${'a'.repeat(LONGEST_TESTED - 1)}!`],
		['(.*.*.*.*.*)=x', '='.repeat(LONGEST_TESTED)],
		['(a|b)*a(a|b){9}c', Array.from({ length: LONGEST_TESTED }, (_, index) => (index * 7 % 3 ? 'a' : 'b')).join('')],
		['(a|b)*a(a|b){120}c', Array.from({ length: LONGEST_TESTED }, (_, index) => ((index * index) % 7 > 3 ? 'a' : 'b')).join('')],
		['x', 'y'.repeat(1_000_000)],
	])('%s takes less than a second, the first time too', (source, line) => {
		const pattern = compilePattern(source);
		if ('problem' in pattern) throw new Error(pattern.problem);
		const begin = performance.now();
		expect(pattern.test(line)).toBe(false);
		expect(performance.now() - begin).toBeLessThan(1_000);
	});
});
