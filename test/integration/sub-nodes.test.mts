import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Embeddings } from '../../nodes/EmbeddingsCompute/embeddings.ts';
import type { Retriever } from '../../nodes/RetrieverCompute/retriever.ts';
import { useFixture } from '../engine/fixture.mts';
import { locator, subNode } from '../engine/nodes.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';
import { vectorOf } from '../sandbox/intelligence/words.mts';

const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';

describe('embeddings for vector stores', () => {
	const fixture = useFixture();
	const supplied = async (options: IDataObject = {}) =>
		await fixture.engine.supply(
			subNode('embeddingsCompute', { model: locator(EMBEDDING), options }),
		);
	const embeddings = async (options?: IDataObject) =>
		(await supplied(options)).response as Embeddings;
	const inputs = () =>
		fixture.sandbox.requests.map(({ body }) => (body as { input: string[] }).input);
	const answerOnce = (data: object[]) =>
		fixture.sandbox.faults.add({ match: { path: '/embeddings' }, status: 200, body: { data } });

	it('a query and documents become vectors in their order', async () => {
		const { embedQuery, embedDocuments } = await embeddings({ dimensions: 8 });
		expect(await embedQuery('one')).toEqual(vectorOf('one', 8));
		const texts = ['three', 'one', 'two'];
		expect(await embedDocuments(texts)).toEqual(texts.map((text) => vectorOf(text, 8)));
		expect(await embedDocuments([])).toEqual([]);
		expect(inputs()).toEqual([['one'], texts]);
	});

	it('many documents go in batches, and a batch that is rejected in halves', async () => {
		const { embedDocuments } = await embeddings({ batchSize: 4, dimensions: 8 });
		fixture.sandbox.faults.add({ match: { path: '/embeddings' }, status: 413, body: {} });
		const texts = Array.from({ length: 9 }, (_, index) => `text ${index}`);
		expect(await embedDocuments(texts)).toEqual(texts.map((text) => vectorOf(text, 8)));
		expect(inputs().map(({ length }) => length)).toEqual([4, 2, 2, 4, 1]);
	});

	it('vectors as Base64, and in another order, are the same numbers', async () => {
		const { embedDocuments } = await embeddings();
		const base64 = (numbers: number[]) =>
			Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
		answerOnce([
			{ index: 1, embedding: base64([2, 0.5]) },
			{ index: 0, embedding: base64([1, -0.25]) },
		]);
		expect(await embedDocuments(['a', 'b'])).toEqual([
			[1, -0.25],
			[2, 0.5],
		]);
	});

	it('vectors of another size than before are an error: an index takes one size', async () => {
		const { embedQuery } = await embeddings();
		answerOnce([{ index: 0, embedding: [1, 2, 3] }]);
		expect(await embedQuery('a')).toEqual([1, 2, 3]);
		answerOnce([{ index: 0, embedding: [1, 2] }]);
		await expect(embedQuery('b')).rejects.toThrow('vectors of 2 dimensions, not 3');
	});

	it('an empty text is an error before anything is sent', async () => {
		const { embedQuery, embedDocuments } = await embeddings();
		await expect(embedQuery(' ')).rejects.toThrow('The text to embed is empty');
		await expect(embedDocuments(['a', ''])).rejects.toThrow('Text 2 of 2 to embed is empty');
		expect(inputs()).toEqual([]);
	});

	it("n8n's log view shows each call, without its numbers, and its error", async () => {
		const { response, runs } = await supplied({ dimensions: 8 });
		const { embedQuery, embedDocuments } = response as Embeddings;
		await embedDocuments(['one', 'two']);
		fixture.sandbox.faults.add({ match: { path: '/embeddings' }, status: 402, body: {} });
		await expect(embedQuery('three')).rejects.toThrow();
		await expect.poll(() => runs.at(-1)?.executionStatus).toBe('error');
		expect(runs[0]?.inputOverride?.ai_embedding).toEqual([
			[{ json: { documents: ['one', 'two'] } }],
		]);
		expect(runs[0]?.data?.ai_embedding).toEqual([[{ json: { vectors: 2, dimensions: 8 } }]]);
		expect(runs[1]?.error?.message).toContain('402');
	});
});

