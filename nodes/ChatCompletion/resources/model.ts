import type { IDataObject } from 'n8n-workflow';
import { limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import { replyError, requestObject, type RequestContext } from '../../shared/http/request';
import { API } from '../../intelligence/paths';
import { isRecord } from '../../shared/guards';

export type ModelList = 'models' | 'embedding-models';

/** 100,000 models at the largest page: a service that always has a next page must not keep the node busy for ever. */
const MOST_PAGES = 1_000;

/**
 * All entries of a model list, in either of its two shapes: the specification's whole list (intelligence-api.md
 * "List models"), or numbered pages with `pagination.has_next` (beyond-the-spec.md section 5).
 * The first request has no query, as specified; only a service that says that it has pages is asked for a page.
 */
export async function listModels(
	context: RequestContext,
	list: ModelList,
	limit = Infinity,
): Promise<IDataObject[]> {
	const found = new Map<string, IDataObject>();
	let query: Record<string, number> = {};
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const answer = await requestObject(context, {
			method: 'GET',
			path: `${API}/${list}`,
			query,
			retry: 'idempotent',
		});
		if (!Array.isArray(answer.data)) {
			throw replyError(context, {
				kind: 'lost',
				reason: 'The answer does not hold the list of models that was expected',
			});
		}
		const before = found.size;
		for (const model of answer.data.filter((entry): entry is IDataObject => isRecord(entry))) {
			found.set(modelId(model) ?? JSON.stringify(model), model);
		}
		const next = nextPage(answer.pagination);
		if (!next || found.size === before || found.size >= limit) break;
		query = next;
	}
	return [...found.values()].slice(0, limit);
}

function nextPage(pagination: unknown): Record<string, number> | undefined {
	if (!isRecord(pagination) || pagination.has_next !== true) return undefined;
	const { page, page_size: size } = pagination;
	if (typeof page !== 'number') return undefined;
	return { page: page + 1, ...(typeof size === 'number' && { page_size: size }) };
}

/** What a request takes as `model`: pages name it `name`, beside a `model_id` that no request takes. */
export function modelId(model: IDataObject): string | undefined {
	return [model.id, model.name].find((id): id is string => typeof id === 'string' && id !== '');
}

function getAll(
	list: ModelList,
	words: { action: string; description: string },
): Operation<{ limit?: number }> {
	return {
		value: 'getAll',
		name: 'Get Many',
		...words,
		effect: 'read',
		fields: limitFields,
		input: (parameters) => ({ limit: readLimit(parameters) }),
		run: async (context, { limit }) => await listModels(context, list, limit),
	};
}

/** `GET /api/v1/models` (intelligence-api.md "List models"). */
export const model: Resource = {
	value: 'model',
	name: 'Model',
	operations: [
		getAll('models', {
			action: 'Get many chat models',
			description:
				'Retrieve the chat models that the account can use, with ID, owner and context length',
		}),
	],
};

/** `GET /api/v1/embedding-models` (intelligence-api.md "List embedding models"). */
export const embeddingModel: Resource = {
	value: 'embeddingModel',
	name: 'Embedding Model',
	operations: [
		getAll('embedding-models', {
			action: 'Get many embedding models',
			description:
				'Retrieve the embedding models that the account can use, with context window, token limit and prices',
		}),
	],
};
