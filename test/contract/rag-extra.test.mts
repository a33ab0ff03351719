import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, locator, rag, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

/** beyond-the-spec.md section 9, and the way out of each form. */
const fixture = useFixture({ part: 'rag' });
const UPLOAD = /\/documents$/;

/** The JSON of a field of the last upload. */
async function sentField(name: string): Promise<unknown> {
	const { body, headers } = fixture.sent('POST', UPLOAD).at(-1) ?? {};
	const form = await new Response(String(body), {
		headers: { 'content-type': String(headers?.['content-type']) },
	}).formData();
	const value = form.get(name);
	return typeof value === 'string' ? JSON.parse(value) : undefined;
}

async function createFile(fileName: string, additionalFields: IDataObject, metadataJson = '{}') {
	const more = { runWithOrchestration: false, metadataJson, ...additionalFields };
	const parameters = { source: 'file', binaryPropertyName: 'data', additionalFields: more };
	return await fixture.engine.runItems(rag('document', 'create', parameters), [
		fileItem(fileName, 'A text.'),
	]);
}

describe('a new document', () => {
	it.each([
		['Q3 report', 'a.pdf', 'Q3 report.pdf'],
		['Release 1.2', 'a.tar.txt', 'Release 1.2.txt'],
		['Notes.TXT', 'a.txt', 'Notes.TXT'],
		['Without', 'README', 'Without'],
	])('[document.create.title] "%s" of %s is sent as %s', async (title, fileName, sent) => {
		await createFile(fileName, { title });
		expect(await sentField('metadata')).toEqual({ title: sent });
		await createFile(fileName.replace('a', 'b'), {}, JSON.stringify({ title }));
		expect(await sentField('metadata')).toEqual({ title: sent });
	});

	it('[document.create.title] of a text is sent as it is', async () => {
		onlyJson(await fixture.run(textDocument('A text.', { additionalFields: { title: 'Q3' } })));
		expect(await sentField('metadata')).toEqual({ title: 'Q3' });
	});

	it.each<[IDataObject, IDataObject]>([
		[{ chunkSize: 200 }, { chunk_size: 200, chunk_overlap: 100 }],
		[
			{ chunkSize: 200, chunkOverlap: 0 },
			{ chunk_size: 200, chunk_overlap: 0 },
		],
		[{ chunkOverlap: 64 }, { chunk_overlap: 64 }],
		[
			{ chunkSize: 10, ingestionConfig: '{"skip_document_summary":true,"chunk_size":5}' },
			{ skip_document_summary: true, chunk_size: 10, chunk_overlap: 5 },
		],
	])('[document.create.ingestion_config] of %j is %j', async (fields, config) => {
		await createFile('a.txt', fields);
		expect(await sentField('ingestion_config')).toEqual(config);
	});

	it('an overlap as large as a chunk is refused before anything is sent', async () => {
		const { message } = errorOf(await createFile('a.txt', { chunkSize: 9, chunkOverlap: 9 }));
		expect(message).toBe('Additional Fields: Chunk Overlap must be less than Chunk Size, got 9');
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('extra fields are form fields', async () => {
		await createFile('a.txt', { extraBody: '{"chunk_settings":{"probes":2}}' });
		expect(await sentField('chunk_settings')).toEqual({ probes: 2 });
	});
});

describe('extra body fields', () => {
	const extraBody = '{"search_settings":{"chunk_settings":{"probes":20}},"more":[1]}';
	const settings = { chunk_settings: { probes: 20 } };
	const last = () => fixture.sandbox.requests.at(-1)?.body;
	const query = { query: 'a', topK: 3 };

	it.each<[string, string, IDataObject, object]>([
		['retrieval', 'search', query, { search_settings: { limit: 3, ...settings } }],
		['retrieval', 'rag', query, { search_settings: { limit: 3, ...settings } }],
		['retrieval', 'agent', { message: 'a' }, { search_settings: settings }],
		['chunk', 'search', query, { search_settings: { limit: 3, ...settings } }],
		['conversation', 'create', {}, { search_settings: settings }],
		[
			'retrieval',
			'generate',
			{ promptName: locator('rag'), query: 'a', context: 'b' },
			{ search_settings: settings, inputs: { query: 'a', context: 'b' } },
		],
	])('%s > %s: objects are merged', async (resource, operation, parameters, sent) => {
		await fixture.run(rag(resource, operation, { ...parameters, options: { extraBody } }));
		expect(last()).toMatchObject({ ...sent, more: [1] });
	});

	it('Ask has one for each of its requests, and inputs for the prompt', async () => {
		onlyJson(await fixture.run(textDocument('The first hour is never refunded.')));
		const options = {
			extraBody,
			extraAnswerBody: '{"temperature":0}',
			promptInputs: '{"tone":"kind"}',
		};
		const ask = { query: 'first hour', topK: 3, promptName: locator('rag'), options };
		onlyJson(await fixture.run(rag('retrieval', 'ask', ask)));
		expect(fixture.sent('POST', /search$/)[0]?.body).toMatchObject({ more: [1] });
		expect(last()).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'first hour', context: expect.any(String), tone: 'kind' },
			temperature: 0,
		});
	});
});

