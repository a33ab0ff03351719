import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../nodes/shared/operation/operation.ts';
import { hardware } from '../../nodes/Vmaas/resources/hardware.ts';
import { price } from '../../nodes/Vmaas/resources/price.ts';
import { locator } from '../engine/nodes.mts';
import { inputOf } from './job-bench.mts';
import { productContext, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { costs, offer, Shop } from './shop-parts.mts';

type Only = [Resource['operations'][number]];

const [getAll] = hardware.operations as Only;
const [getPrice] = price.operations as Only;

describe('the hardware that is listed', () => {
	const OFFERS = [
		offer({ deploy_id: 1, price: 4, num_cards: 8, vram_per_card: 10 }),
		offer({ deploy_id: 2, price: 0 }),
		offer({ deploy_id: 3, price: 1, num_cards: undefined, vram_per_card: 500 }),
		offer({ deploy_id: 4, price: 2, num_cards: 2, vram_per_card: 80 }),
		offer({ deploy_id: 5, price: 3, num_cards: 0, sold_out: true }),
		offer({ deploy_id: 6, price: 3.5, num_cards: 1, vram_per_card: undefined }),
	];

	async function listed(options: IDataObject = {}, more: IDataObject = {}) {
		const shop = new Shop(OFFERS);
		const values = { returnAll: true, limit: 50, filters: {}, options, ...more };
		const items = await getAll.run(await productContext(shop), inputOf(getAll, values));
		return {
			ids: (items as IDataObject[]).map(({ deploy_id: id }) => id),
			looks: shop.looks,
			items,
		};
	}

	it.each<[string, IDataObject, number[]]>([
		['as the service lists it', {}, [1, 2, 3, 4, 5, 6]],
		['as the service lists it, where that is chosen', { sort: 'none' }, [1, 2, 3, 4, 5, 6]],
		['by price, what has none last', { sort: 'price' }, [3, 4, 5, 6, 1, 2]],
		['by the price of a GPU', { sort: 'pricePerGpu' }, [1, 3, 4, 5, 6, 2]],
		['by the memory of all GPUs', { sort: 'vram' }, [4, 1, 2, 3, 5, 6]],
		['without what is sold out', { onlyAvailable: true }, [1, 2, 3, 4, 6]],
		['as is chosen, also by text', { onlyAvailable: 'false' }, [1, 2, 3, 4, 5, 6]],
	])('comes %s', async (_, options, ids) => {
		expect((await listed(options)).ids).toEqual(ids);
	});

	it('keeps all that the service says of it', async () => {
		expect((await listed()).items).toEqual(OFFERS);
	});

	it('ends at the limit, after it was sorted', async () => {
		const few = { returnAll: false, limit: 2 };
		expect((await listed({ sort: 'price' }, few)).ids).toEqual([3, 4]);
	});

	it('is filtered by the service', async () => {
		const { looks } = await listed({}, { filters: { gpu: 'H100', regions: ['US'] } });
		expect(looks).toMatchObject([{ gpu: 'H100', regions: ['US'] }]);
	});

	it('has no other order', () => {
		const values = { returnAll: true, filters: {}, options: { sort: 'name' } };
		expect(message(() => inputOf(getAll, values))).toBe(
			'Options: Sort must be one of none, price, pricePerGpu, vram, got "name"',
		);
	});
});

describe('a price that is asked for', () => {
	const form = (changes: IDataObject = {}) =>
		inputOf(getPrice, {
			hardwareId: locator(7),
			locationId: locator('us-west-2'),
			durationHours: 3,
			gpusPerVm: 0,
			currency: 'usdc',
			replicaCount: 1,
			options: {},
			...changes,
		});

	async function asked(shop: Shop, changes: IDataObject = {}) {
		const items = await getPrice.run(await productContext(shop), form(changes));
		return { items, query: shop.queries };
	}

	it('is that of the only size of the hardware there', async () => {
		const shop = new Shop([
			offer({ num_cards: 8 }),
			offer({ num_cards: 2, location: 'eu-1' }),
			offer({ num_cards: 4, location: 'eu-2' }),
		]);
		shop.price = () => costs(12.3, { fee: 1 });
		expect(await asked(shop)).toEqual({
			items: [{ total_cost_usdc: 12.3, fee: 1 }],
			query: [
				{
					hardware_id: 7,
					gpus_per_vm: 8,
					duration_hours: 3,
					currency: 'usdc',
					location_ids: '["us-west-2"]',
					replica_count: 1,
				},
			],
		});
	});

	it('is that of what is chosen, in each location once', async () => {
		const shop = new Shop();
		const { query } = await asked(shop, {
			gpusPerVm: 2,
			currency: 'eur',
			replicaCount: 3,
			options: { locationIds: ['eu-1', 'us-west-2', 'eu-1'] },
		});
		expect(query).toMatchObject([
			{ gpus_per_vm: 2, currency: 'eur', replica_count: 3, location_ids: '["us-west-2","eu-1"]' },
		]);
		expect(shop.asked).toEqual(['GET price']);
	});

	it('needs the size where the hardware comes in several', async () => {
		const shop = new Shop([offer(), offer({ num_cards: 8, price: 9 })]);
		expect((await refusalOf(asked(shop)))?.message).toBe(
			'Hardware 7 comes in several sizes. Set GPUs per VM to one of them: 1 ($2.00/h), 8 ($9.00/h)',
		);
		expect(shop.asked).toEqual(['GET hardware']);
	});

	it.each<[string, IDataObject, string]>([
		[
			'no time',
			{ durationHours: 0 },
			'Duration (Hours) must be a whole number from 1 to 8760, got 0',
		],
		['no VM', { replicaCount: 0 }, 'Replica Count must be a whole number of at least 1, got 0'],
		['no currency', { currency: ' ' }, 'Currency is required and must not be empty'],
	])('is that of something: not of %s', (_, changes, text) => {
		expect(message(() => form(changes))).toBe(text);
	});
});
