import type { INodeProperties } from 'n8n-workflow';

/** A model that is chosen from a live list or entered by its ID. */
function modelLocator(searchListMethod: string, placeholder: string, description: string): INodeProperties {
	return {
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a model...',
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder, hint: 'The ID of a model in the list of models' },
		],
	};
}

export const chatModelField = modelLocator('searchModels', 'e.g. meta-llama/Llama-3.3-70B-Instruct', 'The chat model that answers');
export const embeddingModelField = modelLocator('searchEmbeddingModels', 'e.g. BAAI/bge-multilingual-gemma2', 'The model that turns text into vectors');
