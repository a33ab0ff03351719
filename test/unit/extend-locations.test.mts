import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { extend } from '../../nodes/Vmaas/resources/deployment/extend.ts';
import { locator } from '../engine/nodes.mts';
import { inputOf } from './job-bench.mts';
import { productContext, refusalOf } from './market-parts.mts';
import { offer, Shop } from './shop-parts.mts';

type Values = Array<IDataObject[string]>;

/** The location for whose price an extension of a deployment asks. */
async function asked(locations: Values, ...offered: Values) {
	const shop = new Shop(offered.map((location) => offer({ location })));
	shop.add('d1', { hardware_id: 7, gpus_per_vm: 1, total_vms: 1, locations });
	const context = await productContext(shop);
	const form = {
		deploymentId: locator('d1'),
		durationHours: 2,
		// Nothing is extended
		safety: { maxPrice: 3.99 },
	};
	for (let count = 1; count <= 2; count++)
		expect((await refusalOf(extend.run(context, inputOf(extend, form))))?.message).toBe(
			'The price of 4 usdc is above the Maximum Price of 3.99 usdc',
		);
	expect(shop.asked.filter((request) => request === 'GET hardware')).toHaveLength(1);
	const [query] = shop.queries;
	expect(query).toMatchObject({ hardware_id: 7, gpus_per_vm: 1, duration_hours: 2 });
	return JSON.parse(String(query?.location_ids)) as unknown;
}

describe('the price of an extension', () => {
	const place: IDataObject = { id: 3, iso2: 'US', name: 'us-east-1' };

	it.each<[string, Values, Values, string[]]>([
		['the ID that its offers have', [place], ['eu-1', 3], ['3']],
		['the country that its offers have', [place], ['US'], ['US']],
		['the name that its offers have', [place], ['us-east-1', 'eu-1'], ['us-east-1']],
		['the ID where no offer tells', [place], ['eu-1'], ['3']],
		['the country where it has no ID', [{ ...place, id: null }], ['eu-1'], ['US']],
		['the word that is all there is', ['us-east-1'], [], ['us-east-1']],
		['no known place where it tells none', [{ city: 'X' }], ['eu-1'], ['']],
	])('is asked for with %s', async (_, locations, offered, location) => {
		expect(await asked(locations, ...offered)).toEqual(location);
	});

	it('looks at the offers of its hardware alone', async () => {
		const shop = new Shop([
			offer({ deploy_id: 8, location: 'US' }),
			offer({ location: 'us-east-1' }),
		]);
		shop.add('d1', { hardware_id: 7, gpus_per_vm: 1, total_vms: 1, locations: [place] });
		const form = { deploymentId: locator('d1'), durationHours: 2, safety: { maxPrice: 1 } };
		await refusalOf(extend.run(await productContext(shop), inputOf(extend, form)));
		expect(shop.queries).toMatchObject([{ location_ids: '["us-east-1"]' }]);
	});
});
