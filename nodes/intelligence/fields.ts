import type { INodeProperties } from 'n8n-workflow';
import { locatorField } from '../shared/fields';

/** A model, chosen from a list or entered by its ID. */
export function modelField(
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
		idHint: 'ID of a model of the service',
	});
}

export const chatModelField = modelField(
	'searchModels',
	'e.g. meta-llama/Llama-3.3-70B-Instruct',
	'Chat model that generates the response',
);
export const embeddingModelField = modelField(
	'searchEmbeddingModels',
	'e.g. BAAI/bge-multilingual-gemma2',
	'Model that creates the vectors',
);
