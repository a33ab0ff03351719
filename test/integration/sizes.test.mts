import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, locator, vmaas } from '../engine/nodes.mts';
import { catalogue, offer } from '../engine/offers.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at } from '../sandbox/testing/client.mts';

/** One `deploy_id` in several sizes: what is bought is what was chosen, and never a guess. */
const fixture = useFixture();

const a6000 = { deploy_id: 6, name: 'RTX A6000', vram_per_card: 48 };
const small = offer({ ...a6000, location: 'US', num_cards: 1, price: 0.55 });
const large = offer({ ...a6000, location: 'US', num_cards: 8, price: 4.4 });
const elsewhere = offer({ ...a6000, location: 'FI', num_cards: 8, price: 4.8 });

beforeEach(() => catalogue(fixture.sandbox, small, large, elsewhere));

const parameters = (location: string, changes: IDataObject = {}) =>
	deployParameters({ hardwareId: locator(6), locationId: locator(location), ...changes });
const deploy = async (location: string, changes: IDataObject = {}) =>
	await fixture.run(deployment('deploy', parameters(location, changes)));
const price = async (location: string, changes: IDataObject = {}) =>
	await fixture.run(
		vmaas('price', 'get', {
			hardwareId: locator(6),
			locationId: locator(location),
			durationHours: 1,
			gpusPerVm: 0,
			currency: 'usdc',
			...changes,
		}),
	);
const sentSizes = () => fixture.sent('POST', /deploy$/).map(({ body }) => at(body, 'gpus_per_vm'));
const SIZES =
	'Hardware 6 comes in several sizes. Set GPUs per VM to one of them: 1 ($0.55/h), 8 ($4.40/h)';

describe('GPUs per VM of 0', () => {
	it.each([0, '={{ "" }}'])(
		'%j: several sizes there are an error that names them',
		async (gpus) => {
			for (const error of [
				errorOf(await deploy('US', { gpusPerVm: gpus })),
				errorOf(await price('US', { gpusPerVm: gpus })),
			])
				expect(error.message).toBe(SIZES);
			expect(sentSizes()).toEqual([]);
		},
	);

	it('the only size there is taken, whatever there is elsewhere', async () => {
		expect(onlyJson(await deploy('FI'))).toMatchObject({ gpus_per_vm: 8 });
		expect(sentSizes()).toEqual([8]);
		expect(onlyJson(await price('FI'))).toMatchObject({ gpus_per_vm: 8 });
	});

	it('where it is not offered, and in a node pool, all its sizes count', async () => {
		expect(errorOf(await deploy('CN')).message).toBe(SIZES);
		const pool = { placement: 'nodePool', nodePoolId: '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35' };
		expect(errorOf(await deploy('US', pool)).message).toBe(SIZES);
		expect(sentSizes()).toEqual([]);
	});

	it('a size that is sold out is a size; one that is not shown may be any', async () => {
		catalogue(fixture.sandbox, { ...small, sold_out: true }, large);
		expect(errorOf(await deploy('US')).message).toContain('1 ($0.55/h · sold out), 8 ($4.40/h)');
		catalogue(fixture.sandbox, large, { ...small, num_cards: null as unknown as number });
		expect(errorOf(await deploy('US')).message).toContain('8 ($4.40/h), not shown ($0.55/h)');
		expect(sentSizes()).toEqual([]);
	});

	it.each([
		[null, 'no number of'],
		[0, '0'],
		[16, '16'],
	])('a size of %j cannot be deployed, and the error says so', async (cards, shown) => {
		catalogue(fixture.sandbox, { ...small, num_cards: cards as number });
		expect(errorOf(await deploy('US')).message).toBe(
			`Hardware 6 has ${shown} GPUs in its offer, so GPUs per VM cannot be taken from it`,
		);
		expect(sentSizes()).toEqual([]);
	});

	it('sizes as text are numbers', async () => {
		catalogue(fixture.sandbox, offer({ deploy_id: 6, num_cards: 8 }));
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/hardware' },
			status: 200,
			body: { data: { hardware: [{ deploy_id: '6', num_cards: '8', location: 'US' }] } },
		});
		await deploy('US');
		expect(sentSizes()).toEqual([8]);
	});
});

describe('a chosen size', () => {
	it.each([1, 8])(
		'%d is what is sent, priced and bought, without the hardware list',
		async (gpus) => {
			const output = onlyJson(await deploy('US', { gpusPerVm: gpus, safety: { maxPrice: 100 } }));
			expect(output).toMatchObject({ gpus_per_vm: gpus, hourly_price: gpus * 0.55 });
			expect(sentSizes()).toEqual([gpus]);
			const [bought] = fixture.sandbox.books.deployments;
			expect(bought?.order).toMatchObject({ gpusPerWorker: gpus, hourlyPrice: gpus * 0.55 });
			expect(fixture.sent('GET', /hardware$/)).toEqual([]);
		},
	);
});

describe('the lists of the form', () => {
	const search = async (method: string, hardwareId: unknown = 6) =>
		(
			await fixture.engine.search(
				vmaas(
					'deployment',
					'deploy',
					deployParameters({ hardwareId: locator(hardwareId, 'list') }),
				),
				method,
			)
		).results.map(({ name }) => name);

	it('hardware: once, with its sizes, none of which is shown at the price of another', async () => {
		expect(await search('searchHardware')).toEqual([
			'1 or 8 × RTX A6000 · from $0.55/h · 48 GB each',
		]);
		catalogue(fixture.sandbox, { ...small, sold_out: true }, large, { ...large, num_cards: 4 });
		expect(await search('searchHardware')).toEqual([
			'1 (sold out), 4 or 8 × RTX A6000 · from $4.40/h · 48 GB each',
		]);
	});

	it('locations: each size with its price', async () => {
		expect(await search('searchLocations')).toEqual([
			'US · 1 × $0.55/h, 8 × $4.40/h',
			'FI · $4.80/h',
		]);
	});
});
