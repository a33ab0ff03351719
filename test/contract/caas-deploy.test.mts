import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, containerParameters, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { listAt, violations } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy } from '../sandbox/testing/samples.mts';

/** beyond-the-spec.md section 2: what starts containers, and what they cost. */
const fixture = useFixture({ part: 'caas' });
const BASE = '/enterprise/v1/svc-cloud/caas';

const deploy = async (changes: IDataObject = {}) =>
	await fixture.run(caas('deployment', 'deploy', containerParameters(changes)));
const sentBody = async (changes: IDataObject = {}) => {
	await deploy(changes);
	return fixture.sent('POST', /\/deploy$/)[0]?.body as IDataObject;
};

describe('deploy', () => {
	it('[caas.deploy] POST …/caas/deploy with x-api-key; the answer has the ID', async () => {
		const item = onlyJson(await deploy());
		expect(fixture.sent('POST', /./)).toMatchObject([
			{ path: `${BASE}/deploy`, query: {}, status: 200 },
		]);
		expect(fixture.sent('POST', /./)[0]?.headers['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
		const [made] = fixture.sandbox.books.deployments;
		expect(item).toMatchObject({
			deployment_id: made?.id,
			resource_private_name: 'web',
			hardware_id: 7,
			gpus_per_container: 1,
			replica_count: 1,
			duration_hours: 2,
		});
	});

	it('[caas.deploy.body] name, hours, GPUs, hardware, locations, container_config and registry_config; what is not set is not sent', async () => {
		expect(await sentBody()).toEqual({
			resource_private_name: 'web',
			duration_hours: 2,
			gpus_per_container: 1,
			hardware_id: 7,
			location_ids: [3],
			container_config: { replica_count: 1, traffic_port: 8080 },
			registry_config: { image_url: 'registry.example/web:1' },
		});
	});

	it('[caas.deploy.container] env_variables, secret_env_variables, entrypoint, args; registry_username and registry_secret', async () => {
		const body = await sentBody({
			environment: { variables: [{ name: 'MODE', value: 'fast' }] },
			secretEnvironment: { variables: [{ name: 'TOKEN', value: 's3cret-value' }] },
			additionalFields: {
				entrypoint: ['python3', '-m'],
				args: ['--max=1,2', ' '],
				environmentJson: '{"WORKERS": 2}',
				secretEnvironmentJson: { OTHER: 'another-secret' },
				registryUsername: 'me',
				registrySecret: 'registry-secret',
			},
		});
		expect(body).toMatchObject({
			container_config: {
				env_variables: { MODE: 'fast', WORKERS: '2' },
				secret_env_variables: { TOKEN: 's3cret-value', OTHER: 'another-secret' },
				entrypoint: ['python3', '-m'],
				args: ['--max=1,2', ' '],
			},
			registry_config: { registry_username: 'me', registry_secret: 'registry-secret' },
		});
	});

	it('[caas.deploy.container] variables of JSON that are true or false are sent as text; empty lists are not sent', async () => {
		const json = { DEBUG: true, QUIET: false };
		const additionalFields = { entrypoint: [], args: [], environmentJson: json };
		const { container_config: sent } = await sentBody({ additionalFields });
		expect(sent).toEqual({
			replica_count: 1,
			traffic_port: 8080,
			env_variables: { DEBUG: 'true', QUIET: 'false' },
		});
	});

	it('[caas.deploy.ids] hardware and locations are whole numbers, also as text', async () => {
		expect(await sentBody({ hardwareId: locator('7'), locationIds: '3, 3' })).toMatchObject({
			hardware_id: 7,
			location_ids: [3, 3],
		});
		const refused = await fixture.client.post('/deploy', {
			...sampleContainerDeploy,
			hardware_id: '8H100.80S.176V',
		});
		expect(violations(refused)).toEqual(['body.hardware_id: int_type']);
	});

	const wrong: Array<[string, IDataObject, RegExp]> = [
		['Name', { resourcePrivateName: ' ' }, /^Name is required/],
		['Image', { imageUrl: '={{ " " }}' }, /^Image is required/],
		['Port', { trafficPort: 70_000 }, /^Port must be a whole number from 1 to 65535, got 70000/],
		[
			'Hardware',
			{ hardwareId: locator('8H100.80S') },
			/^Hardware must be a whole number such as 12, got "8H100.80S"/,
		],
		[
			'GPUs per Container',
			{ gpusPerContainer: 0 },
			/^GPUs per Container must be a whole number of at least 1/,
		],
		['no location', { locationIds: '={{ [] }}' }, /^Location Names or IDs is required/],
		[
			'a wrong location',
			{ locationIds: ['us-east-1'] },
			/^Location Names or IDs must be whole numbers such as 3, got \["us-east-1"\]/,
		],
		['Replica Count', { replicaCount: 0 }, /^Replica Count must be a whole number of at least 1/],
		[
			'Duration',
			{ durationHours: 8_761 },
			/^Duration \(Hours\) must be a whole number from 1 to 8760/,
		],
		[
			'a name twice',
			{
				environment: { variables: [{ name: 'A', value: '1' }] },
				additionalFields: { environmentJson: { A: 2 } },
			},
			/Variables \(JSON\) has the variable A twice/,
		],
		[
			'a name with =',
			{ environment: { variables: [{ name: 'A=B', value: '1' }] } },
			/Name must not be empty and must not contain = or white space, got "A=B"/,
		],
		[
			'a user without secret',
			{ additionalFields: { registryUsername: 'me' } },
			/Registry Secret is required with a Registry Username/,
		],
		[
			'a secret without user',
			{ additionalFields: { registrySecret: 'abcdef' } },
			/Registry Username is required with a Registry Secret/,
		],
	];
	it.each(wrong)(
		'%s: an error that names the field, before anything is sent',
		async (_what, changes, message) => {
			expect(errorOf(await deploy(changes)).message).toMatch(message);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);

	it('a secret value that is none is not in the error', async () => {
		const { message } = errorOf(
			await deploy({ additionalFields: { secretEnvironmentJson: { TOKEN: ['hidden-4711'] } } }),
		);
		expect(message).toMatch(/must give TOKEN a text, a number, true or false$/);
	});
});

describe('price and replicas', () => {
	it('[caas.price] GET …/caas/price: gpus_per_container, location_ids as JSON text, no currency', async () => {
		const item = onlyJson(
			await fixture.run(
				caas('price', 'get', {
					hardwareId: locator(7),
					gpusPerContainer: 1,
					locationIds: [3],
					replicaCount: 2,
					durationHours: 5,
				}),
			),
		);
		expect(fixture.sandbox.requests).toMatchObject([
			{
				method: 'GET',
				path: `${BASE}/price`,
				query: {
					hardware_id: ['7'],
					gpus_per_container: ['1'],
					duration_hours: ['5'],
					location_ids: ['[3]'],
					replica_count: ['2'],
				},
			},
		]);
		expect(fixture.sandbox.requests[0]?.query).not.toHaveProperty('currency');
		expect(item.total_cost_usdc).toBeGreaterThan(0);
	});

	it('[caas.price.limit] the limits are checked with the price of this order', async () => {
		const price = Number(onlyJson(await deploy({ safety: { dryRun: true } })).total_price);
		expect(price).toBeGreaterThan(0);
		expect(errorOf(await deploy({ safety: { maxPrice: price - 0.01 } })).message).toMatch(
			/is above the Maximum Price/,
		);
		expect(fixture.sandbox.books.deployments).toEqual([]);
		expect(onlyJson(await deploy({ safety: { maxPrice: price } }))).toMatchObject({
			total_price: price,
			currency: 'usdc',
		});
		expect(fixture.sandbox.books.totals().charged).toBe(price);
	});

	it('[caas.available-replicas] GET …/caas/available-replicas: an item for each location', async () => {
		const items = jsonOf(
			await fixture.run(
				caas('hardware', 'getAvailableReplicas', { hardwareId: locator(12), hardwareQty: 8 }),
			),
		);
		expect(fixture.sandbox.requests).toMatchObject([
			{ path: `${BASE}/available-replicas`, query: { hardware_id: ['12'], hardware_qty: ['8'] } },
		]);
		const { json } = await fixture.client.get('/available-replicas?hardware_id=12&hardware_qty=8');
		expect(items).toEqual(
			listAt(json, 'data').map((entry) => ({ ...(entry as IDataObject), hardware_id: 12 })),
		);
		expect(items.length).toBeGreaterThan(1);
	});
});
