import { expect } from 'vitest';
import { startSandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { JOB_MS, SOON, test } from './fixture.mts';
import { pages, readPage } from './pages.mts';
import { itemsOf, runWorkflow, succeeded, type WorkflowFile } from './workflow.mts';

// Most of the time they wait
test.concurrent.for(pages())(
	'the workflow of docs/%s executes as it is, and leaves no deployment behind',
	{ timeout: JOB_MS },
	async (page, { rest }) => {
		const sandbox = await startSandbox({ ssh: true, ...SOON });
		try {
			const workflow = readPage(page, sandbox);
			const start = { trigger: workflow.nodes[0]?.name ?? '' };
			const execution = succeeded(await runWorkflow(rest, workflow, secretsFor(sandbox), start));
			expect(itemsOf(execution, lastOf(workflow))).not.toEqual([]);
			expect(sandbox.books.deployments.filter(({ isGone }) => !isGone)).toEqual([]);
		} finally {
			await sandbox.close();
		}
	},
);

/** The node at the end of the main path */
function lastOf({ nodes, connections }: WorkflowFile): string {
	const last = nodes.filter(({ name }) => !(name in connections)).at(-1);
	if (last === undefined) throw new Error('the workflow has no end');
	return last.name;
}
