import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../pack.mts';
import { answerAll, type Answer } from './answers.mts';
import type { Execution, Rest } from './rest.mts';
import { until } from './until.mts';

export interface WorkflowNode {
	name: string;
	type: string;
	credentials?: Record<string, { id?: string | null; name: string }>;
	[setting: string]: unknown;
}

export interface WorkflowFile {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** Secrets by credential type */
export type Secrets = Record<string, Record<string, unknown>>;

/** Where an execution starts. Pinned data is what a node outputs that would otherwise wait for a person or read a folder */
export interface Start {
	trigger: string;
	pins?: Record<string, PinnedItem[]>;
	/** What people answer while it waits for them */
	answers?: Answer[];
	/** The node that waits in the end for a chat window to take its message, which no test has open */
	waitsAt?: string;
}

export interface PinnedItem {
	json: Record<string, unknown>;
	binary?: Record<string, { data: string; mimeType: string; fileName: string }>;
}

const LONGEST_EXECUTION_MS = 240_000;

const UNDER_WAY = new Set(['new', 'running', 'waiting']);

export function exampleFiles(): string[] {
	return readdirSync(join(projectFolder, 'examples')).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowFile {
	return JSON.parse(readFileSync(join(projectFolder, 'examples', file), 'utf8')) as WorkflowFile;
}

/** A workflow with a manual trigger `Start` and this node behind it, in the version 1 of its type */
export function afterStart(name: string, node: WorkflowNode, settings: object = {}): WorkflowFile {
	const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };
	const nodes = [start, node].map((one, index) => ({
		id: randomUUID(),
		typeVersion: 1,
		position: [index * 220, 0],
		...one,
	}));
	return {
		name,
		nodes,
		connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', ...settings },
	};
}

/** Gives each node of a workflow the credentials that it needs, from those saved in n8n: `ids` by type */
export function connect(workflow: WorkflowFile, ids: Record<string, string>): WorkflowFile {
	for (const node of workflow.nodes) {
		for (const [type, reference] of Object.entries(node.credentials ?? {})) {
			const id = ids[type];
			if (id === undefined)
				throw new Error(`"${node.name}" needs a credential ${type}, and none is saved`);
			reference.id = id;
		}
	}
	return workflow;
}

/** Fills in parameters of a workflow's nodes, as a person does in their forms: `choices` by node */
export function choose(workflow: WorkflowFile, choices: Record<string, object> = {}): WorkflowFile {
	for (const [name, chosen] of Object.entries(choices)) {
		const node = workflow.nodes.find((one) => one.name === name);
		if (!node) throw new Error(`"${workflow.name}" has no node "${name}"`);
		node.parameters = { ...(node.parameters as object), ...chosen };
	}
	return workflow;
}

/** Saves one credential of each type that the workflow needs. Returns their ids by type */
async function saveCredentials(
	rest: Rest,
	workflow: WorkflowFile,
	secrets: Secrets,
): Promise<Record<string, string>> {
	const types = new Set(workflow.nodes.flatMap((node) => Object.keys(node.credentials ?? {})));
	const wanted = Object.entries(secrets).filter(([type]) => types.has(type));
	const saved = wanted.map(
		async ([type, data]) => [type, await rest.createCredential(type, data)] as const,
	);
	return Object.fromEntries(await Promise.all(saved));
}

/** Imports a workflow, executes it from a trigger as the editor does, and waits until n8n says that the execution has ended */
export async function runWorkflow(
	rest: Rest,
	workflow: WorkflowFile,
	secrets: Secrets,
	start: Start,
): Promise<Execution> {
	const workflowId = await rest.createWorkflow({
		...connect(workflow, await saveCredentials(rest, workflow, secrets)),
		...(start.pins !== undefined && { pinData: start.pins }),
	});
	const executionId = await rest.run(workflowId, start.trigger);
	await answerAll(rest, executionId, start.answers ?? []);
	return await ended(rest, executionId, start.waitsAt);
}

/** Waits until an execution has ended, however it ends, or waits at the node that is its last */
export async function ended(rest: Rest, executionId: string, waitsAt?: string): Promise<Execution> {
	return await until(
		`execution ${executionId} has ended`,
		async () => {
			const execution = await rest.execution(executionId);
			const lastNode = execution.data?.resultData.lastNodeExecuted;
			const isLastWait = execution.status === 'waiting' && lastNode === waitsAt;
			return (!UNDER_WAY.has(execution.status) || isLastWait) && execution;
		},
		LONGEST_EXECUTION_MS,
	);
}

/** Returns an execution that was successful. Throws what n8n says of one that was not */
export function succeeded(execution: Execution): Execution {
	if (execution.status !== 'success') throw new Error(complaintsOf(execution));
	return execution;
}

/** The items that a node put out, all its runs and outputs in order */
export function itemsOf(execution: Execution, node: string): Array<Record<string, unknown>> {
	return (execution.data?.resultData.runData[node] ?? [])
		.flatMap((run) => run.data?.main ?? [])
		.flatMap((output) => output ?? [])
		.map(({ json }) => json);
}

/** What went wrong, in n8n's words */
export function complaintsOf({ status, data }: Execution): string {
	const nodes = Object.entries(data?.resultData.runData ?? {}).flatMap(([node, runs]) =>
		runs
			.filter(({ error }) => error !== undefined)
			.map(({ error }) => `${node}: ${error?.message}`),
	);
	return [`the execution ended as "${status}"`, data?.resultData.error?.message, ...nodes]
		.filter(Boolean)
		.join('\n');
}
