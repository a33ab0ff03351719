import { basename } from 'node:path';
import type { Report } from '../report.mts';
import { startSandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { complaintsOf, exampleFiles, itemsOf, readExample, runWorkflow } from './example.mts';
import { expectations, type Expectation, type ExpectedRun } from './expectations.mts';
import { difference } from './matches.mts';
import type { Execution, Rest } from './rest.mts';

/** Imports each example into n8n, runs it, and compares what each node hands on. Gives how many did as they should, in how many runs */
export async function checkExamples(
	report: Report,
	rest: Rest,
): Promise<{ examples: number; runs: number }> {
	let [examples, runs] = [0, 0];
	const names = exampleFiles().map((file) => basename(file, '.json'));
	for (const name of names) {
		await report.step(`example ${name} does what it says`, async () => {
			const expectation = expectations[name];
			if (expectation === undefined)
				throw new Error('test/e2e/expectations.mts does not say what it must do');
			runs += await runExample(rest, name, expectation);
			examples += 1;
		});
	}
	const gone = Object.keys(expectations).filter((name) => !names.includes(name));
	report.check('each example that is expected is there', gone.length === 0, gone.join(', '));
	return { examples, runs };
}

/** On a service of its own, so that no example sees what another one bought */
async function runExample(rest: Rest, name: string, expectation: Expectation): Promise<number> {
	const sandbox = await startSandbox({
		startupMs: 500,
		terminationMs: 500,
		...expectation.settings?.(),
	});
	try {
		await expectation.prepare?.(sandbox);
		for (const run of expectation.runs) {
			const execution = await runWorkflow(
				rest,
				readExample(`${name}.json`),
				secretsFor(sandbox),
				run,
			);
			expectRun(execution, run);
		}
		demand(difference(sandbox.books.deployments, expectation.machines, 'machines'));
	} finally {
		await sandbox.close();
	}
	const tried = new Set(expectation.runs.flatMap(({ nodes }) => Object.keys(nodes)));
	const triggers = readExample(`${name}.json`).nodes.filter(({ type }) => /Trigger$/i.test(type));
	const missed = triggers.filter((node) => !tried.has(node.name));
	demand(
		missed.length > 0 ? `never started: ${missed.map((node) => node.name).join(', ')}` : undefined,
	);
	return expectation.runs.length;
}

function expectRun(execution: Execution, { nodes }: ExpectedRun): void {
	const ran = Object.keys(execution.data?.resultData.runData ?? {});
	const surprises = ran.filter((node) => !(node in nodes));
	demand(
		surprises.length > 0 ? `nobody expected that these run: ${surprises.join(', ')}` : undefined,
		execution,
	);
	for (const [node, expected] of Object.entries(nodes)) {
		const items = itemsOf(execution, node);
		const wrong =
			typeof expected === 'number'
				? difference(items.length, expected, `the number of items of "${node}"`)
				: difference(items, expected, `"${node}"`);
		demand(wrong, execution);
	}
	demand(execution.status === 'success' ? undefined : 'it did not succeed', execution);
}

function demand(wrong: string | undefined, execution?: Execution): void {
	if (wrong !== undefined)
		throw new Error([wrong, execution && complaintsOf(execution)].filter(Boolean).join('\n'));
}
