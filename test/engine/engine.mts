import './environment.mts';
import 'reflect-metadata';
import {
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	PackageDirectoryLoader,
	WorkflowExecute,
} from 'n8n-core';
import { createRunExecutionData, NodeHelpers, Workflow } from 'n8n-workflow';
import type {
	IConnections,
	IDataObject,
	IExecuteContextData,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodePropertyOptions,
	INodeType,
	IRun,
	IWorkflowExecuteAdditionalData,
	StructuredChunk,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { StoredCredentials, type StoredCredential } from './credentials.mts';
import { baseNodes } from './baseNodes.mts';
import { loadPackage, packageFolder, type LoadedPackage, type LogLine } from './loaded.mts';
import { watchOutputs } from './outputs.mts';
import { rememberSecrets, watched, watchLog } from './secrets.mts';
import { chatTriggers, supplyOf, type Supplied, type SupplyOptions } from './supply.mts';
import { toolOf } from './tool.mts';

export { PACKAGE, packageFolder, PROJECT } from './loaded.mts';

/** What a test sets of a node; name, id and position are filled in. */
export type NodeUnderTest = Partial<INode> & Pick<INode, 'type' | 'parameters'>;

/** A workflow as n8n's editor exports it. */
export interface WorkflowJson {
	name?: string;
	nodes: INode[];
	connections: IConnections;
}

export interface RunOptions {
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** The trigger that starts a workflow with several, and what it brings. */
	start?: string;
	items?: INodeExecutionData[];
	/** Ends the execution as n8n's Stop button does. */
	cancel?: AbortSignal;
	/** Called when a node has ended. */
	onNode?: (name: string, outputs: INodeExecutionData[], error?: Error) => void;
	onNodeStart?: (name: string) => void;
	/** Data of an earlier execution's node contexts, as a retry from n8n's list carries it over. */
	contextData?: IExecuteContextData;
	/** Makes the execution stream, as one that a chat started does, and hears what it streams. */
	onChunk?: (chunk: StructuredChunk) => void;
}

/** n8n's real execution engine with the built package in it, as PackageDirectoryLoader loads it in a real n8n. */
export interface Engine {
	/** Start → node, with these items. */
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<IRun>;
	/** The same with whole items: with files, say. */
	runItems(node: NodeUnderTest, items: INodeExecutionData[], options?: RunOptions): Promise<IRun>;
	runWorkflow(workflow: WorkflowJson, options?: RunOptions): Promise<IRun>;
	/** The rows of a list search, as the editor asks for them. */
	search(node: NodeUnderTest, method: string, filter?: string): Promise<INodeListSearchResult>;
	/** The entries of a multiple choice. */
	options(node: NodeUnderTest, method: string): Promise<INodePropertyOptions[]>;
	/** The node as a tool of an AI agent: a function from arguments to the text that the model reads. */
	tool(node: NodeUnderTest): (args: IDataObject) => Promise<string>;
	/** What the node supplies to an AI agent, as a sub-node. */
	supply(node: NodeUnderTest, json?: IDataObject, options?: SupplyOptions): Promise<Supplied>;
	nodeType(name: string): INodeType;
	loader: PackageDirectoryLoader;
	/** What was written to n8n's log, warnings and errors, since the process began. */
	log: LogLine[];
	/** What a trigger is activated with (test/engine/trigger.mts). */
	activation(
		workflow: WorkflowJson,
		staticData: IDataObject,
	): { workflow: Workflow; additionalData: IWorkflowExecuteAdditionalData };
	/** Runs a workflow from its first node with these items, as after an `emit`. */
	runFrom(workflow: WorkflowJson, items: INodeExecutionData[], options?: RunOptions): Promise<IRun>;
}

let loading: Promise<LoadedPackage> | undefined;

/**
 * Starts an engine whose credentials are encrypted at rest and decrypted by n8n's own classes.
 * @param credentials by id; nodes refer to them by that id
 * @param folder of the package; a process loads one, so the first call decides
 */
export async function startEngine(
	credentials: Record<string, StoredCredential>,
	folder = packageFolder(),
): Promise<Engine> {
	const { loader, types, log } = await (loading ??= loadPackage(folder));
	const store = await StoredCredentials.encrypt(loader, credentials);
	for (const [id, { data }] of Object.entries(credentials)) rememberSecrets(id, data);

	const additionalData = (workflow: Workflow, mode: WorkflowExecuteMode, options: RunOptions) => {
		const workflowData = {
			id: workflow.id,
			name: 'test',
			active: false,
			isArchived: false,
			nodes: [],
			connections: {},
			createdAt: new Date(0),
			updatedAt: new Date(0),
			activeVersionId: null,
		};
		const hooks = new ExecutionLifecycleHooks(mode, options.executionId ?? '1', workflowData);
		hooks.addHandler('nodeExecuteBefore', (name) => options.onNodeStart?.(name));
		hooks.addHandler('nodeExecuteAfter', (name, task) =>
			options.onNode?.(name, task.data?.main?.flatMap((output) => output ?? []) ?? [], task.error),
		);
		const { onChunk } = options;
		if (onChunk) {
			hooks.addHandler('sendChunk', (chunk) => {
				watchLog(chunk);
				onChunk(chunk);
			});
		}
		return {
			credentialsHelper: store,
			streamingEnabled: onChunk !== undefined,
			hooks,
			executionId: options.executionId ?? '1',
			currentNodeExecutionIndex: 0,
			restApiUrl: '',
			instanceBaseUrl: '',
			formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
			webhookBaseUrl: '',
			webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
			webhookTestBaseUrl: '',
			variables: {},
			logAiEvent: () => undefined,
		} as unknown as IWorkflowExecuteAdditionalData;
	};

	const makeWorkflow = (json: WorkflowJson, staticData?: IDataObject) =>
		new Workflow({
			id: 'workflow',
			name: json.name ?? 'test',
			active: false,
			nodeTypes: types,
			settings: { executionOrder: 'v1' },
			nodes: json.nodes.map((node) => store.withAccounts(node)),
			connections: json.connections,
			staticData,
		});

	const runFrom = async (
		json: WorkflowJson,
		items: INodeExecutionData[],
		options: RunOptions,
	): Promise<IRun> => {
		const workflow = makeWorkflow(json);
		const start =
			workflow.getNode(options.start ?? '') ??
			workflow.getStartNode() ??
			Object.values(workflow.nodes).find(({ type }) =>
				baseNodes[type]?.description.group.includes('trigger'),
			);
		if (!start) throw new Error('The workflow has no start node');
		const mode = options.mode ?? 'trigger';
		const data = createRunExecutionData({
			executionData: {
				nodeExecutionStack: [{ node: start, data: { main: [items] }, source: null }],
				...(options.contextData && { contextData: options.contextData }),
			},
		});
		const engine = new WorkflowExecute(additionalData(workflow, mode, options), mode, data);
		return await watched(
			'an execution',
			workflow.expression.withIsolate(async () => {
				const running = engine.processRunExecutionData(workflow);
				if (options.cancel?.aborted) running.cancel();
				options.cancel?.addEventListener('abort', () => running.cancel());
				const run = await running;
				watchOutputs(loader, json.nodes, run);
				return run;
			}),
		);
	};

	const runItems = async (
		node: NodeUnderTest,
		items: INodeExecutionData[],
		options: RunOptions = {},
	): Promise<IRun> => {
		const tested = nodeOf(node);
		const start = nodeOf({ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} });
		const connections = {
			Start: { main: [[{ node: tested.name, type: 'main' as const, index: 0 }]] },
		};
		return await runFrom({ nodes: [start, tested], connections }, items, options);
	};

	/** What n8n's editor asks a node for, with the form as it is filled in. */
	async function inForm<T>(
		node: NodeUnderTest,
		ask: (methods: NonNullable<INodeType['methods']>, ctx: LoadOptionsContext) => Promise<T>,
	): Promise<T> {
		const tested = nodeOf(node);
		const workflow = makeWorkflow({ nodes: [tested], connections: {} });
		const ctx = new LoadOptionsContext(
			workflow,
			workflow.getNode(tested.name) ?? tested,
			{ ...additionalData(workflow, 'internal', {}), currentNodeParameters: tested.parameters },
			'parameters',
		);
		const { methods = {} } = types.getByNameAndVersion(tested.type);
		return await watched(
			'a list search',
			workflow.expression.withIsolate(async () => await ask(methods, ctx)),
		);
	}

	return {
		loader,
		log,
		activation(json, staticData) {
			const workflow = makeWorkflow(json, staticData);
			return { workflow, additionalData: additionalData(workflow, 'trigger', {}) };
		},
		runFrom: async (json, items, options = {}) => await runFrom(json, items, options),
		nodeType: (name) => NodeHelpers.getVersionedNodeType(loader.getNode(name).type),
		supply: async (node, json, options = {}) => {
			const tested = nodeOf(node);
			const nodes = [tested, ...chatTriggers(options).map(nodeOf)];
			const workflow = makeWorkflow({ nodes, connections: {} });
			return await workflow.expression.withIsolate(
				async () =>
					await supplyOf(
						workflow,
						workflow.getNode(tested.name) ?? tested,
						types.getByNameAndVersion(tested.type),
						additionalData(workflow, 'trigger', {}),
						json,
						options,
					),
			);
		},
		tool(node) {
			const tested = nodeOf(node);
			const workflow = makeWorkflow({ nodes: [tested], connections: {} });
			const found = workflow.getNode(tested.name) ?? tested;
			const call = toolOf(
				workflow,
				found,
				types.getByNameAndVersion(tested.type),
				additionalData(workflow, 'trigger', {}),
			);
			return async (args) =>
				await watched(
					'a tool',
					workflow.expression.withIsolate(async () => await call(args)),
				);
		},
		run: async (node, items = [{}], options = {}) =>
			await runItems(
				node,
				items.map((json) => ({ json })),
				options,
			),
		runItems,
		runWorkflow: async (json, options = {}) =>
			await runFrom(json, options.items ?? [{ json: {} }], options),
		async search(node, method, filter) {
			return await inForm(node, async (methods, ctx) => {
				const listSearch = methods.listSearch?.[method];
				if (!listSearch) throw new Error(`There is no list search ${method}`);
				return await listSearch.call(ctx, filter);
			});
		},
		async options(node, method) {
			return await inForm(node, async (methods, ctx) => {
				const load = methods.loadOptions?.[method];
				if (!load) throw new Error(`There is no list of options ${method}`);
				return await load.call(ctx);
			});
		},
	};
}

function nodeOf(node: NodeUnderTest): INode {
	const name = node.name ?? 'Node';
	return { id: name, name, typeVersion: 1, position: [0, 0], ...node };
}

/** The items of a node's last run; fails with the run's error when there are none. */
export function outputOf(run: IRun, name = 'Node'): INodeExecutionData[] {
	if (run.data.resultData.error) throw run.data.resultData.error;
	return run.data.resultData.runData[name]?.at(-1)?.data?.main?.[0] ?? [];
}
