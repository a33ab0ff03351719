import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag, subNode } from '../../engine/nodes.mts';
import { rejection, useStage } from '../intelligence2/play.mts';
import { json, type Fields } from '../intelligence2/service.mts';

const stage = useStage();
const SEARCH = /^POST \/api\/rag\/v3\/retrieval\/search$/;
const CHUNKS = /^POST \/api\/rag\/v3\/chunks\/search$/;
const DOCUMENTS = /^POST \/api\/rag\/v3\/documents\/search$/;
const GENERATE = /^POST \/api\/rag\/v3\/rag\/generate$/;
const query = 'q';
const search = (options: IDataObject = {}, topK = 10) =>
	rag('retrieval', 'search', { query, topK, options });
const chunkSearch = rag('chunk', 'search', { query, topK: 10, options: {} });
const documentSearch = rag('document', 'search', { query, limit: 10, options: {} });
const ask = (topK = 10, options: IDataObject = {}) =>
	rag('retrieval', 'ask', { query, topK, promptName: locator('p'), options });
const retriever = async (options: IDataObject = {}) => {
	const node = subNode('retrieverCompute', { topK: 10, options });
	const { response } = await stage.engine.supply(node);
	return response as unknown as {
		invoke(query: string): Promise<Array<{ id?: string; metadata: Fields }>>;
	};
};
const chunk = { id: 'c', document_id: 'd', text: 'The first hour is free.', score: 0.5 };
const NODES = [
	['Retrieval > Search', SEARCH, search()],
	['Chunk > Search', CHUNKS, chunkSearch],
	['Ask', SEARCH, ask()],
] as const;

describe('an answer that is none that the node can read is an error', () => {
	describe.each(NODES)('%s', (_, line, node) => {
		it.each<[string, unknown]>([
			['its chunks are an object', { results: { chunk_search_results: { 0: chunk } } }],
			['its chunks are a text', { results: { chunk_search_results: 'nothing' } }],
			['its chunks are texts', { results: { chunk_search_results: ['a', 'b'] } }],
			['one of its chunks is none', { results: [chunk, 'none'] }],
			['its results have another name', { results: { fact_search_results: [{ fact: 'x' }] } }],
			['its results are a text', { results: 'none' }],
		])('%s', async (__, body) => {
			stage.service.when(line, json(body));
			const { items, error } = await stage.run(node);
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/^The response contains (?:no )?search results/);
		});
	});

	it.each<[string, unknown]>([
		['the documents are an object', { results: { document_search_results: {} } }],
		['there are chunks alone', { results: { chunk_search_results: [chunk] } }],
		['there are texts', { results: ['a'] }],
		['it is of another service', { status: 'ok' }],
	])('Document > Search: %s', async (_, body) => {
		stage.service.when(DOCUMENTS, json(body));
		const { items, error } = await stage.run(documentSearch);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^The response contains (?:no )?search results/);
	});

	it('Compute Retriever', async () => {
		stage.service.when(SEARCH, json({ results: { chunk_search_results: {} } }));
		expect((await rejection((await retriever()).invoke(query)))?.message).toMatch(/search results/);
	});
});

describe('null is nothing', () => {
	const empty = [{ results: null }, { results: [] }, { results: {} }];
	it.each([...empty, { results: { chunk_search_results: null } }])('%j', async (body) => {
		for (const [line, node] of [
			[SEARCH, search()],
			[CHUNKS, chunkSearch],
		] as const) {
			stage.service.when(line, json(body));
			expect(await stage.run(node)).toMatchObject({ items: [], error: undefined });
		}
		stage.service.when(SEARCH, json(body));
		expect((await stage.run(ask())).items).toMatchObject([{ found: false }]);
		expect(await (await retriever()).invoke(query)).toEqual([]);
	});

	it.each([...empty, { results: { document_search_results: null } }])(
		'Document > Search: %j',
		async (body) => {
			stage.service.when(DOCUMENTS, json(body));
			expect(await stage.run(documentSearch)).toMatchObject({ items: [], error: undefined });
		},
	);
});

