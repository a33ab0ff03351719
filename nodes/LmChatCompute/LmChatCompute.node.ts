import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { chatModelField } from '../intelligence/fields';
import { readOptions, samplingOptions } from '../ChatCompletion/options';
import { searchModels } from '../intelligence/listSearch';
import { openAccount } from '../shared/http/credentials';
import { authenticationField, chosenCredentials, collectionField } from '../shared/fields';
import { Parameters } from '../shared/operation/parameters';
import { ComputeChatModel } from './model';

const fields: INodeProperties[] = [
	chatModelField,
	collectionField(
		'options',
		'Options',
		'Add Option',
		samplingOptions.map(({ field }) => field),
	),
];

export class LmChatCompute implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Chat Model',
		name: 'lmChatCompute',
		icon: { light: 'file:../../icons/model.svg', dark: 'file:../../icons/model.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["model"]["value"]}}',
		description: 'The language models of a compute marketplace for AI agents and chains',
		defaults: { name: 'Compute Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...fields],
	};

	methods = { listSearch: { searchModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const parameters = new Parameters(this.getNode(), itemIndex, fields, (name) =>
			this.getNodeParameter(name, itemIndex, ''),
		);
		const [modelId, body] = [
			String(parameters.id('model')),
			readOptions(parameters.group('options'), samplingOptions),
		];
		const account = await openAccount(this, INTELLIGENCE_CREDENTIALS);
		const sdk = await loadSdk(this, itemIndex);
		const context = {
			functions: this,
			account,
			signal: this.getExecutionCancelSignal(),
			itemIndex,
		};
		return sdk.supplyModel(
			this,
			new ComputeChatModel(modelId, { context, body, schemaOf: sdk.getParametersJsonSchema }),
		);
	}
}

/** Loaded when it is needed: it takes longer to load than all nodes of this package, and they work without it. */
async function loadSdk(functions: ISupplyDataFunctions, itemIndex: number) {
	const sdk = await import('./sdk.js').catch(() => undefined);
	if (sdk) return sdk;
	throw new NodeOperationError(functions.getNode(), 'This n8n does not have the SDK for AI nodes', {
		itemIndex,
		description:
			'The chat model needs n8n 2.16 or later. The Compute Chat Completion node works here without it.',
	});
}
