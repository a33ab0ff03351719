import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { ownWords } from '../../shared/http/errors';
import { requestObject, type RequestContext } from '../../shared/http/request';
import { numberOf } from '../../shared/numbers';
import { contextError } from '../../shared/operation/context';
import type { CollectionContext } from './collections';
import { resolveFilters } from './filters';
import { RAG } from './paths';
import { chunksIn, searchResultsOf, wordsOf } from './searchResults';

/** The fields that Search, Ask, RAG Query and Agent share. */
export type SearchBody = {
	search_mode?: string;
	search_settings: IDataObject;
};

/** The body of a search; the specification's limit is `top_k`, the engine's is in `search_settings`. */
export type SearchRequest = SearchBody & {
	query: string;
	top_k: number;
};

/**
 * `POST /retrieval/search` (intelligence-api.md "Retrieval search").
 * @returns the response as the service sent it
 * @throws where it has no search results: another service must not look like a search that found nothing
 */
export async function sendSearch(
	context: CollectionContext,
	body: SearchRequest,
): Promise<IDataObject> {
	const response = await requestObject(context, {
		method: 'POST',
		path: `${RAG}/retrieval/search`,
		body: await resolveSearch(context, body),
		retry: 'idempotent',
	});
	if (searchResultsOf(response) !== undefined) return response;
	const words = ownWords('application/json', JSON.stringify(response));
	throw contextError(context, {
		message: `The response contains no search results${words === '' ? '' : `: ${words}`}`,
		description:
			'Check the Base URL and the Retrieval Segment in the credential: this may be another service.',
	});
}

/**
 * The body to send of a search: with the IDs of the collections that its options give by name.
 * @throws where a name is not that of exactly one collection
 */
export async function resolveSearch<T extends object>(
	context: CollectionContext,
	body: T & { search_settings?: IDataObject['x'] },
): Promise<T> {
	const { search_settings: settings } = body;
	if (!isRecord(settings) || !isRecord(settings.filters)) return body;
	const filters = await resolveFilters(context, settings.filters as IDataObject);
	return { ...body, search_settings: { ...settings, filters } };
}

/**
 * The chunks in the response to a search, best first; those without a score stay in the order of the service, last.
 * @param request a service that does not know its limit sends more
 * @throws as {@link chunksIn}
 */
export function chunksOf(
	context: RequestContext,
	response: IDataObject,
	{ top_k: topK, search_settings: settings }: SearchRequest,
): IDataObject[] {
	const rankOf = ({ score }: IDataObject) => numberOf(score) ?? -Number.MAX_VALUE;
	return [...chunksIn(context, response)]
		.sort((one, other) => rankOf(other) - rankOf(one))
		.slice(0, Math.max(topK, numberOf(settings.limit) ?? 0));
}

/**
 * The chunks with a text that reach a minimum score, if there is one.
 * @throws where no chunk has a text, or a score: what cannot be read must not look like nothing
 */
export function relevant(
	context: CollectionContext,
	chunks: IDataObject[],
	minScore: number | undefined,
): IDataObject[] {
	const scores = chunks.map(({ score }) => numberOf(score));
	const isUnknown = {
		text: chunks.every((chunk) => wordsOf(chunk) === undefined),
		score: minScore !== undefined && scores.every((score) => score === undefined),
	};
	for (const [what, none] of Object.entries(isUnknown))
		if (none && chunks.length > 0)
			throw contextError(
				context,
				{
					message: `The search found ${chunks.length} chunks, but no ${what} in them that is known`,
					description: 'Retrieval > Search shows them as they were sent.',
				},
				{ response: chunks },
			);
	return chunks.filter(
		(chunk, index) =>
			textOf(chunk) !== '' && (minScore === undefined || (scores[index] ?? -Infinity) >= minScore),
	);
}

/** The texts of chunks joined by line breaks, which is the context of an answer (intelligence-api.md "RAG generate"). */
export function contextOf(chunks: IDataObject[]): string {
	return chunks.map(textOf).join('\n');
}

/** The text of a chunk; empty if it has none. */
export function textOf(chunk: IDataObject): string {
	return wordsOf(chunk) ?? '';
}

/** The source of a chunk that names none. */
export const UNKNOWN_SOURCE = 'unknown';

/** The source of a chunk for a person: title or file name of its document, or the ID of the document. */
export function sourceOf(chunk: IDataObject): string {
	const metadata = isRecord(chunk.metadata) ? chunk.metadata : {};
	const name = [metadata.title, metadata.file_name, metadata.source, chunk.document_id].find(
		(value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
	);
	return String(name ?? UNKNOWN_SOURCE);
}

/** A text cut to a number of characters. */
export function shortened(text: string, characters: number): string {
	return text.length > characters ? `${text.slice(0, characters)}…` : text;
}

/** The first chunks whose joined texts have at most this number of characters. Chunks are never cut. */
export function withinBudget(chunks: IDataObject[], characters: number): IDataObject[] {
	let length = -1;
	const over = chunks.findIndex((chunk) => (length += textOf(chunk).length + 1) > characters);
	return over < 0 ? chunks : chunks.slice(0, over);
}
