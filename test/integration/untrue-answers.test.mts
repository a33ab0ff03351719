import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NodeUnderTest } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, locator, RETRY } from '../engine/nodes.mts';
import { catalogue, offer } from '../engine/offers.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** Answers that are well-formed and not true, and deployments of others that look like this one. */
const fixture = useFixture({ ssh: true });

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const EXTEND = { method: 'POST', path: /\/extend$/ };
const LIST = { method: 'GET', path: /vmaas\/deployments$/ };
const PRICE = { method: 'GET', path: /vmaas\/price$/ };
const HOUR = 3_600_000;

const made = () => fixture.sandbox.books.deployments;
const deploy = (changes: IDataObject = {}, settings = {}) =>
	deployment('deploy', deployParameters(changes), settings);
const destroyByName = (name: string) =>
	deployment('destroy', { deploymentId: { __rl: true, mode: 'name', value: name }, options: {} });
/** What another client of the account deploys, three hours before. */
const othersDeployment = async (name: string) => {
	const { json } = await fixture.client.post('/deploy', {
		...sampleDeploy,
		duration_hours: 24,
		resource_private_name: name,
	});
	fixture.sandbox.clock.advance(3 * HOUR);
	return String((json as IDataObject).deployment_id);
};
/** Start → each node in turn; a node that fails goes on. */
const inTurn = async (...steps: NodeUnderTest[]) => {
	const nodes = [
		{ type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		...steps.map((step) => ({ onError: 'continueRegularOutput' as const, ...step })),
	].map((node, index): INode => {
		const name = String(index);
		return { id: name, name, typeVersion: 1, position: [0, 0], ...node };
	});
	const connections = Object.fromEntries(
		steps.map((_, index) => [
			String(index),
			{ main: [[{ node: String(index + 1), type: 'main' as const, index: 0 }]] },
		]),
	);
	const run = await fixture.engine.runWorkflow({ nodes, connections });
	return steps.map(
		(_, index) =>
			run.data.resultData.runData[String(index + 1)]?.at(-1)?.data?.main?.[0]?.[0]?.json,
	);
};

describe('a no to what was done all the same', () => {
	it.each([400, 402, 403, 409, 429])(
		'%i to a deploy: not sent again, and not taken for this one either',
		async (status) => {
			fixture.sandbox.faults.add({ match: DEPLOY, status, body: {}, afterWork: true });
			const error = errorOf(
				await fixture.run(deploy({ safety: { ifNameExists: 'deploy' } }, RETRY)),
			);
			expect(error.message).toContain('outcome unknown');
			expect(error.message).toContain(`it shows all the same (job, ${made()[0]?.id})`);
			expect(made()).toHaveLength(1);
		},
	);

	it("with a unique name it can be nobody else's", async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, status: 402, body: {}, afterWork: true });
		const output = onlyJson(await fixture.run(deploy({ safety: { uniqueName: true } }, RETRY)));
		expect(output).toMatchObject({ deployment_id: made()[0]?.id, recovered: true });
		expect(made()).toHaveLength(1);
	});

	it('Deploy Cheapest does not go on to the next offer', async () => {
		const body = { detail: 'no capacity' };
		fixture.sandbox.faults.add({ match: DEPLOY, status: 409, body, afterWork: true });
		const { hardwareId: _, locationId: __, placement: ___, ...order } = deployParameters();
		const step = deployment('deployCheapest', { ...order, filters: {}, maxTries: 3 });
		expect(errorOf(await fixture.run(step)).message).toContain('outcome unknown');
		expect(made()).toHaveLength(1);
	});

	it('to an extension: not sent again', async () => {
		const id = String(onlyJson(await fixture.run(deploy())).deployment_id);
		fixture.sandbox.clock.advance(HOUR);
		fixture.sandbox.faults.add({ match: EXTEND, status: 429, body: {}, afterWork: true });
		const step = deployment(
			'extend',
			{ deploymentId: locator(id), durationHours: 1, safety: {} },
			RETRY,
		);
		expect(errorOf(await fixture.run(step)).message).toContain('outcome unknown');
		expect(fixture.sent('POST', EXTEND.path)).toHaveLength(1);
	});
});

