import { existsSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { SupplyDataContext } from 'n8n-core';
import { CHAT_TRIGGER_NODE_TYPE, createRunExecutionData } from 'n8n-workflow';
import type {
	AINodeConnectionType,
	IDataObject,
	INode,
	INodeType,
	ITaskData,
	IWorkflowExecuteAdditionalData,
	SupplyData,
	Workflow,
} from 'n8n-workflow';
import { installation } from '../e2e/install.mts';

const installed = path.join(installation, 'node_modules');

/** Whether the real n8n of the end-to-end tests is there, whose SDK for AI nodes can be used. */
export const hasAiNodeSdk = existsSync(path.join(installed, '@n8n', 'ai-node-sdk'));

/** Lets packages find what n8n brings along, in the way that n8n itself does it at its start. */
export function findAiNodeSdk(): void {
	process.env.NODE_PATH = [installed, process.env.NODE_PATH].filter(Boolean).join(path.delimiter);
	(Module as unknown as { _initPaths(): void })._initPaths();
}

/** What a sub-node supplies, and what n8n's log view shows of its calls. */
export interface Supplied extends SupplyData {
	runs: ITaskData[];
}

/** What a test sets of the execution that a sub-node is asked in. */
export interface SupplyOptions {
	/** Ends the execution as n8n's Stop button does. */
	cancel?: AbortSignal;
	/** The workflow's chat trigger, and the items that it has brought. */
	chat?: { name: string; items: IDataObject[] };
}

/** The nodes that a workflow needs for them. */
export function chatTriggers({
	chat,
}: SupplyOptions): Array<Pick<INode, 'name' | 'type' | 'parameters'>> {
	return chat ? [{ name: chat.name, type: CHAT_TRIGGER_NODE_TYPE, parameters: {} }] : [];
}

/** What a sub-node supplies to the node that it is connected to, from the context that n8n makes for it. */
export async function supplyOf(
	workflow: Workflow,
	node: INode,
	nodeType: INodeType,
	additionalData: IWorkflowExecuteAdditionalData,
	json: IDataObject = {},
	{ cancel = new AbortController().signal, chat }: SupplyOptions = {},
): Promise<Supplied> {
	const data = createRunExecutionData({ executionData: {} });
	const runs: ITaskData[] = (data.resultData.runData[node.name] = []);
	if (chat) data.resultData.runData[chat.name] = [taskOf(chat.items)];
	const [output] = nodeType.description.outputs as AINodeConnectionType[];
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData,
		'trigger',
		data,
		0,
		[{ json }],
		{},
		output ?? 'ai_languageModel',
		{ data: {}, node, source: null },
		[],
		cancel,
	);
	if (!nodeType.supplyData) throw new Error(`${node.type} supplies nothing`);
	return Object.assign(await nodeType.supplyData.call(context, 0), { runs });
}

/** The run of a node that has brought these items. */
function taskOf(items: IDataObject[]): ITaskData {
	return {
		startTime: 0,
		executionIndex: 0,
		executionTime: 0,
		executionStatus: 'success',
		source: [],
		data: { main: [items.map((json) => ({ json }))] },
	};
}
