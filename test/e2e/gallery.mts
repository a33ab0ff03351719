import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { Sandbox } from '../sandbox/index.mts';
import { devices } from '../sandbox/index.mts';
import { byTestId, nodeOnCanvas } from './browser.mts';
import { NAMES } from './credentials.mts';
import { connect, readExample, type WorkflowFile } from './example.mts';
import { openCanvas, type Editor } from './forms.mts';
import { chooseSeveral } from './lists.mts';
import { docsFolder, readPage } from './pages.mts';
import type { NodeTypeDescription } from './rest.mts';

const folder = join(docsFolder, 'images');

/** Pictures are loaded by everybody who reads the README */
const LARGEST_BYTES = 60_000;

/** Around the nodes of a canvas, where their names stand */
const LABELS = { x: 70, top: 30, bottom: 90 };

const FORM = { width: 1280, height: 1400 };

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
			sshKeys: SSH_KEYS,
			safety: { maxPrice: 20, uniqueName: true },
		},
		picks: ['H100', '$'],
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

/** Takes the pictures of README and docs, as they are in n8n at the moment */
export async function takeGallery(
	editor: Editor,
	service: Sandbox,
	packageName: string,
): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const { report, browser, rest, credentials } = editor;
	const ids = Object.fromEntries(credentials.map(({ type, id }) => [type, id]));
	const step = async (picture: string, run: (page: Page) => Promise<void>) => {
		await report.step(`picture docs/images/${picture}.png`, async () => {
			await run(browser.page);
			const { size } = statSync(pathOf(picture));
			if (size > LARGEST_BYTES) throw new Error(`it has ${size} bytes`);
		});
	};
	const canvas = async (picture: string, workflow: WorkflowFile, last?: string) => {
		await step(picture, async (page) => {
			const id = await rest.createWorkflow(connect(workflow, ids));
			await openCanvas(editor, `${rest.url}/workflow/${id}`, workflow.nodes.at(-1)?.name ?? '');
			if (last !== undefined) await execute(page, last);
			await byTestId(page, 'zoom-to-fit').click();
			await page.mouse.move(0, 0);
			await page.screenshot({
				animations: 'disabled',
				path: pathOf(picture),
				clip: await around(byTestId(page, 'canvas-node'), LABELS),
			});
		});
	};

	for (const [picture, { type, name, parameters, picks = [] }] of Object.entries(FORMS)) {
		await step(picture, async (page) => {
			const description = await openNode(editor, workflowOf(packageName, type, name, parameters));
			const form = byTestId(page, 'node-parameters');
			for (const [index, words] of picks.entries()) await pick(form, index, words);
			await chooseSeveral(form, description, name, editor.pictures);
			await page.mouse.move(0, 0);
			await page.screenshot({
				animations: 'disabled',
				path: pathOf(picture),
				clip: await around(
					form.locator('[data-test-id="parameter-item"], [data-test-id="node-credentials-select"]'),
				),
			});
		});
	}
	await canvas('deploy-extend-destroy', readExample('deploy-extend-destroy.json'), 'Get Bill');
	await canvas('rag-canvas', readExample('rag-from-files.json'));
	await canvas('chat-model', readPage('chat-model.md', service), 'AI Agent');
	await step('error-deploy', async (page) => {
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
		await openNode(editor, workflowOf(packageName, 'vmaas', 'Deploy', refused));
		await byTestId(page, 'node-execute-button').first().click();
		const error = byTestId(page, 'node-error-message');
		await error.waitFor();
		await page.mouse.move(0, 0);
		await page.screenshot({
			animations: 'disabled',
			path: pathOf('error-deploy'),
			clip: await around(
				page.locator(
					'[data-test-id="node-error-message"], [data-test-id="node-error-description"]',
				),
				{ x: 10, top: 80, bottom: 60 },
			),
		});
	});
}

function pathOf(picture: string): string {
	return join(folder, `${picture}.png`);
}

function byId(value: unknown) {
	return { __rl: true, mode: 'id', value };
}

/** The node alone, behind a start where it needs one */
function workflowOf(
	packageName: string,
	type: string,
	name: string,
	parameters: Record<string, unknown>,
): WorkflowFile {
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

/** Opens the form of the last node, which has every credential that it can use. Gives what n8n knows of this node */
async function openNode(editor: Editor, workflow: WorkflowFile): Promise<NodeTypeDescription> {
	const { browser, rest, credentials } = editor;
	const node = workflow.nodes.at(-1);
	const type = (await rest.nodeTypes()).find(({ name }) => name === node?.type);
	if (node === undefined || type === undefined) throw new Error(`n8n does not know ${node?.type}`);
	const usable = credentials.filter((saved) =>
		type.credentials?.some(({ name }) => name === saved.type),
	);
	node.credentials = Object.fromEntries(
		usable.map((saved) => [saved.type, { id: saved.id, name: NAMES[saved.type] ?? saved.type }]),
	);
	const id = await rest.createWorkflow(workflow);
	await openCanvas(editor, `${rest.url}/workflow/${id}`, node.name);
	await browser.page.setViewportSize(FORM);
	await nodeOnCanvas(browser.page, node.name).dblclick();
	await byTestId(browser.page, 'node-parameters').waitFor();
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
	margin = { x: 12, top: 12, bottom: 12 },
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
