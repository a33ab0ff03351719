import { basename } from 'node:path';
import { expect } from 'vitest';
import { startSandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import type { ExpectedExecution } from './expectation.mts';
import { expectations } from './expectations.mts';
import { JOB_MS, SOON, test } from './fixture.mts';
import type { Execution } from './rest.mts';
import {
	choose,
	complaintsOf,
	exampleFiles,
	itemsOf,
	readExample,
	runWorkflow,
} from './workflow.mts';

const names = exampleFiles().map((file) => basename(file, '.json'));

test('expectations.mts says of each example what it must do', () => {
	expect(Object.keys(expectations).toSorted()).toEqual(names.toSorted());
});

// Most of the time they wait
test.concurrent.for(names)(
	'%s executes from each of its triggers and outputs what it says',
	{ timeout: JOB_MS },
	async (name, { rest }) => {
		const { options, prepare, executions = [], deployments } = expectations[name] ?? {};
		// On a service of its own, so that no example sees what another one bought
		const sandbox = await startSandbox({ ssh: true, ...SOON, ...options?.() });
		try {
			await prepare?.(sandbox);
			let before: Execution | undefined;
			for (const expected of executions) {
				const workflow = readExample(`${name}.json`);
				if (before) choose(workflow, expected.choices?.(before));
				before = await runWorkflow(rest, workflow, secretsFor(sandbox), expected);
				expectItems(before, expected);
			}
			expect(sandbox.books.deployments).toMatchObject(deployments ?? []);
		} finally {
			await sandbox.close();
		}
		const ran = new Set(executions.flatMap(({ nodes }) => Object.keys(nodes)));
		const triggers = readExample(`${name}.json`).nodes.filter(({ type }) => /Trigger$/i.test(type));
		expect([...ran]).toEqual(expect.arrayContaining(triggers.map((node) => node.name)));
	},
);

function expectItems(execution: Execution, { nodes, error, waitsAt }: ExpectedExecution): void {
	const said = complaintsOf(execution);
	const ran = Object.keys(execution.data?.resultData.runData ?? {});
	expect(ran.toSorted(), `the nodes that ran; ${said}`).toEqual(Object.keys(nodes).toSorted());
	for (const [node, expected] of Object.entries(nodes)) {
		const items = itemsOf(execution, node);
		if (typeof expected === 'number') expect(items, `"${node}"; ${said}`).toHaveLength(expected);
		else expect(items, `"${node}"; ${said}`).toMatchObject(expected);
	}
	const end = waitsAt === undefined ? 'success' : 'waiting';
	expect(execution.status, said).toBe(error ? 'error' : end);
	if (error) expect(execution.data?.resultData.error?.message).toMatch(error);
}
