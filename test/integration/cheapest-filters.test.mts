import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { catalogue, ignoreFilters, offer } from '../engine/offers.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

/** Deploy Cheapest on a service that ignores the query: it buys what passes the filters, or nothing. */
const fixture = useFixture();

const good = offer({
	deploy_id: 'good',
	name: 'H100 SXM5',
	location: 'us-east-1',
	price: 9,
	vcpu: 32,
	memory: 256,
	storage: 1000,
});
const other = offer({
	deploy_id: 'other',
	name: 'L40S',
	location: 'CN',
	supplier: 'external',
	price: 1,
	vram_per_card: 24,
	vcpu: 8,
	memory: 64,
	storage: 100,
});

beforeEach(() => {
	catalogue(fixture.sandbox, good, other);
	ignoreFilters(fixture.sandbox, good, other);
});

const cheapest = async (filters: IDataObject, changes: IDataObject = {}) => {
	const { hardwareId: _, placement: __, locationId: ___, ...common } = deployParameters();
	return await fixture.run(
		deployment('deployCheapest', { ...common, filters, gpusPerVm: 0, maxTries: 3, ...changes }),
	);
};
const bought = () => fixture.sandbox.books.deployments.map(({ order }) => order.hardwareId);

/** Each filter, in forms that the good offer passes and the cheaper one does not, and the field that it looks at. */
const FILTERS: Array<[filters: IDataObject, field: string, reason: string]> = [
	[{ gpu: 'h100' }, 'name', 'GPU h100'],
	[{ gpu: 'SXM-5 H100' }, 'name', 'GPU SXM-5 H100'],
	[{ gpuFamily: ['A100', 'H100'] }, 'name', 'GPU Family A100, H100'],
	[{ gpuFamily: ['h100-sxm', 'L40', 'L4'] }, 'name', 'GPU Family h100-sxm, L40, L4'],
	[{ regions: ['FI', 'US-East-1'] }, 'location', 'Regions FI, US-East-1'],
	[{ regions: ['us'] }, 'location', 'Regions us'],
	[{ supplier: 'internal' }, 'supplier', 'Supplier internal'],
	[{ gpuMemoryMin: 80 }, 'vram_per_card', 'GPU Memory Min (GB) 80'],
	[{ cpuCoresMin: 32 }, 'vcpu', 'CPU Cores Min 32'],
	[{ deviceMemoryMin: 262_144 }, 'memory', 'Device Memory Min (MB) 262144'],
	[{ storageMin: 1_000_000 }, 'storage', 'Storage Min (MB) 1000000'],
];
const MAXIMA: typeof FILTERS = [
	[{ gpuMemoryMax: 24 }, 'vram_per_card', 'GPU Memory Max (GB) 24'],
	[{ cpuCoresMax: 8 }, 'vcpu', 'CPU Cores Max 8'],
	[{ deviceMemoryMax: 64_000 }, 'memory', 'Device Memory Max (MB) 64000'],
	[{ storageMax: 102_400 }, 'storage', 'Storage Max (MB) 102400'],
];

