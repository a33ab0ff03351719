import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { devices, type Sandbox } from '../sandbox/index.mts';
import { byTestId, nodeOnCanvas, openCanvas, type Browser } from './browser.mts';
import { NAMES } from './credentials.mts';
import { test } from './fixture.mts';
import { chooseSeveral } from './lists.mts';
import { packageName } from './manifest.mts';
import { docsFolder, readPage } from './pages.mts';
import type { NodeTypeDescription, Rest } from './rest.mts';
import { connect, readExample, type WorkflowFile } from './workflow.mts';

const folder = join(docsFolder, 'images');

/** Pictures are loaded by everybody who reads the README */
const LARGEST_BYTES = 60_000;

/** Around the nodes of a canvas, where their names stand */
const LABELS = { x: 70, top: 30, bottom: 90 };

const FORM = { width: 1280, height: 1600 };

const SSH_KEYS = {
	keys: [
		{
			name: 'laptop',
			publicKey:
				'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB laptop',
		},
	],
};

/** Forms as somebody has filled them in. What comes from lists is picked there, by a part of its name */
const FORMS: Record<
	string,
	{ type: string; name: string; parameters: Record<string, unknown>; picks?: string[] }
> = {
	explorer: {
		type: 'explorer',
		name: 'Jobs',
		parameters: { deviceId: devices[0]?.device_id, output: 'jobs' },
	},
	'deploy-form': {
		type: 'vmaas',
		name: 'Deploy',
		parameters: {
			resource: 'deployment',
			operation: 'deploy',
			resourcePrivateName: 'nightly-training',
			durationHours: 4,
			useSshCredential: true,
			safety: { maxPrice: 20, uniqueName: true },
		},
		picks: ['H100', '$'],
	},
	'caas-deploy': {
		type: 'caas',
		name: 'Deploy',
		parameters: {
			authentication: 'apiKey',
			resource: 'deployment',
			operation: 'deploy',
			resourcePrivateName: 'inference-endpoint',
			imageUrl: 'vllm/vllm-openai:v0.10.2',
			trafficPort: 8000,
			durationHours: 1,
			secretEnvironment: { variables: [{ name: 'HF_TOKEN', value: '={{ $vars.hfToken }}' }] },
			safety: { maxPrice: 5, uniqueName: true },
		},
		picks: ['A100'],
	},
	caas: {
		type: 'caas',
		name: 'Last Lines',
		parameters: {
			authentication: 'apiKey',
			resource: 'log',
			operation: 'getAll',
			options: { tail: true, exclude: 'GET /health' },
		},
		picks: ['running', 'running'],
	},
	'logs-trigger': {
		type: 'caasLogsTrigger',
		name: 'Container Logs',
		parameters: { options: { include: '(?i)error|out of memory', contextLines: 3 } },
		picks: ['running'],
	},
	'chat-completion': {
		type: 'chatCompletion',
		name: 'Read Order',
		parameters: {
			resource: 'chat',
			operation: 'complete',
			input: 'prompt',
			prompt: 'Please book two H100 for the weekend.',
			systemPrompt: 'Read the order.',
			options: { temperature: 0 },
		},
		picks: ['Llama-3.3'],
	},
	'rag-ask': {
		type: 'rag',
		name: 'Ask',
		parameters: {
			resource: 'retrieval',
			operation: 'ask',
			query: 'Is the first hour refunded?',
			topK: 5,
			options: { minScore: 0.3 },
		},
		picks: ['rag'],
	},
};

interface Context {
	rest: Rest;
	credentials: Record<string, string>;
	editor: Browser;
}

