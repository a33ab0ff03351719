import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { workerId } from '../sandbox/compute/views.mts';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { cleanUpOnSignals } from './exit.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { createHome, startN8n, type Home } from './n8n.mts';
import { Rest } from './rest.mts';
import { expectNoTraces, loaderWarnings } from './traces.mts';
import { until } from './until.mts';
import { connect, itemsOf } from './workflow.mts';

/** n8n is started and stopped twice */
const TEST_MS = 600_000;

const ARRIVAL_MS = 120_000;

/** Small enough that many executions are in flight when n8n stops */
const LINES_IN_A_BATCH = 20;

test(
	'an active logs trigger delivers every line once and in order, also after a disconnect and a restart of n8n',
	{ timeout: TEST_MS },
	async ({ sandbox, onTestFinished }) => {
		// An n8n of its own, since it is stopped here
		cleanUpOnSignals();
		const home = createHome();
		onTestFinished(home.remove);
		const { deploymentId, containerId, log } = containerOf(sandbox);
		let written = 0;
		const write = (count: number) => {
			const lines = Array.from({ length: count }, (_, index) => lineOf(written + index + 1));
			log.append('stdout', ...lines);
			written += count;
		};
		let workflowId = '';
		let session = '';

		write(100);
		await withN8n(home, async (url) => {
			const rest = new Rest(url);
			await rest.setUpOwner();
			({ session } = rest);
			workflowId = await createWorkflow(rest, sandbox, deploymentId, containerId);
			await rest.activate(workflowId);
			write(100);
			await expectLines(rest, workflowId, written);
			// n8n evaluates the expressions of a trigger and of its credentials only until it is active
			for (const connection of log.connections) connection.break();
			write(100);
			await expectLines(rest, workflowId, written);
			// Some of these are in flight when n8n is asked to stop
			write(400);
		});
		write(100);
		await withN8n(home, async (url) => {
			write(100);
			await expectLines(new Rest(url, session), workflowId, written);
		});
		expect(loaderWarnings(home.folder)).toEqual([]);
		expectNoTraces(home.folder);
	},
);

async function withN8n(home: Home, run: (url: string) => Promise<void>): Promise<void> {
	const n8n = await startN8n(home);
	try {
		await run(n8n.url);
	} finally {
		await n8n.stop();
	}
}

/** A container of a running deployment */
function containerOf({ books, logs }: Sandbox) {
	const deploymentId = books.seeded.find(({ isGone }) => !isGone)?.id ?? '';
	const containerId = workerId(deploymentId, 0);
	const log = logs.find(deploymentId, containerId);
	if (log === undefined) throw new Error('the sandbox has no container that writes a log');
	return { deploymentId, containerId, log };
}

const lineOf = (number: number) => `e2e line ${number}`;

async function createWorkflow(
	rest: Rest,
	sandbox: Sandbox,
	deploymentId: string,
	containerId: string,
): Promise<string> {
	const secrets = secretsFor(sandbox);
	const types = ['computeMarketplaceApi', 'computeMarketplaceTokenApi'];
	const ids: Record<string, string> = {};
	for (const name of types) ids[name] = await rest.createCredential(name, secrets[name] ?? {});
	const trigger = {
		id: randomUUID(),
		name: 'Logs',
		type: `${packageName}.caasLogsTrigger`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {
			authentication: 'accessToken',
			deploymentId: { __rl: true, mode: 'id', value: deploymentId },
			containerIds: [containerId],
			streams: ['stdout'],
			startFrom: 'beginning',
			batch: { maxEntries: LINES_IN_A_BATCH },
		},
		credentials: Object.fromEntries(types.map((name) => [name, { name }])),
	};
	const next = {
		id: randomUUID(),
		name: 'Next',
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [220, 0],
		parameters: {},
	};
	const connections = { Logs: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } };
	return await rest.createWorkflow(
		connect({ name: 'Logs', nodes: [trigger, next], connections }, ids),
	);
}

/** Waits until so many lines have arrived, and expects each of them once and in order */
async function expectLines(rest: Rest, workflowId: string, count: number): Promise<void> {
	const arrived = async () => {
		const executions = await rest.executions({ workflowId, includeData: 'true' });
		return executions
			.sort((one, other) => Number(one.id) - Number(other.id))
			.flatMap((execution) => itemsOf(execution, 'Next').map(({ line }) => String(line)))
			.filter((line) => line.startsWith('e2e line'));
	};
	const enough = async () => {
		const lines = await arrived();
		return lines.length >= count && lines;
	};
	const lines = await until(`${count} lines have arrived`, enough, ARRIVAL_MS);
	expect(lines).toEqual(Array.from({ length: count }, (_, index) => lineOf(index + 1)));
}
