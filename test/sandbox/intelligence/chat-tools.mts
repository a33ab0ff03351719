import { isRecord } from '../core/guards.mts';
import { stableUuid } from '../core/ids.mts';
import type { ChatBody } from './chat-body.mts';
import { instanceOf } from './chat-json.mts';

export interface ToolCall {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

type Tool = NonNullable<ChatBody['tools']>[number];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];

/**
 * The tools that the model calls: none unless `tool_choice` allows it (the service's default is `none`), and none after a
 * tool result. With `auto` it calls each tool whose name or description shares a word with the question.
 */
export function callsFor(body: ChatBody, question: string): ToolCall[] {
	const { tools = [], tool_choice: choice = 'none', messages } = body;
	if (choice === 'none' || tools.length === 0 || messages.at(-1)?.role === 'tool') return [];
	const asked = new Set(wordsOf(question));
	const related = tools.filter((tool) =>
		wordsOf(`${tool.function.name.replace(/[_-]/g, ' ')} ${tool.function.description ?? ''}`).some(
			(word) => asked.has(word),
		),
	);
	return pick(body, choice, tools, related).map((tool, index) => ({
		id: `call_${stableUuid(JSON.stringify([messages, tool.function.name, index]))
			.replaceAll('-', '')
			.slice(0, 24)}`,
		type: 'function',
		function: { name: tool.function.name, arguments: JSON.stringify(argumentsOf(tool, question)) },
	}));
}

function pick(
	{ parallel_tool_calls: parallel = true }: ChatBody,
	choice: NonNullable<ChatBody['tool_choice']>,
	tools: Tool[],
	related: Tool[],
): Tool[] {
	if (typeof choice !== 'string')
		return tools.filter((tool) => tool.function.name === choice.function.name).slice(0, 1);
	const wanted = choice === 'required' && related.length === 0 ? tools.slice(0, 1) : related;
	return parallel ? wanted : wanted.slice(0, 1);
}

/** Only the required arguments: a model that fills in all of them would filter too much. */
function argumentsOf(tool: Tool, question: string): unknown {
	const { parameters } = tool.function;
	if (!isRecord(parameters)) return {};
	const required = Array.isArray(parameters.required) ? parameters.required : [];
	const properties = Object.entries(
		isRecord(parameters.properties) ? parameters.properties : {},
	).filter(([name]) => required.includes(name));
	return instanceOf(
		{ type: 'object', properties: Object.fromEntries(properties) },
		question,
		tool.function.name,
	);
}
