import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { asItem } from '../shared/operation/items';

/** What an answer holds, without the `{results: …}` envelope where it has one (beyond-the-spec.md section 6 "Envelope"). */
export function resultsOf(answer: unknown): unknown {
	return isRecord(answer) && 'results' in answer ? answer.results : answer;
}

/** The results as one output item; a text or a list stands under `results`. */
export function itemOf(answer: unknown): IDataObject {
	const results = resultsOf(answer);
	if (isRecord(results)) return asItem(results as IDataObject);
	return results === undefined || results === null || results === ''
		? { success: true }
		: { results: results as IDataObject['x'] };
}

/** The objects of a list; nothing where the service sends null or something else. */
export function objectsOf(value: unknown): IDataObject[] {
	return Array.isArray(value) ? value.filter((entry): entry is IDataObject => isRecord(entry)) : [];
}
