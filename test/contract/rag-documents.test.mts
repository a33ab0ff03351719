import type { IDataObject } from 'n8n-workflow';
import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6, "Documents". */
const fixture = useFixture({ part: 'rag' });
const PATH = '/intelligence/api/rag/v3/documents';
const ID = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

const create = (parameters: IDataObject = {}, additionalFields: IDataObject = {}) =>
	rag('document', 'create', {
		source: 'rawText',
		rawText: 'one\n\ntwo',
		additionalFields: { runWithOrchestration: false, ...additionalFields },
		...parameters,
	});
const uploads = () => fixture.sent('POST', /\/documents$/);
/** The parts of a form as they stand on the wire, by name. */
function partsOf(body: unknown): Record<string, string> {
	const parts = [
		...String(body).matchAll(
			/content-disposition: form-data; name="([^"]*)"([^\r\n]*)(?:\r\n[^\r\n]+)*\r\n\r\n([^]*?)\r\n--/gi,
		),
	];
	return Object.fromEntries(parts.map(([, name = '', , value = '']) => [name, value]));
}
const parts = async (parameters: IDataObject = {}, additionalFields: IDataObject = {}) => {
	onlyJson(await fixture.run(create(parameters, additionalFields)));
	return partsOf(uploads().at(-1)?.body);
};
const form = (fields: Record<string, string>) => {
	const data = new FormData();
	for (const [name, value] of Object.entries(fields)) data.set(name, value);
	return data;
};
const upload = async (fields: Record<string, string>) =>
	await fixture.client.call('/documents', { method: 'POST', raw: form(fields) });

describe('create', () => {
	it('[document.create.path] POST /documents as multipart/form-data', async () => {
		await fixture.run(create());
		expect(uploads()).toMatchObject([
			{
				path: PATH,
				query: {},
				headers: { 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
			},
		]);
		expect(
			violations(await fixture.client.post('/documents', { raw_text: 'a' })).length,
		).toBeGreaterThan(0);
	});

	it('[document.create.one] exactly one of file, raw_text, chunks', async () => {
		const sources = [
			{ source: 'rawText', rawText: 'a' },
			{ source: 'chunks', chunks: '["b"]' },
		];
		for (const source of sources)
			expect(
				Object.keys(await parts(source)).filter((name) =>
					['file', 'raw_text', 'chunks'].includes(name),
				),
			).toHaveLength(1);
		expect((await upload({ raw_text: 'a', chunks: '["b"]' })).status).toBeGreaterThanOrEqual(400);
		expect((await upload({})).status).toBeGreaterThanOrEqual(400);
	});

	it('[document.create.file] the bytes, under the name of the file', async () => {
		const content = Buffer.from('Größe\r\n--\u0000 end');
		const run = await fixture.engine.runItems(
			create({ source: 'file', binaryPropertyName: 'data' }),
			[fileItem('größe.txt', content)],
		);
		const { document_id: documentId } = onlyJson(run);
		const stored = onlyJson(await fixture.run(rag('document', 'get', { documentId })));
		expect(stored).toMatchObject({ title: 'größe.txt', size_in_bytes: content.length });
		expect(
			onlyJson(
				await fixture.run(rag('document', 'download', { documentId, binaryPropertyName: 'data' })),
			),
		).toMatchObject({ document_id: documentId });
	});

	it('[document.create.raw_text] the text as it is', async () => {
		expect(await parts({ rawText: '  one\n\ntwo ' })).toMatchObject({ raw_text: '  one\n\ntwo ' });
	});

	it('[document.create.chunks] a JSON list of texts', async () => {
		expect(await parts({ source: 'chunks', chunks: '={{ ["a", "b\\"c"] }}' })).toMatchObject({
			chunks: '["a","b\\"c"]',
		});
	});

	it('[document.create.id] a chosen UUID', async () => {
		expect(await parts({}, { documentId: ID })).toMatchObject({ id: ID });
		expect(errorOf(await fixture.run(create({}, { documentId: 'mine' }))).message).toContain(
			'must be a UUID',
		);
		expect((await upload({ raw_text: 'b', id: 'mine' })).status).toBe(422);
	});

	it('[document.create.collection_ids] [document.create.metadata] JSON', async () => {
		const { id } = onlyJson(await fixture.run(rag('collection', 'create', { name: 'papers' })));
		expect(
			await parts({ metadata: { values: [{ key: 'a', value: 'b' }] } }, { collectionIds: id }),
		).toMatchObject({ collection_ids: JSON.stringify([id]), metadata: '{"a":"b"}' });
		expect(await parts({ rawText: 'other' })).not.toHaveProperty('metadata');
	});

	it.each(['hi-res', 'ocr', 'fast', 'custom'])(
		'[document.create.ingestion_mode] %s',
		async (ingestionMode) => {
			expect(await parts({}, { ingestionMode })).toMatchObject({ ingestion_mode: ingestionMode });
			expect(errorOf(await fixture.run(create({}, { ingestionMode: 'slow' }))).message).toContain(
				'Ingestion Mode must be one of',
			);
			expect((await upload({ raw_text: 'b', ingestion_mode: 'slow' })).status).toBe(422);
		},
	);

	it.each([true, false])(
		'[document.create.run_with_orchestration] %s',
		async (runWithOrchestration) => {
			expect(await parts({}, { runWithOrchestration })).toMatchObject({
				run_with_orchestration: String(runWithOrchestration),
			});
		},
	);

	it.each([200, 202])(
		'[document.create.2xx] %d is a success: message, task_id, document_id',
		async (status) => {
			fixture.sandbox.faults.add({
				match: { method: 'POST' },
				status,
				body: { results: { message: 'done', task_id: null, document_id: ID } },
			});
			expect(onlyJson(await fixture.run(create()))).toEqual({
				message: 'done',
				task_id: null,
				document_id: ID,
			});
		},
	);

	it('[document.create.409] the same text again is a conflict', async () => {
		onlyJson(await fixture.run(create()));
		expect(errorOf(await fixture.run(create())).message).toMatch(/^Conflict \(409\)/);
		expect([
			(await upload({ raw_text: 'a' })).status,
			(await upload({ raw_text: 'a' })).status,
		]).toEqual([202, 409]);
	});

	it('[document.create.413] too large', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST' },
			...errorForms.detailString(413, 'too large'),
		});
		expect(errorOf(await fixture.run(create())).message).toBe('Request too large (413): too large');
	});
});