/** The pictures of README and docs are taken again where pictures are wanted */
describe.runIf(process.env.SHOTS === '1')('pictures for docs/images', () => {
	test.for(Object.entries(FORMS))(
		'%s.png',
		async ([picture, { type, name, ...form }], { rest, credentials, editor }) => {
			const { page, pictures } = editor;
			const description = await openNode(
				{ rest, credentials, editor },
				workflowOf(type, name, form.parameters),
			);
			const parameters = byTestId(page, 'node-parameters');
			for (const [index, words] of (form.picks ?? []).entries())
				await pick(parameters, index, words);
			await chooseSeveral(parameters, description, name, pictures);
			const fields = '[data-test-id="parameter-item"], [data-test-id="node-credentials-select"]';
			await take(page, picture, parameters.locator(fields));
		},
	);

	test.for([
		[
			'deploy-extend-destroy',
			() => withoutNotes(readExample('deploy-extend-destroy.json')),
			'Get Bill',
		],
		['inference-endpoint', () => withoutNotes(readExample('inference-endpoint.json')), undefined],
		['rag-canvas', () => withoutNotes(readExample('rag-from-files.json')), undefined],
		['chat-model', (sandbox: Sandbox) => readPage('chat-model.md', sandbox), 'AI Agent'],
	] as const)('%s.png', async ([picture, read, last], { rest, sandbox, credentials, editor }) => {
		const workflow = read(sandbox);
		const id = await rest.createWorkflow(connect(workflow, credentials));
		await openCanvas(editor, id, workflow.nodes.at(-1)?.name ?? '');
		if (last !== undefined) await execute(editor.page, last);
		await byTestId(editor.page, 'zoom-to-fit').click();
		await take(editor.page, picture, byTestId(editor.page, 'canvas-node'), LABELS);
	});

	test('credential.png', async ({ rest, editor }) => {
		const { page, url } = editor;
		const type = 'computeMarketplaceApi';
		const data = { baseUrl: 'https://api.example.com', service: 'svc', apiKey: 'not-a-key' };
		const id = await rest.createCredential(type, data, NAMES[type]);
		await page.setViewportSize(FORM);
		await page.goto(`${url}/home/credentials/${id}`);
		const form = byTestId(page, 'editCredential-modal');
		await form.getByText('Base URL').first().waitFor();
		await take(page, 'credential', form.locator('[data-test-id="parameter-input"]'), {
			x: 12,
			top: 50,
			bottom: 50,
		});
	});

	test('error-deploy.png', async ({ rest, credentials, editor }) => {
		const { page } = editor;
		const refused = {
			resource: 'deployment',
			operation: 'deploy',
			resourcePrivateName: 'nightly-training',
			gpusPerVm: 3,
			hardwareId: byId(7),
			locationId: byId('mars-1'),
			durationHours: 4,
			sshKeys: SSH_KEYS,
		};
		await openNode({ rest, credentials, editor }, workflowOf('vmaas', 'Deploy', refused));
		await byTestId(page, 'node-execute-button').first().click();
		await byTestId(page, 'node-error-message').waitFor();
		const error = page.locator(
			'[data-test-id="node-error-message"], [data-test-id="node-error-description"]',
		);
		await take(page, 'error-deploy', error, { x: 10, top: 80, bottom: 60 });
	});
});

/** Takes the part of the window that these elements take */
async function take(
	page: Page,
	picture: string,
	parts: Locator,
	margin = { x: 12, top: 12, bottom: 12 },
): Promise<void> {
	const path = join(folder, `${picture}.png`);
	await page.mouse.move(0, 0);
	await page.screenshot({ animations: 'disabled', path, clip: await around(parts, margin) });
	expect(statSync(path).size).toBeLessThanOrEqual(LARGEST_BYTES);
}

function byId(value: unknown) {
	return { __rl: true, mode: 'id', value };
}

/** What a sticky note says stands in the page around the picture */
function withoutNotes(workflow: WorkflowFile): WorkflowFile {
	const nodes = workflow.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
	return { ...workflow, nodes };
}

/** The node alone, behind a start where it needs one */
function workflowOf(type: string, name: string, parameters: Record<string, unknown>): WorkflowFile {
	const node = {
		name,
		type: `${packageName}.${type}`,
		typeVersion: 1,
		position: [220, 0],
		parameters,
	};
	if (type.endsWith('Trigger')) return { name, nodes: [node], connections: {} };
	const start = {
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	return {
		name,
		nodes: [start, node],
		connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
	};
}

/** Opens the form of the last node, which gets every credential that it can use. Returns what n8n knows of this node */
async function openNode(
	{ rest, credentials, editor }: Context,
	workflow: WorkflowFile,
): Promise<NodeTypeDescription> {
	const node = workflow.nodes.at(-1);
	const type = (await rest.nodeTypes()).find(({ name }) => name === node?.type);
	if (node === undefined || type === undefined) throw new Error(`n8n does not know ${node?.type}`);
	node.credentials = Object.fromEntries(
		(type.credentials ?? []).map(({ name }) => [
			name,
			{ id: credentials[name], name: NAMES[name] ?? name },
		]),
	);
	await openCanvas(editor, await rest.createWorkflow(workflow), node.name);
	await editor.page.setViewportSize(FORM);
	await nodeOnCanvas(editor.page, node.name).dblclick();
	await byTestId(editor.page, 'node-parameters').waitFor();
	return type;
}

/** Picks an entry of the list that comes from the service */
async function pick(form: Locator, index: number, words: string): Promise<void> {
	await byTestId(form, 'rlc-input').nth(index).click();
	const entry = form
		.page()
		.locator('[data-test-id="rlc-item"]:visible')
		.filter({ hasText: words })
		.first();
	await entry.click();
	await entry.waitFor({ state: 'hidden' });
}

/** Runs the workflow on the canvas, as a person does, until its last node has succeeded */
async function execute(page: Page, last: string): Promise<void> {
	await byTestId(page, 'execute-workflow-button').first().click();
	await byTestId(nodeOnCanvas(page, last), 'canvas-node-status-success').waitFor();
}

/** The part of the window that these take, with so much space around it */
async function around(
	parts: Locator,
	margin: { x: number; top: number; bottom: number },
): Promise<{ x: number; y: number; width: number; height: number }> {
	const boxes = (await Promise.all((await parts.all()).map((part) => part.boundingBox()))).filter(
		(box) => box !== null,
	);
	const [left, top] = [
		Math.min(...boxes.map(({ x }) => x)) - margin.x,
		Math.min(...boxes.map(({ y }) => y)) - margin.top,
	].map((edge) => Math.max(0, edge)) as [number, number];
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin.x;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}
