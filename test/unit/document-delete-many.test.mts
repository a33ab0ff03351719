import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deleteMany } from '../../nodes/Rag/resources/document/deleteMany.ts';
import { message } from './parameters-form.mts';
import { contextOf, Documents } from './rag-parts.mts';
import { formOf, outcomeOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

const filter = { topic: { $eq: 'old' } };
const OLD = { metadata: { topic: 'old' } };

async function run(documents: Documents, dryRun: boolean, limit = 50, flow = {}) {
	const context = await contextOf({ documents, flow });
	return await deleteMany.run(context, { filter, limit, dryRun });
}

const fails = async (documents: Documents, limit = 50) =>
	(await outcomeOf(run(documents, false, limit))).error;
const deleted = ({ asked }: Documents) => asked.filter((one) => one.startsWith('DELETE'));

describe('the documents that pass a filter', () => {
	it('are deleted by their IDs, the others are not', async () => {
		const documents = new Documents()
			.add('a', { title: 'A', ...OLD })
			.add('b', { metadata: { topic: 'new' } })
			.add('c', OLD);
		expect(await run(documents, false)).toEqual([
			{ deleted: true, already_gone: false, document_id: 'a', title: 'A', ...OLD },
			{ deleted: true, already_gone: false, document_id: 'c', title: null, ...OLD },
		]);
		expect([...documents.byId.keys()]).toEqual(['b']);
	});

	it('are listed by a dry run, even if they are more than Limit', async () => {
		const documents = new Documents().add('a', { title: 'A', ...OLD }).add('c', OLD);
		expect(await run(documents, true, 1)).toEqual([
			{ deleted: false, dry_run: true, document_id: 'a', title: 'A', ...OLD },
			{ deleted: false, dry_run: true, document_id: 'c', title: null, ...OLD },
		]);
		expect(deleted(documents)).toEqual([]);
	});

	it('may be as many as Limit, and one more is an error before anything is deleted', async () => {
		const documents = new Documents().add('a', OLD).add('b', OLD);
		expect(await fails(documents, 1)).toMatchObject({
			message: '2 documents match, and Limit is 1',
			description: 'Nothing was deleted. Check the filters with Dry Run, then raise Limit.',
		});
		expect(deleted(documents)).toEqual([]);
		expect(await run(documents, false, 2)).toHaveLength(2);
	});

	it.each([
		[true, { deleted: false, dry_run: true, reason: 'none', found: 1 }],
		[false, { deleted: false, reason: 'none', found: 1 }],
	])('may be none: dry run %s', async (dryRun, item) => {
		const documents = new Documents().add('a', { metadata: { topic: 'new' } });
		expect(await run(documents, dryRun)).toEqual([item]);
	});

	it('must all have an ID, or none is deleted', async () => {
		const documents = new Documents().add('a', OLD);
		documents.byId.set('b', { title: 'B', ...OLD });
		const error = await fails(documents);
		expect(error).toMatchObject({
			message: '1 of the documents that match have no ID',
			description: 'Nothing was deleted. The node may not know this version of the service.',
		});
		expect(error?.context.known).toEqual({ documents: [{ title: 'B', ...OLD }] });
		expect(deleted(documents)).toEqual([]);
	});

	it('are named by the error where one cannot be deleted', async () => {
		const documents = new Documents().add('a', OLD).add('b', OLD).add('c', OLD);
		documents.instead = (request) =>
			request === 'DELETE /documents/c' ? { status: 403, json: {} } : undefined;
		const error = await fails(documents);
		expect(error?.context.known).toEqual({ document_id: 'c', deleted_before: ['a', 'b'] });
	});
});

describe('documents that show after their deletion', () => {
	useStillTime();

	it('are not called deleted, and are looked at together', async () => {
		const documents = new Documents().add('a', OLD).add('b', OLD).add('c', OLD);
		documents.instead = (request) =>
			/^DELETE .*[ab]$/.test(request) ? { json: { results: { success: true } } } : undefined;
		const { value, seconds } = await ended(run(documents, false));
		const hint = expect.stringContaining('confirms the deletion, but still shows it') as string;
		expect(value).toMatchObject([
			{ deleted: null, accepted: true, hint },
			{ deleted: null, accepted: true, hint },
			{ deleted: true },
		]);
		expect(documents.asked.filter((one) => one === 'GET /documents/c')).toHaveLength(1);
		expect(seconds).toBe(14);
	});
});

describe('a retry after a deletion that failed', () => {
	/** Three documents after a first try, which has deleted `a`, and then got this answer. */
	async function retried(status: number, change: (documents: Documents) => void, limit = 3) {
		const documents = new Documents().add('a', OLD).add('b', OLD).add('c', OLD);
		const flow = {};
		documents.instead = (request) =>
			request === 'DELETE /documents/b' ? { status, json: {} } : undefined;
		const { error } = await outcomeOf(run(documents, false, 50, flow));
		documents.instead = () => undefined;
		documents.asked.length = 0;
		change(documents);
		const again = await outcomeOf(run(documents, false, limit, flow));
		return { error, again, deletions: deleted(documents), documents };
	}
	const done = (id: string, isGone = false) => ({
		deleted: true,
		already_gone: isGone,
		document_id: id,
		title: null,
		...OLD,
	});

	it('goes on, and names what the first try has deleted', async () => {
		const { error, again, deletions } = await retried(403, () => undefined);
		expect(error?.context.known).toEqual({ document_id: 'b', deleted_before: ['a'] });
		expect(again.value).toEqual([done('a'), done('b'), done('c')]);
		expect(deletions).toEqual(['DELETE /documents/b', 'DELETE /documents/c']);
	});

	it('deletes nothing again that a list which is behind still has', async () => {
		const { again, deletions } = await retried(403, (documents) => {
			documents.add('a', OLD);
			documents.instead = (request) =>
				request === 'GET /documents/a' ? { status: 404, json: {} } : undefined;
		});
		expect(again.value).toEqual([done('a'), done('b'), done('c')]);
		expect(deletions).toEqual(['DELETE /documents/b', 'DELETE /documents/c']);
	});

	it('asks for the one whose answer was lost, which the list does not have any more', async () => {
		const { again } = await retried(409, (documents) => documents.byId.delete('b'));
		expect(again.value).toEqual([done('a'), done('b', true), done('c')]);
	});

	it('leaves what does not match any more', async () => {
		const { again, documents } = await retried(403, (all) =>
			all.add('b', { metadata: { topic: 'new' } }),
		);
		expect(again.value).toEqual([done('a'), done('c')]);
		expect([...documents.byId.keys()]).toEqual(['b']);
	});

	it('counts what is deleted, for Limit', async () => {
		const { again, deletions } = await retried(403, (documents) => documents.add('d', OLD));
		expect(again.error).toMatchObject({
			message: '4 documents match, and Limit is 3',
			description: 'Nothing more was deleted. Check the filters with Dry Run, then raise Limit.',
		});
		expect(again.error?.context.known).toEqual({ deleted_before: ['a'] });
		expect(deletions).toEqual([]);
	});
});

describe('the filters of Delete Many', () => {
	const read = (filtersJson: IDataObject) =>
		deleteMany.input(
			formOf(deleteMany, { filters: { filtersJson }, limit: 5, dryRun: true }),
			() => undefined,
		);
	const BLANK = 'Filters must not compare with an empty value: it may match all';

	it('are taken as they are', () => {
		const wanted = { $and: [{ topic: { $in: ['a', 'b'] } }, { year: { $gt: 2020 } }] };
		expect(read(wanted)).toEqual({ filter: wanted, limit: 5, dryRun: true });
	});

	it.each<[IDataObject]>([
		[{ topic: '' }],
		[{ topic: { $gt: ' ' } }],
		[{ topic: { $ne: null } }],
		[{ topic: { $in: ['a', ''] } }],
		[{ topic: 'a', year: { $gt: '' } }],
		[{ $or: [{ topic: 'a' }, { topic: null }] }],
	])('must not be blank anywhere: %j', (blank) => {
		expect(message(() => read(blank))).toBe(BLANK);
	});
});
