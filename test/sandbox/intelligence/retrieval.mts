import type { FastifyInstance } from 'fastify';
import { jsonBody } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import { anything, choice, flag, integer, object, optional, parse, text } from '../core/schema.mts';
import type { Parsed } from '../core/schema.mts';
import type { Service } from '../core/service.mts';
import { meets } from './filters.mts';
import { OWNER } from './library.mts';
import type { Library } from './library.mts';
import { existing } from './rag-http.mts';
import { nearness, tokensOf, vectorOf } from './words.mts';

const limit = integer({ min: 1, max: 1_000 });

/** Body of the search (intelligence-api.md, "Retrieval search"; the engine's own settings in beyond-the-spec.md section 6). */
const searchFields = {
	query: text({ min: 1 }),
	top_k: optional(limit),
	search_mode: optional(choice(['basic', 'advanced', 'custom'])),
	search_settings: optional(
		object(
			{
				limit: optional(limit),
				offset: optional(integer({ min: 0 })),
				filters: optional(anything),
				include_metadatas: optional(flag),
				include_scores: optional(flag),
				search_strategy: optional(choice(['vanilla', 'query_fusion', 'hyde'])),
			},
			'allow',
		),
	),
};

/** Body of `rag/generate` (intelligence-api.md, "RAG generate"). */
const generateBody = object({ prompt_name: text({ min: 1 }), inputs: object({ query: text(), context: text() }, 'allow') }, 'allow');

const DIMENSIONS = 512;
const DEFAULT_LIMIT = 10;

/** Search and generation over the documents that are taken in. */
export function retrievalRoutes(app: FastifyInstance, { library }: Service): void {
	app.post('/retrieval/search', (request) => {
		const body = parse(object(searchFields, 'allow'), jsonBody(request), 'body');
		return {
			results: {
				chunk_search_results: search(library, body),
				graph_search_results: null,
				web_page_search_results: null,
				document_search_results: null,
			},
		};
	});

	app.post('/rag/generate', (request) => {
		const { prompt_name: name, inputs } = parse(generateBody, jsonBody(request), 'body');
		const prompt = existing(library.prompts, name, 'Prompt');
		const filled = prompt.template.replaceAll('{query}', inputs.query).replaceAll('{context}', inputs.context);
		const [source = 'nothing'] = inputs.context.split('\n');
		const answer = `To "${inputs.query}" the context says: ${source}`;
		const tokens = { prompt_tokens: tokensOf(filled).length, completion_tokens: tokensOf(answer).length };
		return { results: { id: stableUuid(filled), generated_answer: answer, metadata: { prompt_name: name, ...tokens } } };
	});
}

/** The chunks nearest to the query, best first; `top_k` and `search_settings.limit` both limit, the smaller one counts. */
function search(library: Library, body: Parsed<typeof searchFields>): object[] {
	const settings = body.search_settings ?? {};
	const query = vectorOf(body.query, DIMENSIONS);
	const most = Math.min(body.top_k ?? Infinity, settings.limit ?? Infinity);
	const from = settings.offset ?? 0;
	return library
		.searchable()
		.flatMap((document) =>
			document.chunks.map((chunk) => ({
				id: chunk.id,
				document_id: chunk.document_id,
				owner_id: OWNER,
				collection_ids: document.collectionIds,
				score: nearness(query, vectorOf(chunk.text, DIMENSIONS)),
				text: chunk.text,
				metadata: { title: document.title, ...document.metadata },
			})),
		)
		.filter((hit) => hit.score > 0 && meets(settings.filters, hit))
		.sort((a, b) => b.score - a.score)
		.slice(from, from + (Number.isFinite(most) ? most : DEFAULT_LIMIT));
}
