import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, containerParameters, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, listAt, violations } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy } from '../sandbox/testing/samples.mts';

/** beyond-the-spec.md section 2: what starts, changes and ends containers. */
const fixture = useFixture({ part: 'caas' });
const BASE = '/enterprise/v1/svc-cloud/caas';

const deploy = async (changes: IDataObject = {}) =>
	await fixture.run(caas('deployment', 'deploy', containerParameters(changes)));
const on = (operation: string, deploymentId: unknown, parameters: IDataObject = {}) =>
	caas('deployment', operation, { deploymentId: locator(deploymentId), ...parameters });
const sentBody = async (changes: IDataObject = {}) => {
	await deploy(changes);
	return fixture.sent('POST', /\/deploy$/)[0]?.body as IDataObject;
};

/** A deployment of 3 hours that an independent client has made. */
async function deployed(): Promise<string> {
	const { json } = await fixture.client.post('/deploy', sampleContainerDeploy);
	fixture.sandbox.requests.length = 0;
	return String(at(json, 'deployment_id'));
}

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

describe('update', () => {
	it('[caas.update] PATCH …/caas/deployment/{id}: only what is set, at the top level', async () => {
		const id = await deployed();
		const item = onlyJson(
			await fixture.run(
				on('update', id, {
					updateFields: {
						imageUrl: 'registry.example/web:2',
						trafficPort: 9090,
						environment: { variables: [{ name: 'MODE', value: 'slow' }] },
						command: 'python3 server.py',
					},
				}),
			),
		);
		const [patch] = fixture.sent('PATCH', /./);
		expect(patch).toMatchObject({ path: `${BASE}/deployment/${id}`, query: {}, status: 200 });
		expect(patch?.body).toEqual({
			image_url: 'registry.example/web:2',
			traffic_port: 9090,
			env_variables: { MODE: 'slow' },
			command: 'python3 server.py',
		});
		expect(item).toMatchObject({
			deployment_id: id,
			updated: true,
			updated_fields: ['env_variables', 'image_url', 'traffic_port', 'command'],
		});
		const shown = at((await fixture.client.get(`/deployment/${id}`)).json, 'data');
		expect(shown).toMatchObject({ container_config: { traffic_port: 9090 } });
	});

	it('of nothing is an error before anything is sent', async () => {
		expect(
			errorOf(await fixture.run(on('update', 'some-id', { updateFields: {} }))).message,
		).toMatch(/Update Fields must have one field at least/);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});

describe('extend and destroy', () => {
	it('[caas.extend] POST …/caas/deployment/{id}/extend with duration_hours', async () => {
		const id = await deployed();
		const item = onlyJson(await fixture.run(on('extend', id, { durationHours: 2, safety: {} })));
		expect(fixture.sent('POST', /./)).toMatchObject([
			{ path: `${BASE}/deployment/${id}/extend`, body: { duration_hours: 2 }, status: 200 },
		]);
		expect(item).toMatchObject({ deployment_id: id, added_hours: 2 });
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([2]);
	});

	it('[caas.extend.limit] a limit is checked with the hardware, size and locations of its details', async () => {
		const id = await deployed();
		const error = errorOf(
			await fixture.run(on('extend', id, { durationHours: 2, safety: { maxPrice: 1 } })),
		);
		expect(error.message).toMatch(/is above the Maximum Price of 1 usdc/);
		expect(fixture.sent('GET', /\/caas\/price$/)).toMatchObject([
			{ query: { hardware_id: ['12'], gpus_per_container: ['8'], location_ids: ['[2]'] } },
		]);
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([]);
	});

	it('[caas.destroy] DELETE …/caas/deployment/{id}, until the end is seen', async () => {
		const id = await deployed();
		const item = onlyJson(await fixture.run(on('destroy', id, { options: {} })));
		expect(fixture.sent('DELETE', /./)).toMatchObject([
			{ path: `${BASE}/deployment/${id}`, status: 200 },
		]);
		expect(item).toMatchObject({ deleted: true, deployment_id: id, verified: true });
		expect(fixture.sandbox.books.find(id)?.state).toBe('destroyed');
	});

	it('by name, and never the VMs of the same name', async () => {
		const id = await deployed();
		const name = { __rl: true, mode: 'name', value: sampleContainerDeploy.resource_private_name };
		await fixture.run(caas('deployment', 'destroy', { deploymentId: name, options: {} }));
		expect(fixture.sandbox.books.find(id)?.state).toBe('destroyed');
		expect(fixture.sent('DELETE', /vmaas/)).toEqual([]);
	});
});

describe('wait for the public URL', () => {
	it('[caas.public_url] is reached once every container answers', async () => {
		const id = await deployed();
		const item = onlyJson(
			await fixture.run(
				on('waitFor', id, {
					waitUntil: 'reachable',
					healthPath: '/',
					pollInterval: 5,
					timeout: 300,
					onTimeout: 'error',
				}),
			),
		);
		expect(item).toMatchObject({ deployment_id: id, reached: true, status: 'running' });
		expect(item.public_urls).toEqual([item.public_url]);
		const asked = fixture.sent('GET', /\/public\//);
		expect(asked.map(({ status }) => status).at(-1)).toBe(200);
		// Without any credential
		expect(asked.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true);
	});

	it.each(['/a b', '/../admin', '/x#y', '/é'])('does not take %s for a path', async (path) => {
		const waiting = on('waitFor', 'some-id', { waitUntil: 'reachable', healthPath: path });
		expect(errorOf(await fixture.run(waiting)).message).toMatch(
			/^Health Path must be a path such as \/health/,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('says what the URL answers when the time is over', async () => {
		const id = await deployed();
		const error = errorOf(
			await fixture.run(
				on('waitFor', id, {
					waitUntil: 'reachable',
					healthPath: 'health',
					pollInterval: 1,
					timeout: 32,
					onTimeout: 'error',
				}),
			),
		);
		expect(error.message).toMatch(/after 32 seconds: http:\S+\/health answers with 503/);
	});
});
