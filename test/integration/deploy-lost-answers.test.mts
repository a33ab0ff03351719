import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { DEPLOY, deploysOf } from './deploys.mts';

const fixture = useFixture();
const { deploy, deploysSent } = deploysOf(fixture);

describe('deploy: reconciliation of a lost answer', () => {
	it.each([
		['the connection is cut after the work', { drop: 'after' as const }],
		['a 500 after the work', { ...errorForms.detailString(500), afterWork: true }],
		['a 502 HTML page after the work', { ...errorForms.html(502), afterWork: true }],
		['a 504 without a body after the work', { ...errorForms.empty(504), afterWork: true }],
		['a 408 after the work', { ...errorForms.empty(408), afterWork: true }],
	])('%s: found by name, and deployed once', async (_, fault) => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...fault });
		const output = onlyJson(await deploy());
		expect(output).toMatchObject({
			recovered: true,
			resource_private_name: 'job',
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
		});
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
		expect(deploysSent()).toHaveLength(1);
	});

	it('no response in time: found by name', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, hang: true, afterWork: true });
		const running = deploy();
		await until(() => fixture.sandbox.books.deployments.length === 1);
		fixture.sandbox.clock.advance(120_000);
		expect(onlyJson(await running)).toMatchObject({ recovered: true });
	});

	it.each([
		['an empty body', { emptyBody: true }],
		['a JSON list', { status: 201, body: [1], afterWork: true }],
	])('a 2xx with %s is a success, with the ID found by name', async (_, fault) => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...fault });
		const output = onlyJson(await deploy());
		expect(output).toMatchObject({
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
			resource_private_name: 'job',
		});
		expect(output.recovered).toBeUndefined();
	});

	it.each([
		['a body that is cut', { cutBodyAt: 5 }],
		['HTML', { ...errorForms.html(200), afterWork: true }],
		['a refusal', { status: 200, body: { success: false, error: 'no funds' }, afterWork: true }],
		['a redirect', { status: 303, body: {}, afterWork: true }],
	])('an answer with %s is unclear: the deployment is found by its name', async (_, fault) => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...fault });
		expect(onlyJson(await deploy())).toMatchObject({
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
			recovered: true,
		});
	});

	it('a 200 that says no, and nothing was made: an error in the words of the service', async () => {
		const body = { status: 'failed', success: false, error: 'insufficient balance' };
		fixture.sandbox.faults.add({ match: DEPLOY, status: 200, body });
		expect(errorOf(await deploy({}, RETRY)).message).toContain('outcome unknown');
		expect(deploysSent()).toHaveLength(1);
	});

	it('a 2xx without an ID, not in the list yet: a success with a null ID and a hint', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, emptyBody: true });
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			skip: 2,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		const output = onlyJson(await deploy());
		expect(output).toMatchObject({ deployment_id: null, resource_private_name: 'job' });
		expect(output.hint).toContain('by its name');
	});

	it('not found in time: "outcome unknown" with the name, and Retry On Fail sends nothing', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const run = await deploy({}, RETRY);
		expect(errorOf(run).message).toMatch(/^Deploy of "job": outcome unknown\./);
		expect(errorOf(run).description).toContain('"job"');
		expect(errorOf(run).context.known).toEqual({
			resource_private_name: 'job',
			deployment_id: null,
			outcome: 'unknown',
		});
		expect(deploysSent()).toHaveLength(1);
		expect(fixture.time.waits.filter((ms) => ms === 16_000)).toHaveLength(3);
	});

	it('a deployment that appears later is found by the retry', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, delayMs: 150_000 });
		const running = deploy({}, RETRY);
		await until(() => fixture.sandbox.requests.some(({ path }) => path.endsWith('/vmaas/deploy')));
		fixture.sandbox.clock.advance(120_000);
		expect(onlyJson(await running)).toMatchObject({
			recovered: true,
			resource_private_name: 'job',
		});
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('Retry of the failed execution in n8n finds the deployment of the first', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, delayMs: 400_000 });
		const running = deploy();
		await until(() => deploysSent().length === 1);
		fixture.sandbox.clock.advance(120_000);
		const failed = await running;
		expect(errorOf(failed).message).toContain('outcome unknown');
		fixture.sandbox.clock.advance(400_000);
		await until(() => fixture.sandbox.books.deployments.length === 1);
		const contextData = failed.data.executionData?.contextData;
		const retried = await fixture.run(
			deployment('deploy', deployParameters({ safety: { ifNameExists: 'deploy' } })),
			[{}],
			{ executionId: '2', mode: 'retry', contextData },
		);
		expect(onlyJson(retried)).toMatchObject({
			recovered: true,
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
		});
		expect(deploysSent()).toHaveLength(1);
	});

	it('a connection that is refused: tried again, then an error; the next execution may send', async () => {
		await fixture.sandbox.refuseNext();
		const run = await deploy();
		await fixture.sandbox.listenAgain();
		expect(errorOf(run).message).toMatch(/cannot be reached \(ECONNREFUSED\)/);
		expect(onlyJson(await deploy()).deployment_id).toBeTruthy();
	});

	it('an older deployment of the same name is not taken for the lost one', async () => {
		await deploy();
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const run = await deploy({ safety: { ifNameExists: 'deploy' } });
		expect(errorOf(run).message).toContain('outcome unknown');
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'after' });
		const output = onlyJson(await deploy({ safety: { ifNameExists: 'deploy' } }));
		expect(output.deployment_id).toBe(fixture.sandbox.books.deployments[1]?.id);
	});
});
