import type { IDataObject } from 'n8n-workflow';
import {
	integer,
	number,
	readOptions,
	text,
	unlessBlank,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';

/** How the engine writes its answer, for its own RAG query and its agent (beyond-the-spec.md section 6 "RAG query"). */
export const generationOptions: Option[] = [
	unlessBlank(
		text({
			displayName: 'Model',
			name: 'model',
			placeholder: 'e.g. meta-llama/Llama-3.3-70B-Instruct',
			description: 'The model that writes the answer; empty leaves it to the service',
		}),
	),
	integer({
		displayName: 'Max Answer Tokens',
		name: 'maxTokensToSample',
		limits: { min: 1 },
		default: 1024,
		description: 'Upper bound of generated tokens',
	}),
	number({
		displayName: 'Temperature',
		name: 'temperature',
		limits: { min: 0, max: 2 },
		default: 0.1,
		description: 'How freely the model writes; 0 keeps closest to the sources',
	}),
	number({
		displayName: 'Top P',
		name: 'topP',
		limits: { min: 0, max: 1 },
		default: 1,
		description: 'Share of likely words that the model chooses from',
	}),
];

/**
 * The `rag_generation_config` of the options that were added, or undefined where there is none.
 * @param isStreamed whether the answer comes as an event stream
 */
export function readGeneration(options: Parameters, isStreamed = false): IDataObject | undefined {
	const config = {
		...readOptions(options, generationOptions),
		...(isStreamed && { stream: true }),
	};
	return Object.keys(config).length > 0 ? config : undefined;
}
