import { expect } from 'vitest';
import { test as base } from './fixture.mts';
import { Lines } from './lines.mts';
import type { Rest } from './rest.mts';
import { until } from './until.mts';

const TIMEOUT_SECONDS = 2;

const LONGEST_MS = 60_000;

/** Batches after the one whose execution does not end by itself */
const LATER = 4;

let containers = 0;

const test = base
	.extend('lines', async ({ sandbox }, { onCleanup }) => {
		const lines = await Lines.open(sandbox, `cancelled-${++containers}`);
		onCleanup(() => lines.end());
		return lines;
	})
	/** Activates a workflow whose execution of the first line ends only when n8n ends it */
	.extend('activate', ({ lines, rest }, { onCleanup }) => {
		return async (options: object, settings: object = {}): Promise<string> => {
			const [held] = lines.write(1);
			lines.answer = async ([line]) => {
				if (line === held) await new Promise(() => undefined);
			};
			const workflowId = await lines.activate(rest, { options, settings });
			onCleanup(() => rest.deactivate(workflowId));
			return workflowId;
		};
	});

test('the timeout of the workflow ends an execution: its lines are delivered, and later ones come', async ({
	activate,
	lines,
	rest,
}) => {
	const workflowId = await activate({}, { executionTimeout: TIMEOUT_SECONDS });
	await expectLaterLines(lines, 1);
	expect(await statuses(rest, workflowId)).toEqual(['canceled', ...succeeded(LATER)]);
});

for (const delivery of ['completed', 'succeeded'])
	test(`a person stops an execution (delivery ${delivery}): its lines are delivered, and later ones come`, async ({
		activate,
		lines,
		rest,
	}) => {
		const workflowId = await activate({ delivery });
		await lines.arriveAll();
		await rest.stop(await runningExecution(rest, workflowId));
		await expectLaterLines(lines, 1);
		expect(await statuses(rest, workflowId)).toEqual(['canceled', ...succeeded(LATER)]);
	});

test('a batch that runs into the timeout with every try is skipped after as many tries as Give Up After allows', async ({
	activate,
	lines,
	rest,
}) => {
	const options = { delivery: 'succeeded', giveUpAfter: 2 };
	const workflowId = await activate(options, { executionTimeout: TIMEOUT_SECONDS });
	await expectLaterLines(lines, 2);
	const all = await statuses(rest, workflowId);
	expect(all.sort()).toEqual(['canceled', 'canceled', 'error', ...succeeded(LATER)]);
	const [failed] = await rest.executions({ workflowId, status: 'error', includeData: 'true' });
	expect(failed?.data?.resultData.error?.message).toMatch(
		/^A batch of the stdout log of container cancelled-\d+ failed 2 times and is skipped$/,
	);
});

test('a batch that runs into the timeout is repeated until it succeeds, where Delivery says so', async ({
	activate,
	lines,
	rest,
}) => {
	const options = { delivery: 'succeeded' };
	const workflowId = await activate(options, { executionTimeout: TIMEOUT_SECONDS });
	await until('two tries', () => lines.arrivals.length === 2, LONGEST_MS);
	lines.answer = async () => undefined;
	await expectLaterLines(lines, 3);
	expect(await statuses(rest, workflowId)).toEqual([
		'canceled',
		'canceled',
		'success',
		...succeeded(LATER),
	]);
});

/** Later lines come, one batch after the other, and the first one has come as often as this */
async function expectLaterLines(lines: Lines, tries: number): Promise<void> {
	await lines.arriveAll();
	for (let later = 0; later < LATER; later++) {
		lines.write(1);
		await lines.arriveAll();
	}
	const [first = '', ...others] = lines.written;
	expect(lines.arrivals.flatMap((arrival) => arrival.lines)).toEqual([
		...Array.from({ length: tries }, () => first),
		...others,
	]);
}

async function runningExecution(rest: Rest, workflowId: string): Promise<string> {
	return await until(
		'an execution runs',
		async () => (await rest.executions({ workflowId, status: 'running' }))[0]?.id,
		LONGEST_MS,
	);
}

/** How all executions ended, in the order of their starts */
async function statuses(rest: Rest, workflowId: string): Promise<string[]> {
	await until(
		'all executions have ended',
		async () => (await rest.executions({ workflowId, status: 'running' })).length === 0,
		LONGEST_MS,
	);
	// n8n lists those that run only where they are asked for
	const executions = await rest.executions({ workflowId });
	return executions
		.sort((one, other) => Number(one.id) - Number(other.id))
		.map(({ status }) => status);
}

const succeeded = (count: number) => Array.from({ length: count }, () => 'success');
