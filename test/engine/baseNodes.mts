import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

/**
 * The few nodes of n8n itself that stand at the edges of a workflow: triggers that start it, the node that reads files, and what
 * shows the result or reports the failure. They hand on what they get. Nothing that decides anything: examples with such nodes run in a real n8n (test/e2e).
 */
function passingOn(name: string, group: 'trigger' | 'transform'): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: [group],
			version: 1,
			description: '',
			defaults: {},
			inputs: group === 'trigger' ? [] : [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			return [this.getInputData()];
		},
	};
}

export const baseNodes: Record<string, INodeType | undefined> = {
	'n8n-nodes-base.manualTrigger': passingOn('manualTrigger', 'trigger'),
	'n8n-nodes-base.scheduleTrigger': passingOn('scheduleTrigger', 'trigger'),
	'n8n-nodes-base.formTrigger': passingOn('formTrigger', 'trigger'),
	'@n8n/n8n-nodes-langchain.chatTrigger': passingOn('chatTrigger', 'trigger'),
	'n8n-nodes-base.readWriteFile': passingOn('readWriteFile', 'transform'),
	'n8n-nodes-base.set': passingOn('set', 'transform'),
	'n8n-nodes-base.stickyNote': passingOn('stickyNote', 'transform'),
	'n8n-nodes-base.httpRequest': passingOn('httpRequest', 'transform'),
	'n8n-nodes-base.noOp': passingOn('noOp', 'transform'),
	'n8n-nodes-base.stopAndError': passingOn('stopAndError', 'transform'),
};
