import { describe, expect, it } from 'vitest';
import { at, cloud, listAt, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'), {
	serviceFeePercent: 5,
});

async function offers(query: string): Promise<unknown[]> {
	return listAt((await vmaas.get(`/hardware${query}`)).json, 'data', 'hardware');
}

const pricePath = (changes: Record<string, string | undefined> = {}): string => {
	const query = {
		hardware_id: '12',
		gpus_per_vm: '8',
		duration_hours: '3',
		currency: 'usdc',
		location_ids: '["2"]',
		replica_count: '1',
		...changes,
	};
	const search = new URLSearchParams();
	for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, value);
	return `/price?${search}`;
};

describe('hardware list', () => {
	it('gives every offer with the fields of the specification and nothing internal', async () => {
		const all = await offers('');
		expect(all).toHaveLength(sandbox.hardware.length);
		expect(all.find((offer) => at(offer, 'id') === '12__2')).toEqual({
			id: '12__2',
			deploy_id: 12,
			name: 'A100 SXM4',
			num_cards: 8,
			supplier: 'internal',
			sold_out: false,
			price: 9.52,
			vram_per_card: 80,
			interconnect: 'SXM4',
			nvlink: true,
			storage: 4096,
			vcpu: 128,
			memory: 768,
			location: '2',
		});
	});

	it('has the oddities of live lists', async () => {
		const all = await offers('');
		expect(all).toContainEqual(expect.objectContaining({ num_cards: 0, name: '' }));
		expect(all).toContainEqual(expect.objectContaining({ price: 0 }));
		expect(all).toContainEqual(
			expect.objectContaining({ deploy_id: '8H100.80S.176V', id: '8H100.80S.176V__FI' }),
		);
		expect(
			new Set(
				all.filter((offer) => at(offer, 'deploy_id') === 12).map((offer) => at(offer, 'price')),
			).size,
		).toBe(3);
		const bare = all.find((offer) => at(offer, 'deploy_id') === 42);
		for (const key of ['interconnect', 'vcpu', 'memory', 'storage', 'sold_out'])
			expect(bare).not.toHaveProperty(key);
	});

	it.each([
		['?gpu=h100', (offer: unknown) => String(at(offer, 'name')).includes('H100')],
		[
			'?regions=FI&regions=2',
			(offer: unknown) => ['FI', '2'].includes(String(at(offer, 'location'))),
		],
		[
			'?gpu_family=L4&gpu_family=T4',
			(offer: unknown) => ['L4', 'T4'].includes(String(at(offer, 'name'))),
		],
		['?gpu_family=H100', (offer: unknown) => String(at(offer, 'name')).startsWith('H100 ')],
		['?supplier=external', (offer: unknown) => at(offer, 'supplier') === 'external'],
		['?gpu_memory_min=141', (offer: unknown) => Number(at(offer, 'vram_per_card')) >= 141],
		['?gpu_memory_max=16', (offer: unknown) => Number(at(offer, 'vram_per_card')) <= 16],
		['?cpu_cores_min=128', (offer: unknown) => Number(at(offer, 'vcpu')) >= 128],
		['?cpu_cores_max=16', (offer: unknown) => Number(at(offer, 'vcpu')) <= 16],
		['?device_memory_min=786432', (offer: unknown) => Number(at(offer, 'memory')) >= 768],
		['?device_memory_max=98304', (offer: unknown) => Number(at(offer, 'memory')) <= 96],
		['?storage_min=4194304', (offer: unknown) => Number(at(offer, 'storage')) >= 4096],
		['?storage_max=102400', (offer: unknown) => Number(at(offer, 'storage')) <= 100],
	])('%s filters', async (query, isWanted) => {
		const all = await offers('');
		const some = await offers(query);
		expect(some).toEqual(all.filter(isWanted));
		expect(some.length).toBeGreaterThan(0);
		expect(some.length).toBeLessThan(all.length);
	});

	it('keeps to the limits: GPU memory from 0, the others from 1', async () => {
		const one = [
			'cpu_cores_min',
			'cpu_cores_max',
			'device_memory_min',
			'device_memory_max',
			'storage_min',
			'storage_max',
		];
		for (const [names, lowest] of [
			[['gpu_memory_min', 'gpu_memory_max'], 0] as const,
			[one, 1] as const,
		]) {
			for (const name of names) {
				expect((await vmaas.get(`/hardware?${name}=${lowest}`)).status).toBe(200);
				const below = await vmaas.get(`/hardware?${name}=${lowest - 1}`);
				expect([below.status, violations(below)]).toEqual([
					422,
					[`query.${name}: greater_than_equal`],
				]);
			}
		}
		const wrong = await vmaas.get('/hardware?supplier=somebody&cpu_cores_min=1.5&gpu_memory_min=x');
		expect(violations(wrong).sort()).toEqual([
			'query.cpu_cores_min: int_parsing',
			'query.gpu_memory_min: int_parsing',
			'query.supplier: enum',
		]);
	});

	it('shows an offer as sold out once its last machine is taken', async () => {
		const offer = sandbox.hardware.find(({ id }) => id === '12__2');
		if (offer) offer.capacity = 1;
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(200);
		expect(await offers('?regions=2')).toEqual([
			expect.objectContaining({ id: '12__2', sold_out: true }),
		]);
	});
});

