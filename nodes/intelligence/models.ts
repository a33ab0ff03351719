import type { IDataObject } from 'n8n-workflow';
import { announcedPages, listEntries } from '../shared/http/pagination';
import type { RequestContext } from '../shared/http/request';
import { API } from './paths';

/** The two lists of models, by the last segment of their path. */
export type ModelList = 'models' | 'embedding-models';

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
	limit?: number,
): Promise<IDataObject[]> {
	return await listEntries(
		context,
		{
			path: `${API}/${list}`,
			paging: announcedPages,
			entries: ({ data }) => data,
			key: modelId,
			mayLackKey: true,
		},
		limit,
	);
}

/**
 * What a request takes as `model`: the `id` of the specification's list. Paged lists call it `name` and have a
 * `model_id` beside it that no request takes (beyond-the-spec.md section 5).
 */
export function modelId(model: IDataObject): string | undefined {
	return [model.id, model.name].find((id): id is string => typeof id === 'string' && id !== '');
}