describe('the ID of an older deployment', () => {
	it('in the answer to a deploy: the new one is looked for by its name', async () => {
		const older = await othersDeployment('older');
		const body = { status: 'succeeded', deployment_id: older };
		fixture.sandbox.faults.add({ match: DEPLOY, status: 200, body, afterWork: true });
		expect(onlyJson(await fixture.run(deploy())).deployment_id).toBe(made()[1]?.id);
	});

	it('in the details: they tell nothing of the one that was asked for', async () => {
		const ended = await othersDeployment('ended');
		await fixture.client.delete(`/deployment/${ended}`);
		fixture.sandbox.clock.advance(HOUR);
		const { json } = await fixture.client.get(`/deployment/${ended}`);
		const id = String(onlyJson(await fixture.run(deploy())).deployment_id);
		fixture.sandbox.clock.advance(60_000);
		const match = { method: 'GET', path: new RegExp(`/deployment/${id}$`) };
		fixture.sandbox.faults.add({ match, times: Infinity, status: 200, body: json });
		const step = deployment('waitFor', {
			deploymentId: locator(id),
			waitUntil: 'destroyed',
			pollInterval: 10,
			timeout: 20,
			onTimeout: 'error',
		});
		expect(errorOf(await fixture.run(step)).message).toContain(
			`Deployment ${id} was still "running"`,
		);
	});
});

describe('by name, in an execution that has ordered one of this name', () => {
	const STRANGER = /has the name "job", but it is not the one that this execution has ordered/;

	it('one that was there before is left alone', async () => {
		await othersDeployment('job');
		const [, destroyed] = await inTurn(
			deploy(),
			destroyByName('={{ $json.details.resource_private_name }}'),
		);
		expect(destroyed?.error).toMatch(STRANGER);
		expect(made()[0]?.state).toBe('running');
	});

	it('one of the same size that shows after a no is left alone', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, status: 409, body: {}, afterWork: true });
		const [, destroyed] = await inTurn(deploy(), destroyByName('job'));
		expect(destroyed?.error).toMatch(STRANGER);
	});

	it('one of another size, after a deploy that was lost, is left alone', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		fixture.time.onWait = async () => {
			fixture.time.onWait = undefined;
			await othersDeployment('job');
		};
		const [, destroyed] = await inTurn(deploy(), destroyByName('job'));
		expect(destroyed?.error).toMatch(STRANGER);
		expect(made().map(({ state }) => state)).toEqual(['running']);
	});

	it('one that has taken the name of the own that has ended is left alone', async () => {
		const destroyOwn = deployment('destroy', {
			deploymentId: locator('={{ $json.deployment_id }}'),
			options: {},
		});
		fixture.time.onWait = async () => {
			if (fixture.sent('DELETE', /./).length === 0) return;
			fixture.time.onWait = undefined;
			await othersDeployment('job');
		};
		const [, , destroyed] = await inTurn(deploy(), destroyOwn, destroyByName('job'));
		expect(destroyed?.error).toMatch(STRANGER);
		expect(made()[1]?.state).toBe('running');
	});
});

it('another execution of this process sends nothing while the outcome is unknown', async () => {
	const controller = new AbortController();
	fixture.sandbox.faults.add({ match: DEPLOY, hang: true, afterWork: true });
	const first = fixture.run(deploy(), [{}], { executionId: '1', cancel: controller.signal });
	await until(() => made().length === 1);
	controller.abort();
	await first.catch(() => undefined);
	const empty = { data: { deployments: [], total: 0 } };
	fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body: empty });
	const second = async () => await fixture.run(deploy(), [{}], { executionId: '2' });
	expect(errorOf(await second()).message).toBe(
		'Another execution has sent a deploy of "job", and its outcome is unknown',
	);
	expect(made()).toHaveLength(1);
	fixture.sandbox.clock.advance(15 * 60_000);
	expect(jsonOf(await second())).toHaveLength(1);
});

