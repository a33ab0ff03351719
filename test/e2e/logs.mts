import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../report.mts';
import { workerId } from '../sandbox/compute/views.mts';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { connect, itemsOf } from './example.mts';
import type { RunningN8n } from './n8n.mts';
import { owner, Rest } from './rest.mts';

const ARRIVAL_MS = 120_000;

/** Small enough that many runs are under way while n8n is stopped */
const LINES_IN_A_RUN = 20;

/** Starts n8n and stops it */
type WithN8n = (run: (n8n: RunningN8n) => Promise<void>) => Promise<void>;

/** The trigger in a published workflow: every line arrives once, also those that were written while n8n was off */
export async function checkLogsTrigger(
	report: Report,
	withN8n: WithN8n,
	service: Sandbox,
	type: string,
): Promise<void> {
	const deployment = service.books.seeded.find(({ isGone }) => !isGone);
	const containerId = workerId(deployment?.id ?? '', 0);
	const log = service.logs.find(deployment?.id ?? '', containerId);
	if (deployment === undefined || log === undefined)
		throw new Error('the sandbox has no container that writes a log');

	let written = 0;
	const write = (count: number) => {
		log.append(
			'stdout',
			...Array.from({ length: count }, (_, index) => `e2e line ${written + index + 1}`),
		);
		written += count;
	};
	let workflowId = '';
	await report.step(
		'logs trigger: published, it receives what was written and what is written',
		async () => {
			write(100);
			await withN8n(async ({ url }) => {
				const rest = new Rest(url);
				await rest.logIn(owner);
				workflowId = await createWorkflow(rest, service, type, deployment.id, containerId);
				await rest.activate(workflowId);
				write(100);
				await expectLines(rest, workflowId, written);
				// Some of these are under way when n8n is asked to stop
				write(400);
			});
		},
	);
	write(100);
	await report.step(
		'logs trigger: after a restart of n8n it goes on where it stopped, nothing is lost and nothing comes twice',
		async () => {
			await withN8n(async ({ url }) => {
				const rest = new Rest(url);
				await rest.logIn(owner);
				write(100);
				await expectLines(rest, workflowId, written);
			});
		},
	);
}

async function createWorkflow(
	rest: Rest,
	service: Sandbox,
	type: string,
	deploymentId: string,
	containerId: string,
): Promise<string> {
	const secrets = secretsFor(service);
	const types = ['computeMarketplaceApi', 'computeMarketplaceTokenApi'];
	const ids: Record<string, string> = {};
	for (const name of types) ids[name] = await rest.createCredential(name, secrets[name] ?? {});
	const trigger = {
		id: randomUUID(),
		name: 'Logs',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {
			authentication: 'accessToken',
			deploymentId: { __rl: true, mode: 'id', value: deploymentId },
			containerIds: [containerId],
			streams: ['stdout'],
			startFrom: 'beginning',
			batch: { maxEntries: LINES_IN_A_RUN },
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

/** Waits until line 1 to the last one have arrived, and expects each of them once and in order */
async function expectLines(rest: Rest, workflowId: string, last: number): Promise<void> {
	const expected = Array.from({ length: last }, (_, index) => `e2e line ${index + 1}`).join();
	const deadline = Date.now() + ARRIVAL_MS;
	for (;;) {
		const executions = (await rest.executions({ workflowId, includeData: 'true' })).sort(
			(one, other) => Number(one.id) - Number(other.id),
		);
		const lines = executions.flatMap((execution) =>
			itemsOf(execution, 'Next')
				.map(({ line }) => String(line))
				.filter((line) => line.startsWith('e2e line')),
		);
		if (lines.join() === expected) return;
		if (lines.length > last || Date.now() > deadline)
			throw new Error(`the lines ${lines.join()} have arrived, not ${expected}`);
		await delay(500);
	}
}
