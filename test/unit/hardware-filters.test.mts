import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { filtersField, readFilters, unmetBy } from '../../nodes/marketplace/hardwareFilters.ts';
import type { Offer } from '../../nodes/marketplace/offers.ts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const read = (filters: IDataObject, isStrict?: boolean) =>
	readFilters(formOf({ fields: [filtersField] }, { filters }), isStrict);

const defined = (query: object) =>
	Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));

/** Why an offer does not pass these filters. */
const unmet = (filters: IDataObject, offer: IDataObject) =>
	unmetBy(offer as Offer, read(filters).checks);

const EMPTY = 'must not be empty; remove the filter to include everything';

describe('the filters of the hardware list', () => {
	it('are sent under the names of the service, and each is checked on an offer', () => {
		const { query, checks } = read({
			gpu: ' H100 ',
			gpuFamily: ['H100 SXM', 'A100'],
			regions: 'US, EU',
			supplier: 'external',
			cpuCoresMin: 4,
			cpuCoresMax: 4,
			deviceMemoryMin: 1,
			deviceMemoryMax: '262144',
			gpuMemoryMin: 0,
			gpuMemoryMax: 80,
			storageMin: 1,
			storageMax: 500_000,
		});
		expect(query).toEqual({
			gpu: 'H100',
			gpu_family: ['H100 SXM', 'A100'],
			regions: ['US', 'EU'],
			supplier: 'external',
			cpu_cores_min: 4,
			cpu_cores_max: 4,
			device_memory_min: 1,
			device_memory_max: 262_144,
			gpu_memory_min: 0,
			gpu_memory_max: 80,
			storage_min: 1,
			storage_max: 500_000,
		});
		expect(checks.map(({ what, field }) => `${field}: ${what}`)).toEqual([
			'name: GPU H100',
			'name: GPU Family H100 SXM, A100',
			'location: Regions US, EU',
			'supplier: Supplier external',
			'vcpu: CPU Cores Min 4',
			'vcpu: CPU Cores Max 4',
			'memory: Device Memory Min (MB) 1',
			'memory: Device Memory Max (MB) 262144',
			'vram_per_card: GPU Memory Min (GB) 0',
			'vram_per_card: GPU Memory Max (GB) 80',
			'storage: Storage Min (MB) 1',
			'storage: Storage Max (MB) 500000',
		]);
	});

	it('are none where none is added, or where what is added is empty', () => {
		for (const filters of [{}, { gpu: '', gpuFamily: [], regions: [' '], supplier: '' }]) {
			const { query, checks } = read(filters);
			expect(defined(query)).toEqual({});
			expect(checks).toEqual([]);
		}
	});

	it.each(['gpu', 'gpuFamily', 'regions', 'supplier', 'additionalQuery'])(
		'must not be empty where money follows: %s',
		(name) => {
			const labels: Record<string, string> = {
				gpu: 'GPU',
				gpuFamily: 'GPU Family',
				regions: 'Regions',
				supplier: 'Supplier',
				additionalQuery: 'Query Parameters (JSON)',
			};
			for (const empty of ['', ' ', null])
				expect(message(() => read({ [name]: empty }, true))).toBe(
					`Filters: ${labels[name]} ${EMPTY}`,
				);
		},
	);

	it.each(['gpuFamily', 'regions'])('of a list must not be empty there, either: %s', (name) => {
		for (const empty of [[], [' ']])
			expect(message(() => read({ [name]: empty }, true))).toContain(EMPTY);
		expect(defined(read({ [name]: ['a'] }, true).query)).not.toEqual({});
		expect(defined(read({}, true).query)).toEqual({});
	});

	it.each<[IDataObject, string]>([
		[
			{ cpuCoresMin: 8, cpuCoresMax: 4 },
			'Filters: CPU Cores Min must not be above the maximum of 4, got 8',
		],
		[{ storageMin: 0 }, 'Filters: Storage Min (MB) must be a whole number of at least 1, got 0'],
		[
			{ gpuMemoryMax: -1 },
			'Filters: GPU Memory Max (GB) must be a whole number of at least 0, got -1',
		],
		[{ supplier: 'both' }, 'Filters: Supplier must be one of internal, external, got "both"'],
	])('are an error as %j', (filters, text) => {
		expect(message(() => read(filters))).toBe(text);
	});
});

describe('the additional query parameters', () => {
	const queryWith = (additionalQuery: unknown) =>
		defined(read({ gpu: 'H100', additionalQuery } as IDataObject).query);

	it('replace a filter, remove one, or are sent beside it', () => {
		expect(queryWith('{"gpu": "A100"}')).toEqual({ gpu: 'A100' });
		expect(queryWith({ gpu: null, gpu_name: 'H100' })).toEqual({ gpu_name: 'H100' });
		expect(queryWith({ a: [1, 'b'], c: true })).toEqual({ gpu: 'H100', a: [1, 'b'], c: true });
		expect(queryWith('')).toEqual({ gpu: 'H100' });
	});

	it.each([[{}], [[1, null]], [[{}]]])('cannot be %j', (value) => {
		expect(message(() => queryWith({ good: 1, bad: value }))).toBe(
			`Filters: Query Parameters (JSON) must hold texts, numbers, true, false, null, or lists of texts and numbers, got ${JSON.stringify(value)} for "bad"`,
		);
	});
});

