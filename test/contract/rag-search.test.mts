import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, Client, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6: Search, RAG query, Agent. */
const fixture = useFixture();
const BASE = '/intelligence/api/rag/v3';

let direct: Client;
beforeAll(() => {
	direct = new Client(`${fixture.sandbox.intelligenceUrl}/api/rag/v3`, {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	});
});
afterAll(async () => await direct.close());

const search = (options: IDataObject = {}, more: IDataObject = {}) =>
	rag('retrieval', 'search', { query: 'machines', topK: 5, options, ...more });
const query = (options: IDataObject = {}) =>
	rag('retrieval', 'rag', { query: 'machines', topK: 5, options });
const agent = (options: IDataObject = {}) =>
	rag('retrieval', 'agent', { message: 'machines', options });
const sent = () => fixture.sandbox.requests.at(-1);
const ingest = async (rawText: string, metadata: IDataObject = {}) =>
	onlyJson(
		await fixture.run(
			rag('document', 'create', {
				source: 'rawText',
				rawText,
				additionalFields: { runWithOrchestration: false, metadataJson: JSON.stringify(metadata) },
			}),
		),
	);

describe('search: settings', () => {
	it.each(['basic', 'advanced', 'custom'])('[search.search_mode] %s', async (searchMode) => {
		await fixture.run(search({ searchMode }));
		expect(sent()?.body).toMatchObject({ search_mode: searchMode });
		expect(
			(await direct.post('/retrieval/search', { query: 'a', search_mode: searchMode })).status,
		).toBe(200);
		expect(
			violations(await direct.post('/retrieval/search', { query: 'a', search_mode: 'magic' })),
		).toEqual(['body.search_mode: enum']);
		expect(errorOf(await fixture.run(search({ searchMode: 'magic' }))).message).toContain(
			'Search Mode must be one of basic, advanced, custom, got "magic"',
		);
	});

	const rows: Array<[id: string, option: IDataObject, settings: IDataObject]> = [
		['use_hybrid_search', { useHybridSearch: true }, { use_hybrid_search: true }],
		['use_semantic_search', { useSemanticSearch: false }, { use_semantic_search: false }],
		['use_fulltext_search', { useFulltextSearch: true }, { use_fulltext_search: true }],
		[
			'filters',
			{ filtersJson: '{"document_id":{"$eq":"a"}}' },
			{ filters: { document_id: { $eq: 'a' } } },
		],
		['offset', { offset: 2 }, { offset: 2 }],
		['include_metadatas', { includeMetadatas: false }, { include_metadatas: false }],
		['include_scores', { includeScores: false }, { include_scores: false }],
		['search_strategy', { searchStrategy: 'vanilla' }, { search_strategy: 'vanilla' }],
		['search_strategy', { searchStrategy: 'query_fusion' }, { search_strategy: 'query_fusion' }],
		['search_strategy', { searchStrategy: 'hyde' }, { search_strategy: 'hyde' }],
		[
			'hybrid_settings.full_text_weight',
			{ fullTextWeight: 1.5 },
			{ hybrid_settings: { full_text_weight: 1.5 } },
		],
		[
			'hybrid_settings.semantic_weight',
			{ semanticWeight: 5 },
			{ hybrid_settings: { semantic_weight: 5 } },
		],
		[
			'hybrid_settings.full_text_limit',
			{ fullTextLimit: 200 },
			{ hybrid_settings: { full_text_limit: 200 } },
		],
		['hybrid_settings.rrf_k', { rrfK: 50 }, { hybrid_settings: { rrf_k: 50 } }],
		['graph_settings.enabled', { useGraphSearch: true }, { graph_settings: { enabled: true } }],
	];
	it.each(rows)(
		'[search.settings.%s] stands in search_settings, and nothing beside it: %j',
		async (_, option, settings) => {
			await fixture.run(search(option));
			expect(sent()?.body).toEqual({
				query: 'machines',
				top_k: 5,
				search_settings: { limit: 5, ...settings },
			});
			expect(
				(await direct.post('/retrieval/search', { query: 'a', search_settings: settings })).status,
			).toBe(200);
		},
	);

	it('[search.settings.limit] 1 to 1000', async () => {
		for (const topK of [1, 1000]) {
			await fixture.run(search({}, { topK }));
			expect(sent()?.body).toMatchObject({ top_k: topK, search_settings: { limit: topK } });
		}
		for (const topK of [0, 1001]) {
			expect(errorOf(await fixture.run(search({}, { topK }))).message).toBe(
				`Top K must be a whole number from 1 to 1000, got ${topK}`,
			);
			expect(
				violations(
					await direct.post('/retrieval/search', { query: 'a', search_settings: { limit: topK } }),
				),
			).toHaveLength(1);
		}
	});
});

