import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { at, Client, listAt, violations } from '../sandbox/testing/client.mts';

/** compute-api.md: Hardware entry, Hardware list, Limits; query names of beyond-the-spec.md section 1. */
const fixture = useFixture();
const PATH = '/enterprise/v1/svc-cloud/vmaas/hardware';

const list = (
	filters: IDataObject = {},
	options: IDataObject = {},
	more: IDataObject = { returnAll: true },
) => vmaas('hardware', 'getAll', { ...more, filters, options });
const shown = async () =>
	listAt((await fixture.client.get('/hardware')).json, 'data', 'hardware') as IDataObject[];

describe('hardware list: the endpoint', () => {
	it('[hardware.list.path] [version.enterprise] GET /enterprise/v1/svc-cloud/vmaas/hardware; without filters no query, no body', async () => {
		await fixture.run(list());
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'GET', path: PATH, query: {}, body: undefined, status: 200 },
		]);
		expect((await fixture.client.call('/hardware', { method: 'POST', body: {} })).status).toBe(404);
	});

	it('[hardware.list.auth] header x-api-key, exactly once, and no Authorization', async () => {
		await fixture.run(list());
		const { headers, status } = fixture.sandbox.requests[0] ?? {};
		expect(status).toBe(200);
		expect(headers?.['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
		expect(headers).not.toHaveProperty('authorization');
		const plain = new Client(fixture.sandbox.url);
		expect((await plain.get(PATH)).status).toBe(401);
		expect(
			(
				await plain.call(PATH, {
					headers: { authorization: `Bearer ${fixture.sandbox.keys.accessToken}` },
				})
			).status,
		).toBe(401);
		await plain.close();
	});

	it('[hardware.list.200] { data: { hardware: [entry, …] } }: one item per entry, as sent', async () => {
		const entries = await shown();
		expect(entries.length).toBeGreaterThan(20);
		expect(jsonOf(await fixture.run(list()))).toEqual(entries);
	});

	it('[hardware.list.422] the validation error body', async () => {
		expect(violations(await fixture.client.get('/hardware?cpu_cores_min=0'))).toEqual([
			'query.cpu_cores_min: greater_than_equal',
		]);
		fixture.sandbox.faults.add({
			status: 422,
			body: {
				detail: [
					{ loc: ['query', 'supplier'], msg: "must be 'internal' or 'external'", type: 'enum' },
				],
			},
		});
		expect(errorOf(await fixture.run(list())).message).toBe(
			"supplier: must be 'internal' or 'external'",
		);
	});
});

describe('hardware entry: its fields', () => {
	const types: Array<[field: string, type: string]> = [
		['id', 'string'],
		['name', 'string'],
		['num_cards', 'number'],
		['supplier', 'string'],
		['sold_out', 'boolean'],
		['price', 'number'],
		['vram_per_card', 'number'],
		['nvlink', 'boolean'],
		['storage', 'number'],
		['vcpu', 'number'],
		['memory', 'number'],
		['location', 'string'],
	];
	it.each(types)('[hardware.%s] is a %s, from the service to the item', async (field, type) => {
		const item = jsonOf(await fixture.run(list())).find(({ deploy_id: id }) => id === 12);
		expect(typeof item?.[field]).toBe(type);
		expect(item?.[field]).toEqual((await shown()).find(({ deploy_id: id }) => id === 12)?.[field]);
	});

	it('[hardware.deploy_id] integer or string, and stays what it is', async () => {
		const ids = jsonOf(await fixture.run(list())).map(({ deploy_id: id }) => id);
		expect(ids).toContain(12);
		expect(ids).toContain('8H100.80S.176V');
		expect(ids).not.toContain('12');
	});

	it('[hardware.interconnect] string or null', async () => {
		const values = jsonOf(await fixture.run(list())).map(({ interconnect }) => interconnect);
		expect(values).toContain('SXM5');
		expect(values).toContain(null);
	});

	it('[hardware.supplier] internal or external', async () => {
		expect(new Set(jsonOf(await fixture.run(list())).map(({ supplier }) => supplier))).toEqual(
			new Set(['internal', 'external']),
		);
	});

	it('[hardware.sold_out] may be absent, which means available', async () => {
		const entry = (await shown()).find(({ deploy_id: id }) => id === 42);
		expect(entry).not.toHaveProperty('sold_out');
		const kept = jsonOf(await fixture.run(list({}, { onlyAvailable: true })));
		expect(kept.some(({ deploy_id: id }) => id === 42)).toBe(true);
		expect(kept.some(({ sold_out: soldOut }) => soldOut)).toBe(false);
		expect(kept.length).toBeLessThan((await shown()).length);
	});

	it('[hardware.oddities] num_cards 0 with an empty name, price 0 and missing fields are items', async () => {
		const items = jsonOf(await fixture.run(list()));
		expect(items.find(({ deploy_id: id }) => id === 40)).toMatchObject({ num_cards: 0, name: '' });
		expect(items.find(({ deploy_id: id }) => id === 41)).toMatchObject({ price: 0 });
		for (const field of ['interconnect', 'vcpu', 'memory', 'storage'])
			expect(items.find(({ deploy_id: id }) => id === 42)).not.toHaveProperty(field);
	});
});

