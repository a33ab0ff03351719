import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms, type Fault } from '../sandbox/index.mts';

const fixture = useFixture();

const UPLOAD = { method: 'POST', path: /\/documents$/ };
const DELETED = 'The earlier document was deleted already';
const create = async (
	item: INodeExecutionData,
	options: IDataObject = {},
	settings = {},
	runOptions: RunOptions = {},
) =>
	await fixture.engine.runItems(
		rag(
			'document',
			'create',
			{
				source: 'file',
				binaryPropertyName: 'data',
				additionalFields: { runWithOrchestration: false },
				options,
			},
			settings,
		),
		[item],
		runOptions,
	);
const earlier = async () => String(onlyJson(await create(fileItem('a.txt', 'one'))).document_id);
const REPLACE = { ifExists: 'replace' };
const second = fileItem('a.txt', 'two');
const deletions = () => fixture.sent('DELETE', /./);

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
		expect(
			jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true }))).map(
				(one) => one.id,
			),
		).toEqual([id]);
	});

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
			const id = await earlier();
			fixture.sandbox.faults.add({ match: UPLOAD, ...fault, times: 3 });
			const error = errorOf(await create(second, REPLACE, RETRY));
			expect(error.message).toMatch(message);
			expect(error.message.endsWith(`. ${DELETED}`)).toBe(true);
			expect(error.context.known).toEqual({ document_id: id, replaced_deleted: id, ...more });
			expect(deletions()).toHaveLength(1);
			expect(fixture.sent('POST', UPLOAD.path)).toHaveLength(4);
		},
	);

	it('a failed item names both; so does a failed ingestion', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: UPLOAD, ...errorForms.empty(403) });
		const item = onlyJson(await create(second, REPLACE, { onError: 'continueRegularOutput' }));
		expect(item).toMatchObject({
			error: `Permission denied (403). ${DELETED}`,
			details: { document_id: id, replaced_deleted: id },
		});
		await earlier();
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /documents\/[^/]+$/ },
			skip: 1,
			status: 200,
			body: { results: { ingestion_status: 'failed' } },
		});
		const error = errorOf(await create(second, { ...REPLACE, waitUntilIngested: true }));
		expect(error.message).toBe(`The service could not ingest document ${id}. ${DELETED}`);
		expect(error.context.known).toMatchObject({ replaced_deleted: id, ingestion_status: 'failed' });
	});

	const WAIT = { ...REPLACE, waitUntilIngested: true };
	const LOOK = { method: 'GET', path: /documents\/[^/]+$/ };
	const fails = (skip: number, times = 1) =>
		fixture.sandbox.faults.add({
			match: LOOK,
			skip,
			times,
			status: 200,
			body: { results: { ingestion_status: 'failed' } },
		});

	it.each([
		['nothing', false],
		['an earlier document', true],
	])(
		'a retry sends again a document whose ingestion failed, in place of %s',
		async (_, hasEarlier) => {
			if (hasEarlier) await earlier();
			const before = fixture.sent('POST', UPLOAD.path).length;
			fails(1, 2);
			const item = onlyJson(await create(second, WAIT, RETRY));
			expect(item).toMatchObject({ ingestion_status: 'success' });
			expect(item).not.toHaveProperty('recovered');
			expect(fixture.sent('POST', UPLOAD.path)).toHaveLength(before + 2);
			expect(deletions()).toHaveLength(hasEarlier ? 2 : 1);
			expect(
				jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true }))),
			).toHaveLength(1);
		},
	);

	it('an ingestion that fails in each try: no earlier document is said to be deleted', async () => {
		fails(1, Infinity);
		const error = errorOf(await create(second, WAIT, RETRY));
		expect([error.message, error.context.known]).toEqual([
			expect.stringMatching(/^The service could not ingest document [0-9a-f-]{36}$/),
			expect.not.objectContaining({ replaced_deleted: expect.anything() }),
		]);
		expect(fixture.sent('POST', UPLOAD.path)).toHaveLength(3);
	});

	it('without Replace a retry neither deletes nor sends again', async () => {
		fails(1, Infinity);
		expect(errorOf(await create(second, { waitUntilIngested: true }, RETRY)).message).toContain(
			'could not ingest',
		);
		expect([fixture.sent('POST', UPLOAD.path).length, deletions().length]).toEqual([1, 0]);
	});

	it('a timeout of the ingestion: no document is said to be deleted', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /documents\/[^/]+$/ },
			skip: 1,
			times: Infinity,
			status: 200,
			body: { results: { ingestion_status: 'parsing' } },
		});
		const error = errorOf(
			await create(second, { ...REPLACE, waitUntilIngested: true, timeout: 2 }, RETRY),
		);
		expect(error.message).toBe(`Document ${id} was still "parsing" after 2 seconds`);
		expect(fixture.sent('POST', UPLOAD.path)).toHaveLength(2);
	});

	it('a deletion that is refused: no document is said to be deleted', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		const error = errorOf(await create(second, REPLACE));
		expect([error.message, error.context.known]).toEqual([
			'Permission denied (403)',
			{ document_id: id },
		]);
	});

	it('cancelled after the deletion: the log names the deleted document', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: UPLOAD, hang: true });
		const stop = new AbortController();
		const running = create(second, REPLACE, {}, { cancel: stop.signal });
		await until(() => fixture.sent('POST', UPLOAD.path).length === 2);
		stop.abort();
		expect(errorOf(await running).message).toBe(`The execution was cancelled. ${DELETED}`);
		expect(fixture.engine.log).toContainEqual(
			expect.objectContaining({ facts: { document_id: id, replaced_deleted: id } }),
		);
	});

	it('a conflict with another ID: the error names that one', async () => {
		const other = '11111111-2222-4333-8444-555555555555';
		onlyJson(
			await fixture.engine.runItems(
				rag('document', 'create', {
					source: 'file',
					binaryPropertyName: 'data',
					additionalFields: { documentId: other, runWithOrchestration: false },
				}),
				[fileItem('a.txt', 'one')],
			),
		);
		fixture.sandbox.faults.add({ match: UPLOAD, skip: 1, ...errorForms.empty(403) });
		const error = errorOf(await create(second, REPLACE));
		expect(error.message).toContain(DELETED);
		expect(error.context.known).toMatchObject({ replaced_deleted: other });
	});
});
