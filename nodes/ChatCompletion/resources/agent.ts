import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField, limitFields, locatorField, readLimit } from '../../shared/fields';
import { parseJson } from '../../shared/json';
import type { Operation, Resource } from '../../shared/operation/operation';
import { replyError, request, requestObject, type RequestContext } from '../../shared/http/request';
import { type Parameters } from '../../shared/operation/parameters';
import { API, GENERATION_DEADLINE_MS } from '../../intelligence/paths';
import { isRecord } from '../../shared/guards';

/** `GET /api/v1/agents` (intelligence-api.md "List agents"): a map from key to agent, here one entry an agent. */
export async function listAgents(context: RequestContext): Promise<IDataObject[]> {
	const { agents } = await requestObject(context, {
		method: 'GET',
		path: `${API}/agents`,
		retry: 'idempotent',
	});
	if (!isRecord(agents))
		throw replyError(context, {
			kind: 'lost',
			reason: 'The answer does not hold the agents that were expected',
		});
	return Object.entries(agents).map(([key, agent]) => ({
		agent_key: key,
		...(isRecord(agent) ? (agent as IDataObject) : { name: String(agent) }),
	}));
}

const getAll: Operation<{ limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many agents',
	description: 'Retrieve the agents (beta) of the service, each with its key',
	effect: 'read',
	fields: limitFields,
	input: (parameters) => ({ limit: readLimit(parameters) }),
	run: async (context, { limit }) => (await listAgents(context)).slice(0, limit),
};

/** The kinds of `args` with the fields that each takes (beyond-the-spec.md section 5 "Run an agent"). */
const ARGUMENTS: Record<string, { name: string; needs: string[]; takes?: string[] }> = {
	classify: { name: 'Classify', needs: ['classifyBy'] },
	custom: { name: 'Custom', needs: ['name', 'instructions'], takes: ['objective', 'context'] },
	extract_categorized_entities: { name: 'Extract Categorized Entities', needs: [] },
	moderation: { name: 'Moderation', needs: [], takes: ['threshold'] },
	sentiment: { name: 'Sentiment', needs: [] },
	solve_with_reasoning: { name: 'Solve with Reasoning', needs: [] },
	summarize_text: { name: 'Summarize Text', needs: [], takes: ['maxWords'] },
	translate_text: { name: 'Translate Text', needs: ['targetLanguage'] },
};
const TYPES = Object.keys(ARGUMENTS);

/** The fields of `args` besides its type: key of the API and reader. */
const READERS: Record<
	string,
	[key: string, read: (parameters: Parameters, name: string) => unknown]
> = {
	classifyBy: ['classify_by', (parameters, name) => parameters.texts(name)],
	context: ['context', (parameters, name) => parameters.text(name)],
	instructions: ['instructions', (parameters, name) => parameters.text(name)],
	maxWords: ['max_words', (parameters, name) => parameters.integer(name, { min: 1 })],
	name: ['name', (parameters, name) => parameters.text(name)],
	objective: ['objective', (parameters, name) => parameters.text(name)],
	targetLanguage: ['target_language', (parameters, name) => parameters.text(name)],
	threshold: ['threshold', (parameters, name) => parameters.number(name, { min: 0, max: 1 })],
};

/** A field of Arguments, shown for the types that take it. */
function argument(
	displayName: string,
	name: string,
	description: string,
	more: Partial<INodeProperties>,
): INodeProperties {
	const types = TYPES.filter((type) =>
		[...(ARGUMENTS[type]?.needs ?? []), ...(ARGUMENTS[type]?.takes ?? [])].includes(name),
	);
	return {
		displayName,
		name,
		type: 'string',
		displayOptions: { show: { type: types } },
		default: '',
		description,
		...more,
	};
}

