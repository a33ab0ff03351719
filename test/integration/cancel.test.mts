import type { IDataObject } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, vmaas } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { until } from '../engine/time.mts';
import { systemClock, type Fault } from '../sandbox/index.mts';

/** Nothing waits once the signal has come, so what is measured is far below. */
const BAR_MS = 100;

const fixture = useFixture({ clock: systemClock(), time: 'real' });
const measured: number[] = [];

afterAll(async () => {
	process.stdout.write(
		`cancelled executions ended within ${Math.max(...measured)} ms (${measured.length} moments)\n`,
	);
});

const requests = (method: string, path: RegExp) => fixture.sent(method, path).length;

/** Runs an operation, presses Stop when the moment has come, and returns how long the execution went on. */
async function cancelAt(
	moment: () => boolean,
	operation: string,
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	settings = {},
) {
	const stop = new AbortController();
	const running = fixture.run(vmaas('deployment', operation, parameters, settings), items, {
		cancel: stop.signal,
	});
	await until(moment);
	const waited = ownMilliseconds();
	stop.abort();
	await running;
	const took = waited();
	measured.push(took);
	return { took };
}

/** The lines that name a deployment; n8n itself logs the error of the node too. */
const facts = () => fixture.log.filter((line) => line.facts !== undefined);
const logged = () => JSON.stringify(fixture.log);

describe('Stop, at any moment, ends the execution at once', () => {
	const deploy = /vmaas\/deploy$/;
	it.each<[string, Fault, () => boolean]>([
		[
			'while the names are read',
			{ match: { path: '/vmaas/deployments' }, hang: true },
			() => requests('GET', /deployments$/) === 1,
		],
		[
			'while a read is tried again',
			{ match: { path: '/vmaas/deployments' }, status: 503, headers: { 'retry-after': '30' } },
			() => fixture.sandbox.requests.some(({ status }) => status === 503),
		],
		[
			'while the deploy is sent',
			{ match: { path: deploy }, hang: true },
			() => requests('POST', deploy) === 1,
		],
		[
			'while the answer trickles in',
			{ match: { path: deploy }, slowBytes: { chunk: 1, everyMs: 1_000 } },
			() => fixture.sandbox.books.deployments.length === 1,
		],
		[
			'during reconciliation',
			{ match: { path: deploy }, drop: 'before' },
			() => requests('GET', /deployments$/) === 4,
		],
	])('deploy: %s', async (_, fault, moment) => {
		fixture.sandbox.faults.add(fault);
		const { took } = await cancelAt(moment, 'deploy', deployParameters(), [{}], {
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
		});
		expect(took).toBeLessThan(BAR_MS);
		expect(fixture.sandbox.books.deployments.length).toBeLessThanOrEqual(1);
	});

	it('waitFor, between two checks', async () => {
		const { deployment_id: deploymentId } = onlyJson(
			await fixture.run(vmaas('deployment', 'deploy', deployParameters())),
		);
		fixture.sandbox.requests.length = 0;
		const parameters = {
			deploymentId,
			waitUntil: 'running',
			pollInterval: 600,
			timeout: 600,
			onTimeout: 'error',
		};
		const { took } = await cancelAt(
			() =>
				fixture.sandbox.requests.at(-1)?.status === 200 &&
				requests('GET', /deployment\/[^/]+$/) === 1,
			'waitFor',
			parameters,
		);
		expect(took).toBeLessThan(BAR_MS);
	});

	it('destroy, during Verify', async () => {
		const { deployment_id: deploymentId } = onlyJson(
			await fixture.run(vmaas('deployment', 'deploy', deployParameters())),
		);
		fixture.sandbox.requests.length = 0;
		const { took } = await cancelAt(() => requests('GET', /deployment\/[^/]+$/) === 1, 'destroy', {
			deploymentId,
			options: { verify: true },
		});
		expect(took).toBeLessThan(BAR_MS);
	});
});

describe('a cancelled execution logs what is known', () => {
	it('a deploy in flight: its name', async () => {
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, hang: true, afterWork: true });
		await cancelAt(
			() => fixture.sandbox.books.deployments.length === 1,
			'deploy',
			deployParameters(),
		);
		expect(facts()).toEqual([
			{
				message:
					'Cancelled while a deploy was under way: the deployment may exist and bill. Look for it by its name.',
				facts: { resource_private_name: 'job', deployment_id: null },
			},
		]);
	});

	it('the items that were done: name and ID', async () => {
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, skip: 1, hang: true });
		const parameters = deployParameters({ resourcePrivateName: '=job-{{ $json.n }}' });
		await cancelAt(() => requests('POST', /vmaas\/deploy$/) === 2, 'deploy', parameters, [
			{ n: 1 },
			{ n: 2 },
			{ n: 3 },
		]);
		expect(logged()).toContain(
			`"deployment_id":"${String(fixture.sandbox.books.deployments[0]?.id)}","resource_private_name":"job-1"`,
		);
		expect(logged()).toContain('"resource_private_name":"job-2","deployment_id":null');
		expect(logged()).not.toContain('job-3');
		expect(logged()).not.toContain(fixture.sandbox.keys.apiKey);
	});

	it('the next execution finds the deployment by its name', async () => {
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, hang: true, afterWork: true });
		await cancelAt(
			() => fixture.sandbox.books.deployments.length === 1,
			'deploy',
			deployParameters(),
		);
		const next = onlyJson(
			await fixture.run(
				vmaas(
					'deployment',
					'deploy',
					deployParameters({ safety: { ifNameExists: 'useExisting' } }),
				),
			),
		);
		expect(next).toMatchObject({
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
			existing: true,
		});
	});

	it('an extension in flight: ID and hours', async () => {
		const { deployment_id: deploymentId } = onlyJson(
			await fixture.run(vmaas('deployment', 'deploy', deployParameters())),
		);
		fixture.sandbox.faults.add({ match: { path: /\/extend$/ }, hang: true });
		await cancelAt(() => requests('POST', /\/extend$/) === 1, 'extend', {
			deploymentId,
			durationHours: 2,
			safety: {},
		});
		expect(facts().map((line) => line.facts)).toEqual([{ deployment_id: deploymentId }]);
	});
});
