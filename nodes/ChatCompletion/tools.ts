import type { IDataObject } from 'n8n-workflow';
import { isRecord, show } from '../shared/guards';
import { choice, flag, option, readOption, text } from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';

const tools = option(
	{
		displayName: 'Tools',
		name: 'tools',
		type: 'json',
		typeOptions: { rows: 6 },
		default: '[]',
		description:
			'Functions that the model may call, as a JSON array of {"type": "function", "function": {"name", "description", "parameters"}}',
	},
	(parameters, name) => {
		const list = parameters.json(name, 'list');
		const wrong = list.findIndex((tool) => !isToolDefinition(tool));
		if (wrong >= 0)
			parameters.fail(
				name,
				`must contain objects such as {"type": "function", "function": {"name": "..."}}, got ${show(list[wrong])} at position ${wrong + 1}`,
			);
		return list;
	},
);
const parallelToolCalls = flag({
	displayName: 'Tools: Parallel Calls',
	name: 'parallelToolCalls',
	description: 'Whether the model may call several tools in one response',
});
const toolChoice = choice({
	displayName: 'Tools: Choice',
	name: 'toolChoice',
	options: [
		{ name: 'Auto', value: 'auto', description: 'The model decides' },
		{
			name: 'Function',
			value: 'function',
			description: 'The model must call the function in Tool Name',
		},
		{ name: 'None', value: 'none', description: 'The model calls no tool' },
		{ name: 'Required', value: 'required', description: 'The model must call at least one tool' },
	],
	default: 'auto',
	description:
		'Whether the model calls tools. If only Tools is set, the node sends Auto; the default of the service is None.',
});
const toolName = text({
	displayName: 'Tools: Name',
	name: 'toolName',
	placeholder: 'e.g. get_price',
	description: 'Name of the function that the model must call',
	displayOptions: { show: { toolChoice: ['function'] } },
});

/** Options that are fields of the body. */
export const toolOptions = [tools, parallelToolCalls];
/** Options that {@link readToolChoice} reads. */
export const toolChoiceOptions = [toolChoice, toolName];

/**
 * `tool_choice` of the request (beyond-the-spec.md section 5 "Chat completions"); Auto where there are tools and no
 * choice, since the default of the service is none.
 * @param sentTools the `tools` of the request
 * @throws the error of a choice that is not valid, or of a function without a name
 */
export function readToolChoice(options: Parameters, sentTools: unknown): IDataObject {
	const chosen = readOption(options, toolChoice);
	if (chosen === undefined)
		return Array.isArray(sentTools) && sentTools.length > 0 ? { tool_choice: 'auto' } : {};
	return {
		tool_choice:
			chosen === 'function'
				? { type: 'function', function: { name: toolName.read(options) } }
				: chosen,
	};
}

/** Tools of other types than `function` belong to the service: they are sent as they are. */
function isToolDefinition(tool: unknown): boolean {
	if (!isRecord(tool)) return false;
	return (
		tool.type !== 'function' || (isRecord(tool.function) && typeof tool.function.name === 'string')
	);
}
