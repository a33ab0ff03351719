import { expect } from 'vitest';
import type { Sandbox } from '../sandbox/index.mts';
import { byTestId, nodeOnCanvas, openCanvas } from './browser.mts';
import { secretsFor } from './credentials.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import type { Execution, Rest } from './rest.mts';
import { itemsOf, runWorkflow, succeeded, type WorkflowFile } from './workflow.mts';

const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const INTELLIGENCE = { computeIntelligenceApi: { name: 'Compute Intelligence' } };
const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const QUESTION = 'Which GPU hardware has the lowest price? Look at the hardware offers.';

test('an AI Agent with our chat model calls our hardware list as a tool and answers from it', async ({
	rest,
	sandbox,
}) => {
	const before = sandbox.requests.length;
	const execution = await run(rest, sandbox, {
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
	const cheapest = sandbox.hardware
		.filter((offer) => offer.sold_out !== true && Number(offer.price) > 0)
		.reduce((a, b) => (Number(b.price) < Number(a.price) ? b : a));
	expect(itemsOf(execution, 'Agent').at(-1)?.output).toContain(
		`"deploy_id":"${cheapest.deploy_id}"`,
	);

	const requests = sandbox.requests.slice(before);
	expect(requests.filter(({ path }) => path.endsWith('/vmaas/hardware'))).toHaveLength(1);
	const [first, second, ...more] = requests
		.filter(({ path }) => path.endsWith('/chat/completions'))
		.map(({ body }) => body as { messages: Array<{ role: string }> });
	expect(first).toMatchObject({ tool_choice: 'auto', tools: [expect.anything()] });
	const roles = second?.messages.map(({ role }) => role) ?? [];
	expect(roles.slice(-3)).toEqual(['user', 'assistant', 'tool']);
	expect(more).toEqual([]);
	const [completion] = execution.data?.resultData.runData.Model ?? [];
	// n8n's own count of tokens in its log of the model
	expect(JSON.stringify(completion?.data)).toMatch(/"totalTokens":[1-9]/);
});

test('a chain with our chat model answers in the form of its output parser', async ({
	rest,
	sandbox,
}) => {
	const execution = await run(rest, sandbox, {
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
	expect(itemsOf(execution, 'Agent').at(-1)?.output).toEqual({ machine: 'H100' });
});

test('the form of a tool has Output in place of Simplify, and Simplified is chosen', async ({
	rest,
	editor,
}) => {
	const agent = { type: `${LANGCHAIN}.agent`, typeVersion: 3.1, parameters: {} };
	const parameters = { resource: 'deployment', operation: 'getAll' };
	const tool = { type: `${packageName}.vmaasTool`, parameters };
	const workflowId = await rest.createWorkflow(workflowOf({ agent, tool }));
	await openCanvas(editor, workflowId, 'Tool');
	const { page, pictures } = editor;
	await nodeOnCanvas(page, 'Tool').dblclick();
	const form = byTestId(page, 'node-parameters');
	const output = byTestId(form, 'parameter-input-output');
	await output.waitFor();
	expect(await output.locator('input').inputValue()).toBe('Simplified');
	expect(await byTestId(form, 'parameter-input-simplify').count()).toBe(0);
	await pictures.form(form, 'form of a tool');
	await byTestId(page, 'ndv-close-button').click();
	await form.waitFor({ state: 'hidden' });
});

async function run(rest: Rest, sandbox: Sandbox, parts: Parts): Promise<Execution> {
	const start = { trigger: 'Start' };
	return succeeded(await runWorkflow(rest, workflowOf(parts), secretsFor(sandbox), start));
}

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

/** Manual trigger, agent, our model, and a tool or an output parser */
function workflowOf({ agent, tool, parser }: Parts): WorkflowFile {
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
