import { expect } from 'vitest';
import { byTestId, nodeOnCanvas, openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { choicesOf } from './operations.mts';
import { ownNodeTypes } from './rest.mts';
import type { WorkflowFile } from './workflow.mts';

/** A deployment that was never read, and a node in which a person uses its fields. */
const workflow: WorkflowFile = {
	name: 'Fields before an execution',
	nodes: [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		{
			name: 'Get Deployment',
			type: `${packageName}.vmaas`,
			parameters: { resource: 'deployment', operation: 'get' },
		},
		{ name: 'Edit Fields', type: 'n8n-nodes-base.set', parameters: {}, typeVersion: 3.4 },
	].map((node, index) => ({
		id: node.name,
		typeVersion: 1,
		position: [index * 240, 0],
		...node,
	})),
	connections: {
		Start: { main: [[{ node: 'Get Deployment', type: 'main', index: 0 }]] },
		'Get Deployment': { main: [[{ node: 'Edit Fields', type: 'main', index: 0 }]] },
	},
};

test('n8n serves the fields of the output of each operation', async ({ rest }) => {
	const missing: string[] = [];
	let served = 0;
	for (const type of await ownNodeTypes(rest)) {
		const operations = choicesOf(type).flatMap(({ parameters: { resource, operation } }) =>
			typeof resource === 'string' ? [`${resource}/${String(operation)}`] : [],
		);
		for (const operation of new Set(operations)) {
			const { text } = await rest.file(`schemas/${type.name}/1.0.0/${operation}.json`);
			if (text.includes('"properties"')) served++;
			else missing.push(`${type.name} ${operation}: ${text}`);
		}
	}
	expect(missing).toEqual([]);
	expect(served).toBeGreaterThan(0);
});

test('a node shows the fields of the one before it, which was never executed', async ({
	rest,
	editor,
}) => {
	const { page, pictures } = editor;
	await openCanvas(editor, await rest.createWorkflow(workflow), 'Edit Fields');
	await nodeOnCanvas(page, 'Edit Fields').dblclick();
	const input = byTestId(page, 'ndv-input-panel');
	await input.getByText('Usually outputs the following fields').waitFor();
	for (const field of ['deployment_id', 'expires_at', 'amount_paid', 'locations'])
		await input.getByText(field, { exact: true }).first().waitFor();
	await pictures.window('fields before an execution');
});
