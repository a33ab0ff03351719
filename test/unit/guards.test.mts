import { describe, expect, it } from 'vitest';
import { isFile, segmentProblem } from '../../nodes/shared/guards.ts';

describe('what n8n finds under the name of a binary field', () => {
	it.each<unknown>([
		{ data: 'aGk=', mimeType: 'text/plain' },
		{ id: 'filesystem-v2:1', data: 7 },
		{ data: '' },
	])('%j is a file', (found) => expect(isFile(found)).toBe(true));

	it.each<unknown>([
		undefined,
		null,
		'data',
		['data'],
		{},
		{ id: 7, data: null },
		{ mimeType: 'text/plain' },
		// What all objects have under `constructor`
		Object,
		Object.assign(() => 'data', { id: 'a', data: 'a' }),
	])('%j is none', (found) => expect(isFile(found)).toBe(false));
});

describe('a segment of a path', () => {
	it.each(['a', 'a.b', '.a', '...-', 'A_b~c-1', 'user:me@host+x=1', '7'.repeat(1_000)])(
		'may be %s',
		(text) => expect(segmentProblem(text)).toBeUndefined(),
	);

	it.each(['', '.', '..', '...', 'a/b', 'a b', 'a?b', '%2e', 'ä', 'a\n', '\na'])(
		'may not be %j',
		(text) => expect(segmentProblem(text)).toContain(`got "${text}"`),
	);

	it('may have no more than 1,000 characters', () => {
		expect(segmentProblem('a'.repeat(1_001))).toBe('must have at most 1000 characters, got 1001');
	});
});
