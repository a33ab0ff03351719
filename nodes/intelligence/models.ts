import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { replyError, requestObject, type RequestContext } from '../shared/http/request';
import { API } from './paths';

/** The two lists of models, by the last segment of their path. */
export type ModelList = 'models' | 'embedding-models';

/** Ends a list whose service always announces a next page: 100,000 models at the largest page of 100. */
const MAX_PAGES = 1_000;

/**
 * The entries of a model list, each once, in either of its two shapes: the whole list (intelligence-api.md "List models"
 * and "List embedding models"), or numbered pages with `pagination.has_next` (beyond-the-spec.md section 5).
 * The first request has no query, as specified; only a service that announces pages is asked for the next one.
 * @param limit maximum number of models
 * @throws the error of the service, or one for a response without a list
 */
export async function listModels(
	context: RequestContext,
	list: ModelList,
	limit = Infinity,
): Promise<IDataObject[]> {
	const found = new Map<string, IDataObject>();
	let query: Record<string, number> = {};
	for (let pages = 0; pages < MAX_PAGES; pages++) {
		const response = await requestObject(context, {
			method: 'GET',
			path: `${API}/${list}`,
			query,
			retry: 'idempotent',
		});
		if (!Array.isArray(response.data)) {
			throw replyError(context, {
				kind: 'lost',
				reason: 'The response does not contain a list of models',
			});
		}
		const before = found.size;
		for (const model of response.data.filter((entry): entry is IDataObject => isRecord(entry))) {
			found.set(modelId(model) ?? JSON.stringify(model), model);
		}
		const next = nextPage(response.pagination);
		if (!next || found.size === before || found.size >= limit) break;
		query = next;
	}
	return [...found.values()].slice(0, limit);
}

/**
 * What a request takes as `model`: the `id` of the specification's list. Paged lists call it `name` and have a
 * `model_id` beside it that no request takes (beyond-the-spec.md section 5).
 */
export function modelId(model: IDataObject): string | undefined {
	return [model.id, model.name].find((id): id is string => typeof id === 'string' && id !== '');
}

function nextPage(pagination: unknown): Record<string, number> | undefined {
	if (!isRecord(pagination) || pagination.has_next !== true) return undefined;
	const { page, page_size: size } = pagination;
	if (typeof page !== 'number') return undefined;
	return { page: page + 1, ...(typeof size === 'number' && { page_size: size }) };
}
