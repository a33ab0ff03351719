import { expect } from 'vitest';
import { deployParameters } from '../engine/nodes.mts';
import { errorForms, type ChatHabits, type Fault } from '../sandbox/index.mts';
import { callsIn, CHAT, eachMessage } from '../sandbox/worlds/intelligenceWorld.mts';
import { secretsFor } from './credentials.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { complaintsOf, itemsOf, runWorkflow, type PinnedItem } from './workflow.mts';

type Model = NonNullable<ChatHabits['model']>;

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const MARKETPLACE = { computeMarketplaceApi: { name: 'Compute Marketplace' } };
const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////2Q==';

/** A model that asks for the hardware, then deploys once, and then says so. */
const deploys =
	(name: string): Model =>
	({ messages, tools = [] }) => {
		const turn = messages.filter(({ role }) => role === 'tool').length;
		const wanted = [/hardware/i, /deploy/i][turn];
		const tool = tools.find(({ function: { name: toolName } }) => wanted?.test(toolName));
		if (!tool) return { content: 'All done.', finish: 'stop' };
		const call = {
			id: `call_${name}_${turn}`,
			type: 'function' as const,
			function: {
				name: tool.function.name,
				arguments: JSON.stringify(turn === 0 ? {} : { name }),
			},
		};
		return { content: null, calls: [call], finish: 'tool_calls' };
	};

/** A model that says which images it got. */
const looks: Model = ({ messages }) => {
	const seen = JSON.stringify(messages).match(/data:[\w/]+;base64,/g) ?? [];
	return { content: `I see ${seen.join(' ') || 'nothing'}`, finish: 'stop' };
};

interface AgentWorld {
	habits?: ChatHabits;
	faults?: Fault[];
	model?: Model;
	image?: boolean;
	/** What the agent says, in its output or its error. */
	says: RegExp;
	deployments: number;
	calls: number;
}

const WORLDS: Record<string, AgentWorld> = {
	'no tool IDs': {
		habits: {
			reshape: eachMessage((message) => callsIn(message).forEach((call) => delete call.id)),
		},
		says: /^All done\.$/,
		deployments: 1,
		calls: 3,
	},
	'cut at length': {
		habits: {
			reshape(completion) {
				for (const choice of completion.choices) {
					choice.finish_reason = 'length';
					for (const { function: called } of callsIn(choice.message))
						called.arguments = String(called.arguments).slice(0, 12);
				}
			},
		},
		says: /cut off at the token limit/,
		deployments: 0,
		calls: 1,
	},
	'429': {
		faults: [0, 1].map((skip) => ({
			match: CHAT,
			skip,
			...errorForms.errorObject(429, 'Rate limit reached'),
			headers: { 'x-ratelimit-reset-requests': '1s' },
		})),
		says: /^All done\.$/,
		deployments: 1,
		calls: 5,
	},
	image: {
		model: looks,
		image: true,
		says: /^I see data:image\/jpeg;base64,$/,
		deployments: 0,
		calls: 1,
	},
	parts: {
		habits: {
			reshape: eachMessage((message) => {
				if (typeof message.content === 'string')
					message.content = [...message.content].map((text) => ({ type: 'text', text }));
			}),
		},
		says: /^All done\.$/,
		deployments: 1,
		calls: 3,
	},
};

test.for(Object.entries(WORLDS))(
	'the AI Agent in the world %s',
	async ([name, world], { rest, sandbox }) => {
		const deployment = `agent-${name.replaceAll(' ', '-').toLowerCase()}`;
		sandbox.adopt({ habits: { ...world.habits, model: world.model ?? deploys(deployment) } });
		for (const fault of world.faults ?? []) sandbox.faults.add(fault);
		const before = sandbox.requests.length;
		const binary = { data: { data: JPEG, mimeType: 'image/jpeg', fileName: 'a.jpg' } };
		const pins: Record<string, PinnedItem[]> = {
			Start: [{ json: {}, ...(world.image && { binary }) }],
		};
		const execution = await runWorkflow(rest, workflow(), secretsFor(sandbox), {
			trigger: 'Start',
			pins,
		});
		const said = String(itemsOf(execution, 'Agent').at(-1)?.output ?? complaintsOf(execution));
		const calls = sandbox.requests.slice(before).filter(({ path }) => CHAT.path.test(path));
		const bought = sandbox.books.deployments.filter(
			({ resource_private_name: bought_ }) => bought_ === deployment,
		);
		console.log(`${name}: ${calls.length} calls, ${bought.length} deployments, "${said}"`);
		expect(said).toMatch(world.says);
		expect(bought).toHaveLength(world.deployments);
		expect(calls).toHaveLength(world.calls);
	},
);

/** Manual trigger, agent, our model, and two tools. */
function workflow() {
	const tool = (name: string, parameters: object) => ({
		name,
		type: `${packageName}.vmaasTool`,
		parameters: { descriptionType: 'manual', toolDescription: name, ...parameters },
		credentials: MARKETPLACE,
	});
	const nodes = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		{
			name: 'Agent',
			type: `${LANGCHAIN}.agent`,
			typeVersion: 3.1,
			parameters: {
				promptType: 'define',
				text: 'Deploy the cheapest hardware, and look at the image.',
				options: { passthroughBinaryImages: true },
			},
		},
		{
			name: 'Model',
			type: `${packageName}.lmChatCompute`,
			parameters: {
				authentication: 'apiKey',
				model: { __rl: true, mode: 'id', value: 'meta-llama/Llama-3.3-70B-Instruct' },
				options: {},
			},
			credentials: { computeIntelligenceApi: { name: 'Compute Intelligence' } },
		},
		tool('Hardware', { resource: 'hardware', operation: 'getAll', limit: 1 }),
		tool('Deploy', {
			resource: 'deployment',
			operation: 'deploy',
			...deployParameters({
				resourcePrivateName: "={{ $fromAI('name', 'Name of the deployment', 'string') }}",
				safety: { maxPrice: 1_000 },
			}),
		}),
	];
	const link = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		name: 'agent in a world',
		settings: { executionOrder: 'v1' },
		nodes: nodes.map((node, index) => ({
			id: `node-${index}`,
			typeVersion: 1,
			position: [index * 200, 0],
			...node,
		})),
		connections: {
			Start: link('main'),
			Model: link('ai_languageModel'),
			Hardware: link('ai_tool'),
			Deploy: link('ai_tool'),
		},
	};
}
