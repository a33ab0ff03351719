import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, Client, listAt, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6, group by group: what each operation sends, and that an independent client is answered alike. */
const fixture = useFixture();
const BASE = '/intelligence/api/rag/v3';

let direct: Client;
beforeAll(() => {
	direct = new Client(`${fixture.sandbox.intelligenceUrl}/api/rag/v3`, {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	});
});
afterAll(async () => await direct.close());

const ALL = { returnAll: true };
/** What is there before each test, made by the independent client. */
const ids: Record<'document' | 'chunk' | 'collection' | 'conversation' | 'user', string> = {
	document: '',
	chunk: '',
	collection: '',
	conversation: '',
	user: '',
};

beforeEach(async () => {
	const idOf = async (path: string, body?: unknown) =>
		String(
			at(
				(await (body === undefined ? direct.get(path) : direct.post(path, body))).json,
				'results',
				'id',
			),
		);
	const { document_id: documentId } = onlyJson(
		await fixture.run(
			rag('document', 'create', {
				source: 'rawText',
				rawText: 'In the evening Anna meets Boris in Cologne.',
				additionalFields: { runWithOrchestration: false },
			}),
		),
	);
	ids.document = String(documentId);
	ids.chunk = String(
		at((await direct.get(`/documents/${ids.document}/chunks`)).json, 'results', 0, 'id'),
	);
	ids.collection = await idOf('/collections', { name: 'papers' });
	ids.conversation = await idOf('/conversations', { name: 'talk' });
	ids.user = await idOf('/users/me');
	await direct.post('/prompts', {
		name: 'short',
		template: '{query}',
		input_types: { query: 'str' },
	});
	await direct.post(`/graphs/${ids.collection}/pull`, {});
	fixture.sandbox.requests.length = 0;
});

/** Ids are known only when the tests run: `{document}` stands for the one of the document. */
const filled = <T extends string | IDataObject>(value: T): T =>
	JSON.parse(
		JSON.stringify(value).replace(/\{(\w+)\}/g, (mark, name: string) =>
			Object.hasOwn(ids, name) ? ids[name as keyof typeof ids] : mark,
		),
	) as T;

type Row = [id: string, parameters: IDataObject, method: string, path: string, body?: IDataObject];

const lists: Row[] = [
	['document.getAll', ALL, 'GET', '/documents'],
	[
		'document.getChunks',
		{ documentId: '{document}', ...ALL },
		'GET',
		'/documents/{document}/chunks',
	],
	['chunk.getAll', ALL, 'GET', '/chunks'],
	['collection.getAll', ALL, 'GET', '/collections'],
	[
		'collection.getDocuments',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/collections/{collection}/documents',
	],
	['conversation.getAll', ALL, 'GET', '/conversations'],
	[
		'conversation.get',
		{ conversationId: '{conversation}', ...ALL },
		'GET',
		'/conversations/{conversation}',
	],
	['graph.getAll', ALL, 'GET', '/graphs'],
	[
		'graph.getEntities',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/entities',
	],
	[
		'graph.getRelationships',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/relationships',
	],
	[
		'graph.getCommunities',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/communities',
	],
	['prompt.getAll', ALL, 'GET', '/prompts'],
];

const reads: Row[] = [
	['document.get', { documentId: '{document}' }, 'GET', '/documents/{document}'],
	['chunk.get', { chunkId: '{chunk}' }, 'GET', '/chunks/{chunk}'],
	['collection.get', { collectionId: '{collection}' }, 'GET', '/collections/{collection}'],
	['graph.get', { collectionId: '{collection}' }, 'GET', '/graphs/{collection}'],
	[
		'index.get',
		{ tableName: 'chunks', indexName: 'ix_vector_cosine_ops_hnsw' },
		'GET',
		'/indices/chunks/ix_vector_cosine_ops_hnsw',
	],
	['prompt.get', { promptName: 'short' }, 'POST', '/prompts/short'],
	['system.getHealth', {}, 'GET', '/health'],
	['system.getStatus', {}, 'GET', '/system/status'],
	['user.getMe', {}, 'GET', '/users/me'],
	['user.get', { userId: '{user}' }, 'GET', '/users/{user}'],
	['user.getLimits', { userId: '{user}' }, 'GET', '/users/{user}/limits'],
];

