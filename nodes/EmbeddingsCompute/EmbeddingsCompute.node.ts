import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { batchSize, DEFAULT_BATCH_SIZE, dimensions } from '../intelligence/embeddingOptions';
import { embeddingModelField } from '../intelligence/fields';
import { searchEmbeddingModels } from '../intelligence/listSearch';
import { limitOptions, readLimits, requestsAtOnce } from '../intelligence/requestLimits';
import { subNodeContext, subNodeParameters } from '../intelligence/subNode';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { optionsField, readOption, readOptions } from '../shared/operation/option';
import { supplyEmbeddings } from './embeddings';

const fields: INodeProperties[] = [
	embeddingModelField,
	optionsField([batchSize, dimensions, ...limitOptions, requestsAtOnce]),
];

export class EmbeddingsCompute implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Embeddings',
		name: 'embeddingsCompute',
		icon: { light: 'file:../../icons/model.svg', dark: 'file:../../icons/model.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["model"]["value"]}}',
		description: 'Embedding models of a compute marketplace for vector stores',
		defaults: { name: 'Compute Embeddings' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiEmbedding],
		outputNames: ['Embeddings'],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...fields],
	};

	methods = { listSearch: { searchEmbeddingModels } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const parameters = subNodeParameters(this, itemIndex, fields);
		const options = parameters.group('options');
		const settings = {
			model: String(parameters.id('model')),
			options: readOptions(options, [dimensions]),
			batchSize: readOption(options, batchSize) ?? DEFAULT_BATCH_SIZE,
			limits: readLimits(options),
			requestsAtOnce: readOption(options, requestsAtOnce) ?? 1,
		};
		return { response: supplyEmbeddings(await subNodeContext(this, itemIndex), settings) };
	}
}
