import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { execute } from '../shared/operation/execute';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { outputs } from './outputs';
import { agent } from './resources/agent';
import { chat } from './resources/chat';
import { embedding } from './resources/embedding';
import { embeddingModel, model } from './resources/model';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { searchAgents, searchEmbeddingModels, searchModels } from '../intelligence/listSearch';
import { hintTokens } from '../intelligence/tokens';
import { properties } from '../shared/operation/properties';

const resources = [chat, agent, embedding, embeddingModel, model];

export class ChatCompletion implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Chat Completion',
		name: 'chatCompletion',
		icon: { light: 'file:../../icons/chat.svg', dark: 'file:../../icons/chat.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description:
			'Chat with the language models of a compute marketplace, run its agents, and create embeddings',
		defaults: { name: 'Compute Chat Completion' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'One response of a language model, as JSON where a schema is given. For an AI Agent use the sub-node Compute Chat Model.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...properties(resources, outputs)],
	};

	methods = { listSearch: { searchAgents, searchEmbeddingModels, searchModels } };

	async execute(this: IExecuteFunctions) {
		const output = await execute(this, resources, INTELLIGENCE_CREDENTIALS, outputs);
		hintTokens(this);
		return output;
	}
}