const writes: Row[] = [
	[
		'chunk.search',
		{ query: 'Anna', topK: 3, options: {} },
		'POST',
		'/chunks/search',
		{ query: 'Anna', search_settings: { limit: 3 } },
	],
	[
		'chunk.update',
		{ chunkId: '{chunk}', text: 'Anna', metadata: { values: [{ key: 'a', value: 'b' }] } },
		'POST',
		'/chunks/{chunk}',
		{ id: '{chunk}', text: 'Anna', metadata: { a: 'b' } },
	],
	[
		'collection.create',
		{ name: 'books', description: 'all' },
		'POST',
		'/collections',
		{ name: 'books', description: 'all' },
	],
	[
		'collection.update',
		{ collectionId: '{collection}', name: 'articles' },
		'POST',
		'/collections/{collection}',
		{ name: 'articles' },
	],
	[
		'collection.addDocument',
		{ collectionId: '{collection}', documentId: '{document}' },
		'POST',
		'/collections/{collection}/documents/{document}',
	],
	['conversation.create', { name: 'first' }, 'POST', '/conversations', { name: 'first' }],
	['conversation.create', {}, 'POST', '/conversations', {}],
	[
		'conversation.update',
		{ conversationId: '{conversation}', name: 'second' },
		'POST',
		'/conversations/{conversation}',
		{ name: 'second' },
	],
	[
		'conversation.addMessage',
		{
			conversationId: '{conversation}',
			role: 'user',
			content: 'hi',
			metadata: { values: [{ key: 'a', value: 'b' }] },
		},
		'POST',
		'/conversations/{conversation}/messages',
		{ role: 'user', content: 'hi', metadata: { a: 'b' } },
	],
	['graph.pull', { collectionId: '{collection}' }, 'POST', '/graphs/{collection}/pull'],
	[
		'graph.buildCommunities',
		{ collectionId: '{collection}' },
		'POST',
		'/graphs/{collection}/communities/build',
	],
	[
		'prompt.create',
		{ name: 'long', template: '{query} {context}', inputTypes: '{"query":"str"}' },
		'POST',
		'/prompts',
		{ name: 'long', template: '{query} {context}', input_types: { query: 'str' } },
	],
	[
		'prompt.update',
		{ promptName: 'short', template: '{context}', inputTypes: '{"context":"str"}' },
		'PUT',
		'/prompts/short',
		{ template: '{context}', input_types: { context: 'str' } },
	],
];

const deletions: Row[] = [
	['document.delete', { documentId: '{document}' }, 'DELETE', '/documents/{document}'],
	['chunk.delete', { chunkId: '{chunk}' }, 'DELETE', '/chunks/{chunk}'],
	['collection.delete', { collectionId: '{collection}' }, 'DELETE', '/collections/{collection}'],
	[
		'conversation.delete',
		{ conversationId: '{conversation}' },
		'DELETE',
		'/conversations/{conversation}',
	],
	[
		'index.delete',
		{ tableName: 'chunks', indexName: 'ix_vector_cosine_ops_hnsw' },
		'DELETE',
		'/indices/chunks/ix_vector_cosine_ops_hnsw',
	],
	['prompt.delete', { promptName: 'short' }, 'DELETE', '/prompts/short'],
];