describe('search: filters', () => {
	const year = (operator: string, value: unknown, valueType = 'number') => ({
		filters: { conditions: [{ field: 'year', operator, value, valueType }] },
	});
	const name = (operator: string, value: unknown) => ({
		filters: { conditions: [{ field: 'title', operator, value, valueType: 'text' }] },
	});
	const rows: Array<[id: string, option: IDataObject, filter: IDataObject, years: number[]]> = [
		['eq', year('$eq', '2025'), { year: { $eq: 2025 } }, [2025]],
		['neq', year('$neq', '2025'), { year: { $neq: 2025 } }, [2024, 2026]],
		['gt', year('$gt', '2025'), { year: { $gt: 2025 } }, [2026]],
		['gte', year('$gte', '2025'), { year: { $gte: 2025 } }, [2025, 2026]],
		['lt', year('$lt', '2025'), { year: { $lt: 2025 } }, [2024]],
		['lte', year('$lte', '2025'), { year: { $lte: 2025 } }, [2024, 2025]],
		['like', name('$like', 'Machines of 2024%'), { title: { $like: 'Machines of 2024%' } }, [2024]],
		[
			'ilike',
			name('$ilike', 'machines of 2026%'),
			{ title: { $ilike: 'machines of 2026%' } },
			[2026],
		],
		['in', year('$in', '2024, 2026'), { year: { $in: [2024, 2026] } }, [2024, 2026]],
		['nin', year('$nin', '2024,2026'), { year: { $nin: [2024, 2026] } }, [2025]],
		['overlap', year('$overlap', '2024,1999'), { year: { $overlap: [2024, 1999] } }, [2024]],
		[
			'and',
			{
				filterLogic: '$and',
				filters: {
					conditions: [
						{ field: 'year', operator: '$gt', value: '2024', valueType: 'number' },
						{ field: 'year', operator: '$lt', value: '2026', valueType: 'number' },
					],
				},
			},
			{ $and: [{ year: { $gt: 2024 } }, { year: { $lt: 2026 } }] },
			[2025],
		],
		[
			'or',
			{
				filterLogic: '$or',
				filters: {
					conditions: [
						{ field: 'year', operator: '$lt', value: '2025', valueType: 'number' },
						{ field: 'year', operator: '$gt', value: '2025', valueType: 'number' },
					],
				},
			},
			{ $or: [{ year: { $lt: 2025 } }, { year: { $gt: 2025 } }] },
			[2024, 2026],
		],
	];
	it.each(rows)(
		'[search.filter.%s] from the form to the chunks that are found',
		async (_, option, filter, years) => {
			for (const number of [2024, 2025, 2026])
				await ingest(`Machines of ${number} are cheap.`, { year: number });
			const found = jsonOf(await fixture.run(search(option)));
			expect(at(sent()?.body, 'search_settings', 'filters')).toEqual(filter);
			expect(found.map(({ metadata }) => at(metadata, 'year')).sort()).toEqual(years);
		},
	);
});

describe('search: the answer', () => {
	it('[search.chunk] id, document_id, owner_id, collection_ids, score, text, metadata', async () => {
		await ingest('Machines are cheap.');
		const item = onlyJson(await fixture.run(search()));
		expect(Object.keys(item).sort()).toEqual([
			'collection_ids',
			'document_id',
			'id',
			'metadata',
			'owner_id',
			'score',
			'text',
		]);
		expect(item).toEqual(
			at(
				(await direct.post('/retrieval/search', { query: 'machines' })).json,
				'results',
				'chunk_search_results',
				0,
			),
		);
	});

	it.each([[null], [[]]])('[search.null] a list that is %j is none found', async (list) => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				results: {
					chunk_search_results: list,
					graph_search_results: null,
					web_page_search_results: [],
					document_search_results: null,
				},
			},
		});
		expect(jsonOf(await fixture.run(search()))).toEqual([]);
	});
});

