import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../pack.mts';
import type { Report } from '../report.mts';
import { workerId } from '../sandbox/compute/views.mts';
import { devices, startSandbox, type Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { complaintsOf, itemsOf, runWorkflow, type WorkflowFile } from './example.mts';
import type { Rest } from './rest.mts';

export const docsFolder = join(projectFolder, 'docs');

/** Pages without a node, and so without a workflow */
const NO_NODE = ['beyond-the-specification.md', 'figures.md', 'scale-out.md'];

export function pages(): string[] {
	return readdirSync(docsFolder).filter((file) => file.endsWith('.md') && !NO_NODE.includes(file));
}

/** The workflow that a page offers to be pasted, with things of this service in place of what a reader fills in */
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

/** Pastes the workflow of each page into n8n, runs it, and expects that its last node has something to hand on. Gives how many did */
export async function checkPages(report: Report, rest: Rest): Promise<number> {
	let done = 0;
	for (const page of pages()) {
		await report.step(`the workflow of docs/${page} runs as it stands`, async () => {
			const sandbox = await startSandbox({ startupMs: 500, terminationMs: 500 });
			try {
				const workflow = readPage(page, sandbox);
				const [first, last] = [workflow.nodes[0]?.name ?? '', lastOf(workflow)];
				const execution = await runWorkflow(rest, workflow, secretsFor(sandbox), {
					trigger: first,
				});
				if (execution.status !== 'success') throw new Error(complaintsOf(execution));
				if (itemsOf(execution, last).length === 0) throw new Error(`"${last}" hands nothing on`);
				const left = sandbox.books.deployments.filter(({ isGone }) => !isGone);
				if (left.length > 0) throw new Error(`it leaves ${left.length} machines behind`);
				done += 1;
			} finally {
				await sandbox.close();
			}
		});
	}
	return done;
}

/** The node at the end of the main way */
function lastOf({ nodes, connections }: WorkflowFile): string {
	const last = nodes.filter(({ name }) => !(name in connections)).at(-1);
	if (last === undefined) throw new Error('the workflow has no end');
	return last.name;
}
