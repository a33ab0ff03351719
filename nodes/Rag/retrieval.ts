import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords } from '../shared/http/errors';
import { request, requestObject } from '../shared/http/request';
import { contextError, type OperationContext } from '../shared/operation/context';
import { objectsOf, resultsOf } from './envelope';
import { merged } from './extraBody';
import { GENERATION_DEADLINE_MS, RAG } from './paths';

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
	context: OperationContext,
	body: SearchRequest,
): Promise<IDataObject> {
	const response = await requestObject(context, {
		method: 'POST',
		path: `${RAG}/retrieval/search`,
		body,
		retry: 'idempotent',
	});
	const { results } = response;
	if (
		results === null ||
		Array.isArray(results) ||
		(isRecord(results) && areOfSearch(Object.keys(results)))
	)
		return response;
	const words = ownWords('application/json', JSON.stringify(response));
	throw contextError(context, {
		message: `The response contains no search results${words === '' ? '' : `: ${words}`}`,
		description:
			'Check the Base URL and the Retrieval Segment in the credential: this may be another service.',
	});
}

/** The lists of results (chunks, graph, web pages, documents); a service may leave out the empty ones. */
function areOfSearch(keys: string[]): boolean {
	return keys.length === 0 || keys.some((key) => key.endsWith('_search_results'));
}

/** The chunks in the response to a search, in its order, best first; any list in it may be null (beyond-the-spec.md section 6 "Search"). */
export function chunksOf(response: IDataObject): IDataObject[] {
	const results = isRecord(response.results)
		? response.results.chunk_search_results
		: response.results;
	return objectsOf(results);
}

/** The texts of chunks joined by line breaks, which is the context of an answer (intelligence-api.md "RAG generate"). */
export function contextOf(chunks: IDataObject[]): string {
	return chunks.map(textOf).join('\n');
}

/** The text of a chunk; empty if it has none. */
export function textOf(chunk: IDataObject): string {
	return typeof chunk.text === 'string' ? chunk.text : '';
}

/** The source of a chunk for a person: title or file name of its document, or the ID of the document. */
export function sourceOf(chunk: IDataObject): string {
	const metadata = isRecord(chunk.metadata) ? chunk.metadata : {};
	const name = [metadata.title, metadata.file_name, metadata.source, chunk.document_id].find(
		(value) => typeof value === 'string' && value !== '',
	);
	return String(name ?? 'unknown');
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

/** A question, the context to answer it from, and the prompt template that joins them. */
export interface GenerateRequest {
	promptName: string;
	query: string;
	context: string;
	/** Values of the further placeholders of the template. */
	promptInputs?: IDataObject;
	/** Further fields of the body. */
	extra?: IDataObject;
}

const NO_GENERATE =
	'Check the name of the prompt. If it is right, this service cannot answer from a context (R2R itself cannot): use RAG Query.';

/**
 * `POST /rag/generate` (intelligence-api.md "RAG generate").
 * @returns the response as the service sent it, with its text as `answer`, which is null where none is found: the body is not
 * documented
 * @throws where there is nothing in it, or the answer has no words
 */
export async function sendGenerate(
	context: OperationContext,
	{ promptName, query, context: contextText, promptInputs, extra }: GenerateRequest,
): Promise<IDataObject> {
	const response = await request(context, {
		method: 'POST',
		path: `${RAG}/rag/generate`,
		body: merged(
			{ prompt_name: promptName, inputs: { query, context: contextText, ...promptInputs } },
			extra,
		),
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	}).catch((error: NodeApiError) => {
		if (error.httpCode === '404') error.description = NO_GENERATE;
		throw error;
	});
	const results = resultsOf(response);
	// If the results are only a text, citations and usage are next to them
	const fields = isRecord(results) ? results : response;
	const text = answerText(results);
	checkAnswer(context, response);
	return {
		answer: null,
		...(isRecord(fields) && fields),
		...(text !== undefined && { answer: text }),
	};
}

/**
 * Accepts a response with an answer, and one of a form that is not known.
 * @param results what holds the answer
 * @throws where there is nothing in it, or where its answer has no words: that must not look like an answer
 */
export function checkAnswer(
	context: OperationContext,
	response: unknown,
	results = resultsOf(response),
): void {
	const text = answerText(results);
	const isNothing = Object.keys(results ?? {}).length === 0;
	const isNull = isRecord(results) && ANSWER_KEYS.slice(0, 2).some((key) => results[key] === null);
	if (text === undefined ? isNothing || isNull : text.trim() === '')
		throw noAnswer(context, response);
}

/** The error of a response without an answer; it is billed, so all that came is in the details. */
export function noAnswer(context: OperationContext, response: unknown): NodeApiError {
	return contextError(
		context,
		{
			message: 'The response contains no answer',
			description:
				'The error details contain what came, under response. Check the prompt template and its model; Generate returns a response in any form.',
		},
		{ response: response as IDataObject },
	);
}

const ANSWER_KEYS = ['generated_answer', 'answer', 'text', 'content', 'response', 'output'];

/** The text of an answer in any usual form: a plain text, under one of several names, or as a chat completion. */
function answerText(results: unknown): string | undefined {
	if (typeof results === 'string') return results;
	if (Array.isArray(results)) return answerText(results[0]);
	if (!isRecord(results)) return undefined;
	const text = ANSWER_KEYS.map((key) => results[key]).find((value) => typeof value === 'string');
	if (typeof text === 'string') return text;
	const [choice] = objectsOf(results.choices);
	const nested = [results.completion, choice?.message, results.message];
	return nested.map(answerText).find((value) => value !== undefined);
}
