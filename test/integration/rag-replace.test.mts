import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms, type Fault } from '../sandbox/index.mts';
import { AT_ONCE, CREATE, documentsOf, REPLACE } from './documents.mts';

const fixture = useFixture();
const { createFrom, deletions, stored: getAll } = documentsOf(fixture);

const DELETED = 'The earlier document was deleted already';
const create = async (
	item: INodeExecutionData,
	options: IDataObject = {},
	settings = {},
	runOptions: RunOptions = {},
	additionalFields: IDataObject = {},
) =>
	await createFrom(
		[item],
		{ additionalFields: { ...AT_ONCE.additionalFields, ...additionalFields }, options },
		settings,
		runOptions,
	);
const earlier = async () => String(onlyJson(await create(fileItem('a.txt', 'one'))).document_id);
const second = fileItem('a.txt', 'two');
const OWN = '11111111-2222-4333-8444-555555555555';
/** With a Document ID of its own there can be one document alone: the earlier one goes first. */
const createOwn = async (
	item: INodeExecutionData,
	options: IDataObject = {},
	settings = {},
	runOptions: RunOptions = {},
) => await create(item, options, settings, runOptions, { documentId: OWN });
const earlierOwn = async () => onlyJson(await createOwn(fileItem('a.txt', 'one')));

const LOOK = { method: 'GET', path: /documents\/[^/]+$/ };
const WAIT = { ...REPLACE, waitUntilIngested: true };
/** The node looks for both IDs of a file, and downloads an earlier document of the same size. */
const fails = (skip: number, times = 1) =>
	fixture.sandbox.faults.add({
		match: LOOK,
		skip,
		times,
		status: 200,
		body: { results: { ingestion_status: 'failed' } },
	});

describe('replace', () => {
	it('a file that cannot be read: the earlier document stays', async () => {
		const id = await earlier();
		const item = {
			json: {},
			binary: {
				data: {
					data: 'filesystem-v2',
					id: 'filesystem-v2:gone',
					bytes: 3,
					fileName: 'a.txt',
					mimeType: 'text/plain',
				},
			},
		};
		const error = errorOf(await create(item, REPLACE));
		expect(error.message).not.toContain(DELETED);
		expect(deletions()).toEqual([]);
		expect((await getAll()).map((one) => one.id)).toEqual([id]);
	});

	it('an upload that is refused: the earlier document stays, and the error says so', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: CREATE, ...errorForms.empty(403) });
		const error = errorOf(await create(second, REPLACE));
		expect([error.message, error.description]).toEqual([
			'Permission denied (403)',
			expect.stringMatching(/\w\. The earlier document is still there\.$/),
		]);
		// Of the node itself; n8n logs the error
		expect(fixture.log.filter(({ facts }) => facts !== undefined)).toEqual([]);
		expect((await getAll()).map((one) => one.id)).toEqual([id]);
	});

	it('an ingestion that fails: the earlier document stays', async () => {
		const id = await earlier();
		fails(2);
		const error = errorOf(await create(second, REPLACE));
		expect(error.message).toMatch(/^The service could not ingest document /);
		expect(error.context.known).not.toHaveProperty('replaced_deleted');
		expect(deletions()).toEqual([]);
		expect((await getAll()).map((one) => one.id)).toContain(id);
	});

	it('a timeout of the ingestion: nothing is deleted, and a later execution goes on', async () => {
		await earlier();
		fixture.sandbox.faults.add({
			match: LOOK,
			skip: 2,
			times: 4,
			status: 200,
			body: { results: { ingestion_status: 'parsing' } },
		});
		const error = errorOf(await create(second, { ...WAIT, timeout: 2 }));
		expect(error.message).toMatch(/ was still "parsing" after 2 seconds$/);
		expect(deletions()).toEqual([]);
		fixture.sandbox.faults.clear();
		expect(onlyJson(await create(second, WAIT))).toMatchObject({ ingestion_status: 'success' });
		expect(await getAll()).toHaveLength(1);
	});

	it('a deletion that is refused: the new document is ingested, and a retry deletes the other', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		const item = onlyJson(await create(second, REPLACE, RETRY));
		expect(item).toMatchObject({ recovered: true, replaced_deleted: id });
		expect(fixture.sent('POST', CREATE.path)).toHaveLength(2);
		expect(await getAll()).toHaveLength(1);
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		const error = errorOf(await create(fileItem('a.txt', 'three'), REPLACE));
		expect(error.message).toMatch(
			/^Document .* is ingested, but the earlier one is not deleted: Permission denied \(403\)$/,
		);
		expect(error.context.known).toMatchObject({ document_id: item.document_id });
	});

	it.each([
		['nothing', false],
		['an earlier document', true],
	])(
		'a retry sends again a document whose ingestion failed, in place of %s',
		async (_, hasEarlier) => {
			if (hasEarlier) await earlier();
			const before = fixture.sent('POST', CREATE.path).length;
			fails(2, 2);
			const item = onlyJson(await create(second, WAIT, RETRY));
			expect(item).toMatchObject({ ingestion_status: 'success' });
			expect(item).not.toHaveProperty('recovered');
			expect(fixture.sent('POST', CREATE.path)).toHaveLength(before + 2);
			expect(deletions()).toHaveLength(hasEarlier ? 2 : 1);
			expect(await getAll()).toHaveLength(1);
		},
	);

	it('without Replace a retry neither deletes nor sends again', async () => {
		fails(2, Infinity);
		expect(errorOf(await create(second, { waitUntilIngested: true }, RETRY)).message).toContain(
			'could not ingest',
		);
		expect([fixture.sent('POST', CREATE.path).length, deletions().length]).toEqual([1, 0]);
	});

	it('a document of somebody else that has the name: it is not replaced', async () => {
		await earlierOwn();
		fixture.sandbox.faults.add({
			match: CREATE,
			times: 2,
			...errorForms.detailString(409, `Document ${OWN} already exists`),
		});
		const error = errorOf(await create(second, REPLACE));
		expect(error.message).toContain('already exists');
		expect(error.description).toContain('is not an earlier version of this one');
		expect(deletions()).toEqual([]);
	});

	it('what an earlier execution has left goes, too', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		errorOf(await create(second, REPLACE));
		expect(await getAll()).toHaveLength(2);
		const item = onlyJson(await create(second, { ifExists: 'replaceIfChanged' }));
		expect(item).toMatchObject({ existing: true, replaced_deleted: id });
		expect(await getAll()).toHaveLength(1);
	});
});

