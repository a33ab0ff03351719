import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../shared/auth';
import { execute } from '../shared/execute';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { properties } from '../shared/operation';
import { chunk } from './chunk';
import { collection } from './collection';
import { conversation } from './conversation';
import { document } from './document';
import { graph } from './graph';
import { indices } from './indices';
import { searchCollections, searchConversations, searchDocuments, searchPrompts } from './pickers';
import { prompt } from './prompt';
import { retrieval } from './retrieval';
import { system } from './system';
import { user } from './user';

const resources = [
	retrieval,
	document,
	chunk,
	collection,
	conversation,
	graph,
	indices,
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
		description: 'Ingest documents, search them and get answers with sources from them',
		defaults: { name: 'Compute RAG' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...properties(resources)],
	};

	methods = {
		listSearch: { searchCollections, searchConversations, searchDocuments, searchPrompts },
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, INTELLIGENCE_CREDENTIALS);
	}
}
