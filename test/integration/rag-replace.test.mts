import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf, type RunOptions } from '../engine/engine.mts';
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
	it('a file that cannot be read costs nothing: the earlier document stays', async () => {
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
			/^The request is too large for the service \(413\): No more\. The earlier/,
			{},
		],
		[
			'is lost',
			{ drop: 'before' },
			/: outcome unknown\. .* does not have it\. The earlier/,
			{ outcome: 'unknown' },
		],
	])(
		'after the deletion, an upload that %s says so and names the document; so does the next try',
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

	it('a failed item names both; and a document that cannot be ingested says it too', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: UPLOAD, ...errorForms.empty(403) });
		const item = onlyJson(await create(second, REPLACE, { onError: 'continueRegularOutput' }));
		expect(item).toMatchObject({
			error: `The account may not do this (403). ${DELETED}`,
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
		'a retry sends a document whose ingestion failed in place of %s again',
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

	it('where it fails each time, that is said of the document alone: no earlier one was deleted', async () => {
		fails(1, Infinity);
		const error = errorOf(await create(second, WAIT, RETRY));
		expect([error.message, error.context.known]).toEqual([
			expect.stringMatching(/^The service could not ingest document [0-9a-f-]{36}$/),
			expect.not.objectContaining({ replaced_deleted: expect.anything() }),
		]);
		expect(fixture.sent('POST', UPLOAD.path)).toHaveLength(3);
	});

	it('without Replace a retry neither deletes nor sends it again', async () => {
		fails(1, Infinity);
		expect(errorOf(await create(second, { waitUntilIngested: true }, RETRY)).message).toContain(
			'could not ingest',
		);
		expect([fixture.sent('POST', UPLOAD.path).length, deletions().length]).toEqual([1, 0]);
	});

	it('nor is it said where the new one is in and its ingestion takes long', async () => {
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

	it('a deletion that is refused says nothing of the kind', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		const error = errorOf(await create(second, REPLACE));
		expect([error.message, error.context.known]).toEqual([
			'The account may not do this (403)',
			{ document_id: id },
		]);
	});

	it('cancelled after the deletion: the log names what is gone', async () => {
		const id = await earlier();
		fixture.sandbox.faults.add({ match: UPLOAD, hang: true });
		const stop = new AbortController();
		const running = create(second, REPLACE, {}, { cancel: stop.signal });
		await until(() => fixture.sent('POST', UPLOAD.path).length === 2);
		stop.abort();
		expect(errorOf(await running).message).toBe(`The execution was cancelled. ${DELETED}`);
		expect(fixture.engine.log).toContainEqual(
			expect.objectContaining({ facts: { replaced_deleted: id } }),
		);
	});

	it('the document in the way has another id: that one is named', async () => {
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

describe('the IDs in a 409', () => {
	const first = fileItem('a.txt', 'one');
	const STRANGER = '99999999-2222-4333-8444-555555555555';
	const conflict = (...ids: unknown[]) =>
		fixture.sandbox.faults.add({
			match: UPLOAD,
			...errorForms.detailString(
				409,
				`Collection ${STRANGER}, task ${STRANGER}: ${ids.map((id) => `document ${String(id)}`).join()}`,
			),
		});
	it('of the IDs in a 409 the first that is a document counts, each tried once', async () => {
		const id = '11111111-2222-4333-8444-555555555555';
		onlyJson(
			await fixture.engine.runItems(
				rag('document', 'create', {
					source: 'file',
					binaryPropertyName: 'data',
					additionalFields: { documentId: id, runWithOrchestration: false },
				}),
				[first],
			),
		);
		conflict(id);
		expect(onlyJson(await create(second, { ifExists: 'skip' }))).toMatchObject({
			document_id: id,
			existing: true,
			title: 'a.txt',
		});
		expect(fixture.sent('GET', new RegExp(STRANGER))).toHaveLength(1);
		conflict(id);
		expect(errorOf(await create(second)).context.known).toEqual({ document_id: id });
		conflict(id);
		expect(onlyJson(await create(second, REPLACE))).toMatchObject({ replaced: id });
		expect(deletions().map(({ path }) => path.split('/').at(-1))).toEqual([id]);
	});

	it.each(['error', 'skip', 'replace'])(
		'where none of them is one, or cannot be looked up, the 409 is the error: %s',
		async (ifExists) => {
			conflict();
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: new RegExp(STRANGER) },
				skip: 1,
				...errorForms.empty(403),
			});
			for (let tries = 0; tries < 2; tries++) {
				const error = errorOf(await create(first, { ifExists }));
				expect([error.message, error.context.known]).toEqual([
					expect.stringMatching(/^The service reports a conflict \(409\): Collection /),
					{ document_id: null },
				]);
				conflict();
			}
			expect(deletions()).toEqual([]);
		},
	);

	it('of a 409 with a hundred IDs only some are tried', async () => {
		conflict(
			...Array.from(
				{ length: 100 },
				(_, index) => `${String(index).padStart(8, '0')}-2222-4333-8444-555555555555`,
			),
		);
		expect(errorOf(await create(first, { ifExists: 'skip' })).message).toContain('(409)');
		expect(fixture.sent('GET', /documents\/[^/]+$/).length).toBeLessThan(10);
	});
});

describe('replace deletes the earlier version alone', () => {
	const unnamed = (content: string) => ({
		json: {},
		binary: {
			data: {
				data: Buffer.from(content).toString('base64'),
				fileExtension: 'txt',
				mimeType: 'text/plain',
			},
		},
	});
	const additionalFields = { runWithOrchestration: false, documentId: '={{ $json.id ?? "" }}' };
	const createAll = async (items: INodeExecutionData[], settings = {}) =>
		await fixture.engine.runItems(
			rag(
				'document',
				'create',
				{ source: 'file', binaryPropertyName: 'data', additionalFields, options: REPLACE },
				settings,
			),
			items,
		);
	const ids = async () =>
		jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true }))).map((one) => one.id);

	it('files without a name are documents of their own, told by their content, in every run', async () => {
		const created = jsonOf(await createAll([unnamed('one'), unnamed('two'), unnamed('three')])).map(
			(one) => one.document_id,
		);
		expect(new Set(created).size).toBe(3);
		expect(deletions()).toEqual([]);
		expect((await ids()).sort()).toEqual([...created].sort());
		const again = jsonOf(await createAll([unnamed('two')]));
		expect(again[0]?.document_id).toBe(created[1]);
		expect(await ids()).toHaveLength(3);
		const twice = errorOf(await createAll([unnamed('four'), unnamed('four')]));
		expect([twice.message, twice.description]).toEqual([
			expect.stringMatching(/^Items 0 and 1 /),
			expect.stringMatching(/^Give one of them another file name or text\./),
		]);
	});

	const first = '11111111-2222-4333-8444-555555555551';
	const other = '11111111-2222-4333-8444-555555555552';
	it('not one of another item of the run, nor in a retry, when that is done', async () => {
		for (const settings of [{}, RETRY]) {
			const error = errorOf(
				await createAll(
					[
						fileItem('a.txt', 'one', 'text/plain', { id: first }),
						fileItem('a.txt', 'two', 'text/plain', { id: other }),
					],
					settings,
				),
			);
			expect(error.message).toMatch(/^Items 0 and 1 of this run are the same document/);
			expect(error.description).not.toContain('Document ID of its own');
			expect(deletions()).toEqual([]);
			expect(await ids()).toHaveLength(1);
			fixture.sandbox.reset();
		}
		const same = errorOf(
			await createAll([fileItem('a.txt', 'one'), fileItem('a.txt', 'two')], RETRY),
		);
		expect(same.message).toMatch(/^Items 0 and 1 /);
		expect(deletions()).toEqual([]);
	});

	it('where only the ID is the same, another one is the advice', async () => {
		const error = errorOf(
			await createAll([
				fileItem('a.txt', 'one', 'text/plain', { id: first }),
				fileItem('b.txt', 'two', 'text/plain', { id: first }),
			]),
		);
		expect(error.description).toContain('Give one of them a Document ID of its own.');
	});
});

describe('the name of a download', () => {
	it.each<[string, string]>([
		['attachment; filename=report.pdf', 'report.pdf'],
		['attachment; FileName = report.pdf ; size=3', 'report.pdf'],
		['attachment; filename="a; b.pdf"', 'a; b.pdf'],
		["attachment; filename=a.pdf; filename*=utf-8'en'%C3%BC.pdf", 'ü.pdf'],
		["attachment; filename*=Utf-8''%C3%BC.pdf; filename=a.pdf", 'ü.pdf'],
		["attachment; filename*=UTF-8''%ff; filename=a.pdf", 'a.pdf'],
	])('%s', async (disposition, name) => {
		const documentId = await earlier();
		fixture.sandbox.faults.add({
			match: { path: /download$/ },
			status: 200,
			rawBody: 'abc',
			contentType: 'application/pdf',
			headers: { 'content-disposition': disposition },
		});
		const [item] = outputOf(
			await fixture.run(rag('document', 'download', { documentId, binaryPropertyName: 'data' })),
		);
		expect(item?.json.file_name).toBe(name);
		expect(item?.binary?.data?.fileName).toBe(name);
	});
});