const argumentsField: INodeProperties = collectionField(
	'arguments',
	'Arguments',
	'Add Argument',
	[
		argument('Classify By', 'classifyBy', 'The classes to choose from, one entry for each', {
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Class' },
			default: [],
			placeholder: 'e.g. invoice',
		}),
		argument('Context', 'context', 'Text that the agent works with', {
			placeholder: 'e.g. The customer is a university.',
		}),
		argument('Instructions', 'instructions', 'How the agent is to go about it', {
			typeOptions: { rows: 4 },
			placeholder: 'e.g. Name each machine with its number of cards.',
		}),
		argument('Max Words', 'maxWords', 'Longest summary in words, 1 or more', {
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 100,
		}),
		argument('Name', 'name', 'Name of the custom agent', { placeholder: 'e.g. order-reader' }),
		argument('Objective', 'objective', 'What the custom agent is for', {
			placeholder: 'e.g. Find out what is ordered',
		}),
		argument('Target Language', 'targetLanguage', 'The language to translate into', {
			placeholder: 'e.g. Spanish',
		}),
		argument('Threshold', 'threshold', 'From which score on a text is flagged, 0 to 1', {
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
			default: 0.5,
		}),
		{
			displayName: 'Type',
			name: 'type',
			type: 'options',
			options: TYPES.map((value) => ({ name: ARGUMENTS[value]?.name ?? value, value })),
			default: 'summarize_text',
			description: 'The kind of work',
		},
	],
	'What the agent is to do. Add Type first: it brings the other fields.',
);

function readArguments(parameters: Parameters): IDataObject | undefined {
	const group = parameters.group('arguments');
	if (!group.isSet('type')) return undefined;
	const type = group.choice('type', TYPES);
	const { needs = [], takes = [] } = ARGUMENTS[type] ?? {};
	const args: IDataObject = { type };
	for (const [name, [key, read]] of Object.entries(READERS)) {
		if (needs.includes(name) || (takes.includes(name) && group.has(name)))
			args[key] = read(group, name) as IDataObject['x'];
	}
	if (Array.isArray(args.classify_by) && args.classify_by.length === 0)
		group.fail('classifyBy', 'is required: add at least one class');
	return args;
}

interface RunInput {
	body: IDataObject;
}

/** `POST /api/v1/workflows/run` (beyond-the-spec.md section 5 "Run an agent"); the shape of its result is not known and handed on. */
const run: Operation<RunInput> = {
	value: 'run',
	name: 'Run',
	action: 'Run an agent',
	description:
		'Let an agent (beta) work on a text: summarize, translate, classify, moderate, find entities or mood, or reason',
	effect: 'generate',
	fields: [
		{
			displayName: 'The agents API is in beta and may be unstable',
			name: 'betaNotice',
			type: 'notice',
			default: '',
		},
		locatorField({
			displayName: 'Agent',
			name: 'agentName',
			description: 'The agent that does the work',
			placeholder: 'Select an agent...',
			searchListMethod: 'searchAgents',
			idPlaceholder: 'e.g. summary_agent',
			idHint: 'The key of an agent in the list of agents',
		}),
		{
			displayName: 'Objective',
			name: 'objective',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. The machine was fast and the price was fair.',
			description: 'The task, or the text that the agent works on',
		},
		argumentsField,
		collectionField('options', 'Options', 'Add Option', [
			{
				displayName: 'Persona',
				name: 'persona',
				type: 'string',
				default: '',
				placeholder: 'e.g. A patient clerk',
				description: 'Who the agent is to be, as text or as a JSON object',
			},
		]),
	],
	input(parameters) {
		const persona = parameters.group('options').optionalText('persona');
		const args = readArguments(parameters);
		return {
			body: {
				objective: parameters.verbatim('objective'),
				agent_names: [String(parameters.id('agentName'))],
				...(args && { args }),
				...(persona !== undefined && {
					persona: (parseJson(persona) ?? persona) as IDataObject['x'],
				}),
			},
		};
	},
	async run(context, { body }) {
		const result = await request(context, {
			method: 'POST',
			path: `${API}/workflows/run`,
			body,
			retry: 'billed',
			deadlineMs: GENERATION_DEADLINE_MS,
		});
		return [isRecord(result) ? (result as IDataObject) : { result: result as IDataObject['x'] }];
	},
};

export const agent: Resource = { value: 'agent', name: 'Agent (Beta)', operations: [getAll, run] };
