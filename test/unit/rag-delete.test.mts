import { describe, expect, it } from 'vitest';
import { isListed } from '../../nodes/intelligence/retrieval/absence.ts';
import { destroy } from '../../nodes/Rag/deletion.ts';
import { Body, type Answered } from './log-parts.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, outcomeOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

const NOT_FOUND = { status: 404, json: { detail: 'no such chunk' } };
const FAULT = { status: 500, json: {} };
const PATH = '/collections/{collectionId}/chunks/{chunkId}';
const IDS = { collectionId: 'c', chunkId: 'k' };
const DELETE = 'DELETE /api/rag/v3/collections/c/chunks/k';
const LIST = 'GET /api/rag/v3/collections/c/chunks';

/** What becomes of a deletion that is answered so. */
async function deletion(...answers: Answered[]) {
	const documents = new Answers(...answers);
	const work = destroy(await contextOf({ documents }), { path: PATH }, IDS);
	const { value, error } = await outcomeOf(work);
	return { value, error, asked: documents.asked };
}
const listOf = (...ids: string[]): Answered => ({
	json: { results: ids.map((id) => ({ id })), total_entries: ids.length },
});

describe('the deletion of a thing', () => {
	it.each<[string, Answered]>([
		['200', { json: { results: { success: true } } }],
		['204', { status: 204, body: new Body().write(undefined) }],
		['how much was deleted', { json: { results: { deleted_count: 1, failed: [] } } }],
		['what was deleted', { json: { results: { deletedIds: ['k'], deleted_at: null } } }],
		['nothing that went with it', { json: { deleted: true, deleted_chunks: 0 } }],
	])('is done with a yes: %s', async (_, answer) => {
		expect(await deletion(answer)).toEqual({
			value: { deleted: true, already_gone: false },
			asked: [DELETE],
		});
	});

	it('may be accepted, to be done later', async () => {
		expect(await deletion({ status: 202, json: {} })).toEqual({
			value: {
				deleted: null,
				accepted: true,
				already_gone: false,
				hint: expect.stringContaining('to do it later') as string,
			},
			asked: [DELETE],
		});
	});

	it('was done before where the service does not list it either', async () => {
		for (const ids of [[], ['other', 'third']])
			expect(await deletion(NOT_FOUND, listOf(...ids))).toEqual({
				value: { deleted: true, already_gone: true },
				asked: [DELETE, LIST],
			});
	});

	it('is an error where the service lists what it does not find', async () => {
		const { error, asked } = await deletion(NOT_FOUND, listOf('other', 'K'));
		expect(error?.message).toBe('Not found (404): no such chunk');
		expect(error?.description).toContain('It is not known to be gone: its list has it.');
		expect(asked).toEqual([DELETE, LIST]);
	});

	it.each<[Answered, string]>([
		[{ status: 403, json: { detail: 'no' } }, 'Permission denied (403): no'],
		[{ json: { error: 'locked' } }, 'The service answered 200, but says no: locked'],
		// A flag of its own says no, whatever is beside it
		...[
			{ id: 'K', deleted: false, message: 'locked' },
			{ results: { document_id: 'K', deleted: 0, reason: 'locked' } },
			{ results: { ok: 'false', message: 'locked' } },
			// A count of none, and a list of nothing, say the same
			{ results: { deleted_count: 0, message: 'locked' } },
			{ results: { deleted: [], message: 'locked' } },
			{ data: { deletedCount: '0', message: 'locked' } },
			{ isDeleted: false, message: 'locked' },
			{ success: true, num_removed: 0, message: 'locked' },
			{ results: { deleted: ['J'], failed: ['K'], message: 'locked' } },
			{
				data: [
					{ id: 'J', success: true },
					{ success: false, detail: 'locked' },
				],
			},
		].map((json): [Answered, string] => [
			{ json },
			'The service answered 200, but says no: locked',
		]),
		[{ json: [{ deleted: false, id: 'K' }] }, 'The service answered 200, but says no: no'],
	])('is an error with a no: %j', async (answer, problem) => {
		const { error, asked } = await deletion(answer);
		expect(error?.message).toBe(problem);
		expect(asked).toEqual([DELETE]);
	});

	describe('of a thing that can be read', () => {
		useStillTime();
		const LOOK = DELETE.replace('DELETE', 'GET');
		const SHOWN = { json: { results: { id: 'k' } } };
		const YES = { json: { results: { status: 'pending' } } };

		async function seen(...answers: Answered[]) {
			const documents = new Answers(...answers);
			const target = { path: PATH, hasDetails: true as const };
			const work = destroy(await contextOf({ documents }), target, IDS);
			return { ...(await ended(work)), asked: documents.asked };
		}

		it('is done once it shows no more, whatever the answer is', async () => {
			for (const answer of [YES, { status: 202, json: {} }, { json: {} }])
				expect(await seen(answer, SHOWN, NOT_FOUND)).toMatchObject({
					value: { deleted: true, already_gone: false },
					asked: [DELETE, LOOK, LOOK],
				});
		});

		it('is not done while it shows', async () => {
			const { value, seconds } = await seen(YES, SHOWN);
			expect(value).toMatchObject({ deleted: null, accepted: true, already_gone: false });
			expect(value).toHaveProperty('hint', expect.stringContaining('still shows it'));
			expect(seconds).toBe(14);
		});

		it('is what the service says where nothing can be seen', async () => {
			for (const hidden of [{ status: 405, json: {} }, { json: { results: [] } }]) {
				const { value, asked } = await seen(YES, hidden);
				expect(value).toEqual({ deleted: true, already_gone: false });
				expect(asked).toEqual([DELETE, LOOK]);
				expect((await seen({ status: 202, json: {} }, hidden)).value).toMatchObject({
					deleted: null,
				});
			}
		});
	});

	describe('that fails', () => {
		useStillTime();

		it('is tried five times, since what stays may cost', async () => {
			const { value } = await ended(deletion(FAULT, FAULT, FAULT, FAULT, { json: {} }));
			expect(value?.value).toEqual({ deleted: true, already_gone: false });
		});

		it('and is answered with 404 then was not gone before', async () => {
			const { value } = await ended(deletion(FAULT, NOT_FOUND, listOf()));
			expect(value?.value).toEqual({ deleted: true, already_gone: false });
		});

		it('and is refused then is done where its list does not have it', async () => {
			const gone = { json: { results: { success: false, message: 'Chunk not found' } } };
			for (const no of [gone, { status: 409, json: {} }]) {
				const done = await ended(deletion(FAULT, no, listOf('other')));
				expect(done.value?.value).toEqual({ deleted: true, already_gone: false });
				const kept = await ended(deletion(FAULT, no, listOf('k')));
				expect(kept.value?.error?.description).toContain('its list has it');
			}
		});

		it('is given up after that', async () => {
			const faults = [FAULT, FAULT, FAULT, FAULT, FAULT];
			const { value } = await ended(deletion(...faults, { json: {} }));
			expect(value?.error?.message).toBe('Server error (500)');
			expect(value?.asked).toHaveLength(5);
		});

		it('with half of a 404 is not known to be done', async () => {
			const half = () => ({ status: 404, body: new Body().write('{', new Error('ECONNRESET')) });
			const { value } = await ended(deletion(half(), half(), half(), half(), half(), listOf()));
			expect(value?.error?.message).toContain('connection');
			expect(value?.asked).toHaveLength(5);
		});
	});
});

it('a thing is certainly there where an entry of its list shows all that it has', async () => {
	const listing = { list: { path: '/things' }, fields: { id: 'k' } };
	const listed = async (...entries: object[]) =>
		await isListed(
			await contextOf({
				documents: new Answers({ json: { results: entries, total_entries: entries.length } }),
			}),
			listing,
		);
	expect(await listed({ id: 'j' }, { id: 'K' })).toBe(true);
	expect(await listed({ id: 'j' })).toBe(false);
	expect(await listed({ id: null, name: 'k' })).toBe(false);
});