describe('hardware list: filters', () => {
	const filters: Array<[query: string, filters: IDataObject, sent: string[]]> = [
		['gpu', { gpu: 'h100' }, ['h100']],
		['regions', { regions: ['us-east-1', 'FI'] }, ['us-east-1', 'FI']],
		['gpu_family', { gpuFamily: ['H100 SXM5', 'L4'] }, ['H100 SXM5', 'L4']],
		['gpu_memory_min', { gpuMemoryMin: 80 }, ['80']],
		['gpu_memory_max', { gpuMemoryMax: 48 }, ['48']],
		['cpu_cores_min', { cpuCoresMin: 128 }, ['128']],
		['cpu_cores_max', { cpuCoresMax: 16 }, ['16']],
		['device_memory_min', { deviceMemoryMin: 786_432 }, ['786432']],
		['device_memory_max', { deviceMemoryMax: 98_304 }, ['98304']],
		['storage_min', { storageMin: 4_194_304 }, ['4194304']],
		['storage_max', { storageMax: 524_288 }, ['524288']],
		['supplier', { supplier: 'external' }, ['external']],
	];
	it.each(filters)(
		'[hardware.filter.%s] is sent under this name alone, and the service filters by it',
		async (query, given, sent) => {
			const items = jsonOf(await fixture.run(list(given)));
			expect(fixture.sandbox.requests[0]?.query).toEqual({ [query]: sent });
			const all = (await shown()).length;
			expect(items.length).toBeGreaterThan(0);
			expect(items.length).toBeLessThan(all);
		},
	);

	it.each(['gpu_memory_min', 'gpu_memory_max'])('[hardware.filter.%s.min] >= 0', async (query) => {
		expect((await fixture.client.get(`/hardware?${query}=0`)).status).toBe(200);
		expect(violations(await fixture.client.get(`/hardware?${query}=-1`))).toEqual([
			`query.${query}: greater_than_equal`,
		]);
		await expectLimit(query, 0);
	});

	it.each([
		'cpu_cores_min',
		'cpu_cores_max',
		'device_memory_min',
		'device_memory_max',
		'storage_min',
		'storage_max',
	])('[hardware.filter.%s.min] >= 1', async (query) => {
		expect((await fixture.client.get(`/hardware?${query}=1`)).status).toBe(200);
		expect(violations(await fixture.client.get(`/hardware?${query}=0`))).toEqual([
			`query.${query}: greater_than_equal`,
		]);
		await expectLimit(query, 1);
	});

	/** The form takes the limit and refuses what is below, without a request. */
	async function expectLimit(query: string, min: number): Promise<void> {
		const name = query.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
		fixture.sandbox.requests.length = 0;
		expect(errorOf(await fixture.run(list({ [name]: min - 1 }))).message).toContain(
			`must be a whole number of at least ${min}, got ${min - 1}`,
		);
		expect(errorOf(await fixture.run(list({ [name]: 1.5 }))).message).toContain(
			'must be a whole number',
		);
		expect(fixture.sandbox.requests).toHaveLength(0);
		await fixture.run(list({ [name]: min }));
		expect(fixture.sandbox.requests[0]?.query).toEqual({ [query]: [String(min)] });
	}

	it('[hardware.filter.supplier.values] internal or external', async () => {
		for (const supplier of ['internal', 'external'])
			expect((await fixture.client.get(`/hardware?supplier=${supplier}`)).status).toBe(200);
		expect(violations(await fixture.client.get('/hardware?supplier=other'))).toEqual([
			'query.supplier: enum',
		]);
		expect(errorOf(await fixture.run(list({ supplier: 'other' }))).message).toContain(
			'Supplier must be one of internal, external, got "other"',
		);
	});

	it('[hardware.filter.unit] GPU memory is in GB, device memory and storage are in MB', async () => {
		const labels = formLabels('filters');
		expect(labels.gpuMemoryMin).toBe('GPU Memory Min (GB)');
		expect(labels.deviceMemoryMax).toBe('Device Memory Max (MB)');
		expect(labels.storageMin).toBe('Storage Min (MB)');
		expect(
			jsonOf(await fixture.run(list({ gpuMemoryMin: 192 }))).every(
				({ vram_per_card: vram }) => Number(vram) >= 192,
			),
		).toBe(true);
		expect(
			jsonOf(await fixture.run(list({ deviceMemoryMax: 96 * 1024 }))).every(
				({ memory }) => Number(memory) <= 96,
			),
		).toBe(true);
	});

	it('[hardware.filter.optional] all are optional: texts that were added and left empty are not sent; an empty number is an error, since it may be a limit that was lost', async () => {
		await fixture.run(list({ gpu: '', regions: [], gpuFamily: [''], supplier: '' }));
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([{}]);
		expect(errorOf(await fixture.run(list({ cpuCoresMin: '' }))).message).toContain(
			'CPU Cores Min must be a number, got ""',
		);
	});
});

