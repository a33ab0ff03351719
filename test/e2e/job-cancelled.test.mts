import { expect } from 'vitest';
import { startSandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { SOON, test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { until } from './until.mts';
import { afterStart, connect, ended } from './workflow.mts';

const MINUTE_MS = 60_000;

/** n8n ends an execution at once, and with it all that it evaluates: what is cleaned up has to come after that */
test('a job that a person stops: its VM is destroyed, in a real n8n', async ({
	rest,
	onTestFinished,
}) => {
	const sandbox = await startSandbox({ ssh: true, ...SOON });
	onTestFinished(async () => await sandbox.close());
	const ids: Record<string, string> = {};
	for (const [type, data] of Object.entries(secretsFor(sandbox)))
		ids[type] = await rest.createCredential(type, data);
	const types = ['computeMarketplaceApi', 'computeSshApi'];
	const job = {
		name: 'Job',
		type: `${packageName}.vmaas`,
		parameters: {
			resource: 'job',
			operation: 'run',
			command: 'sleep 600',
			jobKey: 'stopped',
			durationHours: 1,
			safety: { maxPrice: 100 },
		},
		credentials: Object.fromEntries(types.map((name) => [name, { name }])),
	};
	const workflowId = await rest.createWorkflow(connect(afterStart('Stopped job', job), ids));
	const executionId = await rest.run(workflowId, 'Start');
	const states = () => sandbox.books.deployments.map(({ state }) => state);
	await until('the VM runs', () => states().includes('running'), MINUTE_MS);
	await rest.stop(executionId);
	expect((await ended(rest, executionId)).status).toBe('canceled');
	await until(
		'the VM has ended',
		() => sandbox.books.deployments.every(({ isGone }) => isGone),
		MINUTE_MS,
	);
	expect(states()).toHaveLength(1);
});
