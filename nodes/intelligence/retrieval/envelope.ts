import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { saysError } from '../../shared/http/refusal';
import { asItem } from '../../shared/operation/items';

/** The content of a response, without its `{results: …}` envelope if it has one (beyond-the-spec.md section 6 "Envelope"). */
export function resultsOf(response: unknown): unknown {
	return isRecord(response) && 'results' in response ? response.results : response;
}

/**
 * The content of a response as one output item: a text or a list is its `results`, nothing at all is `success: true`. An error that the
 * envelope has beside its content is told, too.
 */
export function itemOf(response: unknown): IDataObject {
	const results = resultsOf(response);
	const beside = errorBeside(response);
	if (isRecord(results)) return { ...beside, ...asItem(results as IDataObject) };
	return results === undefined || results === null || results === ''
		? (beside ?? { success: true })
		: { results: results as IDataObject['x'], ...beside };
}

/** The error that the envelope of a response has beside its content, as a field of an item. */
export function errorBeside(response: unknown): IDataObject | undefined {
	if (!isRecord(response) || !('results' in response || 'data' in response)) return undefined;
	const { error } = response;
	return saysError(error) ? asItem({ error: error as IDataObject['x'] }) : undefined;
}

/**
 * The list in a page: its `results`, or `data` as in other services, which also holds a list that came bare.
 * @param name of the list, where it may be one level deeper
 */
export function listIn({ results, data }: Record<string, unknown>, name?: string): unknown {
	// Null is an empty list, or the one after the last page; no list at all is neither
	const content = results ?? (data === undefined ? results : data);
	return name !== undefined && isRecord(content) ? (content[name] ?? content.data) : content;
}

/** The objects in a list; none if the service sends null or something else in its place. */
export function objectsOf(value: unknown): IDataObject[] {
	return Array.isArray(value) ? value.filter((entry): entry is IDataObject => isRecord(entry)) : [];
}
