import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords } from '../shared/http/errors';
import { request, requestObject } from '../shared/http/request';
import { contextError, type OperationContext } from '../shared/operation/context';
import { objectsOf, resultsOf } from './envelope';
import { GENERATION_DEADLINE_MS, RAG } from './paths';

/** A request to find chunks: the same fields for search, ask, the engine's own answer and its agent. */
export type SearchBody = {
	search_mode?: string;
	search_settings: IDataObject;
};

/** A search as the specification and the engine both understand it. */
export type SearchRequest = SearchBody & {
	query: string;
	top_k: number;
};

export async function sendSearch(
	context: OperationContext,
	body: SearchRequest,
): Promise<IDataObject> {
	const answer = await requestObject(context, {
		method: 'POST',
		path: `${RAG}/retrieval/search`,
		body,
		retry: 'idempotent',
	});
	const { results } = answer;
	// That nothing was found is not to be told of another service's answer
	if (
		results === null ||
		Array.isArray(results) ||
		(isRecord(results) && areOfSearch(Object.keys(results)))
	)
		return answer;
	const words = ownWords('application/json', JSON.stringify(answer));
	throw contextError(
		context,
		{
			message: `The answer holds no results of a search${words === '' ? '' : `: ${words}`}`,
			description:
				'Check the Base URL and the Retrieval Segment in the credential: this may be another service.',
		},
		{},
	);
}

/** Lists of hits in chunks, graphs or web pages; a service may leave out those with nothing in them. */
function areOfSearch(keys: string[]): boolean {
	return keys.length === 0 || keys.some((key) => key.endsWith('_search_results'));
}

/** The chunks of a search, best first as the service sends them; any list in the answer may be null (beyond-the-spec.md section 6 "Search"). */
export function chunksOf(answer: IDataObject): IDataObject[] {
	const results = isRecord(answer.results) ? answer.results.chunk_search_results : answer.results;
	return objectsOf(results);
}

/** The chunk texts joined by line breaks, as the specification wants the context (intelligence-api.md "RAG generate"). */
export function contextOf(chunks: IDataObject[]): string {
	return chunks.map(textOf).join('\n');
}

export function textOf(chunk: IDataObject): string {
	return typeof chunk.text === 'string' ? chunk.text : '';
}

/** Where a chunk comes from, in words for a person: title or file name of its document, or the document's id. */
export function sourceOf(chunk: IDataObject): string {
	const metadata = isRecord(chunk.metadata) ? chunk.metadata : {};
	const name = [metadata.title, metadata.file_name, metadata.source, chunk.document_id].find(
		(value) => typeof value === 'string' && value !== '',
	);
	return String(name ?? 'unknown');
}

export function shortened(text: string, characters: number): string {
	return text.length > characters ? `${text.slice(0, characters)}…` : text;
}

/** The first chunks whose texts, joined, have at most so many characters: cut between chunks, never inside one. */
export function withinBudget(chunks: IDataObject[], characters: number): IDataObject[] {
	let length = -1;
	const over = chunks.findIndex((chunk) => (length += textOf(chunk).length + 1) > characters);
	return over < 0 ? chunks : chunks.slice(0, over);
}

/** A question with the context to answer it from. */
export interface GenerateRequest {
	promptName: string;
	query: string;
	context: string;
}

/** The answer as the service sent it, and its text under `answer`: the specification does not show the body. */
export async function sendGenerate(
	context: OperationContext,
	{ promptName, query, context: contextText }: GenerateRequest,
): Promise<IDataObject> {
	const answer = await request(context, {
		method: 'POST',
		path: `${RAG}/rag/generate`,
		body: { prompt_name: promptName, inputs: { query, context: contextText } },
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	});
	const results = resultsOf(answer);
	// Where the results are a text, citations and usage stand beside them
	const fields = isRecord(results) ? results : answer;
	const text = answerText(results);
	return {
		answer: null,
		...(isRecord(fields) && fields),
		...(text !== undefined && { answer: text }),
	};
}

/** The text of an answer in any form that such services give it: plain, under a name of its own, or as a chat completion. */
export function answerText(results: unknown): string | undefined {
	if (typeof results === 'string') return results;
	if (Array.isArray(results)) return answerText(results[0]);
	if (!isRecord(results)) return undefined;
	const text = ['generated_answer', 'answer', 'text', 'content', 'response', 'output']
		.map((key) => results[key])
		.find((value) => typeof value === 'string');
	if (typeof text === 'string') return text;
	const [choice] = objectsOf(results.choices);
	const nested = [results.completion, choice?.message, results.message];
	return nested.map(answerText).find((value) => value !== undefined);
}