describe('read', () => {
	it('[document.getAll.ids] the key is repeated', async () => {
		const made = await Promise.all(
			['a', 'b', 'c'].map(async (rawText) =>
				String(onlyJson(await fixture.run(create({ rawText }))).document_id),
			),
		);
		const wanted = made.slice(0, 2);
		fixture.sandbox.requests.length = 0;
		expect(
			jsonOf(
				await fixture.run(
					rag('document', 'getAll', { returnAll: true, filters: { ids: wanted.join(', ') } }),
				),
			)
				.map(({ id }) => id)
				.sort(),
		).toEqual([...wanted].sort());
		expect(fixture.sandbox.requests[0]?.query.ids).toEqual(wanted);
	});

	it.each(['', ' , ', '={{ [] }}', '={{ [""] }}'])(
		'[document.getAll.ids] that are empty (%s) do not request all',
		async (none) => {
			expect(
				errorOf(
					await fixture.run(rag('document', 'getAll', { returnAll: true, filters: { ids: none } })),
				).message,
			).toBe('Filters: IDs must contain at least one ID');
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);

	it('[document.ingestion_status] the states on the way, up to success', async () => {
		const node = rag('document', 'create', {
			source: 'rawText',
			rawText: 'slow',
			options: { waitUntilIngested: true, pollInterval: 1 },
		});
		const { progress, ingestion_status: last } = onlyJson(await fixture.run(node));
		expect((progress as IDataObject[]).map((step) => step.ingestion_status)).toEqual(
			expect.arrayContaining(['pending', 'parsing', 'success']),
		);
		expect(last).toBe('success');
		fixture.sandbox.faults.add({
			match: { method: 'GET' },
			skip: 1,
			status: 200,
			body: { results: { id: ID, ingestion_status: 'failed' } },
		});
		expect(
			errorOf(
				await fixture.run(
					rag('document', 'create', {
						source: 'rawText',
						rawText: 'broken',
						options: { waitUntilIngested: true },
					}),
				),
			).message,
		).toContain('could not ingest');
	});

	it('[document.download] GET /documents/{id}/download: the bytes', async () => {
		const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
		const { document_id: documentId } = onlyJson(
			await fixture.engine.runItems(create({ source: 'file', binaryPropertyName: 'data' }), [
				fileItem('all.txt', content),
			]),
		);
		fixture.sandbox.requests.length = 0;
		const [item] = outputOf(
			await fixture.run(rag('document', 'download', { documentId, binaryPropertyName: 'file' })),
		);
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'GET', path: `${PATH}/${String(documentId)}/download` },
		]);
		expect(Buffer.from(item?.binary?.file?.data ?? '', 'base64').equals(content)).toBe(true);
		expect(
			at(
				(await fixture.client.get(`/documents/${String(documentId)}`)).json,
				'results',
				'size_in_bytes',
			),
		).toBe(256);
	});
});