describe('a retriever for chains', () => {
	const { fixture } = useRetrieval();
	const retriever = async (options: IDataObject = {}, topK = 2) =>
		await fixture.engine.supply(subNode('retrieverCompute', { topK, options }));
	const invoke = async (query: unknown, options?: IDataObject) =>
		await ((await retriever(options)).response as Retriever).invoke(query);

	it('finds documents, best first, each with its metadata, source and score', async () => {
		const documents = await invoke('Is the first hour refunded?');
		expect(documents.map(({ pageContent }) => pageContent)).toEqual(TEXTS.slice(0, 2));
		expect(documents[0]?.metadata).toMatchObject({
			title: TEXTS[0],
			topic: 'money',
			source: TEXTS[0],
			score: expect.any(Number),
			document_id: expect.any(String),
		});
		expect(fixture.sandbox.requests.at(-1)?.body).toEqual({
			query: 'Is the first hour refunded?',
			top_k: 2,
			search_settings: { limit: 2 },
		});
	});

	it('works in the three ways in which chains call it', async () => {
		const { response } = await retriever();
		const { getRelevantDocuments, invoke: whole } = response as Retriever;
		const found = await whole('first hour');
		expect(found).toHaveLength(2);
		expect(await getRelevantDocuments('first hour')).toEqual(found);
		expect(await (response as Retriever)({ input: 'first hour', chat_history: [] })).toEqual(found);
	});

	it('filters, hybrid and graph search, and a minimum score', async () => {
		const conditions = [{ field: 'metadata.topic', value: 'nothing of that kind' }];
		expect(await invoke('first hour', { filters: { conditions } })).toEqual([]);
		expect(await invoke('first hour', { minScore: 1_000 })).toEqual([]);
		await invoke('first hour', { useHybridSearch: true, useGraphSearch: true });
		expect(fixture.sandbox.requests.at(-1)?.body).toMatchObject({
			search_settings: { use_hybrid_search: true, graph_settings: { enabled: true } },
		});
	});

	it.each(['', ' ', 7, null, { input: ' ' }, { question: 'first hour' }])(
		'the question %j is an error before anything is sent',
		async (question) => {
			const before = fixture.sandbox.requests.length;
			await expect(invoke(question)).rejects.toMatchObject({
				message: 'The query is empty or not a text',
				description: 'Nothing was sent. Check the prompt of the node that uses the retriever.',
				context: { itemIndex: 0 },
			});
			expect(fixture.sandbox.requests).toHaveLength(before);
		},
	);

	it('a chunk has an ID where the service gives it one, as text', async () => {
		const chunks = [
			{ id: 'c1', text: 'one', score: 3 },
			{ id: 7, text: 'two', score: 2 },
		];
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			status: 200,
			body: { results: { chunk_search_results: chunks } },
		});
		const documents = await invoke('first hour');
		expect(documents.map(({ pageContent, id }) => [pageContent, id])).toEqual([
			['one', 'c1'],
			['two', '7'],
		]);
		expect(documents.map((document) => 'id' in document)).toEqual([true, true]);
		expect(documents.map(({ metadata }) => metadata.chunk_id)).toEqual(['c1', 7]);
	});

	it("n8n's log view shows each question with what was found; an error of the service is one in the log view", async () => {
		const { response, runs } = await retriever();
		const found = await (response as Retriever).invoke('first hour');
		expect(runs[0]?.inputOverride?.ai_retriever).toEqual([[{ json: { query: 'first hour' } }]]);
		expect(runs[0]?.data?.ai_retriever).toEqual([[{ json: { response: found } }]]);
		const fault = { match: { path: '/retrieval/search' }, status: 403, body: { detail: 'no' } };
		fixture.sandbox.faults.add(fault);
		await expect((response as Retriever).invoke('why')).rejects.toThrow('no');
		await expect.poll(() => runs.at(-1)?.executionStatus).toBe('error');
	});
});
