import type { IDataObject, INode, INodeExecutionData, INodeType, IRun } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { baseNodes } from '../../engine/baseNodes.mts';
import { PACKAGE, startEngine, type WorkflowJson } from '../../engine/engine.mts';
import { fileItem } from '../../engine/nodes.mts';
import { expectNoSecret } from '../../engine/secrets.mts';
import { startFixture } from '../../engine/start.mts';
import { useSandboxTime } from '../../engine/time.mts';
import { ActiveTrigger } from '../../engine/trigger.mts';
import { eventually } from '../../engine/wait.mts';
import type { Sandbox } from '../../sandbox/index.mts';
import {
	describeCredential,
	describeNode,
	type CredentialInterface,
	type NodeInterface,
} from './describe.mts';

/** The only file of this folder that knows the fixtures: sandbox, engine, clock and trigger harness. */
export { expectNoSecret, fileItem, PACKAGE, type Sandbox, type WorkflowJson };

export interface PublicInterface {
	nodes: Record<string, NodeInterface>;
	credentials: Record<string, CredentialInterface>;
}

/** The interface of the built package as n8n's loader finds it; of each node the version that is frozen. */
export async function presentInterface(): Promise<PublicInterface> {
	const { loader } = await startEngine({});
	const nodes = Object.keys(loader.known.nodes).map((name) =>
		describeNode(NodeHelpers.getVersionedNodeType(loader.getNode(name).type, 1)),
	);
	const credentials = Object.keys(loader.known.credentials).map((name) =>
		describeCredential(loader.getCredential(name).type),
	);
	return {
		nodes: Object.fromEntries(nodes.map((node) => [node.name, node])),
		credentials: Object.fromEntries(credentials.map((type) => [type.name, type])),
	};
}

/** What n8n shows of one node after an execution, one list an output. */
export interface NodeOutput {
	node: INode;
	outputs: INodeExecutionData[][];
	/** What ended its execution. */
	error?: Error;
}

export interface Service {
	sandbox: Sandbox;
	/** Runs a saved workflow once, as a trigger or a person starts it. */
	execute(
		workflow: WorkflowJson,
		options: { start?: string; items?: INodeExecutionData[] },
	): Promise<NodeOutput[]>;
	/** Activates a saved workflow and deactivates it once its trigger has delivered so many items. */
	follow(workflow: WorkflowJson, items: number): Promise<NodeOutput[]>;
	close(): Promise<void>;
}

/**
 * Starts a sandbox and an engine.
 * @param clock whose time the package lives in: on the sandbox's own a wait takes no time; a trigger needs the real one, since its
 * batches and its silences are told by the clock
 */
export async function startService(clock: 'sandbox' | 'real'): Promise<Service> {
	const { sandbox, engine } = await startFixture({ ssh: true });
	const time = clock === 'sandbox' ? useSandboxTime(sandbox) : undefined;
	standIns(sandbox);
	return {
		sandbox,
		async execute(workflow, options) {
			for (const node of workflow.nodes) {
				if (node.waitBetweenTries !== undefined) node.waitBetweenTries = 1;
			}
			return outputsOf(workflow, await engine.runWorkflow(workflow, options));
		},
		async follow(workflow, items) {
			const node = ownNodes(workflow)[0];
			if (!node) throw new Error(`${workflow.name} has no trigger`);
			const trigger = new ActiveTrigger(engine, node);
			try {
				await trigger.activate();
				await eventually(`${items} items`, () => trigger.items.length >= items);
				await eventually('all executions have ended', () =>
					trigger.executions.every(({ run }) => run !== undefined),
				);
			} finally {
				await trigger.deactivate();
			}
			const all = trigger.executions.flatMap((execution) => execution.items);
			return [{ node, outputs: [all], error: trigger.failures[0] }];
		},
		async close() {
			time?.restore();
			await sandbox.close();
		},
	};
}

/** The nodes of this package in a saved workflow. */
export function ownNodes({ nodes }: WorkflowJson): INode[] {
	return nodes.filter(({ type }) => type.startsWith(`${PACKAGE}.`));
}

function outputsOf(workflow: WorkflowJson, run: IRun): NodeOutput[] {
	const { runData } = run.data.resultData;
	return ownNodes(workflow).flatMap((node) => {
		const tasks = runData[node.name];
		if (!tasks) return [];
		const mains = tasks.map(({ data }) => data?.main ?? []);
		const count = Math.max(...mains.map(({ length }) => length));
		const outputs = Array.from({ length: count }, (_, index) =>
			mains.flatMap((main) => main[index] ?? []),
		);
		return [{ node, outputs, error: tasks.find(({ error }) => error)?.error }];
	});
}

/** n8n's own nodes that the saved workflows need besides those that pass items on. */
function standIns(sandbox: Sandbox): void {
	baseNodes['n8n-nodes-base.if'] = standIn('if', 2, function ifReached(item) {
		return item.reached === true ? 0 : 1;
	});
	baseNodes['n8n-nodes-base.wait'] = standIn('wait', 1, function wait() {
		sandbox.clock.advance(5_000);
		return 0;
	});
}

function standIn(name: string, outputs: number, route: (item: IDataObject) => number): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: Array.from({ length: outputs }, () => 'main' as const),
			properties: [],
		},
		async execute() {
			const items = this.getInputData();
			const output = items.map(({ json }) => route(json));
			return Array.from({ length: outputs }, (_, index) =>
				items.filter((_item, item) => output[item] === index),
			);
		},
	};
}
