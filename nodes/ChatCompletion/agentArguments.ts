import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	choice,
	integer,
	number,
	optionsField,
	readOption,
	readOptions,
	text,
	texts,
	unlessBlank,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';

/** The kinds of `args` (beyond-the-spec.md section 5 "Run an agent"). Which arguments each takes is in their `show`. */
const TASKS = [
	{ name: 'Classify', value: 'classify' },
	{ name: 'Custom', value: 'custom' },
	{ name: 'Extract Categorized Entities', value: 'extract_categorized_entities' },
	{ name: 'Moderation', value: 'moderation' },
	{ name: 'Sentiment', value: 'sentiment' },
	{ name: 'Solve with Reasoning', value: 'solve_with_reasoning' },
	{ name: 'Summarize Text', value: 'summarize_text' },
	{ name: 'Translate Text', value: 'translate_text' },
];

const type = choice({
	displayName: 'Type',
	name: 'type',
	options: TASKS,
	default: 'summarize_text',
	description: 'Task of the agent',
});

/** Required by the type that they are shown for. */
const requiredArguments: Option[] = [
	texts({
		displayName: 'Classify By',
		name: 'classifyBy',
		button: 'Add Class',
		placeholder: 'e.g. invoice',
		description: 'Classes to choose from',
		displayOptions: { show: { type: ['classify'] } },
	}),
	text({
		displayName: 'Instructions',
		name: 'instructions',
		rows: 4,
		placeholder: 'e.g. List each GPU with its quantity.',
		description: 'Instructions that the custom agent follows',
		displayOptions: { show: { type: ['custom'] } },
	}),
	text({
		displayName: 'Name',
		name: 'name',
		placeholder: 'e.g. order-reader',
		description: 'Name of the custom agent',
		displayOptions: { show: { type: ['custom'] } },
	}),
	text({
		displayName: 'Target Language',
		name: 'targetLanguage',
		placeholder: 'e.g. Spanish',
		description: 'Language to translate into',
		displayOptions: { show: { type: ['translate_text'] } },
	}),
];

const optionalArguments: Option[] = [
	text({
		displayName: 'Context',
		name: 'context',
		placeholder: 'e.g. The customer is a university.',
		description: 'Background information for the custom agent',
		displayOptions: { show: { type: ['custom'] } },
	}),
	integer({
		displayName: 'Max Words',
		name: 'maxWords',
		limits: { min: 1 },
		default: 100,
		description: 'Maximum number of words in the summary',
		displayOptions: { show: { type: ['summarize_text'] } },
	}),
	text({
		displayName: 'Objective',
		name: 'objective',
		placeholder: 'e.g. Find the ordered items',
		description: 'Goal of the custom agent',
		displayOptions: { show: { type: ['custom'] } },
	}),
	number({
		displayName: 'Threshold',
		name: 'threshold',
		limits: { min: 0, max: 1 },
		default: 0.5,
		description: 'Minimum score to flag a text, 0 to 1',
		displayOptions: { show: { type: ['moderation'] } },
	}),
].map(unlessBlank);

/** Value of Task where it is not chosen there. */
const IN_ARGUMENTS = 'arguments';

/** Chooses the task and asks for what it needs; what a task may have besides is in a collection. */
export const taskFields: INodeProperties[] = [
	{
		displayName: 'Task',
		name: 'task',
		type: 'options',
		options: [
			{
				name: 'As the Agent Does by Itself',
				value: IN_ARGUMENTS,
				description: 'Or as Arguments say',
			},
			...TASKS,
		],
		default: IN_ARGUMENTS,
		description: 'What the agent is to do with the text',
	},
	...requiredArguments.map(({ field }) => ({
		...field,
		required: true,
		...shownFor(field, 'task'),
	})),
	{
		...optionsField(
			optionalArguments.map((option) => ({
				...option,
				field: { ...option.field, ...shownFor(option.field, '/task') },
			})),
			{
				name: 'taskOptions',
				displayName: 'Task Options',
				placeholder: 'Add Task Option',
			},
		),
		displayOptions: { show: { task: ['custom', 'moderation', 'summarize_text'] } },
	},
	{
		...optionsField([type, ...requiredArguments, ...optionalArguments], {
			name: 'arguments',
			displayName: 'Arguments',
			placeholder: 'Add Argument',
			description:
				'Settings of the task, whose Type must be added first. Task above asks for them itself.',
		}),
		displayOptions: { show: { task: [IN_ARGUMENTS] } },
	},
];

/** The condition of an argument, on another field than the type. */
function shownFor({ displayOptions }: INodeProperties, field: string): Partial<INodeProperties> {
	return { displayOptions: { show: { [field]: displayOptions?.show?.type ?? [] } } };
}

/**
 * The `args` of the request, or undefined where no task was chosen. Arguments of other tasks are ignored.
 * @throws the error of an argument that is not valid, or that the type needs and that is missing
 */
export function readArguments(parameters: Parameters): IDataObject | undefined {
	const task = parameters.choice('task', [IN_ARGUMENTS, ...TASKS.map(({ value }) => value)]);
	if (task !== IN_ARGUMENTS) return argumentsOf(task, parameters, parameters.group('taskOptions'));
	const group = parameters.group('arguments');
	const chosen = readOption(group, type);
	return chosen === undefined ? undefined : argumentsOf(String(chosen), group, group);
}

function argumentsOf(chosen: string, needed: Parameters, optional: Parameters): IDataObject {
	const isTaken = ({ field }: Option) =>
		field.displayOptions?.show?.type?.includes(chosen) === true;
	const required = requiredArguments.filter(isTaken);
	return {
		type: chosen,
		...Object.fromEntries(required.map(({ key, read }) => [key, read(needed)])),
		...readOptions(optional, optionalArguments.filter(isTaken)),
	};
}