describe('results under another name', () => {
	it.each([
		['of an earlier version', { vector_search_results: [chunk], kg_search_results: null }],
		['beside null', { chunk_search_results: null, vector_search_results: [chunk] }],
		['beside others', { vector_search_results: [chunk], kg_search_results: [{ name: 'x' }] }],
	])('are chunks where they have texts: %s', async (_, results) => {
		for (const [line, node] of [
			[SEARCH, search()],
			[CHUNKS, chunkSearch],
		] as const) {
			stage.service.when(line, json({ results }));
			expect((await stage.run(node)).items).toMatchObject([{ id: 'c' }]);
		}
	});

	it('Document > Search: under the name of the documents', async () => {
		const results = { document_search_results: [{ id: 'd' }], chunk_search_results: [chunk] };
		stage.service.when(DOCUMENTS, json({ results }));
		expect((await stage.run(documentSearch)).items).toEqual([{ id: 'd' }]);
	});
});

describe('the best chunks', () => {
	const scored = (...scores: unknown[]) =>
		json({
			results: {
				chunk_search_results: scores.map((score, n) => ({ id: n, text: `t${n}`, score })),
			},
		});
	const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

	it('are those that stay where the service sends more than Top K', async () => {
		stage.service.when(SEARCH, scored(0.1, 0.9, '0.5', 0.7));
		expect(idsOf((await stage.run(search({}, 2))).items)).toEqual([1, 3]);
	});

	it('keep the order of the service where they have no score, or the same', async () => {
		stage.service.when(SEARCH, scored(undefined, null, undefined));
		expect(idsOf((await stage.run(search())).items)).toEqual([0, 1, 2]);
		stage.service.when(SEARCH, scored(0.3, null, 0.3, 0.4));
		expect(idsOf((await stage.run(search())).items)).toEqual([3, 0, 2, 1]);
	});

	it('are the context of Ask', async () => {
		stage.service.when(SEARCH, scored(0.1, 0.9, 0.5));
		stage.service.when(GENERATE, json({ results: { generated_answer: 'A' } }));
		const { items } = await stage.run(ask(10, { maxContextCharacters: 5 }));
		expect(items[0]?.sources).toMatchObject([{ chunk_id: 1 }, { chunk_id: 2 }]);
		expect(JSON.stringify(stage.service.asked(GENERATE)[0]?.body)).toContain('t1\\nt2');
	});
});

describe('IDs that are numbers', () => {
	it('are the source of a chunk, and the ID of a document for a chain', async () => {
		const numbered = { id: 7, document_id: 42, text: 'x', score: 1 };
		stage.service.when(SEARCH, json({ results: { chunk_search_results: [numbered] } }));
		expect(await (await retriever()).invoke(query)).toMatchObject([
			{ id: '7', metadata: { source: '42' } },
		]);
	});

	it.each([
		['an ID', '12'],
		['a name', '34'],
	])('find a collection by %s', async (_, given) => {
		const entry = { id: 12, name: 34 };
		stage.service.when(
			/^GET \/api\/rag\/v3\/collections$/,
			json({ results: [entry], total_entries: 1 }),
		);
		stage.service.when(SEARCH, json({ results: [] }));
		expect((await stage.run(search({ collectionIds: given }))).error).toBeUndefined();
		const [sent] = stage.service.asked(SEARCH);
		expect(JSON.stringify(sent?.body)).toContain('{"collection_ids":{"$overlap":["12"]}}');
	});

	it('an ID of 19 digits stays exact', async () => {
		stage.service.when(
			/^GET \/api\/rag\/v3\/collections$/,
			json('{"results":[{"id":1234567890123456789,"name":"a"}],"total_entries":1}'),
		);
		stage.service.when(SEARCH, json({ results: [] }));
		await stage.run(search({ collectionIds: 'a' }));
		const [sent] = stage.service.asked(SEARCH);
		expect(JSON.stringify(sent?.body)).toContain('["1234567890123456789"]');
	});
});
