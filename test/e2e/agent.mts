/**
 * The chat model in a real n8n: an AI Agent that calls our VMaaS node as a tool and answers from the hardware list, and a
 * chain with a structured output parser
 */
import type { Report } from '../report.mts';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { complaintsOf, itemsOf, runWorkflow, type WorkflowFile } from './example.mts';
import type { Execution, Rest } from './rest.mts';

const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const INTELLIGENCE = { computeIntelligenceApi: { name: 'Compute Intelligence' } };
const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const QUESTION = 'Which GPU hardware has the lowest price? Look at the hardware offers.';

export async function checkAgent(
	report: Report,
	rest: Rest,
	service: Sandbox,
	packageName: string,
): Promise<void> {
	const run = async (parts: Parts) => {
		const execution = await runWorkflow(rest, workflow(packageName, parts), secretsFor(service), {
			trigger: 'Start',
		});
		if (execution.status !== 'success') throw new Error(complaintsOf(execution));
		return execution;
	};
	await report.step(
		'an AI Agent calls the hardware list and answers from it',
		async () => await agentWithTool(service, packageName, run),
	);
	await report.step(
		'a chain gets an answer in the form of its output parser',
		async () => await chainWithParser(run),
	);
}

async function agentWithTool(service: Sandbox, packageName: string, run: Run): Promise<void> {
	const asked = service.requests.length;
	const execution = await run({
		agent: {
			type: `${LANGCHAIN}.agent`,
			typeVersion: 3.1,
			parameters: { promptType: 'define', text: QUESTION, options: {} },
		},
		tool: {
			type: `${packageName}.vmaasTool`,
			parameters: {
				descriptionType: 'manual',
				toolDescription: 'Lists the GPU hardware offers with their price',
				resource: 'hardware',
				operation: 'getAll',
				returnAll: true,
				filters: {},
				options: { onlyAvailable: true },
			},
			credentials: { computeMarketplaceApi: { name: 'Compute Marketplace' } },
		},
	});
	const answer = String(outputOf(execution, 'Agent').output);
	const cheapest = service.hardware
		.filter((offer) => offer.sold_out !== true && Number(offer.price) > 0)
		.reduce((a, b) => (Number(b.price) < Number(a.price) ? b : a));
	console.log(`    the agent says: ${answer}`);
	if (!answer.includes(`"id":"${cheapest.id}"`))
		throw new Error(`the cheapest offer is ${cheapest.id}, and the agent says: ${answer}`);

	const chats = service.requests
		.slice(asked)
		.filter(({ path }) => path.endsWith('/chat/completions'));
	const lists = service.requests
		.slice(asked)
		.filter(({ path }) => path.endsWith('/vmaas/hardware'));
	console.log(`    ${chats.length} completions and ${lists.length} hardware list were asked for`);
	if (chats.length !== 2 || lists.length !== 1)
		throw new Error('expected two completions and one hardware list');
	const [first, second] = chats.map(
		({ body }) =>
			body as {
				tools?: Array<{ function: { name: string; parameters: object } }>;
				tool_choice?: string;
				messages: Array<{ role: string }>;
			},
	);
	if (first?.tool_choice !== 'auto' || first.tools?.length !== 1)
		throw new Error(`the tool was not offered: ${JSON.stringify(first)}`);
	const roles = second?.messages.map(({ role }) => role).join(' ');
	if (!roles?.endsWith('user assistant tool'))
		throw new Error(`the second request has the roles ${roles}`);
	const [usage] = execution.data?.resultData.runData.Model ?? [];
	const tokens = JSON.stringify(usage?.data ?? {}).match(/"totalTokens":(\d+)/)?.[1];
	console.log(`    tokens of the first completion in n8n's log of the model: ${tokens}`);
	if (!(Number(tokens) > 0)) throw new Error('n8n does not show the tokens');
}

async function chainWithParser(run: Run): Promise<void> {
	const execution = await run({
		agent: {
			type: `${LANGCHAIN}.agent`,
			typeVersion: 3.1,
			parameters: {
				promptType: 'define',
				text: 'Format the final response: the machine is the H100.',
				hasOutputParser: true,
				options: {},
			},
		},
		parser: {
			type: `${LANGCHAIN}.outputParserStructured`,
			typeVersion: 1.3,
			parameters: {
				schemaType: 'manual',
				inputSchema: JSON.stringify({
					type: 'object',
					required: ['machine'],
					properties: { machine: { type: 'string', enum: ['A100', 'H100'] } },
				}),
			},
		},
	});
	const { output } = outputOf(execution, 'Agent');
	console.log(`    the output is ${JSON.stringify(output)}`);
	if (JSON.stringify(output) !== '{"machine":"H100"}')
		throw new Error(`unexpected output ${JSON.stringify(output)}`);
}

type Run = (parts: Parts) => Promise<Execution>;

interface Parts {
	agent: Part;
	tool?: Part;
	parser?: Part;
}

interface Part {
	type: string;
	typeVersion?: number;
	parameters: object;
	credentials?: Record<string, { name: string }>;
}

/** Manual trigger, agent, our model, and a tool or an output parser. */
function workflow(packageName: string, { agent, tool, parser }: Parts): WorkflowFile {
	const model: Part = {
		type: `${packageName}.lmChatCompute`,
		parameters: {
			authentication: 'apiKey',
			model: { __rl: true, mode: 'id', value: MODEL },
			options: { temperature: 0, maxCompletionTokens: 500 },
		},
		credentials: INTELLIGENCE,
	};
	const parts: Array<[string, Part | undefined]> = [
		['Start', { type: 'n8n-nodes-base.manualTrigger', parameters: {} }],
		['Agent', agent],
		['Model', model],
		['Tool', tool],
		['Parser', parser],
	];
	const nodes = parts.flatMap(([name, part], index) =>
		part
			? [{ id: `node-${index}`, name, typeVersion: 1, position: [index * 200, 0], ...part }]
			: [],
	);
	const link = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		name: 'agent',
		settings: { executionOrder: 'v1' },
		nodes,
		connections: {
			Start: link('main'),
			Model: link('ai_languageModel'),
			...(tool && { Tool: link('ai_tool') }),
			...(parser && { Parser: link('ai_outputParser') }),
		},
	};
}

function outputOf(execution: Execution, name: string): Record<string, unknown> {
	const item = itemsOf(execution, name).at(-1);
	if (!item) throw new Error(`${name} has no output`);
	return item;
}
