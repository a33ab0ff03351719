import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { locator, vmaas } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** compute-api.md: Deployment price; beyond-the-spec.md section 1, "Price". */
const fixture = useFixture();
const PATH = '/enterprise/v1/svc-cloud/vmaas/price';

const price = (changes: IDataObject = {}) =>
	vmaas('price', 'get', {
		hardwareId: locator(12),
		locationId: locator('us-east-1'),
		durationHours: 3,
		gpusPerVm: 8,
		currency: 'usdc',
		replicaCount: 1,
		...changes,
	});
const QUERY = {
	hardware_id: '12',
	gpus_per_vm: '8',
	duration_hours: '3',
	currency: 'usdc',
	location_ids: '["us-east-1"]',
	replica_count: '1',
};
const direct = async (changes: Record<string, string | undefined> = {}) => {
	const entries = Object.entries({ ...QUERY, ...changes }).flatMap(([key, value]) =>
		value === undefined ? [] : [[key, value] as [string, string]],
	);
	return await fixture.client.get(`/price?${new URLSearchParams(entries).toString()}`);
};
const sentQuery = () => fixture.sandbox.requests.at(-1)?.query;

describe('deployment price', () => {
	it('[price.path] GET /enterprise/v1/svc-cloud/vmaas/price with exactly its six query parameters, no body', async () => {
		await fixture.run(price());
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'GET', path: PATH, body: undefined, status: 200 },
		]);
		expect(sentQuery()).toEqual(
			Object.fromEntries(Object.entries(QUERY).map(([key, value]) => [key, [value]])),
		);
		expect((await direct()).status).toBe(200);
	});

	it('[price.auth] header x-api-key, and no Authorization', async () => {
		await fixture.run(price());
		expect(fixture.sandbox.requests[0]?.headers['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
		expect(fixture.sandbox.requests[0]?.headers).not.toHaveProperty('authorization');
		expect(
			(
				await fixture.client.call(`/price?${new URLSearchParams(QUERY).toString()}`, {
					headers: { 'x-api-key': 'wrong' },
				})
			).status,
		).toBe(401);
	});

	it.each(['hardware_id', 'gpus_per_vm', 'duration_hours', 'currency', 'location_ids'])(
		'[price.%s.required] the service refuses a price without it',
		async (key) => {
			expect(violations(await direct({ [key]: undefined }))).toEqual([`query.${key}: missing`]);
		},
	);

	it('[price.hardware_id] integer or string, as the deploy_id was given', async () => {
		await fixture.run(
			price({ hardwareId: locator('8H100.80S.176V', 'list'), locationId: locator('FI') }),
		);
		expect(sentQuery()?.hardware_id).toEqual(['8H100.80S.176V']);
		expect(fixture.sandbox.requests.at(-1)?.status).toBe(200);
		await fixture.run(price({ hardwareId: locator('12') }));
		expect(sentQuery()?.hardware_id).toEqual(['12']);
	});

	it('[price.gpus_per_vm] num_cards from the hardware list: 0 or an empty value takes it from there', async () => {
		for (const gpusPerVm of [0, '={{ "" }}']) {
			await fixture.run(price({ gpusPerVm }));
			expect(sentQuery()?.gpus_per_vm).toEqual(['8']);
		}
		expect(violations(await direct({ gpus_per_vm: '4' }))).toEqual([
			'query.gpus_per_vm: value_error',
		]);
		expect(violations(await direct({ gpus_per_vm: '1.5' }))).toEqual([
			'query.gpus_per_vm: int_parsing',
		]);
	});

	it('[price.duration_hours] integer', async () => {
		expect(violations(await direct({ duration_hours: 'ten' }))).toEqual([
			'query.duration_hours: int_parsing',
		]);
		expect(errorOf(await fixture.run(price({ durationHours: 1.5 }))).message).toContain(
			'Duration (Hours) must be a whole number from 1 to 8760, got 1.5',
		);
		await fixture.run(price({ durationHours: '={{ "24" }}' }));
		expect(sentQuery()?.duration_hours).toEqual(['24']);
	});

	it.each(['usdc', 'USDC', 'tok', 'a b&c'])(
		'[price.currency] a code such as usdc; %j is passed on as it is',
		async (currency) => {
			await fixture.run(price({ currency }));
			expect(sentQuery()?.currency).toEqual([currency]);
			expect(fixture.sandbox.requests.at(-1)?.status).toBe(200);
		},
	);

	it.each(['us-east-1', '2', 'a "b" & ü'])(
		'[price.location_ids] URL-encoded JSON array of location codes: %j',
		async (location) => {
			await fixture.run(price({ locationId: locator(location) }));
			expect(sentQuery()?.location_ids).toEqual([JSON.stringify([location])]);
		},
	);

	it('[price.location_ids] several locations in one request, each once', async () => {
		const options = { locationIds: ['2', 'us-east-1', ' 2 ', ''] };
		await fixture.run(price({ options }));
		expect(sentQuery()?.location_ids).toEqual(['["us-east-1","2"]']);
		expect(fixture.sandbox.requests.at(-1)?.status).toBe(200);
		await fixture.run(price({ gpusPerVm: 0, options: { locationIds: '={{ ["2"] }}' } }));
		expect(sentQuery()).toMatchObject({ location_ids: ['["us-east-1","2"]'], gpus_per_vm: ['8'] });
	});

	it('[price.location_ids.json] the service refuses a bare code', async () => {
		expect(violations(await direct({ location_ids: 'us-east-1' }))).toEqual([
			'query.location_ids: json_invalid',
		]);
		expect(violations(await direct({ location_ids: '[]' }))).toEqual([
			'query.location_ids: too_short',
		]);
	});

	it('[price.replica_count] [price.replica_count.required] is always sent, 1 by default, since the schema of the service requires it', async () => {
		const node = price();
		delete (node.parameters as IDataObject).replicaCount;
		await fixture.run(node);
		expect(sentQuery()?.replica_count).toEqual(['1']);
		await fixture.run(price({ replicaCount: 3 }));
		expect(sentQuery()?.replica_count).toEqual(['3']);
		expect(violations(await direct({ replica_count: undefined }))).toEqual([
			'query.replica_count: missing',
		]);
	});

	it('[price.200] the answer without its envelope, whatever its fee fields are called', async () => {
		const output = onlyJson(await fixture.run(price()));
		expect(output).toEqual(at((await direct()).json, 'data'));
		expect(Object.keys(output).sort()).toEqual([
			'available_replica_count',
			'currency_conversion_fee',
			'currency_conversion_fee_percent',
			'discount',
			'gpus_per_vm',
			'replica_count',
			'svc_fee',
			'svc_fee_percent',
			'total_cost_usdc',
		]);
		expect(output.total_cost_usdc).toBe(30.24);
	});

	it('[price.fee.name] [service.segment] the fee fields carry the name of the service, and so does the path', async () => {
		const other = await startSandbox({
			clock: manualClock(),
			service: 'acme',
			serviceFeePercent: 10,
		});
		const stored = sandboxCredentials(other);
		const engine = await startEngine({
			...stored,
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl: other.url, service: 'acme', apiKey: other.keys.apiKey },
			},
		});
		const output = onlyJson(await engine.run(price()));
		expect(output).toMatchObject({ acme_fee: 3.024, acme_fee_percent: 10 });
		expect(other.requests[0]?.path).toBe('/enterprise/v1/acme-cloud/vmaas/price');
		await other.close();
	});

	it('[price.body.unknown] the body is not shown: any object is the item', async () => {
		fixture.sandbox.faults.add({ status: 200, body: { quote: 1, nested: { a: null } } });
		expect(onlyJson(await fixture.run(price()))).toEqual({ quote: 1, nested: { a: null } });
	});

	it('[price.hardware_id.gone] hardware that is not on offer is named when its GPU count is asked for', async () => {
		expect(
			errorOf(await fixture.run(price({ hardwareId: locator(999), gpusPerVm: 0 }))).message,
		).toBe('Hardware 999 is not on offer now, so GPUs per VM cannot be taken from it');
	});
});