describe('hardware list: other query names', () => {
	it('Query Parameters (JSON) are sent besides the filters, replace and remove them', async () => {
		const additionalQuery = '{"gpu": null, "model": "H100", "regions": ["A", "B"], "page": 2}';
		await fixture.run(
			list({ gpu: 'H100', regions: ['FI'], supplier: 'external', additionalQuery }),
		);
		await fixture.run(list({ additionalQuery: '' }));
		await fixture.run(list({ additionalQuery: '{}' }));
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([
			{ model: ['H100'], page: ['2'], regions: ['A', 'B'], supplier: ['external'] },
			{},
			{},
		]);
	});
});

describe('hardware list: what the node adds', () => {
	it('[hardware.price.unit] USD an hour for the whole configuration: sort by price, offers without one last', async () => {
		const prices = jsonOf(await fixture.run(list({}, { sort: 'price' }))).map(({ price }) =>
			Number(price),
		);
		const named = prices.filter((price) => price > 0);
		expect(named).toEqual([...named].sort((a, b) => a - b));
		expect(prices.slice(named.length).every((price) => price === 0)).toBe(true);
		const perGpu = jsonOf(await fixture.run(list({}, { sort: 'pricePerGpu' })))
			.filter(({ price }) => Number(price) > 0)
			.map(({ price, num_cards: cards }) => Number(price) / (Number(cards) || 1));
		expect(perGpu).toEqual([...perGpu].sort((a, b) => a - b));
		const vram = jsonOf(await fixture.run(list({}, { sort: 'vram' }))).map(
			({ vram_per_card: each, num_cards: cards }) => Number(each) * Number(cards),
		);
		expect(vram).toEqual([...vram].sort((a, b) => b - a));
	});

	it('[hardware.limit] no paging on the server: one request, at most Limit items, 50 by default', async () => {
		expect(jsonOf(await fixture.run(list({}, {}, { returnAll: false, limit: 3 })))).toHaveLength(3);
		const { limit } = defaults();
		expect(limit).toBe(50);
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([{}]);
		expect(at(fixture.sandbox.requests[0], 'query', 'page')).toBeUndefined();
	});
});

function fieldsOf() {
	const { properties } = fixture.engine.nodeType('vmaas').description;
	return properties.filter(
		({ displayOptions }) => displayOptions?.show?.resource?.[0] === 'hardware',
	);
}

const defaults = () =>
	Object.fromEntries(fieldsOf().map(({ name, default: value }) => [name, value]));

function formLabels(collection: string): Record<string, string> {
	const options = fieldsOf().find(({ name }) => name === collection)?.options ?? [];
	return Object.fromEntries(
		options.flatMap((option) =>
			'displayName' in option ? [[option.name, option.displayName]] : [],
		),
	);
}
