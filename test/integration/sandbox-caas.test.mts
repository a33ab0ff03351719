import { describe, expect, it } from 'vitest';
import { at, cloud, listAt, violations } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, caas] = await useSandbox((service) => cloud(service, 'caas'));

const body = {
	resource_private_name: 'web',
	duration_hours: 2,
	gpus_per_container: 2,
	hardware_id: 12,
	location_ids: [2],
	container_config: {
		replica_count: 2,
		env_variables: { A: '1' },
		entrypoint: ['serve'],
		traffic_port: 8080,
		args: [],
	},
	registry_config: { image_url: 'registry.example/web:1' },
};

async function deployed(): Promise<string> {
	return String(at((await caas.post('/deploy', body)).json, 'deployment_id'));
}

describe('deployments that ran before', () => {
	it('are listed with their containers', async () => {
		const { json } = await caas.get('/deployments');
		expect(
			listAt(json, 'data', 'deployments').map((entry) => [at(entry, 'name'), at(entry, 'status')]),
		).toEqual([
			['inference-api', 'running'],
			['embedding-worker', 'running'],
			['batch-render', 'completed'],
		]);
		const id = String(at(json, 'data', 'deployments', 0, 'id'));
		const containers = await caas.get(`/deployment/${id}/containers`);
		expect(at(containers.json, 'data', 'total')).toBe(2);
		expect(at(containers.json, 'data', 'workers', 0)).toEqual({
			device_id: expect.any(String),
			container_id: expect.any(String),
			hardware: 'A100 SXM4',
			brand_name: 'NVIDIA',
			created_at: expect.any(String),
			uptime_percent: 100,
			gpus_per_container: 1,
			status: 'running',
			container_events: expect.any(Array),
			public_url: expect.stringMatching(/^https:/),
		});
	});

	it('have jobs by container, in pages from 0 with 1 to 100 entries', async () => {
		const { json } = await caas.get('/deployments');
		const id = String(at(json, 'data', 'deployments', 0, 'id'));
		const worker = at((await caas.get(`/deployment/${id}/containers`)).json, 'data', 'workers', 1);
		const jobs = `/deployment/${id}/containers-jobs/${String(at(worker, 'container_id'))}`;
		for (const query of ['', '?page=0', '?page=0&page_size=100']) {
			expect(at((await caas.get(jobs + query)).json, 'data')).toEqual({
				total: 1,
				workers: [worker],
			});
		}
		expect(at((await caas.get(`${jobs}?page=1`)).json, 'data')).toEqual({ total: 1, workers: [] });
		for (const [query, violation] of [
			['page=-1', 'query.page: greater_than_equal'],
			['page_size=0', 'query.page_size: greater_than_equal'],
			['page_size=101', 'query.page_size: less_than_equal'],
		]) {
			expect(violations(await caas.get(`${jobs}?${query}`))).toEqual([violation]);
		}
		expect((await caas.get(`/deployment/${id}/containers-jobs/nobody`)).status).toBe(404);
		expect((await caas.get('/deployment/nobody/containers-jobs/nobody')).status).toBe(404);
	});

	it('are unknown to VMaaS', async () => {
		const vmaas = cloud(sandbox, 'vmaas');
		expect(at((await vmaas.get('/deployments')).json, 'data', 'total')).toBe(0);
		await vmaas.close();
	});
});

describe('deploy', () => {
	it('makes containers, priced by the cards that they take', async () => {
		const id = await deployed();
		expect(sandbox.books.deployments).toMatchObject([
			{ id, charged: 9.52, order: { kind: 'caas', workers: 2 } },
		]);
		sandbox.clock.advance(30_000);
		const details = await caas.get(`/deployment/${id}`);
		expect(at(details.json, 'data')).toMatchObject({
			status: 'running',
			gpus_per_container: 2,
			total_containers: 2,
			total_gpus: 4,
			locations: [{ id: 2, iso2: 'CA' }],
			container_config: body.container_config,
		});
	});

	it.each([
		[{ location_ids: ['2'] }, 'body.location_ids.0: int_type'],
		[{ location_ids: [4] }, 'body.location_ids: value_error'],
		[{ hardware_id: 999 }, 'body.hardware_id: value_error'],
		[{ gpus_per_container: 0 }, 'body.gpus_per_container: greater_than_equal'],
		[{ registry_config: {} }, 'body.registry_config.image_url: missing'],
		[
			{ container_config: { replica_count: 0 } },
			'body.container_config.replica_count: greater_than_equal',
		],
		[{ colour: 'red' }, 'body.colour: extra_forbidden'],
	])('refuses %j', async (changes, violation) => {
		const answer = await caas.post('/deploy', { ...body, ...changes });
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});
});

describe('changes', () => {
	it('patches at the top level only', async () => {
		const id = await deployed();
		const patch = (changes: object) =>
			caas.call(`/deployment/${id}`, { method: 'PATCH', body: changes });
		expect(
			(await patch({ image_url: 'registry.example/web:2', env_variables: { A: '2' } })).json,
		).toEqual({ status: 'succeeded', deployment_id: id });
		expect(
			at((await caas.get(`/deployment/${id}`)).json, 'data', 'container_config'),
		).toMatchObject({ image_url: 'registry.example/web:2', env_variables: { A: '2' } });
		expect(violations(await patch({ container_config: {} }))).toEqual([
			'body.container_config: extra_forbidden',
		]);
	});

	it('extends and destroys as VMaaS does', async () => {
		const id = await deployed();
		sandbox.clock.advance(30_000 + 1.5 * 3_600_000);
		expect(
			at(
				(await caas.post(`/deployment/${id}/extend`, { duration_hours: 1 })).json,
				'data',
				'compute_minutes_remaining',
			),
		).toBe(90);
		expect((await caas.delete(`/deployment/${id}`)).json).toEqual({
			status: 'succeeded',
			deployment_id: id,
		});
		expect(sandbox.books.find(id)?.refunds).toMatchObject([{ hours: 1.5 }]);
		sandbox.clock.advance(20_000);
		expect((await caas.delete(`/deployment/${id}`)).status).toBe(404);
	});
});

describe('price and replicas', () => {
	const query =
		'hardware_id=12&duration_hours=2&gpus_per_container=2&replica_count=2&location_ids=%5B2%5D';

	it('quotes what the deploy then costs', async () => {
		const { json } = await caas.get(`/price?${query}`);
		expect(json).toMatchObject({
			data: { replica_count: 2, gpus_per_container: 2, total_cost_usdc: 9.52 },
		});
	});

	it.each(['hardware_id', 'duration_hours', 'gpus_per_container', 'replica_count', 'location_ids'])(
		'requires %s',
		async (key) => {
			const search = new URLSearchParams(query);
			search.delete(key);
			expect(violations(await caas.get(`/price?${search}`))).toEqual([`query.${key}: missing`]);
		},
	);

	it('tells where replicas can be had', async () => {
		expect((await caas.get('/available-replicas?hardware_id=12&hardware_qty=4')).json).toEqual({
			data: [
				{ id: 1, iso2: 'US', name: 'United States, East', available_replicas: 4 },
				{ id: 2, iso2: 'CA', name: 'Canada', available_replicas: 8 },
				{ id: 5, iso2: 'SE', name: 'Sweden', available_replicas: 0 },
			],
		});
		expect(violations(await caas.get('/available-replicas?hardware_id=12&hardware_qty=0'))).toEqual(
			['query.hardware_qty: greater_than_equal'],
		);
	});
});
