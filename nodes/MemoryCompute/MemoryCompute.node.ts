import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { loadSdk, subNodeContext, subNodeParameters } from '../intelligence/subNode';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { Conversation } from './conversation';
import { chatSession } from './session';

const fields: INodeProperties[] = [
	{
		displayName: 'Session ID',
		name: 'sessionIdType',
		type: 'options',
		options: [
			{
				name: 'Connected Chat Trigger Node',
				value: 'fromInput',
				description: "The field 'sessionId' that comes from a chat trigger",
			},
			{
				name: 'Define Below',
				value: 'customKey',
				description: 'An expression on data of previous nodes, or a fixed text',
			},
		],
		default: 'fromInput',
		description: 'What tells one chat from another',
	},
	{
		displayName: 'Key',
		name: 'sessionKey',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. {{ $json.customer }}',
		description: 'Name of the conversation at the service. It is created with the first message.',
		displayOptions: { show: { sessionIdType: ['customKey'] } },
	},
	{
		displayName: 'Context Window Length',
		name: 'contextWindowLength',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
		default: 5,
		description: 'How many past questions, with their answers, the model gets',
	},
];

export class MemoryCompute implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Memory',
		name: 'memoryCompute',
		icon: { light: 'file:../../icons/chat.svg', dark: 'file:../../icons/chat.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["contextWindowLength"] + " questions"}}',
		description: 'Chat history of AI agents, kept as conversations of a compute marketplace',
		defaults: { name: 'Compute Memory' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiMemory],
		outputNames: ['Memory'],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...fields],
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const parameters = subNodeParameters(this, itemIndex, fields);
		const type = parameters.choice('sessionIdType', ['fromInput', 'customKey'] as const);
		const key = type === 'customKey' ? parameters.text('sessionKey') : chatSession(this, itemIndex);
		const windowSize = parameters.integer('contextWindowLength', { min: 1, max: 1000 });
		const context = await subNodeContext(this, itemIndex);
		const sdk = await loadSdk(this, itemIndex, 'The memory');
		const memory = new sdk.WindowedChatMemory(new Conversation(context, key), { windowSize });
		return sdk.supplyMemory(this, memory);
	}
}
