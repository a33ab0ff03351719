import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, containerParameters, deployParameters, locator, vmaas } from '../engine/nodes.mts';
import { catalogue as offersAre, offer as offerOf } from '../engine/offers.mts';
import type { HardwareOffer } from '../sandbox/index.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** The resource locators and their list searches. */
const fixture = useFixture();

const node = (hardwareId: unknown = '') =>
	vmaas('deployment', 'deploy', deployParameters({ hardwareId: locator(hardwareId, 'list') }));
const search = async (method: string, filter?: string, of = node()) =>
	(await fixture.engine.search(of, method, filter)).results;
const offer = (changes: Partial<HardwareOffer>): HardwareOffer =>
	offerOf({ name: 'X1', vram_per_card: 10, location: 'A', ...changes });
const catalogue = (...offers: HardwareOffer[]) => offersAre(fixture.sandbox, ...offers);

describe('hardware', () => {
	it('each deploy_id once, with GPU, cards, VRAM and the lowest hourly price', async () => {
		const rows = await search('searchHardware');
		const ids = new Set(fixture.sandbox.hardware.map(({ deploy_id: id }) => id));
		expect(new Set(rows.map(({ value }) => value))).toEqual(ids);
		expect(rows).toHaveLength(ids.size);
		expect(rows.find(({ value }) => value === 12)?.name).toBe(
			'8 × A100 SXM4 · from $9.52/h · 80 GB each',
		);
		expect(rows.find(({ value }) => value === 7)?.name).toBe(
			'1 × GeForce RTX 4090 · from $0.29/h · 24 GB each',
		);
	});

	it('IDs keep their type: 12 and "12" are two rows', async () => {
		catalogue(
			offer({ deploy_id: 12 }),
			offer({ deploy_id: '12' }),
			offer({ deploy_id: '8H100.80S.176V' }),
		);
		expect((await search('searchHardware')).map(({ value }) => value)).toEqual([
			12,
			'12',
			'8H100.80S.176V',
		]);
	});

	it('cheapest first, then without a price, then sold out, then without GPUs', async () => {
		catalogue(
			offer({ deploy_id: 1, num_cards: 0, name: '', price: 0.01 }),
			offer({ deploy_id: 2, price: 1, sold_out: true }),
			offer({ deploy_id: 3, price: 0 }),
			offer({ deploy_id: 4, price: 9 }),
			offer({ deploy_id: 5, price: 3 }),
		);
		expect((await search('searchHardware')).map(({ value, name }) => [value, name])).toEqual([
			[5, '1 × X1 · from $3.00/h · 10 GB each'],
			[4, '1 × X1 · from $9.00/h · 10 GB each'],
			[3, '1 × X1 · price not given · 10 GB each'],
			[2, '1 × X1 · $1.00/h · sold out · 10 GB each'],
			[1, 'CPU only · from $0.01/h'],
		]);
	});

	it('sold out in one location only is not sold out, and its price there does not count', async () => {
		catalogue(
			offer({ location: 'A', price: 1, sold_out: true }),
			offer({ location: 'B', price: 5 }),
		);
		expect((await search('searchHardware')).map(({ name }) => name)).toEqual([
			'1 × X1 · from $5.00/h · 10 GB each',
		]);
	});

	it('an absent sold_out is available', async () => {
		expect((await search('searchHardware')).find(({ value }) => value === 42)?.name).toBe(
			'1 × L4 · from $0.39/h · 24 GB each',
		);
	});

	it.each([
		['h100', /H100/i],
		['8h100.80s', /H100/],
		['sxm4 a100', /^8 × A100 SXM4/],
		['  L40S ', /L40S/],
		['sold out', /sold out/],
	])('search text %j', async (text, name) => {
		const rows = await search('searchHardware', text);
		expect(rows.length).toBeGreaterThan(0);
		expect(rows.length).toBeLessThan((await search('searchHardware')).length);
		for (const row of rows) expect(row.name).toMatch(name);
	});

	it('a search text without a match: no row', async () => {
		expect(await search('searchHardware', 'abacus')).toEqual([]);
	});

	it('entries without an id are left out', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				data: { hardware: [{ name: 'X' }, { deploy_id: null }, { deploy_id: 3 }, null, 'x'] },
			},
		});
		expect((await search('searchHardware')).map(({ value }) => value)).toEqual([3]);
	});

	it('5,000 offers are listed in one request', async () => {
		catalogue(
			...Array.from({ length: 5_000 }, (_, index) =>
				offer({ deploy_id: index % 500, location: `L${index}`, price: 1 + (index % 97) }),
			),
		);
		expect(await search('searchHardware')).toHaveLength(500);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it('an error in the words of the service, with the key redacted', async () => {
		fixture.sandbox.faults.add(
			errorForms.detailString(401, `unknown key ${fixture.sandbox.keys.apiKey}`),
		);
		await expect(search('searchHardware')).rejects.toThrow(
			'Authentication failed (401): unknown key ***',
		);
	});
});

