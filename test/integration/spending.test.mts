import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, deployment, deployParameters, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const HOUR = 3_600_000;
const spending = async (parameters: IDataObject = {}, node = deployment) =>
	await fixture.run(
		node('getSpending', { groupBy: 'none', filters: {}, options: {}, ...parameters }),
	);
const ofContainers = (operation: string, parameters?: IDataObject) =>
	caas('deployment', operation, parameters);
const buy = async (name: string, changes: IDataObject = {}) =>
	onlyJson(
		await fixture.run(
			deployment('deploy', deployParameters({ resourcePrivateName: name, ...changes })),
		),
	);
const books = () => fixture.sandbox.books;
const cents = (amount: number) => Math.round(amount * 1e6) / 1e6;

describe('Get Spending', () => {
	it('equals the books: paid after refunds, what is left, and the cost of an hour', async () => {
		const [a, b] = [await buy('a-1', { durationHours: 4 }), await buy('a-2'), await buy('b-1')];
		fixture.sandbox.clock.advance(1.5 * HOUR);
		await fixture.run(deployment('destroy', { deploymentId: locator(b?.deployment_id) }));
		fixture.sandbox.clock.advance(HOUR / 4);
		const { charged, refunded } = books().totals();
		const running = books().deployments.filter(({ isGone }) => !isGone);
		const perHour = running.reduce((sum, { order }) => sum + order.hourlyPrice, 0);
		const output = onlyJson(await spending());
		expect(output).toMatchObject({
			product: 'vmaas',
			deployments: 3,
			running: 2,
			paid: cents(charged - refunded),
			cost_per_hour: cents(perHour),
			is_complete: true,
			unread: 0,
			unknown_paid: 0,
		});
		const left = running.reduce(
			(sum, one) =>
				sum +
				(one.hiredHours - one.servedHours(fixture.sandbox.clock.now())) * one.order.hourlyPrice,
			0,
		);
		expect(Number(output.remaining_value)).toBeCloseTo(left, 1);
		const named = onlyJson(await spending({ filters: { namePrefix: 'a-1' } }));
		const first = books().find(String(a?.deployment_id));
		expect(named).toMatchObject({ deployments: 1, paid: cents(first?.charged ?? 0) });
	});

	it('by day and by deployment; a period counts what was created in it', async () => {
		await buy('a');
		fixture.sandbox.clock.advance(24 * HOUR);
		await buy('b');
		const days = jsonOf(await spending({ groupBy: 'day' }));
		expect(days).toMatchObject([
			{ day: '2026-01-01', deployments: 1 },
			{ day: '2026-01-02', deployments: 1, running: 1 },
		]);
		expect(jsonOf(await spending({ groupBy: 'deployment' }))).toMatchObject([
			{ resource_private_name: 'b', remaining_value: expect.any(Number) },
			{ resource_private_name: 'a', remaining_value: 0, cost_per_hour: 0 },
		]);
		const filters = { createdAfter: '2026-01-02' };
		expect(onlyJson(await spending({ filters }))).toMatchObject({
			deployments: 1,
			paid: days[1]?.paid,
		});
	});

	it('minutes that are added up over GPUs change nothing', async () => {
		fixture.sandbox.adopt({ sumsMinutes: true });
		await buy('a', { hardwareId: locator(12), locationId: locator('2'), gpusPerVm: 8 });
		fixture.sandbox.clock.advance(HOUR / 2);
		const [one] = books().deployments;
		expect(onlyJson(await spending())).toMatchObject({
			cost_per_hour: cents(one?.order.hourlyPrice ?? 0),
		});
	});

	it('of containers', async () => {
		const { seeded } = books();
		expect(onlyJson(await spending({}, ofContainers))).toMatchObject({
			product: 'caas',
			deployments: seeded.length,
			running: seeded.filter(({ isGone }) => !isGone).length,
			paid: cents(seeded.reduce((sum, one) => sum + one.charged - one.refunded, 0)),
			is_complete: true,
		});
	});

	it('what cannot be read is counted and said, and never 0 in silence', async () => {
		const bought = [await buy('a'), await buy('b'), await buy('c')];
		fixture.sandbox.faults.add({
			match: { path: `/deployment/${String(bought[1]?.deployment_id)}` },
			times: Infinity,
			...errorForms.empty(500),
		});
		const options = { maxDeployments: 2 };
		expect(onlyJson(await spending({ options }))).toMatchObject({
			deployments: 3,
			unread: 2,
			unknown_paid: 2,
			unknown_cost_per_hour: 2,
			is_complete: false,
			hint: expect.stringContaining('Not every amount is known'),
		});
		fixture.sandbox.faults.add({
			match: { path: /\/deployment\// },
			times: Infinity,
			...errorForms.empty(500),
		});
		expect(errorOf(await spending()).message).toBe('Server error (500)');
	});

	it('asks for no details where the list shows amounts', async () => {
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			times: Infinity,
			status: 200,
			body: {
				data: {
					total: 1,
					deployments: [{ id: 'x', status: 'destroyed', name: 'x', amount_paid: '1.50' }],
				},
			},
		});
		expect(onlyJson(await spending())).toMatchObject({ paid: 1.5, is_complete: true });
		expect(fixture.sent('GET', /\/deployment\//)).toEqual([]);
	});
});

describe('Maximum Running Cost', () => {
	/** What the containers that are there from the start cost an hour. */
	const CONTAINERS = 2.7;
	const limited = (name: string, maxRunningCost: number, more: IDataObject = {}) =>
		deployment(
			'deploy',
			deployParameters({ resourcePrivateName: name, safety: { maxRunningCost, ...more } }),
		);
	it('counts what runs, VMs and containers, and the purchase itself', async () => {
		await buy('a');
		fixture.sandbox.clock.advance(HOUR / 2);
		const price = Number(books().deployments[0]?.order.hourlyPrice);
		const error = errorOf(await fixture.run(limited('b', CONTAINERS + price * 1.99)));
		expect(error.message).toContain('above the Maximum Running Cost of');
		expect(
			onlyJson(await fixture.run(limited('b', CONTAINERS + price * 2))).deployment_id,
		).toBeTruthy();
		fixture.sandbox.addResident({ name: 'c', kind: 'caas', hoursAgo: 1 });
		expect(errorOf(await fixture.run(limited('d', CONTAINERS + price * 3))).message).toContain(
			'above',
		);
		expect(books().deployments).toHaveLength(2);
	});

	it('of two at once, one is bought, though the list is behind', async () => {
		fixture.sandbox.adopt({ listLagMs: 60_000 });
		const runs = await Promise.all(
			['a', 'b'].map(async (name) => await fixture.run(limited(name, CONTAINERS + 0.6))),
		);
		expect(books().deployments).toHaveLength(1);
		const failed = runs.filter((run) => run.data.resultData.error);
		expect(failed.map((run) => errorOf(run).message)).toEqual([
			expect.stringContaining('above the Maximum Running Cost'),
		]);
	});

	it('the outcome of a purchase is unknown: it counts', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/deploy$/ },
			times: 1,
			...errorForms.empty(504),
		});
		errorOf(await fixture.run(limited('a', CONTAINERS + 0.6)));
		expect(errorOf(await fixture.run(limited('b', CONTAINERS + 0.6))).message).toContain('above');
		fixture.sandbox.clock.advance(10 * 60_000);
		expect(onlyJson(await fixture.run(limited('b', CONTAINERS + 0.6))).deployment_id).toBeTruthy();
	});

	it('a rejected purchase does not count', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/deploy$/ },
			times: 1,
			...errorForms.detailString(422),
		});
		errorOf(await fixture.run(limited('a', CONTAINERS + 0.6)));
		expect(onlyJson(await fixture.run(limited('b', CONTAINERS + 0.6))).deployment_id).toBeTruthy();
	});

	it.each([
		['details cannot be read', /\/deployment\//, errorForms.empty(500)],
		['the list of containers cannot be read', /caas\/deployments$/, errorForms.empty(500)],
	])('%s: nothing is bought, and the error says why', async (_, path, fault) => {
		fixture.sandbox.addResident({ name: 'colleague', hoursAgo: 1 });
		fixture.sandbox.faults.add({ match: { path }, times: Infinity, ...fault });
		const error = errorOf(await fixture.run(limited('a', 100)));
		expect(error.message).toMatch(/^Maximum Running Cost cannot be checked: .*(colleague|list of)/);
		expect(books().deployments).toEqual([]);
	});

	it('a dry run shows it, too', async () => {
		const error = errorOf(await fixture.run(limited('a', 0.1, { dryRun: true })));
		expect(error.message).toContain('above the Maximum Running Cost of 0.1');
	});

	it('holds for Deploy Cheapest and for containers', async () => {
		const { hardwareId, gpusPerVm, placement, locationId, ...common } = deployParameters();
		const safety = { maxRunningCost: 0.01 };
		const cheapest = { ...common, filters: {}, gpusPerVm: 1, maxTries: 2, safety };
		expect(errorOf(await fixture.run(deployment('deployCheapest', cheapest))).message).toContain(
			'above the Maximum Running Cost',
		);
		const container = caas('deployment', 'deploy', {
			resourcePrivateName: 'c',
			imageUrl: 'registry.example/a:1',
			trafficPort: 8080,
			hardwareId: locator(7),
			gpusPerContainer: 1,
			locationIds: [3],
			replicaCount: 1,
			durationHours: 1,
			environment: {},
			secretEnvironment: {},
			safety,
			additionalFields: {},
		});
		expect(errorOf(await fixture.run(container)).message).toContain(
			'above the Maximum Running Cost',
		);
		expect([hardwareId, gpusPerVm, placement, locationId]).toHaveLength(4);
		expect(books().deployments).toEqual([]);
	});
});
