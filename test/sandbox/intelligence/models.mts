import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pageOf, pageQuery, queryOf, queryValue, Refusal } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';

const CREATED = 1_750_000_000;

/** Chat models and their context length in tokens. */
export const chatModels = {
	'meta-llama/Llama-3.3-70B-Instruct': 131_072,
	'deepseek-ai/DeepSeek-R1-0528': 163_840,
	'Qwen/Qwen3-235B-A22B-Thinking': 262_144,
	'mistralai/Mistral-Large-Instruct': null,
} as const satisfies Record<string, number | null>;

/** Embedding models and their dimensions. */
export const embeddingModels = {
	'BAAI/bge-multilingual-gemma2': 256,
	'mixedbread-ai/mxbai-embed-large-v1': 128,
} as const satisfies Record<string, number>;

/** Query of the paged form of the model lists (beyond-the-spec.md section 5). */
const pagedQuery = z.object({ ...pageQuery(1), q: queryValue(z.string()).optional() });

/** The answer for an unknown model, in OpenAI's error format. */
export const noSuchModel = (model: string): Refusal =>
	new Refusal(404, {
		error: {
			message: `The model ${model} does not exist`,
			type: 'invalid_request_error',
			code: 'model_not_found',
		},
	});

function item(
	service: Service,
	id: string,
	maxLength: number | null,
	more: Record<string, unknown> = {},
): Record<string, unknown> {
	return {
		id,
		object: 'model',
		created: CREATED,
		owned_by: `${service.settings.service}-intelligence`,
		root: null,
		parent: null,
		max_model_len: maxLength,
		permission: [
			{
				id: stableUuid(`permission ${id}`),
				object: 'model_permission',
				created: CREATED,
				allow_create_engine: false,
				allow_sampling: true,
				allow_logprobs: true,
				allow_search_indices: false,
				allow_view: true,
				allow_fine_tuning: false,
				organization: '*',
				group: null,
				is_blocking: false,
			},
		],
		...more,
	};
}

const embeddingExtras = (dimensions: number): Record<string, unknown> => ({
	max_tokens: 8_192,
	context_window: 8_192,
	supports_images_input: false,
	supports_prompt_cache: false,
	input_token_price: dimensions * 1e-10,
	output_token_price: 0,
	cache_write_token_price: 0,
	cache_read_token_price: 0,
	precision: 'fp16',
});

/** `GET /models` and `GET /embedding-models` (intelligence-api.md, "List models"). */
export function modelRoutes(app: FastifyInstance, service: Service): void {
	const lists = {
		'/models': Object.entries(chatModels).map(([id, length]) => item(service, id, length)),
		'/embedding-models': Object.entries(embeddingModels).map(([id, size]) =>
			item(service, id, 8_192, embeddingExtras(size)),
		),
	};
	for (const [path, items] of Object.entries(lists)) {
		app.get(path, (request) => {
			const { modelsShape, habits } = service.settings;
			const list = { object: 'list', data: items };
			if (modelsShape === 'list') return habits.models?.(list) ?? list;
			const { page = 1, page_size: size = 20, q = '' } = queryOf(request, pagedQuery);
			const found = items.filter(({ id }) => String(id).toLowerCase().includes(q.toLowerCase()));
			const pages = Math.ceil(found.length / size);
			return {
				data: pageOf(found, page - 1, size).map(({ id, ...rest }) => ({
					model_id: stableUuid(`model ${String(id)}`),
					name: id,
					...rest,
				})),
				pagination: {
					total: found.length,
					page,
					page_size: size,
					total_pages: pages,
					has_next: page < pages,
					has_previous: page > 1,
				},
			};
		});
	}
}
