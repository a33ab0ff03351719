import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import { embedItems, type EmbeddingInput } from '../intelligence/embeddingBatches';
import { logged } from '../intelligence/subNode';
import { numbersOf } from '../intelligence/vectors';
import { operationError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';

/** What n8n's vector stores call: the two methods of LangChain's `Embeddings`, which they do not ask to be of its class. */
export interface Embeddings {
	embedQuery(text: string): Promise<number[]>;
	embedDocuments(texts: string[]): Promise<number[][]>;
}

type Context = RequestContext & { functions: ISupplyDataFunctions; itemIndex: number };

/**
 * The embeddings of one model (beyond-the-spec.md section 5 "Embeddings"). Vectors come in the order of the texts, and all of them
 * have the same number of dimensions, over all calls.
 */
export function supplyEmbeddings(
	context: Context,
	settings: Omit<EmbeddingInput, 'texts' | 'includesText'>,
): Embeddings {
	const sizes = new Map();
	const embed = async (texts: unknown, input: IDataObject): Promise<number[][]> =>
		await logged(context.functions, {
			connection: NodeConnectionTypes.AiEmbedding,
			input,
			work: async () => {
				// Each call is meant, so nothing of an earlier one is kept but the size of its vectors
				const kept = new Map<string, unknown>([['sizes', sizes]]);
				const inputs = [{ ...settings, texts: readTexts(context, texts) }];
				const results = await embedItems({ ...context, itemIndex: 0, inputs, kept });
				const { vectors, error } = results.get(0)!;
				if (error) throw error;
				return vectors.map(({ embedding }) => numbersOf(embedding)!);
			},
			// A vector has thousands of numbers, and n8n keeps this with the execution
			output: (vectors) => ({ vectors: vectors.length, dimensions: vectors[0]?.length ?? 0 }),
		});
	return {
		embedQuery: async (query) => (await embed([query], { query }))[0]!,
		embedDocuments: async (documents) => await embed(documents, { documents }),
	};
}

/** @throws for a text that is empty or none, which the service would reject with all others of its request */
function readTexts({ functions, itemIndex }: Context, texts: unknown): string[] {
	const list: unknown[] = Array.isArray(texts) ? texts : [texts];
	const wrong = list.findIndex((text) => typeof text !== 'string' || text.trim() === '');
	if (wrong < 0) return list as string[];
	const which = list.length > 1 ? `Text ${wrong + 1} of ${list.length}` : 'The text';
	throw operationError(functions.getNode(), `${which} to embed is empty or not a text`, {
		itemIndex,
		description: 'Nothing was sent. Remove empty texts before they get here.',
	});
}