describe('locations', () => {
	it('are those of the chosen hardware, with price; sold out last and marked', async () => {
		expect(await search('searchLocations', undefined, node(12))).toEqual([
			{ name: '2 · $9.52/h', value: '2' },
			{ name: 'us-east-1 · $10.08/h', value: 'us-east-1' },
			{ name: 'eu-north-1 · $8.96/h · sold out', value: 'eu-north-1' },
		]);
	});

	it.each([
		[12, 3],
		['12', 3],
		['8H100.80S.176V', 1],
		[999, 0],
	])('depend on the hardware: %j has %d', async (id, count) => {
		expect(await search('searchLocations', undefined, node(id))).toHaveLength(count);
	});

	it('without hardware: every location once, with its lowest price', async () => {
		const rows = await search('searchLocations');
		expect(new Set(rows.map(({ value }) => value))).toEqual(
			new Set(fixture.sandbox.hardware.map(({ location }) => location)),
		);
		expect(rows.find(({ value }) => value === 'us-east-1')?.name).toBe('us-east-1 · $0.12/h');
	});

	it('search text', async () => {
		expect((await search('searchLocations', 'US-', node(12))).map(({ value }) => value)).toEqual([
			'us-east-1',
		]);
	});

	it('a location that is chosen goes to deploy as text', async () => {
		const [row] = await search('searchLocations', undefined, node(12));
		await fixture.run(
			vmaas(
				'deployment',
				'deploy',
				deployParameters({
					hardwareId: locator(12, 'list'),
					locationId: locator(row?.value, 'list'),
				}),
			),
		);
		expect(at(fixture.sent('POST', /deploy$/)[0]?.body, 'location_ids')).toEqual(['2']);
	});
});

describe('deployments', () => {
	it('by name and state; ended ones last', async () => {
		for (const name of ['one', 'two', 'three'])
			await fixture.client.post('/deploy', { ...sampleDeploy, resource_private_name: name });
		const [first] = fixture.sandbox.books.deployments;
		await fixture.client.delete(`/deployment/${first?.id}`);
		fixture.sandbox.clock.advance(60_000);
		expect(await search('searchDeployments')).toEqual([
			{ name: 'three · running', value: fixture.sandbox.books.deployments[2]?.id },
			{ name: 'two · running', value: fixture.sandbox.books.deployments[1]?.id },
			{ name: 'one · destroyed', value: first?.id },
		]);
		expect((await search('searchDeployments', 'TWO')).map(({ name }) => name)).toEqual([
			'two · running',
		]);
	});

	it('all pages, under either key of the name', async () => {
		const page = (from: number) => ({
			status: 200,
			body: {
				data: {
					deployments: Array.from({ length: 100 }, (_, index) => ({
						id: from + index,
						resource_private_name: `n-${from + index}`,
					})),
					total: 200,
				},
			},
		});
		[0, 100].forEach((from) => fixture.sandbox.faults.add(page(from)));
		const rows = await search('searchDeployments');
		expect(rows).toHaveLength(200);
		expect(rows[150]).toEqual({ name: 'n-150 · state unknown', value: '150' });
	});

	it('an account without any: no row', async () => {
		expect(await search('searchDeployments')).toEqual([]);
	});
});

describe('the fields', () => {
	it.each(['hardwareId', 'locationId', 'deploymentId'])(
		'%s is a resource locator with the modes list and id, some also with name, the list searchable',
		(name) => {
			const fields = fixture.engine
				.nodeType('vmaas')
				.description.properties.filter((property) => property.name === name);
			expect(fields.length).toBeGreaterThan(0);
			for (const { type, modes, default: preset } of fields) {
				expect(type).toBe('resourceLocator');
				expect(modes?.slice(0, 2).map((mode) => mode.name)).toEqual(['list', 'id']);
				expect(modes?.[0]?.typeOptions?.searchable).toBe(true);
				// What Job > Start has put out is collected by its ID
				const isOfItem = JSON.stringify(preset).includes('$json.deployment_id');
				expect(preset).toMatchObject({ mode: isOfItem ? 'id' : 'list' });
			}
		},
	);

	it('the locations depend on the hardware', () => {
		const fields = fixture.engine
			.nodeType('vmaas')
			.description.properties.filter(({ name }) => name === 'locationId');
		for (const { typeOptions } of fields)
			expect(typeOptions?.loadOptionsDependsOn).toEqual(['hardwareId.value']);
	});
});

describe('containers', () => {
	const form = (changes = {}) => caas('deployment', 'deploy', containerParameters(changes));

	it('hardware whose ID is a whole number, by its model: sizes and prices are those of VMs', async () => {
		catalogue(
			offer({ deploy_id: 12, num_cards: 8 }),
			offer({ deploy_id: '13', price: 9 }),
			offer({ deploy_id: '8H100.80S.176V' }),
		);
		expect(await search('searchHardware', undefined, form())).toEqual([
			{ name: 'X1 · 10 GB each · ID 12', value: 12 },
			{ name: 'X1 · 10 GB each · ID 13', value: '13' },
		]);
	});

	it('locations of the hardware, with the number of containers for which there is room', async () => {
		const hardwareId = locator(12, 'list');
		const rows = await fixture.engine.options(
			form({ hardwareId, gpusPerContainer: 8 }),
			'loadLocations',
		);
		const { json } = await cloud(fixture.sandbox, 'caas').get(
			'/available-replicas?hardware_id=12&hardware_qty=8',
		);
		const free = listAt(json, 'data') as Array<{
			id: number;
			name: string;
			available_replicas: number;
		}>;
		expect(rows).toHaveLength(free.length);
		expect(rows).toEqual(
			expect.arrayContaining(
				free.map(({ id, name, available_replicas: count }) => ({
					name: `${name} · ${count} free · ID ${id}`,
					value: id,
				})),
			),
		);
		const none = await fixture.engine.options(form({ hardwareId: locator('') }), 'loadLocations');
		expect(none).toEqual([]);
	});
});
