import type { IDataObject } from 'n8n-workflow';
import {
	choice,
	integer,
	json,
	number,
	option,
	readOption,
	readOptions,
	verbatim,
	verbatimTexts,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';

const extraBody = option(
	{
		displayName: 'Extra Body Fields',
		name: 'extraBody',
		type: 'json',
		default: '{}',
		description:
			'Additional fields of the request body, as a JSON object. They override the other parameters.',
	},
	(parameters, name) => {
		const fields = parameters.json(name, 'object');
		if ('stream' in fields)
			parameters.fail(name, 'must not contain stream: the node sets it itself');
		return fields;
	},
);

const bodyOptions: Option[] = [
	number({
		displayName: 'Sampling: Frequency Penalty',
		name: 'frequencyPenalty',
		limits: { min: -2, max: 2 },
		default: 0,
		description:
			'Positive values make tokens less likely the more often they have been used, -2 to 2',
	}),
	json({
		displayName: 'Sampling: Logit Bias',
		name: 'logitBias',
		description:
			'Bias for single tokens, as a JSON object from token ID to a value from -100 to 100',
	}),
	integer({
		displayName: 'Max Completion Tokens',
		name: 'maxCompletionTokens',
		limits: { min: 1 },
		default: 1024,
		description: 'Maximum number of tokens to generate for each choice, including reasoning tokens',
	}),
	number({
		displayName: 'Sampling: Min P',
		name: 'minP',
		limits: { min: 0, max: 1 },
		default: 0,
		description: 'Minimum probability of a token relative to the most likely one, 0 to 1',
	}),
	number({
		displayName: 'Sampling: Presence Penalty',
		name: 'presencePenalty',
		limits: { min: -2, max: 2 },
		default: 0,
		description: 'Positive values make tokens that have been used already less likely, -2 to 2',
	}),
	choice({
		displayName: 'Reasoning Effort',
		name: 'reasoningEffort',
		key: 'reasoning.effort',
		options: [
			{ name: 'High', value: 'high' },
			{ name: 'Low', value: 'low' },
			{ name: 'Medium', value: 'medium' },
			{ name: 'None', value: 'none' },
		],
		default: 'medium',
		description: 'How much effort a reasoning model spends before it answers',
	}),
	number({
		displayName: 'Sampling: Repetition Penalty',
		name: 'repetitionPenalty',
		limits: { min: 0 },
		default: 1,
		description: 'Values above 1 make repetitions less likely; 1 has no effect',
	}),
	integer({
		displayName: 'Sampling: Seed',
		name: 'seed',
		limits: { min: Number.MIN_SAFE_INTEGER },
		default: 0,
		description:
			'Requests with the same seed and input return the same response if the model supports it',
	}),
	verbatimTexts({
		displayName: 'Stop Sequences',
		name: 'stop',
		button: 'Add Stop Sequence',
		mayBeBlank: true,
		description: 'Texts at which the model stops generating',
	}),
	number({
		displayName: 'Temperature',
		name: 'temperature',
		limits: { min: 0, max: 2 },
		default: 0.7,
		description:
			'Higher values make the response more random, 0 to 2. The default of the service is 0.7.',
	}),
	integer({
		displayName: 'Sampling: Top K',
		name: 'topK',
		limits: { min: -1 },
		default: -1,
		description: 'Number of most likely tokens to choose from; -1 for all',
	}),
	number({
		displayName: 'Sampling: Top P',
		name: 'topP',
		limits: { min: 0, max: 1 },
		default: 1,
		description:
			'Nucleus sampling: choose from the most likely tokens with this total probability, 0 to 1',
	}),
	verbatim({
		displayName: 'User',
		name: 'user',
		placeholder: 'e.g. user-42',
		description: 'Identifier of your end user, which helps the service to detect abuse',
	}),
];

/**
 * Options of every chat model: in the Chat Completion node and in the model for AI agents
 * (intelligence-api.md "Chat completions" and beyond-the-spec.md section 5).
 */
export const samplingOptions: Option[] = [...bodyOptions, extraBody];

/**
 * The fields of the body of the options that were added. Extra Body Fields win.
 * @param more options beside {@link samplingOptions}
 * @throws the error of an option that is not valid
 */
export function readCompletionOptions(options: Parameters, more: Option[] = []): IDataObject {
	return { ...readOptions(options, [...bodyOptions, ...more]), ...readOption(options, extraBody) };
}