/** Runs the operation of a row; it must send one request, and that is the row's. */
async function sentBy([id, parameters, method, path, body]: Row): Promise<IDataObject[]> {
	const [resource = '', operation = ''] = id.split('.');
	const items = jsonOf(await fixture.run(rag(resource, operation, filled(parameters))));
	const [request, ...others] = fixture.sandbox.requests;
	expect(others).toEqual([]);
	expect([request?.method, request?.path, request?.body]).toEqual([
		method,
		`${BASE}${filled(path)}`,
		body && filled(body),
	]);
	expect(request?.status).toBeGreaterThanOrEqual(200);
	expect(request?.status).toBeLessThan(300);
	return items;
}

describe('chunks: search', () => {
	const search = rag('chunk', 'search', { query: 'Anna', topK: 3, options: {} });
	it.each([
		[{ results: [{ id: 'c' }] }, 1],
		[{ results: { chunk_search_results: [{ id: 'c' }] } }, 1],
		[{ results: { chunk_search_results: null } }, 0],
		[[{ id: 'c' }], 1],
	])('[chunk.search] reads %j', async (body, count) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(jsonOf(await fixture.run(search))).toHaveLength(count);
	});

	it.each([{ results: {} }, { results: null }, 'oops', {}])(
		'[chunk.search] %j holds no chunks, which is an error',
		async (body) => {
			fixture.sandbox.faults.add({ status: 200, body });
			expect(errorOf(await fixture.run(search)).message).toBe(
				'The answer does not hold the list that was expected',
			);
		},
	);

	it('[chunk.search] has no mode: the form does not offer what is not sent', () => {
		const shown = fixture.engine
			.nodeType('rag')
			.description.properties.filter(
				({ name, displayOptions }) =>
					name === 'options' && displayOptions?.show?.resource?.includes('chunk'),
			);
		const names = shown.flatMap(({ options = [] }) => options.map(({ name }) => name));
		expect(names).toContain('searchStrategy');
		expect(names).not.toContain('searchMode');
	});
});

describe('what each operation sends', () => {
	it.each(lists)(
		'[%s] a list: one item an entry, as an independent client sees it',
		async (...row) => {
			const items = await sentBy(row);
			expect(items).toEqual(listAt((await direct.get(filled(row[3]))).json, 'results'));
		},
	);

	it.each(reads)(
		'[%s] one thing: its results, as an independent client sees them',
		async (...row) => {
			const [item] = await sentBy(row);
			const seen = at(
				(await direct.call(filled(row[3]), { method: row[2] as 'GET' })).json,
				'results',
			) as IDataObject;
			// Uptime goes on between the two
			expect(Object.keys(item ?? {})).toEqual(Object.keys(seen));
			expect(item?.id).toEqual(seen.id);
		},
	);

	it.each(writes)('[%s] a write: exactly its body', async (...row) => {
		await sentBy(row);
	});

	it.each(deletions)('[%s] a deletion, and then it is gone', async (...row) => {
		const [item] = await sentBy(row);
		expect(item).toMatchObject({ deleted: true, already_gone: false });
		expect(
			(await direct.call(filled(row[3]), { method: row[0] === 'prompt.delete' ? 'POST' : 'GET' }))
				.status,
		).toBe(404);
	});

	it('[collection.removeDocument] DELETE /collections/{id}/documents/{document_id}', async () => {
		await direct.post(`/collections/${ids.collection}/documents/${ids.document}`, {});
		fixture.sandbox.requests.length = 0;
		await sentBy([
			'collection.removeDocument',
			{ collectionId: '{collection}', documentId: '{document}' },
			'DELETE',
			'/collections/{collection}/documents/{document}',
		]);
		expect(
			listAt((await direct.get(`/collections/${ids.collection}/documents`)).json, 'results'),
		).toEqual([]);
	});

	it.each([[{ id: '1', name: 'talk', messages: [{ id: 'm' }] }], [{ name: 'talk' }]])(
		'[conversation.get] %j in place of a list is one item',
		async (results) => {
			fixture.sandbox.faults.add({ status: 200, body: { results }, times: 2 });
			expect(
				jsonOf(
					await fixture.run(
						rag('conversation', 'get', { conversationId: ids.conversation, ...ALL }),
					),
				),
			).toEqual([results]);
		},
	);

	it('[index.getAll] GET /indices: { results: { indices: [{ index }] }, total_entries }, one item an index', async () => {
		const items = jsonOf(await fixture.run(rag('index', 'getAll', ALL)));
		const { json } = await direct.get('/indices');
		expect(items.map(({ name }) => name)).toEqual(
			listAt(json, 'results', 'indices').map((entry) => at(entry, 'index', 'name')),
		);
		expect(at(json, 'total_entries')).toBe(items.length);
	});
});

