import { createRequire } from 'node:module';
import path from 'node:path';
import { SupplyDataContext } from 'n8n-core';
import { createRunExecutionData } from 'n8n-workflow';
import type {
	IDataObject,
	INode,
	INodeType,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

type Invoke = (args: IDataObject) => Promise<string>;
type MakeHandler = (
	context: (runIndex: number) => SupplyDataContext,
	node: INode,
	nodeType: INodeType,
	data: IRunExecutionData,
) => Invoke;

/**
 * A node as a tool of an AI agent, called by the code that n8n calls it with: each try of Retry On Fail gets a run index of its own.
 * @returns the call: arguments in, the text that the model reads out; it throws what the model is told of a failure
 */
export function toolOf(
	workflow: Workflow,
	node: INode,
	nodeType: INodeType,
	additionalData: IWorkflowExecuteAdditionalData,
): Invoke {
	const require = createRequire(import.meta.url);
	const core = path.dirname(require.resolve('n8n-core'));
	const { makeHandleToolInvocation } = require(
		path.join(core, 'execution-engine/node-execution-context/utils/get-input-connection-data.js'),
	) as { makeHandleToolInvocation: MakeHandler };
	const data = createRunExecutionData({ executionData: {} });
	const { signal } = new AbortController();
	const context = (runIndex: number) =>
		new SupplyDataContext(
			workflow,
			node,
			additionalData,
			'trigger',
			data,
			runIndex,
			[{ json: {} }],
			{},
			'ai_tool',
			{ data: {}, node, source: null },
			[],
			signal,
		);
	return makeHandleToolInvocation(context, node, nodeType, data);
}
