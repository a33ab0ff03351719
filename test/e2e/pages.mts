import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../pack.mts';
import { workerId } from '../sandbox/compute/views.mts';
import { devices, type Sandbox } from '../sandbox/index.mts';
import type { WorkflowFile } from './workflow.mts';

export const docsFolder = join(projectFolder, 'docs');

/** Pages without a node, and so without a workflow */
const NO_NODE = [
	'approval.md',
	'cost-safety.md',
	'credentials.md',
	'errors.md',
	'figures.md',
	'scale-out.md',
	'verification.md',
	'worlds.md',
];

export function pages(): string[] {
	return readdirSync(docsFolder).filter((file) => file.endsWith('.md') && !NO_NODE.includes(file));
}

/** The workflow that a page has for readers to paste, with ids of this service in the places that they fill in */
export function readPage(page: string, service: Sandbox): WorkflowFile {
	const blocks = [
		...readFileSync(join(docsFolder, page), 'utf8').matchAll(/^```json\n(.*?)^```$/gms),
	];
	const [[, text = ''] = [], ...more] = blocks;
	if (text === '' || more.length > 0)
		throw new Error(`${page} must have one workflow, and has ${blocks.length}`);
	const deployment = service.books.seeded.find(({ isGone }) => !isGone);
	const deploymentId = deployment?.id ?? '';
	const own: Record<string, string> = {
		'YOUR-DEVICE': devices[0]?.device_id ?? '',
		'YOUR-DEPLOYMENT': deploymentId,
		'YOUR-CONTAINER': workerId(deploymentId, 0),
	};
	const filled = text.replace(/YOUR-[A-Z]+/g, (placeholder) => own[placeholder] ?? placeholder);
	return {
		name: page,
		settings: { executionOrder: 'v1' },
		...(JSON.parse(filled) as Omit<WorkflowFile, 'name'>),
	};
}
