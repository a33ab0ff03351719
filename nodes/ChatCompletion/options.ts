import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField } from '../shared/fields';
import { isRecord, show, type Form } from '../shared/validate';
import { schemaFault } from './jsonSchema';

/** One optional parameter of a chat completion: its field, and what it puts into the body. */
export interface Option {
	field: INodeProperties;
	/** Called only where the option was added. */
	read(options: Form): IDataObject;
}

interface Range {
	min: number;
	max?: number;
}

function keyOf(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function number(
	displayName: string,
	name: string,
	range: Range,
	initial: number,
	description: string,
): Option {
	const typeOptions = { minValue: range.min, maxValue: range.max, numberPrecision: 2 };
	return {
		field: { displayName, name, type: 'number', typeOptions, default: initial, description },
		read: (options) => ({ [keyOf(name)]: options.number(name, range) }),
	};
}

function integer(
	displayName: string,
	name: string,
	range: Range,
	initial: number,
	description: string,
): Option {
	const typeOptions = { minValue: range.min, maxValue: range.max, numberPrecision: 0 };
	return {
		field: { displayName, name, type: 'number', typeOptions, default: initial, description },
		read: (options) => ({ [keyOf(name)]: options.integer(name, range) }),
	};
}

function flag(displayName: string, name: string, description: string): Option {
	return {
		field: { displayName, name, type: 'boolean', default: true, description },
		read: (options) => ({ [keyOf(name)]: options.flag(name) }),
	};
}

function text(
	displayName: string,
	name: string,
	description: string,
	more: Partial<INodeProperties> = {},
): Option {
	return {
		field: { displayName, name, type: 'string', default: '', description, ...more },
		read: (options) => ({ [keyOf(name)]: options.verbatim(name) }),
	};
}

function texts(
	displayName: string,
	name: string,
	button: string,
	description: string,
	mayBeBlank = false,
): Option {
	return {
		field: {
			displayName,
			name,
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: button },
			default: [],
			description,
		},
		read: (options) => ({ [keyOf(name)]: options.verbatimTexts(name, mayBeBlank) }),
	};
}

function json(displayName: string, name: string, description: string): Option {
	return {
		field: { displayName, name, type: 'json', default: '{}', description },
		read: (options) => ({ [keyOf(name)]: options.object(name) }),
	};
}

const EFFORTS = ['high', 'low', 'medium', 'none'] as const;
const CHOICES = ['auto', 'function', 'none', 'required'] as const;
const DETAILS = ['auto', 'high', 'low'] as const;
const FORMATS = ['json_object', 'json_schema', 'text'] as const;

/** Options that every model of the service takes, in the node and in the model for AI agents alike (intelligence-api.md and beyond-the-spec.md section 5). */
export const samplingOptions: Option[] = [
	number(
		'Frequency Penalty',
		'frequencyPenalty',
		{ min: -2, max: 2 },
		0,
		'Above 0, words are less likely the more often they were used, -2 to 2',
	),
	json(
		'Logit Bias',
		'logitBias',
		'How much more or less likely tokens are, as a JSON object from token ID to -100 to 100',
	),
	integer(
		'Max Completion Tokens',
		'maxCompletionTokens',
		{ min: 1 },
		1024,
		'Most tokens to write for each choice, reasoning included',
	),
	number(
		'Min P',
		'minP',
		{ min: 0, max: 1 },
		0,
		'Leaves out tokens below this share of the likeliest one, 0 to 1',
	),
	number(
		'Presence Penalty',
		'presencePenalty',
		{ min: -2, max: 2 },
		0,
		'Above 0, words that were used already are less likely, -2 to 2',
	),
	{
		field: {
			displayName: 'Reasoning Effort',
			name: 'reasoningEffort',
			type: 'options',
			options: [
				{ name: 'High', value: 'high' },
				{ name: 'Low', value: 'low' },
				{ name: 'Medium', value: 'medium' },
				{ name: 'None', value: 'none' },
			],
			default: 'medium',
			description: 'How long a reasoning model thinks before it answers',
		},
		read: (options) => ({ reasoning: { effort: options.choice('reasoningEffort', EFFORTS) } }),
	},
	number(
		'Repetition Penalty',
		'repetitionPenalty',
		{ min: 0 },
		1,
		'Above 1, repetitions are less likely; 1 changes nothing',
	),
	integer(
		'Seed',
		'seed',
		{ min: Number.MIN_SAFE_INTEGER },
		0,
		'The same seed and input give the same answer where possible',
	),
	texts(
		'Stop Sequences',
		'stop',
		'Add Stop Sequence',
		'The model stops before it would write one of these',
		true,
	),
	number(
		'Temperature',
		'temperature',
		{ min: 0, max: 2 },
		0.7,
		'How varied the answers are, 0 to 2. The service takes 0.7 when nothing is set.',
	),
	integer(
		'Top K',
		'topK',
		{ min: -1 },
		-1,
		'Chooses among this many of the likeliest tokens; -1 is all',
	),
	number(
		'Top P',
		'topP',
		{ min: 0, max: 1 },
		1,
		'Chooses among the likeliest tokens that together have this share, 0 to 1',
	),
	text('User', 'user', 'Identifier of your own user, for the service to find abuse', {
		placeholder: 'e.g. user-42',
	}),
	{
		field: {
			displayName: 'Extra Body Fields',
			name: 'extraBody',
			type: 'json',
			default: '{}',
			description:
				'More fields of the request, as a JSON object. They win over the fields of this node.',
		},
		read(options) {
			const extra = options.object('extraBody');
			if ('stream' in extra)
				options.fail(
					'extraBody',
					'must not hold stream: whether the answer is streamed is not set here',
				);
			return extra;
		},
	},
];

