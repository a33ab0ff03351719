import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from '../report.mts';
import { workerId } from '../sandbox/compute/views.mts';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { connect, itemsOf } from './example.mts';
import { startN8n, type Home } from './n8n.mts';
import { owner, Rest } from './rest.mts';

const ARRIVAL_MS = 60_000;

/** The trigger in an activated workflow: every line arrives once, also those that were written while n8n was off */
export async function checkLogsTrigger(report: Report, home: Home, service: Sandbox, type: string): Promise<void> {
	const deployment = service.books.seeded.find(({ isGone }) => !isGone);
	const containerId = workerId(deployment?.id ?? '', 0);
	const log = service.logs.find(deployment?.id ?? '', containerId);
	if (deployment === undefined || log === undefined) throw new Error('the sandbox has no container that writes a log');

	let workflowId = '';
	await report.step('logs trigger: activated, it receives what was written and what is written', async () => {
		await inN8n(home, async (rest) => {
			workflowId = await createWorkflow(rest, service, type, deployment.id, containerId);
			await rest.activate(workflowId);
			log.append('stdout', 'e2e line 1', 'e2e line 2');
			await expectLines(rest, workflowId, 2);
		});
	});
	log.append('stdout', 'e2e line 3');
	await report.step('logs trigger: after a restart of n8n it goes on where it stopped', async () => {
		await inN8n(home, async (rest) => {
			log.append('stdout', 'e2e line 4');
			await expectLines(rest, workflowId, 4);
		});
	});
}

async function inN8n(home: Home, run: (rest: Rest) => Promise<void>): Promise<void> {
	const n8n = await startN8n(home);
	try {
		const rest = new Rest(n8n.url);
		await rest.logIn(owner);
		await run(rest);
	} finally {
		await n8n.stop();
	}
}

async function createWorkflow(rest: Rest, service: Sandbox, type: string, deploymentId: string, containerId: string): Promise<string> {
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
		},
		credentials: Object.fromEntries(types.map((name) => [name, { name }])),
	};
	const next = { id: randomUUID(), name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [220, 0], parameters: {} };
	const connections = { Logs: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } };
	return await rest.createWorkflow(connect({ name: 'Logs', nodes: [trigger, next], connections }, ids));
}

/** Waits until line 1 to the last one have arrived, and expects each of them once and in order */
async function expectLines(rest: Rest, workflowId: string, last: number): Promise<void> {
	const expected = Array.from({ length: last }, (_, index) => `e2e line ${index + 1}`).join();
	const deadline = Date.now() + ARRIVAL_MS;
	for (;;) {
		const executions = (await rest.executions({ workflowId })).sort((one, other) => Number(one.id) - Number(other.id));
		const lines: string[] = [];
		for (const { id } of executions) {
			const texts = itemsOf(await rest.execution(id), 'Next').map((item) => JSON.stringify(item));
			lines.push(...texts.flatMap((text) => /e2e line \d+/.exec(text) ?? []));
		}
		if (lines.join() === expected) return;
		if (lines.length > last || Date.now() > deadline) throw new Error(`the lines ${lines.join()} have arrived, not ${expected}`);
		await delay(500);
	}
}