describe('a filter that the service ignores', () => {
	it.each(FILTERS)(
		'%j: the offer that passes is bought, not the cheaper one',
		async (filters, _, reason) => {
			expect(onlyJson(await cheapest(filters))).toMatchObject({
				hardware_id: 'good',
				skipped: [{ reason: `does not meet ${reason}`, offers: 1 }],
			});
			expect(bought()).toEqual(['good']);
		},
	);

	it.each(MAXIMA)('%j: likewise', async (filters, _, reason) => {
		fixture.sandbox.faults.clear();
		ignoreFilters(fixture.sandbox, { ...good, price: 0.5 }, other);
		expect(onlyJson(await cheapest(filters))).toMatchObject({
			hardware_id: 'other',
			skipped: [{ reason: `does not meet ${reason}`, offers: 1 }],
		});
		expect(bought()).toEqual(['other']);
	});

	it.each([...FILTERS, ...MAXIMA])(
		'%j: an offer without its field cannot be checked',
		async (filters, field, reason) => {
			fixture.sandbox.faults.clear();
			ignoreFilters(fixture.sandbox, { ...good, [field]: undefined }, { ...other, [field]: null });
			const error = errorOf(await cheapest(filters));
			if (field === 'location') {
				expect(error.message).toBe('No available offer passes the filters');
			} else {
				expect(error.message).toBe('The filters cannot be checked on any available offer');
				expect(error.description).toContain(
					`2 × ${reason} cannot be checked: the offer shows no ${field}`,
				);
			}
			expect(error.description).toContain('Nothing was deployed.');
			expect(fixture.sent('POST', /./)).toEqual([]);
		},
	);

	it('an offer that cannot be checked is skipped, and the next one is bought', async () => {
		fixture.sandbox.faults.clear();
		ignoreFilters(fixture.sandbox, { ...other, vcpu: undefined }, good);
		expect(onlyJson(await cheapest({ cpuCoresMin: 2 }))).toMatchObject({
			hardware_id: 'good',
			skipped: [
				{ reason: 'CPU Cores Min 2 cannot be checked: the offer shows no vcpu', offers: 1 },
			],
		});
	});

	it('no offer passes: an error that counts them by reason', async () => {
		const error = errorOf(await cheapest({ regions: ['FI'], gpuMemoryMin: 80 }));
		expect(error.message).toBe('No available offer passes the filters');
		expect(error.description).toContain('2 × does not meet Regions FI');
		expect(bought()).toEqual([]);
	});
});

describe('numbers as text', () => {
	it('num_cards, price and fields are read', async () => {
		fixture.sandbox.faults.clear();
		ignoreFilters(
			fixture.sandbox,
			{ ...good, num_cards: '1', price: '9', vram_per_card: '80' },
			other,
		);
		const output = onlyJson(await cheapest({ gpuMemoryMin: 80 }, { gpusPerVm: 1 }));
		expect(output).toMatchObject({ hardware_id: 'good', gpus_per_vm: 1 });
		expect(fixture.sent('POST', /deploy$/)[0]?.body).toMatchObject({ gpus_per_vm: 1 });
	});
});

describe('a GPU family', () => {
	it.each([
		['L4', 'L40S', false],
		['L4', 'NVIDIA L4 24GB', true],
		['L40', 'L40S', false],
		['A100', 'RTX A1000', false],
		['A100', 'A100X', false],
		['A100 SXM', 'A100-SXM4-80GB', true],
		['H100 SXM5', 'H100 PCIe', false],
		['RTX 4090', 'GeForce RTX4090', true],
		['RTX', 'GTX 1080', false],
		['***', 'H100', false],
	])('%s: %s %j', async (family, name, passes) => {
		fixture.sandbox.faults.clear();
		ignoreFilters(fixture.sandbox, { ...good, name });
		await cheapest({ gpuFamily: [family] });
		expect(bought()).toEqual(passes ? ['good'] : []);
	});
});

describe('Query Parameters (JSON)', () => {
	it('are sent besides the filters, replace and remove them; the filters are checked all the same', async () => {
		const additionalQuery =
			'{"gpu": null, "gpu_name": "H100", "regions": "A,B", "tags": ["a", 1], "nvlink": true}';
		await cheapest({ gpu: 'H100', regions: ['us-east-1'], supplier: 'internal', additionalQuery });
		expect(fixture.sent('GET', /hardware$/)[0]?.query).toEqual({
			gpu_name: ['H100'],
			regions: ['A,B'],
			supplier: ['internal'],
			tags: ['a', '1'],
			nvlink: ['true'],
		});
		expect(bought()).toEqual(['good']);
	});

	it.each([
		['={{ "" }}', 'must not be empty'],
		['={{ null }}', 'must not be empty'],
		['[1]', 'must be a JSON object'],
		['{', 'must be valid JSON'],
		['{"a": {"b": 1}}', 'must hold texts, numbers, true, false, null, or lists'],
		['{"a": [[1]]}', 'must hold texts, numbers, true, false, null, or lists'],
	])('%s is an error before anything is sent', async (additionalQuery, problem) => {
		const { message } = errorOf(await cheapest({ additionalQuery }));
		expect(message).toContain(`Query Parameters (JSON) ${problem}`);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
