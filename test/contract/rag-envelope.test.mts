import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6, group by group: what each operation sends, and that an independent client is answered alike. */
const fixture = useFixture({ part: 'rag' });

const ALL = { returnAll: true };
/** What is there before each test, made by the independent client. */
const ids = { document: '', collection: '' };
beforeEach(async () => {
	const text = 'In the evening Anna meets Boris in Cologne.';
	const { document_id: documentId } = onlyJson(await fixture.run(textDocument(text)));
	ids.document = String(documentId);
	const { json } = await fixture.client.post('/collections', { name: 'papers' });
	ids.collection = String(at(json, 'results', 'id'));
	await fixture.client.post('/prompts', {
		name: 'short',
		template: '{query}',
		input_types: { query: 'str' },
	});
	await fixture.client.post(`/graphs/${ids.collection}/pull`, {});
	fixture.sandbox.requests.length = 0;
});

describe('chunks: search', () => {
	const search = rag('chunk', 'search', { query: 'Anna', topK: 3, options: {} });
	it.each([
		[{ results: [{ id: 'c' }] }, 1],
		[{ results: { chunk_search_results: [{ id: 'c' }] } }, 1],
		[{ results: { chunk_search_results: null } }, 0],
		[[{ id: 'c' }], 1],
		[{ results: null }, 0],
		[{ results: {} }, 0],
	])('[chunk.search] reads %j', async (body, count) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(jsonOf(await fixture.run(search))).toHaveLength(count);
	});

	it.each(['oops', {}])('[chunk.search] %j holds no chunks, which is an error', async (body) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(errorOf(await fixture.run(search)).message).toBe(
			'The response contains no search results',
		);
	});

	it('[chunk.search] has no mode: the node does not offer what is not sent', () => {
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

describe('the envelope', () => {
	it('[rag.envelope.object] [rag.system] { results: … }: a health check says ok', async () => {
		expect(onlyJson(await fixture.run(rag('system', 'getHealth')))).toEqual({ message: 'ok' });
		expect((await fixture.client.get('/health')).json).toEqual({ results: { message: 'ok' } });
	});

	it('[rag.envelope.list] [rag.envelope.offset] { results: […], total_entries } is read page by page to the total', async () => {
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
		expect(violations(await fixture.client.get('/collections?offset=-1'))).toEqual([
			'query.offset: greater_than_equal',
		]);
	});

	it.each<[string, string, string, unknown, number]>([
		['document', 'getAll', 'bare', [{ id: 'a' }, { id: 'b' }], 2],
		['document', 'getAll', 'in data', { data: [{ id: 'a' }] }, 1],
		['index', 'getAll', 'bare', [{ index: { name: 'a' } }], 1],
		['index', 'getAll', 'in data', { data: { indices: [{ index: { name: 'a' } }] } }, 1],
		['conversation', 'get', 'bare', [{ id: 'a' }], 1],
		['conversation', 'get', 'a conversation in data', { data: { id: 'a', messages: [] } }, 1],
		[
			'conversation',
			'get',
			'a hundred',
			{ results: Array.from({ length: 100 }, (_, id) => ({ id })) },
			100,
		],
	])('%s, %s: a list that is %s', async (resource, operation, _, body, count) => {
		fixture.sandbox.faults.add({ status: 200, body, times: 2 });
		const run = await fixture.run(rag(resource, operation, { conversationId: 'c', ...ALL }));
		expect(jsonOf(run)).toHaveLength(count);
	});

	it('a list that another service calls otherwise is an error', async () => {
		for (const body of [{ models: [] }, { results: 'none' }, 'none']) {
			fixture.sandbox.faults.add({ status: 200, body });
			expect(errorOf(await fixture.run(rag('document', 'getAll', ALL))).message).toMatch(
				/^The response (does not contain the expected list|is not a JSON object)/,
			);
		}
	});

	it('[rag.envelope.limit] 1 to 1000', async () => {
		await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 7 }));
		await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 5_000 }));
		expect(fixture.sandbox.requests.map(({ query }) => query.limit)).toEqual([['7'], ['1000']]);
		expect(violations(await fixture.client.get('/collections?limit=1001'))).toEqual([
			'query.limit: less_than_equal',
		]);
		expect(
			errorOf(await fixture.run(rag('collection', 'getAll', { returnAll: false, limit: 0 })))
				.message,
		).toBe('Limit must be a whole number of at least 1, got 0');
	});
});

describe('content of the groups', () => {
	it('[rag.indices] indices are those of the chunks', async () => {
		expect(
			jsonOf(await fixture.run(rag('index', 'getAll', ALL))).every(
				({ table_name: table }) => table === 'chunks',
			),
		).toBe(true);
	});

	it('[rag.graphs] graphs hold entities and relations', async () => {
		await fixture.client.post(`/collections/${ids.collection}/documents/${ids.document}`, {});
		await fixture.client.post(`/graphs/${ids.collection}/pull`, {});
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
