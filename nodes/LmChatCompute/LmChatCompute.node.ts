import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { chatModelField } from '../intelligence/fields';
import { searchModels } from '../intelligence/listSearch';
import { readLimits, requestsAtOnce, streamLimitOptions } from '../intelligence/requestLimits';
import { readCompletionOptions, samplingOptions } from '../intelligence/samplingOptions';
import { loadSdk, subNodeContext, subNodeParameters } from '../intelligence/subNode';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { optionsField, readOption } from '../shared/operation/option';
import { withBlocks } from './blocks';
import { gate } from './gate';
import { ComputeChatModel } from './model';

const fields: INodeProperties[] = [
	chatModelField,
	optionsField([...samplingOptions, ...streamLimitOptions, requestsAtOnce]),
];

export class LmChatCompute implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Chat Model',
		name: 'lmChatCompute',
		icon: { light: 'file:../../icons/model.svg', dark: 'file:../../icons/model.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["model"]["value"]}}',
		description: 'Language models of a compute marketplace for AI agents and chains',
		defaults: { name: 'Compute Chat Model' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...fields],
	};

	methods = { listSearch: { searchModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const parameters = subNodeParameters(this, itemIndex, fields);
		const modelId = String(parameters.id('model'));
		const options = parameters.group('options');
		const body = readCompletionOptions(options);
		const limits = readLimits(options);
		const begin = gate(readOption(options, requestsAtOnce));
		const context = await subNodeContext(this, itemIndex);
		const sdk = await loadSdk(this, itemIndex, 'The chat model');
		const schemaOf = sdk.getParametersJsonSchema;
		const model = new ComputeChatModel(modelId, { context, body, limits, begin, schemaOf });
		const { response, ...supplied } = sdk.supplyModel(this, model);
		return { ...supplied, response: withBlocks(response) };
	}
}
