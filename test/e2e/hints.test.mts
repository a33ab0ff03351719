import { expect } from 'vitest';
import { deployParameters } from '../engine/nodes.mts';
import { byTestId, nodeOnCanvas, openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { afterStart, type WorkflowFile, type WorkflowNode } from './workflow.mts';

const NO_LIMIT = 'No price limit is set';
const SEVERAL = 'There are several input items';

/** What a person reads beside the form of a node that spends money, before it is executed */
test.for([
	{ items: 1, safety: {}, shown: [NO_LIMIT] },
	{ items: 3, safety: {}, shown: [NO_LIMIT, SEVERAL] },
	{ items: 3, safety: { maxPrice: 5 }, shown: [SEVERAL] },
	{ items: 3, safety: { dryRun: true }, shown: ['Dry Run is on'] },
])(
	'the editor says of $items items with $safety: $shown',
	async ({ items, safety, shown }, { rest, editor }) => {
		const { page, pictures } = editor;
		const deploy = {
			name: 'Deploy',
			type: `${packageName}.vmaas`,
			parameters: { resource: 'deployment', operation: 'deploy', ...deployParameters({ safety }) },
		};
		const workflowId = await rest.createWorkflow(afterItems(items, deploy));
		await openCanvas(editor, workflowId, 'Deploy');
		// The editor knows how many items there are once they were there
		await nodeOnCanvas(page, 'Items').dblclick();
		await byTestId(page, 'node-execute-button').first().click();
		const output = byTestId(page, 'output-panel');
		await output
			.getByText(items === 1 ? '1 item' : `${items} items`)
			.first()
			.waitFor();
		await byTestId(page, 'ndv-close-button').click();
		await nodeOnCanvas(page, 'Deploy').dblclick();
		for (const words of shown) await output.getByText(words).waitFor();
		await pictures.window(`hints of ${shown.join(', ')}`);
		const text = await output.innerText();
		const all = [NO_LIMIT, SEVERAL, 'Dry Run is on'];
		expect(all.filter((words) => text.includes(words))).toEqual(shown);
	},
);

/** A workflow of Start, a node that gives so many items, and the node */
function afterItems(items: number, node: WorkflowNode): WorkflowFile {
	const workflow = afterStart('A purchase', {
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode: `return Array.from({ length: ${items} }, () => ({ json: {} }));` },
	});
	workflow.nodes.push({ id: node.name, typeVersion: 1, position: [440, 0], ...node });
	workflow.connections.Items = { main: [[{ node: node.name, type: 'main', index: 0 }]] };
	return workflow;
}
