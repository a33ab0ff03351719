import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { catalogue, offer as offerOf } from '../engine/offers.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms, type HardwareOffer } from '../sandbox/index.mts';

const fixture = useFixture();

const PRICE = { method: 'GET', path: /vmaas\/price$/ };
const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };

const offer = (
	deploy_id: number | string,
	location: string,
	price: number,
	more: Partial<HardwareOffer> = {},
): HardwareOffer => offerOf({ deploy_id, location, price, ...more });

beforeEach(() => {
	catalogue(
		fixture.sandbox,
		offer(1, 'dear', 9),
		offer(2, 'free-but-unpriced', 0),
		offer(3, 'cheap', 1, { vram_per_card: 40 }),
		offer('x4', 'cheap-and-large', 1),
		offer(5, 'cheap-and-a', 1, { vram_per_card: 40 }),
		offer(6, 'sold-out', 0.5, { sold_out: true }),
		offer(7, 'eight', 6, { num_cards: 8 }),
		offer(8, 'cpu', 0.1, { num_cards: 0, name: '' }),
	);
});

const cheapest = async (changes: IDataObject = {}, settings = {}) => {
	const { resourcePrivateName, durationHours, sshKeys, safety, additionalFields } =
		deployParameters(changes);
	const parameters = {
		resourcePrivateName,
		durationHours,
		sshKeys,
		safety,
		additionalFields,
		filters: {},
		gpusPerVm: 0,
		maxTries: 3,
		...changes,
	};
	return await fixture.run(deployment('deployCheapest', parameters, settings));
};
const bought = () => fixture.sandbox.books.deployments.map(({ order }) => order.hardwareId);

describe('deployCheapest', () => {
	it('deploys the cheapest available offer; of equal prices the one with more memory', async () => {
		expect(onlyJson(await cheapest())).toMatchObject({
			hardware_id: 'x4',
			location: 'cheap-and-large',
			tried: [],
			total_price: 2,
			hourly_price: 1,
		});
		expect(bought()).toEqual(['x4']);
	});

	it('sold out: the next, by price, then memory, then location', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			times: 2,
			...errorForms.detailString(409, 'This hardware is sold out'),
		});
		const output = onlyJson(await cheapest({}, RETRY));
		expect(output.tried).toEqual([
			expect.objectContaining({ hardware_id: 'x4', reason: 'This hardware is sold out' }),
			expect.objectContaining({ hardware_id: 3, location: 'cheap' }),
		]);
		expect(output.hardware_id).toBe(5);
		expect(bought()).toEqual([5]);
	});

	it('the first Max Tries offers are priced, once each', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			...errorForms.detailString(400, 'no capacity left'),
		});
		await cheapest();
		const priced = fixture.sent('GET', PRICE.path).map(({ query }) => query.hardware_id);
		expect(priced).toEqual([['x4'], ['3'], ['5']]);
	});

	it('an offer whose price request reports no capacity is skipped', async () => {
		fixture.sandbox.faults.add({
			match: PRICE,
			...errorForms.detailString(409, 'Not enough capacity'),
		});
		const output = onlyJson(await cheapest());
		expect(output).toMatchObject({
			tried: [{ reason: expect.stringContaining('Not enough capacity') }],
		});
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('the price must be read only under a price limit', async () => {
		fixture.sandbox.faults.add({ match: PRICE, times: Infinity, ...errorForms.empty(404) });
		expect(onlyJson(await cheapest({ safety: {} }))).toMatchObject({
			deployment_id: expect.any(String),
		});
		expect(
			errorOf(await cheapest({ resourcePrivateName: 'other', safety: { maxPrice: 100 } })).message,
		).toContain('The price could not be read');
	});

	it('any other refusal is an error at once', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			...errorForms.detailString(402, 'Not enough credits'),
		});
		expect(errorOf(await cheapest()).message).toContain('Not enough credits');
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('no more offers than Max Tries; the error says why each failed', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			times: Infinity,
			...errorForms.detailString(409, 'sold out'),
		});
		const error = errorOf(await cheapest({ maxTries: 2 }));
		expect(error.message).toBe('None of the 2 cheapest offers could be deployed');
		expect(error.description).toContain('H100 (ID x4) in cheap-and-large: sold out.');
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(2);
	});

	it('a lost answer ends the search: the deployment is found, or the outcome is unknown', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'after' });
		expect(onlyJson(await cheapest())).toMatchObject({ recovered: true, hardware_id: 'x4' });
		fixture.sandbox.reset();
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		expect(errorOf(await cheapest({ resourcePrivateName: 'other' }, RETRY)).message).toContain(
			'outcome unknown',
		);
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('offers above the price limit are skipped and named', async () => {
		const error = errorOf(await cheapest({ safety: { maxHourlyPrice: 0.9 } }));
		expect(error.description).toContain('above the Maximum Hourly Price of 0.9 usdc');
		expect(bought()).toEqual([]);
	});

	it('filters by GPU count and hardware filters', async () => {
		expect(onlyJson(await cheapest({ gpusPerVm: 8 }))).toMatchObject({
			hardware_id: 7,
			gpus_per_vm: 8,
		});
		expect(
			onlyJson(await cheapest({ resourcePrivateName: 'b', filters: { regions: ['dear'] } }))
				.hardware_id,
		).toBe(1);
	});

	it('no offer passes the filters: an error, and nothing is sent', async () => {
		expect(errorOf(await cheapest({ gpusPerVm: 3 })).message).toBe(
			'No available offer passes the filters',
		);
		expect(fixture.sent('POST', /./)).toHaveLength(0);
	});

	it('If Name Exists: the existing one is returned where nothing is on offer', async () => {
		const { deployment_id: id } = onlyJson(await cheapest());
		fixture.sandbox.hardware.splice(0, Infinity);
		const safety = { ifNameExists: 'useExisting' };
		expect(onlyJson(await cheapest({ safety }))).toMatchObject({
			deployment_id: id,
			existing: true,
		});
		expect(onlyJson(await cheapest({ safety: { ...safety, dryRun: true } }))).toMatchObject({
			deployment_id: id,
			existing: true,
			dry_run: true,
		});
		expect(errorOf(await cheapest({ safety: { dryRun: true } })).message).toContain(
			'A deployment named "job" already exists',
		);
	});

	it.each([
		['The list of deployments', '/vmaas/deployments'],
		['The hardware list', '/vmaas/hardware'],
		['The price', '/vmaas/price'],
	])('%s cannot be read: an error, and nothing is deployed', async (what, path) => {
		fixture.sandbox.faults.add({ match: { path }, times: Infinity, ...errorForms.empty(500) });
		const error = errorOf(await cheapest({ safety: { maxPrice: 100 } }));
		expect(error.message).toBe(`${what} could not be read: Server error (500)`);
		expect(error.description).toContain('Nothing was deployed.');
		expect(error.context.known).toEqual({ resource_private_name: 'job' });
		expect(fixture.sent('POST', /./)).toHaveLength(0);
	});

	it('a dry run returns the request of the first offer', async () => {
		expect(onlyJson(await cheapest({ safety: { dryRun: true } }))).toMatchObject({
			dry_run: true,
			hardware_id: 'x4',
			request: { hardware_id: 'x4', location_ids: ['cheap-and-large'] },
		});
		expect(fixture.sent('POST', /./)).toHaveLength(0);
	});
});
