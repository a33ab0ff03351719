import { describe, expect, it } from 'vitest';
import { idsOf, isNameOf, safeName } from '../../nodes/MemoryCompute/names.ts';

describe('the name of a session', () => {
	const safe = safeName('Anna');

	it.each<[unknown, boolean]>([
		['Anna', true],
		[safe, true],
		[`user1/${safe.toUpperCase()}`, true],
		['anna', false],
		[safeName('anna'), false],
		['', false],
		[null, false],
		[undefined, false],
	])('%j is one of it: %j', (name, expected) => {
		expect(isNameOf('Anna', name)).toBe(expected);
	});

	it('may be a number, and is never no name', () => {
		expect(isNameOf('7', 7)).toBe(true);
		expect(isNameOf('null', null)).toBe(false);
	});
});

describe('the conversations of a session', () => {
	it('are those with its name and an ID, the oldest first, and of one time by their IDs', () => {
		expect(
			idsOf('s', [
				{ id: 'd', name: 's', created_at: '2026-01-02' },
				{ id: 10, name: safeName('s'), created_at: '2026-01-01' },
				{ id: 9, name: 's', created_at: '2026-01-01' },
				{ id: 'x', name: 'other', created_at: '2025-01-01' },
				{ id: '', name: 's' },
				{ name: 's' },
			]),
		).toEqual(['9', '10', 'd']);
	});
});
