import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	EngineRequest,
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeType,
	IRun,
} from 'n8n-workflow';
import { baseNodes } from './baseNodes.mts';
import type { Engine, NodeUnderTest, RunOptions } from './engine.mts';

const TYPE = 'test.agent';

/** An agent without a model, which asks n8n's engine to run its tool as AI Agent 3 does: the same call again and again, whatever it answers. */
function agentOf(
	tool: string,
	calls: IDataObject[],
	beforeCall: (call: number) => void,
): INodeType {
	return {
		description: {
			displayName: 'Agent',
			name: TYPE,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			const made = Number((response?.metadata as IDataObject | undefined)?.made ?? 0);
			const input = calls[made];
			if (!input) return [[{ json: {} }]];
			beforeCall(made);
			const action = {
				actionType: 'ExecutionNodeAction' as const,
				nodeName: tool,
				input,
				type: NodeConnectionTypes.AiTool,
				id: `call-${made}`,
				metadata: {},
			};
			return { actions: [action], metadata: { made: made + 1 } } as EngineRequest;
		},
	};
}

/** Runs a node as the tool of an agent, once for each of the arguments. */
export async function runAsTool(
	engine: Engine,
	node: NodeUnderTest,
	calls: IDataObject[],
	beforeCall: (call: number) => void = () => undefined,
	options: RunOptions = {},
): Promise<IRun> {
	baseNodes[TYPE] = agentOf('Node', calls, beforeCall);
	const nodes = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		{ name: 'Agent', type: TYPE, parameters: {} },
		{ ...node, name: 'Node' },
	];
	const connections = {
		Start: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
		Node: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
	};
	try {
		return await engine.runWorkflow(
			{
				nodes: nodes.map(
					(one) => ({ id: one.name, typeVersion: 1, position: [0, 0], ...one }) as INode,
				),
				connections,
			},
			options,
		);
	} finally {
		delete baseNodes[TYPE];
	}
}

/** What the model reads of each call. */
export function answersOf(run: IRun): IDataObject[][] {
	return (run.data.resultData.runData.Node ?? []).map(({ data }) =>
		(data?.ai_tool?.[0] ?? []).map(({ json }) => json),
	);
}