it.each<[IDataObject, number, unknown]>([
	[{ useHybridSearch: true }, 300, { full_text_limit: 300 }],
	[{ searchMode: 'advanced' }, 300, { full_text_limit: 300 }],
	[{ useHybridSearch: true, fullTextLimit: 900, rrfK: 9 }, 300, { full_text_limit: 900, rrf_k: 9 }],
	[{ useHybridSearch: true }, 200, undefined],
	[{}, 300, undefined],
	[{ searchMode: 'advanced', useHybridSearch: false }, 300, undefined],
])('a hybrid search with %j for %i chunks', async (options, topK, settings) => {
	await fixture.run(rag('retrieval', 'search', { query: 'a', topK, options }));
	const { search_settings: sent } = fixture.sandbox.requests.at(-1)?.body as IDataObject;
	expect((sent as IDataObject).hybrid_settings).toEqual(settings);
});

it('a conversation with a limit: the newest messages', async () => {
	const { id } = onlyJson(await fixture.run(rag('conversation', 'create', { name: 'talk' })));
	for (const content of ['one', 'two', 'three'])
		await fixture.client.post(`/conversations/${String(id)}/messages`, { role: 'user', content });
	const get = async (parameters: IDataObject) =>
		jsonOf(await fixture.run(rag('conversation', 'get', { conversationId: id, ...parameters })));
	expect((await get({ limit: 2 })).map(({ content }) => content)).toEqual(['two', 'three']);
	expect(await get({ returnAll: true })).toHaveLength(3);
});

it('a document that is in the collection already is no error', async () => {
	const { document_id: documentId } = onlyJson(await fixture.run(textDocument('A text.')));
	const { id: collectionId } = onlyJson(
		await fixture.run(rag('collection', 'create', { name: 'papers' })),
	);
	const add = rag('collection', 'addDocument', { collectionId, documentId });
	expect(onlyJson(await fixture.run(add))).not.toHaveProperty('already_added');
	expect(onlyJson(await fixture.run(add))).toEqual({
		collection_id: collectionId,
		document_id: documentId,
		already_added: true,
	});
	fixture.sandbox.faults.add({
		match: { method: 'POST', path: /\/collections\// },
		...errorForms.detailString(403, 'not yours'),
	});
	expect(errorOf(await fixture.run(add)).message).toBe('Permission denied (403): not yours');
});

it('a write without a body of its own sends the fields that are added', async () => {
	const collectionId = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
	const pull = (options: IDataObject) => rag('graph', 'pull', { collectionId, options });
	for (const options of [{}, { extraBody: '{"force":true}' }])
		errorOf(await fixture.run(pull(options)));
	expect(fixture.sent('POST', /pull$/).map(({ body }) => body)).toEqual([
		undefined,
		{ force: true },
	]);
});

it('a service without /rag/generate: the error says what to use', async () => {
	fixture.sandbox.faults.add({
		match: { path: '/rag/generate' },
		...errorForms.detailString(404, 'Not Found'),
	});
	const generate = { promptName: locator('rag'), query: 'a', context: 'b' };
	const error = errorOf(await fixture.run(rag('retrieval', 'generate', generate)));
	expect(error.description).toContain('use RAG Query');
});
