import type { INodeProperties } from 'n8n-workflow';
import { locatorField } from '../shared/fields';

/** Looks like every ID of the engine. */
export const UUID = 'e.g. 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

/** A thing of the service that is chosen from a list or entered by its ID. */
function chosen(
	displayName: string,
	name: string,
	searchListMethod: string,
	idPlaceholder = UUID,
	idHint?: string,
): INodeProperties {
	const thing = displayName.toLowerCase();
	return locatorField({
		displayName,
		name,
		description: `The ${thing} to use`,
		placeholder: `Select a ${thing}...`,
		searchListMethod,
		idPlaceholder,
		idHint,
	});
}

export const documentIdField = chosen('Document', 'documentId', 'searchDocuments');
export const collectionIdField = chosen('Collection', 'collectionId', 'searchCollections');
export const conversationIdField = chosen('Conversation', 'conversationId', 'searchConversations');
export const promptNameField = chosen(
	'Prompt',
	'promptName',
	'searchPrompts',
	'e.g. rag',
	'The name of a prompt template',
);

/** A field for one identifier that has no list to choose from. */
export function idField(
	displayName: string,
	name: string,
	description: string,
	placeholder = UUID,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		required: true,
		default: '',
		placeholder,
		description,
	};
}

export function textField(
	displayName: string,
	name: string,
	description: string,
	more: Partial<INodeProperties> = {},
): INodeProperties {
	return { displayName, name, type: 'string', default: '', description, ...more };
}

export const queryField: INodeProperties = textField(
	'Query',
	'query',
	'What to look for, as a question or in key words',
	{
		required: true,
		placeholder: 'e.g. How long is the first hour billed?',
		typeOptions: { rows: 2 },
	},
);

export const topKField: INodeProperties = {
	displayName: 'Top K',
	name: 'topK',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
	default: 10,
	description: 'How many chunks (pieces of documents) to find at most, 1 to 1000',
};
