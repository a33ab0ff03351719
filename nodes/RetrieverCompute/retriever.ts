import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import { chunksOf, relevant, sendSearch, sourceOf, textOf } from '../intelligence/retrieval/search';
import type { SearchRequest } from '../intelligence/retrieval/search';
import { logged } from '../intelligence/subNode';
import { isRecord } from '../shared/guards';
import { operationError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';

/** A document as LangChain has it. */
export interface RetrievedDocument {
	pageContent: string;
	metadata: IDataObject;
	id?: string;
}

type Retrieve = (query: unknown) => Promise<RetrievedDocument[]>;

/** LangChain's chains take a function for a runnable, and an object with `invoke` for a retriever: this is both. */
export type Retriever = Retrieve & { invoke: Retrieve; getRelevantDocuments: Retrieve };

type Context = RequestContext & { functions: ISupplyDataFunctions; itemIndex: number };

/**
 * The search of the service (intelligence-api.md "Retrieval search") for chains of n8n.
 * @param request the query of each call takes the place of the one in it
 * @param minScore of a chunk; undefined takes all
 */
export function supplyRetriever(
	context: Context,
	request: SearchRequest,
	minScore?: number,
): Retriever {
	const { functions, itemIndex } = context;
	const retrieve: Retrieve = async (input) =>
		await logged(functions, {
			connection: NodeConnectionTypes.AiRetriever,
			input: { query: input as IDataObject['x'] },
			work: async () => {
				const query = queryOf(input);
				if (query === undefined)
					throw operationError(functions.getNode(), 'The query is empty or not a text', {
						itemIndex,
						description: 'Nothing was sent. Check the prompt of the node that uses the retriever.',
					});
				const response = await sendSearch(context, { ...request, query });
				const chunks = chunksOf(context, response, request);
				return relevant(context, chunks, minScore).map(documentOf);
			},
			output: (documents) => ({ response: documents as unknown as IDataObject[] }),
		});
	return Object.assign(async (input: unknown) => await retrieve(input), {
		invoke: retrieve,
		getRelevantDocuments: retrieve,
	});
}

/** The question, as text or in the input of a chain. */
function queryOf(input: unknown): string | undefined {
	const query = isRecord(input) ? (input.input ?? input.query) : input;
	return typeof query === 'string' && query.trim() !== '' ? query : undefined;
}

/** The text of a chunk, and in its metadata where it is from, as the field `source` that n8n's nodes show. */
function documentOf(chunk: IDataObject): RetrievedDocument {
	const metadata = isRecord(chunk.metadata) ? (chunk.metadata as IDataObject) : {};
	return {
		pageContent: textOf(chunk),
		metadata: {
			...metadata,
			source: sourceOf(chunk),
			score: chunk.score ?? null,
			chunk_id: chunk.id ?? null,
			document_id: chunk.document_id ?? null,
		},
		...(['string', 'number'].includes(typeof chunk.id) && { id: String(chunk.id) }),
	};
}
