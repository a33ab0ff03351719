import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { refusalIn } from '../../shared/http/refusal';
import type { RequestContext } from '../../shared/http/request';
import { contextError } from '../../shared/operation/context';
import { listIn } from './envelope';

/** The lists of a search (beyond-the-spec.md section 6 "Search"); a service may leave out the empty ones. */
const LISTS = ['chunk', 'graph', 'web_page', 'document'].map((kind) => `${kind}_search_results`);

/**
 * What a response to a search holds: its lists by their names, one list alone, or null for nothing.
 * @returns undefined where it has no search results
 */
export function searchResultsOf(response: unknown): unknown {
	if (!isRecord(response)) return Array.isArray(response) ? response : undefined;
	const isEnveloped = 'results' in response || 'data' in response;
	const content = isEnveloped ? listIn(response) : response;
	if (!isRecord(content)) return content === null || Array.isArray(content) ? content : undefined;
	const keys = Object.keys(content);
	const isEmpty = isEnveloped && keys.length === 0;
	return isEmpty || keys.some(isOfSearch) ? content : undefined;
}

/**
 * The chunks in the response to a search. Null is none, and so are other lists alone.
 * @throws where the response has results in another form: what cannot be read must not look like nothing
 */
export function chunksIn(context: RequestContext, response: unknown): IDataObject[] {
	const content = searchResultsOf(response);
	return isRecord(content)
		? entriesIn(context, response, content.chunk_search_results ?? otherChunks(content))
		: entriesIn(context, response, content);
}

/** As {@link chunksIn}, the whole documents: their list alone, or under its name. */
export function documentsIn(context: RequestContext, response: unknown): IDataObject[] {
	const content = searchResultsOf(response);
	const isEmpty = isRecord(content) && Object.keys(content).length === 0;
	const list = isRecord(content) && !isEmpty ? content.document_search_results : content;
	return entriesIn(context, response, isEmpty ? null : list);
}

/**
 * The chunks in a list under a name that is not documented.
 * @returns null where there is no such list, undefined where what is there are no chunks
 */
function otherChunks(content: Record<string, unknown>): unknown {
	const others = Object.entries(content)
		.filter(([key]) => isOfSearch(key) && !LISTS.includes(key))
		.map(([, list]) => list)
		.filter((list) => list !== null && !(Array.isArray(list) && list.length === 0));
	if (others.length === 0) return null;
	const [chunks, ...more] = others.filter(areChunks);
	return more.length === 0 ? chunks : undefined;
}

function isOfSearch(key: string): boolean {
	return key.endsWith('_search_results');
}

function areChunks(list: unknown): boolean {
	return Array.isArray(list) && list.every((one) => isRecord(one) && wordsOf(one) !== undefined);
}

function entriesIn(context: RequestContext, response: unknown, list: unknown): IDataObject[] {
	const content = list === null ? [] : list;
	const entries = Array.isArray(content) ? content.filter((one) => one !== null) : undefined;
	if (entries?.length === 0) requireConsent(context, response);
	if (entries?.every(isRecord)) return entries as IDataObject[];
	throw contextError(
		context,
		{
			message: `The response contains ${searchResultsOf(response) === undefined ? 'no search results' : 'search results, but not in a form that is known'}`,
			description:
				'The node may not know this version of the service. The details of this error contain the response.',
		},
		{ response: response as IDataObject },
	);
}

/** Beside a refusal, an empty list says nothing of the documents. */
function requireConsent(context: RequestContext, response: unknown): void {
	const refusal = refusalIn(response) ?? refusalIn(searchResultsOf(response));
	if (refusal === undefined) return;
	throw contextError(context, {
		message: `The search found nothing, but the service says no: ${refusal}`,
	});
}

/** Undefined where no text is known; the response of the specification's search is not shown, so it may have another name. */
export function wordsOf({ text, content }: Record<string, unknown>): string | undefined {
	return [text, content].find((one) => typeof one === 'string');
}
