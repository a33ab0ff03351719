import { expect, it } from 'vitest';
import { itemOf, resultsOf } from '../../nodes/intelligence/retrieval/envelope.ts';

it.each([
	[{ results: { id: 'a' } }, { id: 'a' }],
	[{ id: 'a' }, { id: 'a' }],
	[{ results: 'done' }, { results: 'done' }],
	['done', { results: 'done' }],
	[{ results: [1, 2] }, { results: [1, 2] }],
	[{ results: 0 }, { results: 0 }],
	[{ results: false }, { results: false }],
	[{ results: null }, { success: true }],
	['', { success: true }],
	[undefined, { success: true }],
	[
		{ error: 'cut', results: { id: 'a' } },
		{ service_error: 'cut', id: 'a' },
	],
	[
		{ error: 'cut', results: { error: 'own', id: 'a' } },
		{ service_error: 'own', id: 'a' },
	],
	[
		{ error: { code: 7 }, results: [1] },
		{ service_error: { code: 7 }, results: [1] },
	],
	[{ error: 'cut', results: null }, { service_error: 'cut' }],
	[{ error: null, results: { id: 'a' } }, { id: 'a' }],
	[{ error: '', results: 'done' }, { results: 'done' }],
])('the answer %j is the item %j', (answer, item) => {
	expect(itemOf(answer)).toEqual(item);
});

it('an answer without an envelope is its content', () => {
	expect(resultsOf([{ id: 'a' }])).toEqual([{ id: 'a' }]);
	expect(resultsOf({ results: undefined })).toBe(undefined);
});
