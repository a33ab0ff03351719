import type { INodeProperties } from 'n8n-workflow';
import { locatorField } from '../../shared/fields';
import type { Parameters } from '../../shared/operation/parameters';

/** Placeholder of IDs: those of the engine are UUIDs. */
export const UUID = 'e.g. 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

/** Whether an ID has the form of the engine's IDs. */
export function isUuid(text: string): boolean {
	return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** A field for one thing of the service, from a list, by its ID, or by its name where there is an example of one. */
function locator(
	displayName: string,
	name: string,
	searchListMethod: string,
	idPlaceholder = UUID,
	idHint?: string,
	namePlaceholder?: string,
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
		namePlaceholder,
	});
}

export const documentIdField = locator('Document', 'documentId', 'searchDocuments');
export const collectionIdField = locator(
	'Collection',
	'collectionId',
	'searchCollections',
	UUID,
	undefined,
	'e.g. manuals',
);
export const conversationIdField = locator('Conversation', 'conversationId', 'searchConversations');
export const chunkIdField = locator('Chunk', 'chunkId', 'searchChunks');
export const promptNameField = locator(
	'Prompt',
	'promptName',
	'searchPrompts',
	'e.g. rag',
	'The template of the answer: how the model is told to use the documents',
);

/** A field for one ID that has no list to choose from. */
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

/** A text field; `more` overrides the usual settings. */
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
	'What to search for: a question or keywords',
	{
		required: true,
		placeholder: 'e.g. Is the first hour refunded?',
		typeOptions: { rows: 2 },
	},
);

export const topKField: INodeProperties = {
	displayName: 'Top K',
	name: 'topK',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
	default: 10,
	description: 'Maximum number of chunks (pieces of documents) to find, 1 to 1000',
};

/** The IDs of an option that was added; one that holds nothing must not lift the limit that it sets. */
export function readIds(parameters: Parameters, name: string): string[] {
	const ids = parameters.texts(name);
	return ids.length > 0 ? ids : parameters.fail(name, 'must contain at least one ID');
}
