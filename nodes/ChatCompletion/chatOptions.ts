import type { IDataObject } from 'n8n-workflow';
import {
	readLimits,
	requestsAtOnce,
	streamLimitOptions,
	type RequestLimits,
} from '../intelligence/requestLimits';
import { readCompletionOptions, samplingOptions } from '../intelligence/samplingOptions';
import {
	choice,
	flag,
	integer,
	json,
	optionsField,
	readOption,
	verbatim,
	verbatimTexts,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { readResponseFormat, responseFormatOptions, type ResponseFormat } from './responseFormat';
import { readToolChoice, toolChoiceOptions, toolOptions } from './tools';

/** The request and the reading of its response, as the options of a chat completion say. */
export interface ChatOptions extends ResponseFormat {
	/** Undefined: stream where the execution streams to a chat. */
	stream?: boolean;
	/** `detail` of the images. */
	imageDetail?: string;
	limits: RequestLimits;
	/** Of all items. */
	requestsAtOnce?: number;
}

/** Options of the chat operation that become fields of the body (intelligence-api.md and beyond-the-spec.md section 5 "Chat completions"). */
const bodyOptions: Option[] = [
	...toolOptions,
	verbatimTexts({
		displayName: 'Guided: Choice',
		name: 'guidedChoice',
		button: 'Add Choice',
		description: 'The response is exactly one of these texts',
	}),
	verbatim({
		displayName: 'Guided: Grammar',
		name: 'guidedGrammar',
		rows: 4,
		placeholder: 'e.g. root ::= "yes" | "no"',
		description: 'Grammar that the response follows',
	}),
	json({
		displayName: 'Guided: JSON',
		name: 'guidedJson',
		description: 'JSON Schema that the response follows, enforced during generation',
	}),
	verbatim({
		displayName: 'Guided: Regex',
		name: 'guidedRegex',
		placeholder: 'e.g. \\d{4}-\\d{2}-\\d{2}',
		description: 'Regular expression that the response matches',
	}),
	flag({
		displayName: 'Output: Include Usage',
		name: 'includeUsage',
		key: 'stream_options.include_usage',
		description: 'Whether a streamed response ends with the number of tokens',
	}),
	flag({
		displayName: 'Output: Log Probabilities',
		name: 'logprobs',
		description: 'Whether to return the log probability of each token of the response',
	}),
	integer({
		displayName: 'Max Tokens (Deprecated)',
		name: 'maxTokens',
		limits: { min: 1 },
		default: 1024,
		description: 'Use Max Completion Tokens instead',
	}),
	integer({
		displayName: 'Number of Choices',
		name: 'n',
		limits: { min: 1, max: 20 },
		default: 1,
		description:
			'Number of responses to generate, 1 to 20. Each is billed and becomes an output item.',
	}),
	flag({
		displayName: 'Output: Reasoning Content',
		name: 'reasoningContent',
		description: 'Whether to return the reasoning of the model',
	}),
	integer({
		displayName: 'Output: Top Log Probabilities',
		name: 'topLogprobs',
		limits: { min: 0, max: 20 },
		default: 5,
		description:
			'Number of most likely tokens to return at each position, 0 to 20. Requires Log Probabilities.',
	}),
];

const streamOption = flag({
	displayName: 'Stream',
	name: 'stream',
	description:
		'Whether to stream the response. Without this option, it is streamed only if the execution streams to a chat.',
});
const imageDetailOption = choice({
	displayName: 'Image Detail',
	name: 'imageDetail',
	options: [
		{ name: 'Auto', value: 'auto' },
		{ name: 'High', value: 'high' },
		{ name: 'Low', value: 'low' },
	],
	default: 'auto',
	description: 'Level of detail at which the model processes images',
});

export const chatOptionsField = optionsField([
	...samplingOptions,
	...bodyOptions,
	streamOption,
	imageDetailOption,
	...responseFormatOptions,
	...toolChoiceOptions,
	...streamLimitOptions,
	requestsAtOnce,
]);

/**
 * The options of one item.
 * @throws the error of an option that is not valid
 */
export function readChatOptions(parameters: Parameters): ChatOptions {
	const options = parameters.group('options');
	const format = readResponseFormat(options);
	const fields = readCompletionOptions(options, bodyOptions);
	const body: IDataObject = { ...format.body, ...readToolChoice(options, fields.tools), ...fields };
	if (body.top_logprobs !== undefined && body.logprobs !== true)
		options.fail('topLogprobs', 'requires the option Log Probabilities');
	return {
		...format,
		body,
		stream: readOption(options, streamOption),
		imageDetail: readOption(options, imageDetailOption),
		limits: readLimits(options),
		requestsAtOnce: readOption(options, requestsAtOnce),
	};
}