describe('an offer', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['no filter', {}, {}],
		['the words of a GPU, in its name together', { gpu: 'rtx 4090' }, { name: 'GeForce RTX4090' }],
		['the words of a GPU, in its name apart', { gpu: 'RTX4090' }, { name: 'GeForce RTX 4090' }],
		['a GPU whose name is a number', { gpu: '4090' }, { name: 4090 }],
		['a family, of which a number follows', { gpuFamily: ['H100 SXM'] }, { name: 'H100-SXM5' }],
		['a family before another word', { gpuFamily: ['L4'] }, { name: 'NVIDIA L4 24GB' }],
		['one of several families', { gpuFamily: ['A100', 'h100'] }, { name: 'NVIDIA H100' }],
		['a family that is written together', { gpuFamily: ['H100 SXM'] }, { name: 'H100SXM' }],
		['a region', { regions: ['us'] }, { location: 'US' }],
		['a region by its first part', { regions: ['EU', 'US'] }, { location: 'us-east-1' }],
		['a region before an underscore', { regions: ['US'] }, { location: 'us_east' }],
		['a supplier', { supplier: 'internal' }, { supplier: 'Internal' }],
		['a bound', { cpuCoresMin: 8, cpuCoresMax: 8 }, { vcpu: '8' }],
		['the least memory, of 1024 MB a GB', { deviceMemoryMin: 102_400 }, { memory: 100 }],
		['the most memory, of 1000 MB a GB', { deviceMemoryMax: 100_000 }, { memory: 100 }],
		['the least storage, of 1024 MB a GB', { storageMin: 102_400 }, { storage: 100 }],
		['the most storage, of 1000 MB a GB', { storageMax: 100_000 }, { storage: 100 }],
	])('meets %s', (_, filters, offer) => {
		expect(unmet(filters, offer)).toBeUndefined();
	});

	it.each<[string, IDataObject, IDataObject]>([
		['GPU rtx a100', { gpu: 'rtx a100' }, { name: 'RTX 4090' }],
		['GPU A100', { gpu: 'A100' }, { name: 'A10 B100' }],
		['GPU --', { gpu: '--' }, { name: 'H100' }],
		['GPU Family L4', { gpuFamily: ['L4'] }, { name: 'L40' }],
		['GPU Family L4', { gpuFamily: ['L4'] }, { name: 'L4S' }],
		['GPU Family H100 SXM', { gpuFamily: ['H100 SXM'] }, { name: 'H100 SXMX' }],
		['GPU Family H100 SXM', { gpuFamily: ['H100 SXM'] }, { name: 'H100 PCIe SXM' }],
		['GPU Family A100', { gpuFamily: ['A100'] }, { name: 'XA100' }],
		['GPU Family --', { gpuFamily: ['--'] }, { name: 'NVIDIA (SXM)' }],
		['Regions US', { regions: ['US'] }, { location: 'USA-1' }],
		['Regions EU, AP', { regions: ['EU', 'AP'] }, { location: 'us-east' }],
		['Supplier external', { supplier: 'external' }, { supplier: 'internal' }],
		['CPU Cores Min 9', { cpuCoresMin: 9 }, { vcpu: 8 }],
		['GPU Memory Max (GB) 79', { gpuMemoryMax: 79 }, { vram_per_card: 80 }],
		['Device Memory Min (MB) 102401', { deviceMemoryMin: 102_401 }, { memory: 100 }],
		['Device Memory Max (MB) 99999', { deviceMemoryMax: 99_999 }, { memory: 100 }],
		['Storage Min (MB) 102401', { storageMin: 102_401 }, { storage: 100 }],
		['Storage Max (MB) 99999', { storageMax: 99_999 }, { storage: 100 }],
	])('does not meet %s', (what, filters, offer) => {
		expect(unmet(filters, offer)).toEqual({ isUnknown: false, reason: `does not meet ${what}` });
	});

	it.each<[string, IDataObject, IDataObject]>([
		['GPU H100 cannot be checked: the offer shows no name', { gpu: 'H100' }, { name: '' }],
		['GPU true cannot be checked: the offer shows no name', { gpu: 'true' }, { name: true }],
		[
			'Regions US cannot be checked: the offer shows no location',
			{ regions: ['US'] },
			{ location: null },
		],
		[
			'Supplier internal cannot be checked: the offer shows no supplier',
			{ supplier: 'internal' },
			{},
		],
		[
			'CPU Cores Min 1 cannot be checked: the offer shows no vcpu',
			{ cpuCoresMin: 1 },
			{ vcpu: 'many' },
		],
	])('shows too little: %s', (reason, filters, offer) => {
		expect(unmet(filters, offer)).toEqual({ isUnknown: true, reason });
	});

	it('that shows too little and does not meet another filter does not meet it', () => {
		expect(unmet({ gpu: 'H100', regions: ['US'] }, { location: 'eu' })).toEqual({
			isUnknown: false,
			reason: 'does not meet Regions US',
		});
	});
});
