import type { INodeProperties } from 'n8n-workflow';
import { locatorField } from '../shared/fields';

/** A model that is chosen from a live list or entered by its ID. */
function modelLocator(
	searchListMethod: string,
	idPlaceholder: string,
	description: string,
): INodeProperties {
	return locatorField({
		displayName: 'Model',
		name: 'model',
		description,
		placeholder: 'Select a model...',
		searchListMethod,
		idPlaceholder,
		idHint: 'The ID of a model in the list of models',
	});
}

export const chatModelField = modelLocator(
	'searchModels',
	'e.g. meta-llama/Llama-3.3-70B-Instruct',
	'The chat model that answers',
);
export const embeddingModelField = modelLocator(
	'searchEmbeddingModels',
	'e.g. BAAI/bge-multilingual-gemma2',
	'The model that turns text into vectors',
);