describe('price', () => {
	it('has the documented fields, the fee under the name of the service', async () => {
		const { status, json } = await vmaas.get(pricePath({ replica_count: '2' }));
		expect(status).toBe(200);
		expect(json).toEqual({
			data: {
				replica_count: 2,
				gpus_per_vm: 8,
				available_replica_count: [4],
				discount: 0,
				svc_fee: 2.856,
				svc_fee_percent: 5,
				currency_conversion_fee: 0,
				currency_conversion_fee_percent: 0,
				total_cost_usdc: 59.976,
			},
		});
	});

	it('adds the conversion in other currencies', async () => {
		const { json } = await vmaas.get(pricePath({ currency: 'token' }));
		expect(at(json, 'data', 'currency_conversion_fee')).toBe(0.5712);
		expect(at(json, 'data', 'total_cost_usdc')).toBe(30.5592);
	});

	it('takes text ids, and finds the place of the hardware', async () => {
		const there = await vmaas.get(
			pricePath({ hardware_id: '8H100.80S.176V', location_ids: '["FI"]' }),
		);
		expect([there.status, at(there.json, 'data', 'total_cost_usdc')]).toEqual([200, 50.148]);
		const elsewhere = await vmaas.get(pricePath({ location_ids: '["FI"]' }));
		expect([elsewhere.status, violations(elsewhere)]).toEqual([
			422,
			['query.location_ids: value_error'],
		]);
	});

	it.each([
		'hardware_id',
		'gpus_per_vm',
		'duration_hours',
		'currency',
		'location_ids',
		'replica_count',
	])('requires %s', async (key) => {
		const answer = await vmaas.get(pricePath({ [key]: undefined }));
		expect([answer.status, violations(answer)]).toEqual([422, [`query.${key}: missing`]]);
	});

	it.each([
		[{ duration_hours: '0' }, 'query.duration_hours: greater_than_equal'],
		[{ gpus_per_vm: '0' }, 'query.gpus_per_vm: greater_than_equal'],
		[{ gpus_per_vm: '7' }, 'query.gpus_per_vm: value_error'],
		[{ replica_count: '0' }, 'query.replica_count: greater_than_equal'],
		[{ location_ids: '2' }, 'query.location_ids: list_type'],
		[{ location_ids: 'FI' }, 'query.location_ids: json_invalid'],
		[{ location_ids: '[2]' }, 'query.location_ids.0: string_type'],
		[{ location_ids: '[]' }, 'query.location_ids: too_short'],
		[{ hardware_id: '999' }, 'query.hardware_id: value_error'],
	])('refuses %j', async (changes, violation) => {
		const answer = await vmaas.get(pricePath(changes));
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});
});