describe('replace with a Document ID of its own', () => {
	it.each<[string, Fault, RegExp, IDataObject]>([
		[
			'is refused',
			errorForms.detailString(413, 'No more.'),
			/^Request too large \(413\): No more\. The earlier/,
			{},
		],
		[
			'is lost',
			{ drop: 'before' },
			/: outcome unknown\. .* does not have it\. The earlier/,
			{ outcome: 'unknown' },
		],
	])(
		'an upload that %s after the deletion: the error names the document, in each try',
		async (_, fault, message, more) => {
			await earlierOwn();
			fixture.sandbox.faults.add({ match: CREATE, ...fault, times: 3 });
			const error = errorOf(await createOwn(second, REPLACE, RETRY));
			expect(error.message).toMatch(message);
			expect(error.message.endsWith(`. ${DELETED}`)).toBe(true);
			expect(error.context.known).toEqual({ document_id: OWN, replaced_deleted: OWN, ...more });
			expect(deletions()).toHaveLength(1);
			expect(fixture.sent('POST', CREATE.path)).toHaveLength(4);
		},
	);

	it('a failed item names both; so does a failed ingestion', async () => {
		await earlierOwn();
		fixture.sandbox.faults.add({ match: CREATE, ...errorForms.empty(403) });
		const item = onlyJson(await createOwn(second, REPLACE, { onError: 'continueRegularOutput' }));
		expect(item).toMatchObject({
			error: `Permission denied (403). ${DELETED}`,
			details: { document_id: OWN, replaced_deleted: OWN },
		});
		await earlierOwn();
		// After a look whether the earlier one shows no more
		fails(2);
		const error = errorOf(await createOwn(second, WAIT));
		expect(error.message).toBe(`The service could not ingest document ${OWN}. ${DELETED}`);
		expect(error.context.known).toMatchObject({
			replaced_deleted: OWN,
			ingestion_status: 'failed',
		});
	});

	it('a new document that is slow to ingest: the error is not about the earlier one', async () => {
		await earlierOwn();
		fixture.sandbox.faults.add({
			match: LOOK,
			skip: 2,
			times: Infinity,
			status: 200,
			body: { results: { ingestion_status: 'parsing' } },
		});
		const error = errorOf(await createOwn(second, { ...WAIT, timeout: 2 }));
		expect(error.message).toMatch(/ was still "parsing" after 2 seconds$/);
		expect(error.context.known).not.toHaveProperty('replaced_deleted');
		expect(deletions()).toHaveLength(1);
	});

	it('an ingestion that fails in each try: no earlier document is said to be deleted', async () => {
		fails(1, Infinity);
		const error = errorOf(await createOwn(second, WAIT, RETRY));
		expect([error.message, error.context.known]).toEqual([
			expect.stringMatching(/^The service could not ingest document [0-9a-f-]{36}$/),
			expect.not.objectContaining({ replaced_deleted: expect.anything() }),
		]);
		expect(fixture.sent('POST', CREATE.path)).toHaveLength(3);
	});

	it('a deletion that is refused: no document is said to be deleted', async () => {
		await earlierOwn();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		const error = errorOf(await createOwn(second, REPLACE));
		expect([error.message, error.context.known]).toEqual([
			'Permission denied (403)',
			{ document_id: OWN },
		]);
	});

	it('cancelled after the deletion: the log names the deleted document', async () => {
		await earlierOwn();
		fixture.sandbox.faults.add({ match: CREATE, hang: true });
		const stop = new AbortController();
		const running = createOwn(second, REPLACE, {}, { cancel: stop.signal });
		await until(() => fixture.sent('POST', CREATE.path).length === 2);
		stop.abort();
		expect(errorOf(await running).message).toBe(`The execution was cancelled. ${DELETED}`);
		expect(fixture.log).toContainEqual(
			expect.objectContaining({ facts: { document_id: OWN, replaced_deleted: OWN } }),
		);
	});
});