/** Options of the chat operation alone. */
const chatOptions: Option[] = [
	texts('Guided Choice', 'guidedChoice', 'Add Choice', 'The answer is exactly one of these'),
	text('Guided Grammar', 'guidedGrammar', 'The answer follows this grammar', {
		placeholder: 'e.g. root ::= "yes" | "no"',
		typeOptions: { rows: 4 },
	}),
	json(
		'Guided JSON',
		'guidedJson',
		'The answer follows this JSON schema, enforced while it is written',
	),
	text('Guided Regex', 'guidedRegex', 'The answer matches this regular expression', {
		placeholder: 'e.g. \\d{4}-\\d{2}-\\d{2}',
	}),
	flag('Log Probabilities', 'logprobs', 'Whether to return how likely each token was'),
	integer(
		'Max Tokens (Deprecated)',
		'maxTokens',
		{ min: 1 },
		1024,
		'The older form of Max Completion Tokens',
	),
	integer(
		'Number of Choices',
		'n',
		{ min: 1, max: 20 },
		1,
		'How many answers to write, 1 to 20; each is billed and an output item',
	),
	flag(
		'Parallel Tool Calls',
		'parallelToolCalls',
		'Whether the model may call several tools at once',
	),
	flag(
		'Reasoning Content',
		'reasoningContent',
		'Whether to return what the model thought before it answered',
	),
	{
		field: {
			displayName: 'Include Usage',
			name: 'includeUsage',
			type: 'boolean',
			default: true,
			description: 'Whether a streamed answer ends with the number of tokens',
		},
		read: (options) => ({ stream_options: { include_usage: options.flag('includeUsage') } }),
	},
	{
		field: {
			displayName: 'Tools',
			name: 'tools',
			type: 'json',
			typeOptions: { rows: 6 },
			default: '[]',
			description:
				'Functions that the model may call, as a JSON list: {"type": "function", "function": {"name", "description", "parameters"}}',
		},
		read(options) {
			const tools = options.list('tools');
			const wrong = tools.findIndex(
				(tool) =>
					!isRecord(tool) ||
					(tool.type === 'function' &&
						!(isRecord(tool.function) && typeof tool.function.name === 'string')),
			);
			if (wrong >= 0)
				options.fail(
					'tools',
					`must hold objects such as {"type": "function", "function": {"name": "..."}}, got ${show(tools[wrong])} at position ${wrong + 1}`,
				);
			return { tools: tools as IDataObject[] };
		},
	},
	integer(
		'Top Log Probabilities',
		'topLogprobs',
		{ min: 0, max: 20 },
		5,
		'How many likely tokens to return for each position, 0 to 20; needs Log Probabilities',
	),
];

const streamField: INodeProperties = {
	displayName: 'Stream',
	name: 'stream',
	type: 'boolean',
	default: true,
	description:
		'Whether to read the answer while it is written. Without this option only where the execution streams to a chat.',
};

