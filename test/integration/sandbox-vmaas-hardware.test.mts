import { describe, expect, it } from 'vitest';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'), {
	serviceFeePercent: 5,
});

const offers = async (query = '') =>
	listAt((await vmaas.get(`/hardware${query}`)).json, 'data', 'hardware');

describe('hardware list', () => {
	it('does not show the capacity', async () => {
		const all = await offers();
		expect(all).toHaveLength(sandbox.hardware.length);
		for (const offer of all) expect(offer).not.toHaveProperty('capacity');
	});

	it('takes a GPU family for a whole name or its first words', async () => {
		const some = await offers('?gpu_family=L4&gpu_family=H100');
		expect(new Set(some.map((offer) => at(offer, 'name')))).toEqual(
			new Set(['L4', 'H100 SXM5', 'H100 PCIe']),
		);
	});

	it('shows an offer as sold out once its last VM is taken', async () => {
		const offer = sandbox.hardware.find(({ id }) => id === '12__2');
		if (offer) offer.capacity = 1;
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(200);
		expect(await offers('?regions=2')).toEqual([
			expect.objectContaining({ id: '12__2', sold_out: true }),
		]);
	});
});

describe('price', () => {
	it.each([
		['usdc', { currency_conversion_fee: 0, total_cost_usdc: 59.976 }],
		['token', { currency_conversion_fee: 1.1424, total_cost_usdc: 61.1184 }],
	])('in %s, with the fees and the capacity', async (currency, amounts) => {
		const { json } = await vmaas.get(
			`/price?hardware_id=12&gpus_per_vm=8&duration_hours=3&currency=${currency}&location_ids=["2"]&replica_count=2`,
		);
		expect(at(json, 'data')).toMatchObject({
			replica_count: 2,
			available_replica_count: [4],
			svc_fee: 2.856,
			svc_fee_percent: 5,
			currency_conversion_fee_percent: currency === 'usdc' ? 0 : 2,
			...amounts,
		});
	});
});
