import type { IDataObject } from 'n8n-workflow';
import {
	integer,
	number,
	option,
	readOptions,
	unlessBlank,
	verbatim,
	type Option,
} from '../shared/operation/option';
import { modelField } from '../intelligence/fields';
import type { Parameters } from '../shared/operation/parameters';

/** How the model writes an answer of RAG Query and Agent (beyond-the-spec.md section 6 "RAG query"). */
export const generationOptions: Option[] = [
	unlessBlank(
		option(
			{
				...modelField(
					'searchModels',
					'e.g. meta-llama/Llama-3.3-70B-Instruct',
					'Model that writes the answer. Leave empty to use the default of the service.',
				),
				required: false,
			},
			(options, name) => String(options.id(name)),
		),
	),
	integer({
		displayName: 'Max Answer Tokens',
		name: 'maxTokensToSample',
		limits: { min: 1 },
		default: 1024,
		description: 'Maximum number of tokens in the answer',
	}),
	number({
		displayName: 'Temperature',
		name: 'temperature',
		limits: { min: 0, max: 2 },
		default: 0.1,
		description: 'How varied the answer is, 0 to 2. Lower values stay closer to the sources.',
	}),
	number({
		displayName: 'Sampling: Top P',
		name: 'topP',
		limits: { min: 0, max: 1 },
		default: 1,
		description: 'Total probability of the most likely tokens that the model chooses from, 0 to 1',
	}),
];

/** `task_prompt` of RAG Query and Agent. */
export const taskPrompt = unlessBlank(
	verbatim({
		displayName: 'Task Prompt',
		name: 'taskPrompt',
		rows: 4,
		placeholder: 'e.g. Answer in one sentence, only from the documents.',
		description: 'Instructions for the model, instead of those of the service',
	}),
);

/** The `rag_generation_config` of the options that were added, or undefined if there are none. */
export function readGeneration(options: Parameters): IDataObject | undefined {
	const config = readOptions(options, generationOptions);
	return Object.keys(config).length > 0 ? config : undefined;
}
