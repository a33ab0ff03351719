import { listModels, type ModelList } from '../../intelligence/models';
import { limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';

function getAll(
	list: ModelList,
	texts: { action: string; description: string },
): Operation<{ limit?: number }> {
	return {
		value: 'getAll',
		name: 'Get Many',
		...texts,
		effect: 'read',
		fields: limitFields,
		input: (parameters) => ({ limit: readLimit(parameters) }),
		run: async (context, { limit }) => await listModels(context, list, limit),
	};
}

/** `GET /api/v1/models` (intelligence-api.md "List models"). */
export const model: Resource = {
	value: 'model',
	name: 'Model',
	operations: [
		getAll('models', {
			action: 'Get many chat models',
			description:
				'Retrieve the chat models that the account can use, with ID, owner and context length',
		}),
	],
};

/** `GET /api/v1/embedding-models` (intelligence-api.md "List embedding models"). */
export const embeddingModel: Resource = {
	value: 'embeddingModel',
	name: 'Embedding Model',
	operations: [
		getAll('embedding-models', {
			action: 'Get many embedding models',
			description:
				'Retrieve the embedding models that the account can use, with context window, token limit and prices',
		}),
	],
};
