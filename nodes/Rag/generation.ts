import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../shared/operation/parameters';
import { textField } from './fields';

/** How the engine writes its answer, for its own RAG query and its agent (beyond-the-spec.md section 6 "RAG query"). */
export const generationFields: INodeProperties[] = [
	textField('Model', 'model', 'The model that writes the answer; empty leaves it to the service', {
		placeholder: 'e.g. meta-llama/Llama-3.3-70B-Instruct',
	}),
	{
		displayName: 'Max Answer Tokens',
		name: 'maxTokensToSample',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1024,
		description: 'Upper bound of generated tokens',
	},
	{
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 0.1,
		description: 'How freely the model writes; 0 keeps closest to the sources',
	},
	{
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description: 'Share of likely words that the model chooses from',
	},
];

export function readGeneration(options: Parameters): IDataObject | undefined {
	const config: IDataObject = {
		model: options.optionalText('model'),
		temperature: options.optionalNumber('temperature', { min: 0, max: 2 }),
		top_p: options.optionalNumber('topP', { min: 0, max: 1 }),
		max_tokens_to_sample: options.optionalInteger('maxTokensToSample', { min: 1 }),
		stream: options.flag('stream') || undefined,
	};
	return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}
