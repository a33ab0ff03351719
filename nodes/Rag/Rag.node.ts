import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { execute } from '../shared/operation/execute';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { outputs } from './outputs';
import { chunk } from './resources/chunk';
import { collection } from './resources/collection';
import { conversation } from './resources/conversation';
import { document } from './resources/document';
import { graph } from './resources/graph';
import {
	loadCollections,
	searchChunks,
	searchCollections,
	searchConversations,
	searchDocuments,
	searchIndices,
	searchPrompts,
} from '../intelligence/retrieval/listSearch';
import { searchModels } from '../intelligence/listSearch';
import { prompt } from './resources/prompt';
import { retrieval } from './resources/retrieval';
import { system } from './resources/system';
import { user } from './resources/user';
import { vectorIndex } from './resources/vectorIndex';
import { properties } from '../shared/operation/properties';

const resources = [
	retrieval,
	document,
	chunk,
	collection,
	conversation,
	graph,
	vectorIndex,
	prompt,
	system,
	user,
];

export class Rag implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute RAG',
		name: 'rag',
		icon: { light: 'file:../../icons/rag.svg', dark: 'file:../../icons/rag.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Ingest documents, search them and answer questions from them, with sources',
		defaults: { name: 'Compute RAG' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Retrieval-augmented generation on the documents of a marketplace: Document > Create ingests, Retrieval > Ask answers with sources (recommended). Inside n8n's own chains use Compute Retriever instead.",
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...properties(resources, outputs)],
	};

	methods = {
		listSearch: {
			searchChunks,
			searchCollections,
			searchConversations,
			searchDocuments,
			searchIndices,
			searchModels,
			searchPrompts,
		},
		loadOptions: { loadCollections },
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, INTELLIGENCE_CREDENTIALS, outputs);
	}
}
