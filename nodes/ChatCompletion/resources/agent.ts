import type { IDataObject } from 'n8n-workflow';
import { listAgents } from '../../intelligence/agents';
import { API, GENERATION_DEADLINE_MS } from '../../intelligence/paths';
import { requireWhole } from '../../intelligence/wholeAnswer';
import { limitFields, locatorField, readLimit } from '../../shared/fields';
import { isRecord } from '../../shared/guards';
import { request } from '../../shared/http/request';
import { parseJson } from '../../shared/json';
import type { OperationContext } from '../../shared/operation/context';
import type { Operation, Resource } from '../../shared/operation/operation';
import {
	option,
	optionsField,
	readOption,
	readOptions,
	texts,
	unlessBlank,
} from '../../shared/operation/option';
import { readArguments, taskFields } from '../agentArguments';
import { withEarlier } from '../earlierTries';

/** `GET /api/v1/agents` (intelligence-api.md "List agents"). */
const getAll: Operation<{ limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many agents',
	description: 'Retrieve the agents (beta) of the service with their keys',
	effect: 'read',
	fields: limitFields,
	input: (parameters) => ({ limit: readLimit(parameters) }),
	run: async (context, { limit }) => (await listAgents(context)).slice(0, limit),
};

const options = [
	unlessBlank(
		option(
			{
				displayName: 'Persona',
				name: 'persona',
				type: 'string',
				default: '',
				placeholder: 'e.g. A patient clerk',
				description: 'Role that the agent takes on, as text or as a JSON object',
			},
			(parameters, name) => {
				const persona = parameters.text(name);
				const json = parseJson(persona);
				return isRecord(json) ? json : persona;
			},
		),
	),
];

const moreAgents = unlessBlank(
	texts({
		displayName: 'More Agents',
		name: 'moreAgents',
		button: 'Add Agent',
		placeholder: 'e.g. sentiment_analysis_agent',
		description: 'Keys of further agents that run beside the chosen one',
	}),
);

/** `POST /api/v1/workflows/run` (beyond-the-spec.md section 5 "Run an agent"). The form of its result is unknown: it is returned as it is. */
const run: Operation<{ body: IDataObject }> = {
	value: 'run',
	name: 'Run',
	action: 'Run agent',
	description:
		'Run an agent (beta) on a text: summarize, translate, classify, moderate, extract entities, detect sentiment, or reason',
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
			description: 'Agent to run',
			placeholder: 'Select an agent...',
			searchListMethod: 'searchAgents',
			idPlaceholder: 'e.g. summary_agent',
			idHint: 'Key of the agent, as Agent > Get Many returns it',
		}),
		{
			displayName: 'Objective',
			name: 'objective',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. The delivery was fast and the price was fair.',
			description: 'Task of the agent, or the text that it works on',
		},
		...taskFields,
		optionsField([...options, moreAgents]),
	],
	input(parameters) {
		const args = readArguments(parameters);
		const group = parameters.group('options');
		return {
			body: {
				objective: parameters.text('objective', { trim: false }),
				agent_names: [String(parameters.id('agentName')), ...(readOption(group, moreAgents) ?? [])],
				...(args && { args }),
				...readOptions(group, options),
			},
		};
	},
	run: async (context, input) =>
		await withEarlier(context, async () => await runAgent(context, input)),
};

async function runAgent(
	context: OperationContext,
	{ body }: { body: IDataObject },
): Promise<IDataObject[]> {
	const result = await request(context, {
		method: 'POST',
		path: `${API}/workflows/run`,
		body,
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	});
	requireWhole(context, result, 'The result of the agent');
	return [isRecord(result) ? (result as IDataObject) : { result: result as IDataObject['x'] }];
}

export const agent: Resource = { value: 'agent', name: 'Agent (Beta)', operations: [getAll, run] };