/** Options that belong together: the format of the answer with its schema, and the choice of tools. */
const linkedFields: INodeProperties[] = [
	streamField,
	{
		displayName: 'Image Detail',
		name: 'imageDetail',
		type: 'options',
		options: [
			{ name: 'Auto', value: 'auto' },
			{ name: 'High', value: 'high' },
			{ name: 'Low', value: 'low' },
		],
		default: 'auto',
		description: 'How closely the model looks at the images of the messages',
	},
	{
		displayName: 'JSON Schema',
		name: 'jsonSchema',
		type: 'json',
		typeOptions: { rows: 8 },
		default: '{\n  "type": "object",\n  "properties": {},\n  "required": []\n}',
		description: 'The JSON schema that the answer must match. The answer is checked against it.',
	},
	{
		displayName: 'JSON Schema Description',
		name: 'jsonSchemaDescription',
		type: 'string',
		default: '',
		placeholder: 'e.g. An order of machines',
		description: 'What the JSON is for, for the model to read',
	},
	{
		displayName: 'JSON Schema Name',
		name: 'jsonSchemaName',
		type: 'string',
		default: 'answer',
		description: 'Name of the schema: letters, digits, - and _, at most 64',
	},
	{
		displayName: 'JSON Schema Strict',
		name: 'jsonSchemaStrict',
		type: 'boolean',
		default: true,
		description: 'Whether the model is held to the schema while it writes',
	},
	{
		displayName: 'Response Format',
		name: 'responseFormat',
		type: 'options',
		options: [
			{
				name: 'JSON Object',
				value: 'json_object',
				description: 'Any JSON object; the prompt has to ask for JSON',
			},
			{ name: 'JSON Schema', value: 'json_schema' },
			{ name: 'Text', value: 'text' },
		],
		default: 'json_schema',
		description: 'JSON is parsed in the output',
	},
	{
		displayName: 'Tool Choice',
		name: 'toolChoice',
		type: 'options',
		options: [
			{ name: 'Auto', value: 'auto', description: 'The model decides' },
			{
				name: 'Function',
				value: 'function',
				description: 'The model must call the function that Tool Name names',
			},
			{ name: 'None', value: 'none', description: 'The model calls no tool' },
			{ name: 'Required', value: 'required', description: 'The model must call at least one tool' },
		],
		default: 'auto',
		description:
			'Whether the model calls tools. With tools Auto is sent without this option; the service itself takes None.',
	},
	{
		displayName: 'Tool Name',
		name: 'toolName',
		type: 'string',
		displayOptions: { show: { toolChoice: ['function'] } },
		default: '',
		placeholder: 'e.g. get_price',
		description: 'The function that the model must call',
	},
];

export const optionsField: INodeProperties = collectionField('options', 'Options', 'Add Option', [
	...[...samplingOptions, ...chatOptions].map(({ field }) => field),
	...linkedFields,
]);

/** What the options mean: fields of the body, and what is done with the answer. */
export interface ChatOptions {
	body: IDataObject;
	/** Undefined: as the execution does. */
	stream?: boolean;
	imageDetail?: string;
	isJson: boolean;
	schema?: IDataObject;
}

/** The body's fields of the options that were added. */
export function readOptions(options: Form, list: Option[]): IDataObject {
	const added = list.filter(({ field }) => options.isSet(field.name));
	// Last, so that it wins
	const last = added.filter(({ field }) => field.name === 'extraBody');
	// Object.assign would take a field of the name __proto__ for the prototype of the body
	return Object.fromEntries(
		[...added.filter((option) => !last.includes(option)), ...last].flatMap(({ read }) =>
			Object.entries(read(options)),
		),
	);
}

export function readChatOptions(form: Form): ChatOptions {
	const options = form.group('options');
	const format = readFormat(options);
	const own = readOptions(options, [...samplingOptions, ...chatOptions]);
	const body = { ...format.body, ...readTools(options, own.tools), ...own };
	if (body.top_logprobs !== undefined && body.logprobs !== true)
		options.fail('topLogprobs', 'needs the option Log Probabilities');
	return {
		body,
		stream: options.isSet('stream') ? options.flag('stream') : undefined,
		imageDetail: options.isSet('imageDetail') ? options.choice('imageDetail', DETAILS) : undefined,
		isJson: format.isJson,
		schema: format.schema,
	};
}

function readFormat(options: Form): { body: IDataObject; isJson: boolean; schema?: IDataObject } {
	const schema = options.isSet('jsonSchema') ? options.object('jsonSchema') : undefined;
	const fault = schema && schemaFault(schema);
	if (fault) options.fail('jsonSchema', `cannot be used: ${fault}`);
	if (!options.isSet('responseFormat') && !schema) return { body: {}, isJson: false };
	const type = options.isSet('responseFormat')
		? options.choice('responseFormat', FORMATS)
		: 'json_schema';
	if (type === 'text' && schema)
		options.fail(
			'responseFormat',
			'must be JSON Schema or JSON Object where there is a JSON Schema, got "text"',
		);
	if (type !== 'json_schema')
		return { body: { response_format: { type } }, isJson: type === 'json_object', schema };
	if (!schema)
		options.fail('jsonSchema', 'is required: add it, or set Response Format to JSON Object');
	const name = options.optionalText('jsonSchemaName') ?? 'answer';
	if (!/^[\w-]{1,64}$/.test(name))
		options.fail(
			'jsonSchemaName',
			`may only hold letters, digits, - and _, at most 64, got "${name}"`,
		);
	const description = options.optionalText('jsonSchemaDescription');
	const strict = options.isSet('jsonSchemaStrict')
		? { strict: options.flag('jsonSchemaStrict') }
		: {};
	return {
		body: {
			response_format: {
				type,
				json_schema: { name, ...(description && { description }), schema, ...strict },
			},
		},
		isJson: true,
		schema,
	};
}

function readTools(options: Form, tools: unknown): IDataObject {
	if (!options.isSet('toolChoice'))
		return Array.isArray(tools) && tools.length > 0 ? { tool_choice: 'auto' } : {};
	const choice = options.choice('toolChoice', CHOICES);
	return {
		tool_choice:
			choice === 'function'
				? { type: 'function', function: { name: options.text('toolName') } }
				: choice,
	};
}