describe('RAG query', () => {
	it('[rag.query.path] POST /retrieval/rag', async () => {
		await fixture.run(query());
		expect(sent()).toMatchObject({
			method: 'POST',
			path: `${BASE}/retrieval/rag`,
			query: {},
			status: 200,
		});
	});

	it('[rag.query.body] search settings, task_prompt, include_title_if_available, include_web_search', async () => {
		await fixture.run(
			query({
				searchMode: 'basic',
				taskPrompt: 'Be brief.',
				includeTitleIfAvailable: true,
				includeWebSearch: false,
				useHybridSearch: true,
			}),
		);
		expect(sent()?.body).toEqual({
			query: 'machines',
			top_k: 5,
			search_mode: 'basic',
			search_settings: { limit: 5, use_hybrid_search: true },
			task_prompt: 'Be brief.',
			include_title_if_available: true,
			include_web_search: false,
		});
	});

	it('[rag.query.generation] model, temperature, top_p, max_tokens_to_sample, stream', async () => {
		await fixture.run(
			query({ model: 'm', temperature: 0.5, topP: 0.9, maxTokensToSample: 100, stream: true }),
		);
		expect(at(sent()?.body, 'rag_generation_config')).toEqual({
			model: 'm',
			temperature: 0.5,
			top_p: 0.9,
			max_tokens_to_sample: 100,
			stream: true,
		});
		await fixture.run(query());
		expect(sent()?.body).not.toHaveProperty('rag_generation_config');
	});

	it('[rag.query.200] generated_answer, search_results, citations, metadata, completion, as sent', async () => {
		await ingest('Machines are cheap.');
		const item = onlyJson(await fixture.run(query()));
		expect(Object.keys(item)).toEqual(
			expect.arrayContaining([
				'generated_answer',
				'search_results',
				'citations',
				'metadata',
				'completion',
			]),
		);
		const { json } = await direct.post('/retrieval/rag', {
			query: 'machines',
			search_settings: { limit: 5 },
		});
		expect(item.generated_answer).toBe(at(json, 'results', 'generated_answer'));
	});

	it('[rag.query.stream] search_results, message, citation, final_answer, then [DONE]: the same as in one piece', async () => {
		await ingest('Machines are cheap.');
		const { text } = await direct.post('/retrieval/rag', {
			query: 'machines',
			rag_generation_config: { stream: true },
		});
		const events = [...text.matchAll(/^event: ?(.*)$/gm)].map(([, type]) => type);
		expect(new Set(events)).toEqual(
			new Set(['search_results', 'message', 'citation', 'final_answer']),
		);
		expect(text.trimEnd().split('\n').at(-1)).toMatch(/\[DONE\]$/);
		const [streamed, whole] = [
			onlyJson(await fixture.run(query({ stream: true }))),
			onlyJson(await fixture.run(query())),
		];
		expect(streamed.generated_answer).toBe(whole.generated_answer);
	});
});

describe('agent', () => {
	it('[rag.agent.path] POST /retrieval/agent', async () => {
		await fixture.run(agent());
		expect(sent()).toMatchObject({
			method: 'POST',
			path: `${BASE}/retrieval/agent`,
			query: {},
			status: 200,
		});
	});

	it('[rag.agent.body] message, search settings, rag_generation_config, conversation_id, mode', async () => {
		const { conversation_id: conversationId } = onlyJson(await fixture.run(agent()));
		await fixture.run(
			agent({
				searchMode: 'custom',
				temperature: 0,
				conversationId,
				mode: 'research',
				useGraphSearch: true,
			}),
		);
		expect(sent()?.body).toEqual({
			message: { role: 'user', content: 'machines' },
			search_mode: 'custom',
			search_settings: { graph_settings: { enabled: true } },
			rag_generation_config: { temperature: 0 },
			conversation_id: conversationId,
			mode: 'research',
		});
	});

	it.each(['rag', 'research'])('[rag.agent.mode] %s', async (mode) => {
		await fixture.run(agent({ mode }));
		expect(sent()).toMatchObject({ body: { mode }, status: 200 });
		expect(errorOf(await fixture.run(agent({ mode: 'magic' }))).message).toContain(
			'Mode must be one of rag, research, got "magic"',
		);
		expect(
			violations(
				await direct.post('/retrieval/agent', {
					message: { role: 'user', content: 'a' },
					mode: 'magic',
				}),
			),
		).toEqual(['body.mode: enum']);
	});

	it('[rag.agent.200] messages and the id of the conversation, as sent', async () => {
		const item = onlyJson(await fixture.run(agent()));
		expect(item).toMatchObject({
			conversation_id: expect.any(String),
			messages: expect.any(Array),
		});
		const messages = item.messages as IDataObject[];
		expect(item.answer).toBe(messages.findLast(({ role }) => role === 'assistant')?.content);
	});
});
