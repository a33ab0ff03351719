import { createRequire } from 'node:module';
import path from 'node:path';
import { installation } from '../e2e/install.mts';
import type { ToolRun } from './intelligenceRecord.mts';

/** As much of a LangChain message as an agent looks at. */
export interface AiMessage {
	content: unknown;
	text: string;
	tool_calls?: Array<{ id?: string; name: string; args: object }>;
	usage_metadata?: { total_tokens: number };
	concat(other: AiMessage): AiMessage;
}

/** As much of a LangChain model as an agent calls. */
export interface AiModel {
	invoke(messages: unknown): Promise<AiMessage>;
	stream(messages: unknown): Promise<AsyncIterable<AiMessage>>;
	bindTools(tools: object[]): AiModel;
}

interface Step {
	action: { messageLog: AiMessage[]; toolCallId?: string };
	observation: string;
}

/** n8n's own, of the real n8n of the end-to-end tests: what its agent keeps of the results of tools. */
type BuildSteps = (response: object, itemIndex: number) => Step[];

/** n8n's default. */
const MAX_ITERATIONS = 10;

const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export const TOOLS = ['price', 'deploy'].map((name) => ({
	type: 'function',
	function: { name, description: name, parameters },
}));

/** An answer in one piece, or streamed. */
export async function ask(
	model: AiModel,
	messages: unknown,
	isStreamed: boolean,
): Promise<AiMessage> {
	if (!isStreamed) return await model.invoke(messages);
	let sum: AiMessage | undefined;
	for await (const chunk of await model.stream(messages)) sum = sum ? sum.concat(chunk) : chunk;
	if (!sum) throw new Error('Nothing was streamed');
	return sum;
}

/**
 * What n8n's AI Agent does with a model and its tools, with n8n's own memory of the steps.
 * @param run gets each call of a tool
 * @returns the last message
 */
export async function runAgent(
	model: AiModel,
	question: string,
	isStreamed: boolean,
	run: (call: ToolRun) => void,
): Promise<AiMessage> {
	const require = createRequire(path.join(installation, 'package.json'));
	const folder = path.join(installation, 'node_modules/@n8n/n8n-nodes-langchain/dist/utils');
	const { buildSteps } = require(path.join(folder, 'agent-execution/buildSteps.js')) as {
		buildSteps: BuildSteps;
	};
	const bound = model.bindTools(TOOLS);
	let steps: Step[] = [];
	for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
		const answer = await ask(
			bound,
			[
				['human', question],
				...steps.flatMap(({ action, observation }) => [
					...action.messageLog,
					{ role: 'tool', tool_call_id: action.toolCallId, content: observation },
				]),
			],
			isStreamed,
		);
		if (!answer.tool_calls?.length) return answer;
		const actionResponses = answer.tool_calls.map(({ id, name, args }) => {
			run({ name, args });
			return {
				action: {
					nodeName: name,
					input: { ...args },
					id,
					type: 'ai_tool',
					metadata: { itemIndex: 0 },
				},
				data: { data: { ai_tool: [[{ json: { response: `${name} is done` } }]] } },
			};
		});
		steps = buildSteps({ actionResponses, metadata: { previousRequests: steps } }, 0);
	}
	throw new Error(`Max iterations (${MAX_ITERATIONS}) reached`);
}
