import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { AT_ONCE, CREATE, documentsOf } from './documents.mts';

const fixture = useFixture();
const { run, createFrom, createText, uploads, stored, chunksOf } = documentsOf(fixture);

describe('create', () => {
	it('from a file: multipart with the file, metadata and collections', async () => {
		const collection = onlyJson(
			await fixture.run(rag('collection', 'create', { name: 'manuals' })),
		);
		const created = onlyJson(
			await createFrom([fileItem('grüße "1".txt', 'Grüße aus Köln.')], {
				metadata: {
					values: [
						{ key: 'year', value: '={{ 2026 }}' },
						{ key: 'team', value: 'support' },
					],
				},
				additionalFields: {
					collectionIds: collection.id,
					metadataJson: '{"team":"sales","draft":true}',
					ingestionMode: 'fast',
					runWithOrchestration: false,
				},
			}),
		);
		expect(created).toMatchObject({
			document_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			task_id: null,
			message: expect.any(String),
		});
		const [document] = await stored();
		expect(document).toMatchObject({
			id: created.document_id,
			title: 'grüße "1".txt',
			size_in_bytes: Buffer.byteLength('Grüße aus Köln.'),
			metadata: { year: 2026, team: 'support', draft: true },
			collection_ids: [collection.id],
		});
		expect(await chunksOf(created.document_id)).toEqual(['Grüße aus Köln.']);
		expect(uploads()[0]?.headers).toMatchObject({
			'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/),
			'content-length': expect.any(String),
		});
	});

	it('from a text with its blanks, and from chunks', async () => {
		const text = onlyJson(await createText('  one\n\ntwo  '));
		expect(await chunksOf(text.document_id)).toEqual(['one', 'two']);
		expect(String(uploads()[0]?.body)).toContain('\r\n\r\n  one\n\ntwo  \r\n');
		const chunks = onlyJson(
			await run('create', { source: 'chunks', chunks: '={{ ["a b", "c"] }}', ...AT_ONCE }),
		);
		expect(await chunksOf(chunks.document_id)).toEqual(['a b', 'c']);
		const typed = onlyJson(await run('create', { source: 'chunks', chunks: '["d"]', ...AT_ONCE }));
		expect(await chunksOf(typed.document_id)).toEqual(['d']);
	});

	it('waits until it is ingested, and returns the states', async () => {
		const created = onlyJson(
			await createText('slow', {
				additionalFields: {},
				options: { waitUntilIngested: true, pollInterval: 1 },
			}),
		);
		expect(created).toMatchObject({ ingestion_status: 'success', waited_seconds: 5 });
		expect((created.progress as IDataObject[]).map((step) => step.ingestion_status)).toEqual([
			'pending',
			'parsing',
			'extracting',
			'embedding',
			'augmenting',
			'success',
		]);
	});

	it('a timeout is an error, and a retry waits on without a second upload', async () => {
		const wait = {
			additionalFields: {},
			options: { waitUntilIngested: true, pollInterval: 2, timeout: 3 },
		};
		const error = errorOf(await createText('slow', wait));
		expect(error.message).toMatch(/^Document [0-9a-f-]{36} was still "embedding" after 3 seconds$/);
		expect(error.description).toBe(
			'The service continues to ingest it. Increase Timeout, or check later with Document > Get.',
		);
		fixture.sandbox.reset();
		expect(onlyJson(await createText('slow', wait, RETRY))).toMatchObject({
			recovered: true,
			ingestion_status: 'success',
		});
		expect(uploads()).toHaveLength(1);
	});

	it('a failed ingestion is an error', async () => {
		const error = errorOf(
			await createFrom([fileItem('a.pdf', 'no pdf', 'application/pdf')], {
				options: { waitUntilIngested: true },
			}),
		);
		expect([error.message, error.description]).toEqual([
			expect.stringMatching(/^The service could not ingest document /),
			'Document > Get shows its details. To ingest it again, set If Exists to Replace.',
		]);
	});

	it('keeps the order and the pairing, with at most five uploads at once', async () => {
		const items = Array.from({ length: 12 }, (_, index) =>
			fileItem(`${index}.txt`, `content ${index}`),
		);
		const output = outputOf(await createFrom(items));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		const ids = new Map((await stored()).map(({ title, id }) => [title, id]));
		expect(output.map(({ json }) => json.document_id)).toEqual(
			items.map((_, index) => ids.get(`${index}.txt`)),
		);
		fixture.sandbox.reset();
		fixture.sandbox.faults.add({ match: CREATE, hang: true, times: Infinity });
		const stop = new AbortController();
		const running = createFrom(items, {}, {}, { cancel: stop.signal });
		await until(() => uploads().length === 5);
		for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
		expect(fixture.sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
		stop.abort();
		await running;
		expect(uploads()).toHaveLength(5);
	});
});

describe('get, download, delete', () => {
	it('get, and a document that does not exist', async () => {
		const { document_id: documentId } = onlyJson(await createText('a'));
		expect(onlyJson(await run('get', { documentId }))).toMatchObject({
			id: documentId,
			ingestion_status: 'success',
			summary: null,
		});
		const gone = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
		expect(errorOf(await run('get', { documentId: gone })).message).toBe(
			'Not found (404): Document not found',
		);
		expect(errorOf(await run('get', { documentId: '../users' })).message).toContain(
			'must contain only letters',
		);
	});

	it('get many: a limit, some IDs, all pages', async () => {
		for (const text of ['a', 'b', 'c']) await createText(text);
		expect(
			jsonOf(await run('getAll', { returnAll: false, limit: 2 })).map(({ title }) => title),
		).toEqual(['a', 'b']);
		const [, b, c] = await stored();
		expect(
			jsonOf(
				await run('getAll', {
					returnAll: true,
					filters: { ids: `${String(b?.id)},${String(c?.id)}` },
				}),
			),
		).toEqual([b, c]);
		const page = (from: number, to: number) =>
			Array.from({ length: to - from }, (_, index) => ({ id: `d${from + index}` }));
		for (const [from, to] of [
			[0, 1000],
			[1000, 1500],
		] as const) {
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: '/documents' },
				status: 200,
				body: { results: page(from, to), total_entries: 1500 },
			});
		}
		expect((await stored()).map(({ id }) => id)).toEqual(page(0, 1500).map(({ id }) => id));
		expect(fixture.sandbox.requests.slice(-2).map(({ query }) => query)).toEqual([
			{ offset: ['0'], limit: ['1000'] },
			{ offset: ['1000'], limit: ['1000'] },
		]);
	});

	it('a list without a total ends when a page brings nothing new', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: '/documents' },
			times: 2,
			status: 200,
			body: { results: [{ id: 'a' }, { id: 'b' }] },
		});
		expect(await stored()).toEqual([{ id: 'a' }, { id: 'b' }]);
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: '/documents' },
			status: 200,
			body: { results: { a: 1 } },
		});
		expect(errorOf(await run('getAll', { returnAll: true })).message).toBe(
			'The response does not contain the expected list',
		);
	});

	it('a document that comes on two pages is one, also where its ID is a number', async () => {
		const pages = [
			[{ id: 1, ingestion_status: 'parsing' }, { id: 2 }],
			[{ id: 1, ingestion_status: 'success' }, { id: 3 }],
		];
		for (const results of pages)
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: '/documents' },
				status: 200,
				body: { results, total_entries: 3 },
			});
		expect(await stored()).toEqual([pages[1]?.[0], { id: 2 }, { id: 3 }]);
	});

	it('download: the same bytes as binary data, named by the service or by hand', async () => {
		const bytes = Buffer.from([0, 255, 1, 254, 13, 10]);
		const { document_id: documentId } = onlyJson(
			await createFrom([fileItem('Übersicht.bin', bytes, 'application/octet-stream')]),
		);
		const [item] = outputOf(await run('download', { documentId, binaryPropertyName: 'file' }));
		expect(item?.json).toEqual({
			document_id: documentId,
			file_name: 'Übersicht.bin',
			mime_type: 'application/octet-stream',
			size_in_bytes: 6,
		});
		expect(Buffer.from(item?.binary?.file?.data ?? '', 'base64')).toEqual(bytes);
		const [named] = outputOf(
			await run('download', {
				documentId,
				binaryPropertyName: 'data',
				options: { fileName: 'a.pdf' },
			}),
		);
		expect(named?.binary?.data).toMatchObject({ fileName: 'a.pdf', mimeType: 'application/pdf' });
		expect(
			errorOf(await run('download', { documentId: 'nothing', binaryPropertyName: 'data' })).message,
		).toBe('Not found (404): Document not found');
	});

	it('download: a response that breaks is requested again', async () => {
		const { document_id: documentId } = onlyJson(await createText('a long text'));
		fixture.sandbox.faults.add({ match: { path: /download$/ }, cutBodyAt: 3 });
		const [item] = outputOf(await run('download', { documentId, binaryPropertyName: 'data' }));
		expect(Buffer.from(item?.binary?.data?.data ?? '', 'base64').toString()).toBe('a long text');
		expect(fixture.sent('GET', /download$/)).toHaveLength(2);
	});

	it('delete, twice', async () => {
		const { document_id: documentId } = onlyJson(await createText('a'));
		expect(onlyJson(await run('delete', { documentId }))).toEqual({
			deleted: true,
			document_id: documentId,
			already_gone: false,
		});
		expect(onlyJson(await run('delete', { documentId }))).toEqual({
			deleted: true,
			document_id: documentId,
			already_gone: true,
		});
		expect(fixture.sandbox.requests.at(-1)?.query).toMatchObject({ ids: [documentId] });
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			...errorForms.detailString(403, 'not yours'),
		});
		expect(errorOf(await run('delete', { documentId })).message).toBe(
			'Permission denied (403): not yours',
		);
	});
});
