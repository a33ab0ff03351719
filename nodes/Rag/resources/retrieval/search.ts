import type { IDataObject } from 'n8n-workflow';
import { ownWords } from '../../../shared/http/errors';
import type { Operation } from '../../../shared/operation/operation';
import { requestObject } from '../../../shared/http/request';
import { type Parameters } from '../../../shared/operation/parameters';
import { objectsOf, RAG } from '../../envelope';
import { queryField, topKField } from '../../fields';
import { readSearch, readTopK, searchOptions, type SearchBody } from '../../searchOptions';
import { isRecord } from '../../../shared/guards';
import { type OperationContext, isTool, contextError } from '../../../shared/operation/context';

const OUTPUTS = ['chunks', 'search', 'raw'] as const;

/** A search as the specification and the engine both understand it. */
export type SearchRequest = SearchBody & {
	query: string;
	top_k: number;
};

interface Input {
	body: SearchRequest;
	output: (typeof OUTPUTS)[number];
}

/** Text that goes back to an AI agent in one call: more would crowd out its conversation. */
const TOOL_CHARACTERS = 12_000;

/** `POST /retrieval/search` (intelligence-api.md "Retrieval search"). */
export const search: Operation<Input> = {
	value: 'search',
	name: 'Search',
	action: 'Search in documents',
	description:
		'Find the pieces of your documents that fit a question best, with their score and source. Use it to look up facts before answering.',
	effect: 'read',
	fields: [
		queryField,
		topKField,
		searchOptions([
			{
				displayName: 'Output',
				name: 'output',
				type: 'options',
				options: [
					{ name: 'One Item for Each Chunk', value: 'chunks' },
					{
						name: 'One Item for the Search',
						value: 'search',
						description: 'With all chunks in it, and their texts as context',
					},
					{
						name: 'Whole Response',
						value: 'raw',
						description: 'As sent, with hits in graphs, on web pages and whole documents',
					},
				],
				default: 'chunks',
				description: 'What the items of the output are',
			},
		]),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			body: readSearchRequest(parameters, options),
			output: options.has('output') ? options.choice('output', OUTPUTS) : 'chunks',
		};
	},
	async run(context, { body, output }) {
		const answer = await sendSearch(context, body);
		// The other outputs hold every text, one of them twice
		if (isTool(context.functions)) return forTool(chunksOf(answer));
		if (output === 'raw') return [answer];
		const chunks = chunksOf(answer);
		if (output === 'chunks') return chunks;
		return [{ query: body.query, found: chunks.length, context: contextOf(chunks), chunks }];
	},
};

export function readSearchRequest(parameters: Parameters, options: Parameters): SearchRequest {
	const topK = readTopK(parameters);
	return { query: parameters.text('query'), top_k: topK, ...readSearch(options, topK) };
}

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

/** What a model needs of a chunk, and only as many as it can read. */
function forTool(chunks: IDataObject[]): IDataObject[] {
	const fitting = withinBudget(chunks, TOOL_CHARACTERS);
	// A model that gets nothing takes it that nothing was found
	return (fitting.length > 0 ? fitting : chunks.slice(0, 1)).map((chunk) => ({
		source: sourceOf(chunk),
		score: chunk.score ?? null,
		text: shortened(textOf(chunk), TOOL_CHARACTERS),
		document_id: chunk.document_id ?? null,
	}));
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
