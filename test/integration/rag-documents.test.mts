import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf, type RunOptions } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const CREATE = { method: 'POST', path: /\/documents$/ };
const AT_ONCE = { additionalFields: { runWithOrchestration: false } };
const run = async (operation: string, parameters: IDataObject, settings = {}) =>
	await fixture.run(rag('document', operation, parameters, settings));
const createFrom = async (
	items: INodeExecutionData[],
	parameters: IDataObject = {},
	settings = {},
	options: RunOptions = {},
) =>
	await fixture.engine.runItems(
		rag(
			'document',
			'create',
			{ source: 'file', binaryPropertyName: 'data', ...AT_ONCE, ...parameters },
			settings,
		),
		items,
		options,
	);
const createText = async (rawText: string, parameters: IDataObject = {}, settings = {}) =>
	await run('create', { source: 'rawText', rawText, ...AT_ONCE, ...parameters }, settings);
const uploads = () => fixture.sent('POST', CREATE.path);
const stored = async () => jsonOf(await run('getAll', { returnAll: true }));
const chunksOf = async (documentId: IDataObject['x']) =>
	jsonOf(await run('getChunks', { documentId, returnAll: true })).map(({ text }) => text);

describe('create', () => {
	it('from a file: a form with the file, metadata and collections', async () => {
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

	it('from a text, blanks kept, and from chunks as they are', async () => {
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

	it('waits until it is ingested, and tells the states', async () => {
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

	it('says when the time is up, and a retry waits on without a second upload', async () => {
		const wait = {
			additionalFields: {},
			options: { waitUntilIngested: true, pollInterval: 2, timeout: 3 },
		};
		const error = errorOf(await createText('slow', wait));
		expect(error.message).toMatch(/^Document [0-9a-f-]{36} was still "embedding" after 3 seconds$/);
		fixture.sandbox.reset();
		expect(onlyJson(await createText('slow', wait, RETRY))).toMatchObject({
			recovered: true,
			ingestion_status: 'success',
		});
		expect(uploads()).toHaveLength(1);
	});

	it('says when the service could not read the file', async () => {
		const error = errorOf(
			await createFrom([fileItem('a.pdf', 'no pdf', 'application/pdf')], {
				options: { waitUntilIngested: true },
			}),
		);
		expect(error.message).toMatch(/^The service could not ingest document /);
	});

	it('keeps the order, pairs, and has at most five under way', async () => {
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

describe('if it exists', () => {
	const first = fileItem('manual.md', '# Manual\n\nVersion one.');
	const second = fileItem('manual.md', '# Manual\n\nVersion two.');

	it('error, the default: nothing sent, the earlier one named', async () => {
		const earlier = onlyJson(await createFrom([first]));
		const error = errorOf(await createFrom([second]));
		expect(error.message).toBe(
			`The service reports a conflict (409): Document ${String(earlier.document_id)} already exists`,
		);
		expect(error.context.known).toEqual({ document_id: earlier.document_id });
		expect(uploads()).toHaveLength(1);
	});

	it('skip returns the earlier one', async () => {
		const earlier = onlyJson(await createFrom([first]));
		expect(onlyJson(await createFrom([second], { options: { ifExists: 'skip' } }))).toEqual({
			document_id: earlier.document_id,
			title: 'manual.md',
			ingestion_status: 'success',
			existing: true,
		});
		expect(await chunksOf(earlier.document_id)).toContain('Version one.');
	});

	it('replace: one document, with the new content', async () => {
		const earlier = onlyJson(await createFrom([first]));
		const replaced = onlyJson(await createFrom([second], { options: { ifExists: 'replace' } }));
		expect(replaced.document_id).toBe(earlier.document_id);
		expect(await stored()).toHaveLength(1);
		expect(await chunksOf(replaced.document_id)).toEqual(['# Manual', 'Version two.']);
	});

	// Another client has put the same file name there under an id of its own
	const foreign = async () =>
		onlyJson(
			await createFrom([first], {
				additionalFields: {
					documentId: '11111111-2222-4333-8444-555555555555',
					runWithOrchestration: false,
				},
			}),
		);
	it('a 409 of the service names the other id: skip and replace go by it', async () => {
		const { document_id: id } = await foreign();
		expect(errorOf(await createFrom([second])).message).toContain('already exists');
		expect(onlyJson(await createFrom([second], { options: { ifExists: 'skip' } }))).toMatchObject({
			document_id: id,
			existing: true,
		});
		const replaced = onlyJson(await createFrom([second], { options: { ifExists: 'replace' } }));
		expect(replaced).toMatchObject({ replaced: id });
		expect(replaced.document_id).not.toBe(id);
		expect((await stored()).map((document) => document.id)).toEqual([replaced.document_id]);
	});

	it('the same file twice in one run is a mistake that is told', async () => {
		const run = await createFrom([first, second]);
		expect(errorOf(run).message).toBe(
			'Items 0 and 1 of this run are the same document: same file name, text or Document ID',
		);
		expect(errorOf(run).description).toContain('Item 0 was done: document_id');
	});
});

describe('what becomes of a lost answer', () => {
	it.each([
		['the connection is cut after the work', { drop: 'after' as const }],
		['a 500 after the work', { ...errorForms.detailString(500), afterWork: true }],
		['a 504 without a body after the work', { ...errorForms.empty(504), afterWork: true }],
		['an empty 2xx', { emptyBody: true }],
		['a 2xx that is cut', { cutBodyAt: 5 }],
		['a 2xx that is HTML', { ...errorForms.html(200), afterWork: true }],
	])('%s: found by its id, uploaded once', async (_, fault) => {
		fixture.sandbox.faults.add({ match: CREATE, ...fault });
		expect(onlyJson(await createText('once'))).toMatchObject({ recovered: true, title: 'once' });
		expect(uploads()).toHaveLength(1);
	});

	it('not there: "outcome unknown" with the id; one upload', async () => {
		fixture.sandbox.faults.add({ match: CREATE, drop: 'before' });
		const error = errorOf(await createText('once'));
		expect(error.message).toMatch(
			/^Document [0-9a-f-]{36}: outcome unknown\. The connection .* broke before an answer came .*, and the service does not have it$/,
		);
		expect(error.context.known).toMatchObject({
			document_id: expect.any(String),
			outcome: 'unknown',
		});
		expect(uploads()).toHaveLength(1);
	});

	it('Retry On Fail looks first, then sends the same id again', async () => {
		fixture.sandbox.faults.add({ match: CREATE, drop: 'before' });
		onlyJson(await createText('once', {}, RETRY));
		expect(uploads()).toHaveLength(2);
		const looked = new Set(
			fixture.sent('GET', /\/documents\/[^/]+$/).map(({ path }) => path.split('/').at(-1)),
		);
		const [document, ...others] = await stored();
		expect([[...looked], others]).toEqual([[document?.id], []]);
	});

	it('an upload that was slow and arrives after all: the 409 to the retry is its success', async () => {
		const looks = 7;
		fixture.sandbox.faults.add({ match: CREATE, drop: 'after' });
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/documents\/[^/]+$/ },
			skip: 1,
			times: looks,
			...errorForms.messageAndType(404),
		});
		expect(onlyJson(await createText('once', {}, RETRY))).toMatchObject({ recovered: true });
		expect(uploads().map(({ status }) => status)).toEqual([undefined, 409]);
		expect(await stored()).toHaveLength(1);
	});

	it('what succeeded is not sent again when another item failed', async () => {
		fixture.sandbox.faults.add({ match: CREATE, skip: 1, drop: 'before' });
		const output = jsonOf(
			await createFrom(
				[fileItem('a.txt', 'a'), fileItem('b.txt', 'b'), fileItem('c.txt', 'c')],
				{},
				RETRY,
			),
		);
		expect(output).toHaveLength(3);
		expect(uploads()).toHaveLength(4);
		expect(await stored()).toHaveLength(3);
	});

	it('nothing left this machine: said so, and nothing noted', async () => {
		await fixture.sandbox.refuseNext();
		const error = errorOf(await createText('once'));
		await fixture.sandbox.listenAgain();
		expect(error.message).toContain('cannot be reached');
	});

	it('cancelled: the id goes to the log and the run ends at once', async () => {
		fixture.sandbox.faults.add({ match: CREATE, hang: true });
		const stop = new AbortController();
		const running = createFrom([fileItem('a.txt', 'a')], {}, {}, { cancel: stop.signal });
		await until(() => uploads().length === 1);
		stop.abort();
		expect(errorOf(await running).message).toBe('The execution was cancelled');
		expect(fixture.time.waits).toEqual([]);
		expect(fixture.engine.log).toContainEqual(
			expect.objectContaining({ facts: { document_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } }),
		);
	});
});

describe('bad input: a clear error, nothing sent', () => {
	const huge = {
		json: {},
		binary: {
			data: {
				data: 'filesystem-v2',
				id: 'filesystem-v2:x',
				bytes: 100 * 1024 * 1024 + 1,
				fileName: 'big.pdf',
				mimeType: 'application/pdf',
			},
		},
	};
	it.each<[string, INodeExecutionData, IDataObject, string]>([
		[
			'a missing binary field',
			{ json: {} },
			{},
			'Input Binary Field must name a file of the item, and the item has none called "data"',
		],
		[
			'a wrong binary field',
			fileItem('a.txt', 'a'),
			{ binaryPropertyName: 'file' },
			'Input Binary Field must name a file of the item, and the item has none called "file"',
		],
		[
			'an empty file',
			fileItem('a.txt', ''),
			{},
			'Input Binary Field must name a file with content, and a.txt is empty',
		],
		[
			'a file above the limit',
			huge,
			{},
			'Input Binary Field must be a file of at most 100 MiB, got 100.1 MiB',
		],
		[
			'an empty text',
			{ json: {} },
			{ source: 'rawText', rawText: ' ' },
			'Text is required and must not be empty',
		],
		[
			'no chunks',
			{ json: {} },
			{ source: 'chunks', chunks: '[]' },
			'Chunks must hold at least one text, got an empty list',
		],
		[
			'an empty chunk',
			{ json: {} },
			{ source: 'chunks', chunks: '["a",""]' },
			'Chunks must hold texts that are not empty, got "" at place 2',
		],
		[
			'chunks that are no list',
			{ json: {} },
			{ source: 'chunks', chunks: '{}' },
			'Chunks must be a JSON list such as ["a", "b"], got {}',
		],
		[
			'broken metadata',
			fileItem('a.txt', 'a'),
			{ additionalFields: { metadataJson: '{"a":' } },
			'Additional Fields: Metadata (JSON) must be valid JSON, got "{"a":"',
		],
		[
			'metadata that is a list',
			fileItem('a.txt', 'a'),
			{ additionalFields: { metadataJson: '[1]' } },
			'Additional Fields: Metadata (JSON) must be a JSON object such as {"key": "value"}, got [1]',
		],
		[
			'metadata without a key',
			fileItem('a.txt', 'a'),
			{ metadata: { values: [{ key: '', value: 'a' }] } },
			'Metadata 1: Key is required and must not be empty',
		],
		[
			'an id that is no UUID',
			fileItem('a.txt', 'a'),
			{ additionalFields: { documentId: 'manual' } },
			'Additional Fields: Document ID must be a UUID such as 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7, got "manual"',
		],
	])('%s', async (_, item, parameters, message) => {
		const error = errorOf(
			await createFrom(
				[fileItem('good.txt', 'good'), item].slice(parameters.source ? 1 : 0),
				parameters,
			),
		);
		expect(error.message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('a file that the service finds too large', async () => {
		const error = errorOf(
			await createFrom([fileItem('big.txt', Buffer.alloc(17 * 1024 * 1024, 'a'))]),
		);
		expect(error.message).toMatch(/^The request is too large for the service \(413\)/);
	});

	it('a collection that does not exist', async () => {
		const error = errorOf(
			await createText('a', {
				additionalFields: { collectionIds: '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
			}),
		);
		expect(error.message).toBe('Not found (404): Collection not found');
		expect(error.context.known).toMatchObject({ document_id: expect.any(String) });
	});

	it.each([400, 403, 422, 429])(
		'a refusal with %i is final, and the next run may send',
		async (status) => {
			fixture.sandbox.faults.add({ match: CREATE, ...errorForms.detailMessage(status, 'no') });
			expect(errorOf(await createText('a')).message).toContain('no');
			expect(uploads()).toHaveLength(1);
			onlyJson(await createText('a'));
		},
	);
});

describe('get, download, delete', () => {
	it('get, and a document that is not there', async () => {
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
			'may only hold letters',
		);
	});

	it('many: a limit, some ids, and everything across pages', async () => {
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
			'The answer does not hold the list that was expected',
		);
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

	it('download: an answer that breaks is fetched again', async () => {
		const { document_id: documentId } = onlyJson(await createText('a long text'));
		fixture.sandbox.faults.add({ match: { path: /download$/ }, cutBodyAt: 3 });
		const [item] = outputOf(await run('download', { documentId, binaryPropertyName: 'data' }));
		expect(Buffer.from(item?.binary?.data?.data ?? '', 'base64').toString()).toBe('a long text');
		expect(fixture.sent('GET', /download$/)).toHaveLength(2);
	});

	it('delete, and again', async () => {
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
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			...errorForms.detailString(403, 'not yours'),
		});
		expect(errorOf(await run('delete', { documentId })).message).toBe(
			'The account may not do this (403): not yours',
		);
	});
});
