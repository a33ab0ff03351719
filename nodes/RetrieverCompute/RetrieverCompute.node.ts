import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { loadCollections } from '../intelligence/retrieval/listSearch';
import { topKField } from '../intelligence/retrieval/fields';
import { readSearchRequest, searchOptions } from '../intelligence/retrieval/searchSettings';
import { subNodeContext, subNodeParameters } from '../intelligence/subNode';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { number, optionsField, readOption } from '../shared/operation/option';
import { supplyRetriever } from './retriever';

const minScore = number({
	displayName: 'Minimum Score',
	name: 'minScore',
	precision: 4,
	default: 0,
	description: 'Minimum relevance score of a chunk. One without a score does not reach it.',
});

const fields: INodeProperties[] = [topKField, optionsField([minScore, ...searchOptions])];

export class RetrieverCompute implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Retriever',
		name: 'retrieverCompute',
		icon: { light: 'file:../../icons/rag.svg', dark: 'file:../../icons/rag.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{"Top " + $parameter["topK"]}}',
		description: 'Documents of a compute marketplace for question and answer chains',
		defaults: { name: 'Compute Retriever' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiRetriever],
		outputNames: ['Retriever'],
		credentials: chosenCredentials(INTELLIGENCE_CREDENTIALS),
		properties: [authenticationField(INTELLIGENCE_CREDENTIALS), ...fields],
	};

	methods = { loadOptions: { loadCollections } };

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const parameters = subNodeParameters(this, itemIndex, fields);
		const options = parameters.group('options');
		const request = readSearchRequest(parameters, options, '');
		const score = readOption(options, minScore);
		if (score !== undefined && request.search_settings.include_scores === false)
			options.fail('minScore', 'needs the option Include Scores');
		const context = await subNodeContext(this, itemIndex);
		return { response: supplyRetriever(context, request, score) };
	}
}