it('a list without names is no list in which a name is free', async () => {
	const body = { data: { deployments: [{ id: 'a', status: 'running', title: 'job' }], total: 1 } };
	fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body });
	const none = 'No entry of the list shows a name that is known';
	expect(errorOf(await fixture.run(deploy())).message).toBe(none);
	const many = { namePrefix: 'job', match: 'exact', limit: 5, dryRun: false, options: {} };
	expect(errorOf(await fixture.run(deployment('destroyMany', many))).message).toBe(none);
	const filters = { namePrefix: 'job' };
	const all = deployment('getAll', { returnAll: true, filters });
	expect(errorOf(await fixture.run(all)).message).toBe(none);
	const spending = deployment('getSpending', { groupBy: 'none', filters, options: {} });
	expect(errorOf(await fixture.run(spending)).message).toBe(none);
	expect(made()).toHaveLength(0);
});

describe('a price', () => {
	it('of the next offer is read again after the first was tried for long', async () => {
		const cheap = offer({ deploy_id: 'a', price: 1 });
		catalogue(fixture.sandbox, cheap, offer({ deploy_id: 'b', price: 1.05 }));
		fixture.sandbox.faults.add({
			match: DEPLOY,
			delayMs: 90_000,
			status: 409,
			body: { detail: 'no capacity' },
		});
		const body = { data: { total_cost_usdc: 500 } };
		fixture.sandbox.faults.add({ match: PRICE, skip: 2, status: 200, body });
		const { hardwareId: _, locationId: __, placement: ___, ...order } = deployParameters();
		const running = fixture.run(
			deployment('deployCheapest', {
				...order,
				filters: {},
				maxTries: 2,
				safety: { maxPrice: 10 },
			}),
		);
		await until(() => fixture.sent('POST', DEPLOY.path).length === 1);
		fixture.sandbox.clock.advance(90_000);
		expect(errorOf(await running).description).toContain('The price of 500 usdc is above');
		expect(made()).toHaveLength(0);
	});

	it('of another hardware is none', async () => {
		const body = { data: { hardware_id: 3, total_cost_usdc: 1 } };
		fixture.sandbox.faults.add({ match: PRICE, status: 200, body });
		expect(
			errorOf(await fixture.run(deploy({ gpusPerVm: 1, safety: { maxPrice: 10 } }))).message,
		).toContain('the service gave the price for hardware_id 3 instead of 7');
	});

	it('that was not the one that is paid is told', async () => {
		const body = { data: { total_cost_usdc: 0.01 } };
		fixture.sandbox.faults.add({ match: PRICE, status: 200, body });
		const output = onlyJson(await fixture.run(deploy({ safety: { maxPrice: 10 } })));
		expect(output.hint).toMatch(/^The service shows [\d.]+ paid instead of the price of 0\.01\.$/);
	});
});

it.each(['pending', 'N/A', 'ubuntu@None', 'ubuntu@'])(
	'%j is no SSH address',
	async (ssh_access) => {
		const id = String(onlyJson(await fixture.run(deploy())).deployment_id);
		fixture.sandbox.clock.advance(60_000);
		const vms = { data: { total: 1, workers: [{ vm_id: 'a', status: 'running', ssh_access }] } };
		const match = { method: 'GET', path: /\/vms$/ };
		fixture.sandbox.faults.add({ match, times: Infinity, status: 200, body: vms });
		const step = deployment('waitFor', {
			deploymentId: locator(id),
			waitUntil: 'ssh',
			pollInterval: 10,
			timeout: 20,
			onTimeout: 'output',
		});
		expect(onlyJson(await fixture.run(step)).reached).toBe(false);
	},
);

it('a VM that is not listed yet is not reachable by SSH', async () => {
	const order = deploy({ additionalFields: { vmsQty: 2 } });
	const id = String(onlyJson(await fixture.run(order)).deployment_id);
	fixture.sandbox.clock.advance(60_000);
	const { json } = await fixture.client.get(`/deployment/${id}/vms`);
	const body = { data: { total: 1, workers: listAt(json, 'data', 'workers').slice(0, 1) } };
	const match = { method: 'GET', path: /\/vms$/ };
	fixture.sandbox.faults.add({ match, times: 2, status: 200, body });
	const step = deployment('waitFor', {
		deploymentId: locator(id),
		waitUntil: 'ssh',
		pollInterval: 10,
		timeout: 60,
		onTimeout: 'output',
	});
	expect(onlyJson(await fixture.run(step))).toMatchObject({ reached: true, waited_seconds: 10 });
});
