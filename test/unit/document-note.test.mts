import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	deletedIds,
	note,
	noted,
	remove,
	withReplaced,
	type Note,
} from '../../nodes/Rag/resources/document/note.ts';
import { findVersions } from '../../nodes/Rag/resources/document/versions.ts';
import { contextError } from '../../nodes/shared/operation/context.ts';
import { contextOf, Documents, textInput } from './rag-parts.mts';

describe('the error of a document that replaces others', () => {
	/** The error, and what n8n's log got of it. */
	async function failed(state: Note, { status = 'parsing', description = '', isEnded = false }) {
		const context = await contextOf();
		const logged: unknown[] = [];
		context.log = (...entry) => logged.push(entry);
		if (isEnded) context.signal = AbortSignal.abort();
		context.known = { document_id: 'new', ingestion_status: status };
		note(context, state);
		const thrown = contextError(context, { message: 'It failed.', description });
		const error = withReplaced(context, thrown);
		return { error, isSame: error === thrown, known: error.context.known as object, logged };
	}
	const known = { document_id: 'new', ingestion_status: 'parsing' };
	const GONE = 'It failed. The earlier document was deleted already';

	it('says that the earlier one is still there', async () => {
		const advice = { description: 'Try again.' };
		const { error } = await failed({ replaces: ['a'] }, advice);
		expect(error.message).toBe('It failed.');
		expect(error.description).toBe('Try again. The earlier document is still there.');
		const { error: other } = await failed({ replaces: ['a'] }, {});
		expect(other.description).toBe('The earlier document is still there.');
	});

	it('names what was deleted already', async () => {
		const { error, known: facts } = await failed({ replaced_deleted: ['a', 'b'] }, {});
		expect(error.message).toBe(GONE);
		expect(facts).toEqual({ ...known, replaced_deleted: ['a', 'b'] });
	});

	it('does so of a new one that is stored only where its ingestion has failed', async () => {
		const state = { replaced_deleted: ['a'], is_stored: true };
		expect(await failed(state, {})).toMatchObject({
			isSame: true,
			error: { message: 'It failed.' },
		});
		const { error, known: facts } = await failed(state, { status: 'failed' });
		expect(error.message).toBe(GONE);
		expect(facts).toMatchObject({ replaced_deleted: 'a', ingestion_status: 'failed' });
	});

	it('is as it was where nothing was deleted', async () => {
		const { isSame, known: facts } = await failed({}, {});
		expect(isSame).toBe(true);
		expect(facts).toEqual(known);
	});

	it('is in the log where the execution has ended', async () => {
		const state = { replaced_deleted: ['a'] };
		expect((await failed(state, { isEnded: true })).logged).toEqual([
			[GONE, { ...known, replaced_deleted: 'a' }],
		]);
		expect((await failed(state, {})).logged).toEqual([]);
	});

	it('may be one of n8n itself', async () => {
		const context = await contextOf();
		note(context, { replaces: ['a'] });
		const thrown = { message: 'The file is gone' } as NodeApiError;
		expect(withReplaced(context, thrown)).toMatchObject({
			message: 'The file is gone',
			description: 'The earlier document is still there.',
		});
	});
});

describe('what is gone', () => {
	it.each<[string[], string | undefined, object]>([
		[[], 'new', {}],
		[['a'], 'new', { replaced_deleted: 'a' }],
		[['a', 'b'], 'new', { replaced_deleted: ['a', 'b'] }],
		[['new'], 'new', { replaced: 'new' }],
		[['a', 'new'], 'new', { replaced_deleted: 'a', replaced: 'new' }],
		[['a'], undefined, { replaced_deleted: 'a' }],
	])('of %j for the document %s', (replaced_deleted, newId, output) => {
		expect(deletedIds({ replaced_deleted }, newId)).toEqual(output);
	});

	it('may be a document that was gone already, of which nothing is known', async () => {
		const context = await contextOf();
		await remove(context, 'd');
		expect(noted(context)).toEqual({ replaced_deleted: ['d'] });
	});
});

describe('the versions of a document', () => {
	const AT = ['2026-07-01T08:00:00Z', '2026-07-02T08:00:00Z', '2026-07-03T08:00:00Z'];
	/** The order of versions with these states, each created later than the one before it. */
	async function order(...states: string[]): Promise<string[]> {
		const documents = new Documents();
		for (const [index, ingestion_status] of states.entries())
			documents.add(`d${index}`, { ingestion_status, created_at: AT[index] });
		const context = await contextOf({ documents });
		const ids = ['d0', 'd1', 'd2'];
		const versions = await findVersions(context, textInput('a'), { ids, isContent: false });
		return versions.map(({ id }) => id);
	}

	it.each<[string[], string[]]>([
		[
			['success', 'success', 'success'],
			['d2', 'd1', 'd0'],
		],
		[
			['failed', 'parsing', 'success'],
			['d2', 'd1', 'd0'],
		],
		[
			['success', 'parsing', 'failed'],
			['d0', 'd1', 'd2'],
		],
		[
			['failed', 'success', 'parsing'],
			['d1', 'd2', 'd0'],
		],
		[
			['parsing', 'pending', 'success'],
			['d2', 'd1', 'd0'],
		],
		[
			['failed', 'success'],
			['d1', 'd0'],
		],
		[[], []],
	])('come with those first that can be searched, then the latest: %j', async (states, ids) => {
		expect(await order(...states)).toEqual(ids);
	});
});