describe('the envelope', () => {
	it('[rag.envelope.object] [rag.system] { results: … }: a health check says ok', async () => {
		expect(onlyJson(await fixture.run(rag('system', 'getHealth')))).toEqual({ message: 'ok' });
		expect((await direct.get('/health')).json).toEqual({ results: { message: 'ok' } });
	});

	it('[rag.envelope.list] [rag.envelope.offset] { results: […], total_entries } is read piece by piece to the total', async () => {
		const entries = Array.from({ length: 2_500 }, (_, index) => ({ id: `c-${index}` }));
		for (const from of [0, 1_000, 2_000])
			fixture.sandbox.faults.add({
				status: 200,
				body: { results: entries.slice(from, from + 1_000), total_entries: 2_500 },
			});
		expect(jsonOf(await fixture.run(rag('collection', 'getAll', ALL)))).toEqual(entries);
		expect(fixture.sandbox.requests.map(({ query }) => query.offset)).toEqual([
			['0'],
			['1000'],
			['2000'],
		]);
		expect(violations(await direct.get('/collections?offset=-1'))).toEqual([
			'query.offset: greater_than_equal',
		]);
	});

	it('[rag.envelope.limit] 1 to 1000', async () => {
		await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 7 }));
		await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 5_000 }));
		expect(fixture.sandbox.requests.map(({ query }) => query.limit)).toEqual([['7'], ['1000']]);
		expect(violations(await direct.get('/collections?limit=1001'))).toEqual([
			'query.limit: less_than_equal',
		]);
		expect(
			errorOf(await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 0 })))
				.message,
		).toBe('Limit must be a whole number of at least 1, got 0');
	});
});

describe('what the groups hold', () => {
	it('[rag.indices] indices are those of the chunks', async () => {
		expect(
			jsonOf(await fixture.run(rag('index', 'getAll', ALL))).every(
				({ table_name: table }) => table === 'chunks',
			),
		).toBe(true);
	});

	it('[rag.graphs] graphs hold entities and relations', async () => {
		await direct.post(`/collections/${ids.collection}/documents/${ids.document}`, {});
		await direct.post(`/graphs/${ids.collection}/pull`, {});
		const names = async (operation: string, field: string) =>
			jsonOf(
				await fixture.run(rag('graph', operation, { collectionId: ids.collection, ...ALL })),
			).map((entry) => entry[field]);
		expect(await names('getEntities', 'name')).toEqual(['Anna', 'Boris', 'Cologne']);
		expect(await names('getRelationships', 'subject')).toContain('Anna');
	});

	it('[rag.prompts] prompts are templates, and a change is a new version', async () => {
		await fixture.run(
			rag('prompt', 'update', {
				promptName: 'short',
				template: 'new {query}',
				inputTypes: '{"query":"str"}',
			}),
		);
		expect(
			onlyJson(await fixture.run(rag('prompt', 'get', { promptName: 'short' }))),
		).toMatchObject({
			name: 'short',
			template: 'new {query}',
		});
		const answer = onlyJson(
			await fixture.run(
				rag('retrieval', 'generate', { promptName: 'short', query: 'a', context: 'b' }),
			),
		);
		expect(answer).toMatchObject({ metadata: { prompt_name: 'short' } });
	});
});
