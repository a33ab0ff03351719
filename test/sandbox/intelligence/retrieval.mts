import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { jsonBody } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { integer, parse } from '../core/validation.mts';
import { meets } from './filters.mts';
import { OWNER } from './library.mts';
import type { Library } from './library.mts';
import { answerFrom } from './rag/answers.mts';
import type { Hit } from './rag/ranking.mts';
import { existing } from './rag-http.mts';
import { tokensOf } from './words.mts';

const limit = integer().min(1).max(1_000);

/** Body of the search (intelligence-api.md, "Retrieval search"; the engine's own settings in beyond-the-spec.md section 6). */
export const searchBody = z.object({
	query: z.string().min(1),
	top_k: limit.optional(),
	search_mode: z.enum(['basic', 'advanced', 'custom']).optional(),
	search_settings: z
		.object({
			limit,
			offset: integer().min(0),
			filters: z.unknown(),
			include_metadatas: z.boolean(),
			include_scores: z.boolean(),
			search_strategy: z.enum(['vanilla', 'query_fusion', 'hyde']),
		})
		.partial()
		.optional(),
});

/** Body of `rag/generate` (intelligence-api.md, "RAG generate"). */
const generateBody = z.object({
	prompt_name: z.string().min(1),
	inputs: z.object({ query: z.string(), context: z.string() }),
});

const DEFAULT_LIMIT = 10;

/** Search and generation over the ingested documents. */
export function retrievalRoutes(app: FastifyInstance, { library }: Service): void {
	app.post('/retrieval/search', (request) => {
		const body = parse(searchBody, jsonBody(request), 'body');
		return {
			results: {
				chunk_search_results: search(library, body).map(shownHit),
				graph_search_results: null,
				web_page_search_results: null,
				document_search_results: null,
			},
		};
	});

	app.post('/rag/generate', (request) => {
		const { prompt_name: name, inputs } = parse(generateBody, jsonBody(request), 'body');
		const prompt = existing(library.prompts, name, 'Prompt');
		const filled = prompt.template
			.replaceAll('{query}', inputs.query)
			.replaceAll('{context}', inputs.context);
		const answer = answerFrom(inputs.query, inputs.context.split('\n'));
		const tokens = {
			prompt_tokens: tokensOf(filled).length,
			completion_tokens: tokensOf(answer).length,
		};
		return {
			results: {
				id: stableUuid(filled),
				generated_answer: answer,
				metadata: { prompt_name: name, ...tokens },
			},
		};
	});
}

/** The best chunks, best first; the smaller of `top_k` and `search_settings.limit` is the limit. */
export function search(library: Library, body: z.infer<typeof searchBody>): Found[] {
	const {
		filters,
		offset = 0,
		limit: most = Infinity,
		include_metadatas: withMetadata = true,
		include_scores: withScore = true,
	} = body.search_settings ?? {};
	const count = Math.min(body.top_k ?? Infinity, most);
	return library.ranking
		.search(library.searchable(), body.query)
		.map((hit) => ({ ...hit, withMetadata, withScore }))
		.filter((hit) => meets(filters, shownHit({ ...hit, withMetadata: true })))
		.slice(offset, offset + (Number.isFinite(count) ? count : DEFAULT_LIMIT));
}

type Found = Hit & { withMetadata: boolean; withScore: boolean };

/** A chunk that was found, as the engine shows it. */
export function shownHit({
	document,
	chunk,
	score,
	withMetadata,
	withScore,
}: Found): Record<string, unknown> {
	return {
		id: chunk.id,
		document_id: chunk.document_id,
		owner_id: OWNER,
		collection_ids: document.collectionIds,
		score: withScore ? score : null,
		text: chunk.text,
		metadata: withMetadata
			? { title: document.title, ...document.metadata, ...chunk.metadata }
			: {},
	};
}
