import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6: Search, RAG query, Agent. */
const fixture = useFixture({ part: 'rag' });

const search = (options: IDataObject = {}, more: IDataObject = {}) =>
	rag('retrieval', 'search', { query: 'machines', topK: 5, options, ...more });
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
			(await fixture.client.post('/retrieval/search', { query: 'a', search_mode: searchMode }))
				.status,
		).toBe(200);
		expect(
			violations(
				await fixture.client.post('/retrieval/search', { query: 'a', search_mode: 'magic' }),
			),
		).toEqual(['body.search_mode: enum']);
		expect(errorOf(await fixture.run(search({ searchMode: 'magic' }))).message).toContain(
			'Search: Mode must be one of advanced, basic, custom, got "magic"',
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
		'[search.settings.%s] is in search_settings, alone: %j',
		async (_, option, settings) => {
			await fixture.run(search(option));
			expect(sent()?.body).toEqual({
				query: 'machines',
				top_k: 5,
				search_settings: { limit: 5, ...settings },
			});
			expect(
				(await fixture.client.post('/retrieval/search', { query: 'a', search_settings: settings }))
					.status,
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
					await fixture.client.post('/retrieval/search', {
						query: 'a',
						search_settings: { limit: topK },
					}),
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
		[
			'neq',
			year('$neq', '2025'),
			{ $or: [{ year: { $lt: 2025 } }, { year: { $gt: 2025 } }] },
			[2024, 2026],
		],
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
		[
			'in',
			year('$in', '2024, 2026'),
			{ $or: [{ year: { $eq: 2024 } }, { year: { $eq: 2026 } }] },
			[2024, 2026],
		],
		[
			'nin',
			year('$nin', '2024,2026'),
			{
				$and: [
					{ $or: [{ year: { $lt: 2024 } }, { year: { $gt: 2024 } }] },
					{ $or: [{ year: { $lt: 2026 } }, { year: { $gt: 2026 } }] },
				],
			},
			[2025],
		],
		[
			'overlap',
			year('$overlap', '2024,1999'),
			{ $or: [{ year: { $contains: [2024] } }, { year: { $contains: [1999] } }] },
			[2024],
		],
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
		'[search.filter.%s] from the parameter to the chunks that are found',
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
				(await fixture.client.post('/retrieval/search', { query: 'machines' })).json,
				'results',
				'chunk_search_results',
				0,
			),
		);
	});

	it.each([[null], [[]]])('[search.null] a list that is %j: no items', async (list) => {
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
