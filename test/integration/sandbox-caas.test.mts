import { describe, expect, it, vi } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import { at, cloud, violations } from '../sandbox/testing/client.mts';
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

describe('seeded deployments', () => {
	it('have containers with the documented fields', async () => {
		const id = sandbox.books.seeded.find(({ order }) => order.name === 'inference-api')?.id;
		const { json } = await caas.get(`/deployment/${id}/containers`);
		expect(at(json, 'data', 'workers', 1)).toMatchObject({
			container_id: expect.any(String),
			gpus_per_container: 1,
			status: 'running',
			container_events: [{ message: 'deployment requested' }, { message: 'running' }],
			public_url: expect.stringMatching(/^http:.*\/public\//),
		});
	});

	it('are unknown to VMaaS', async () => {
		const vmaas = cloud(sandbox, 'vmaas');
		expect(at((await vmaas.get('/deployments')).json, 'data', 'total')).toBe(0);
		expect((await vmaas.get(`/deployment/${sandbox.books.seeded[0]?.id}`)).json).toEqual({
			detail: 'Deployment not found',
		});
		await vmaas.close();
	});

	it('write as many log lines in a second as they are set to, while they run and the service is up', async () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
		const busy = await startSandbox({ clock: manualClock(), logLinesPerSecond: 25 });
		const logsOf = (isGone: boolean) =>
			busy.books.seeded
				.filter((seed) => seed.isGone === isGone)
				.flatMap(({ id }) => busy.logs.of(id));
		const [log] = logsOf(false);
		const before = log?.entries.stdout.length ?? 0;
		const ended = logsOf(true).map(({ entries }) => entries.stdout.length);
		vi.advanceTimersByTime(4_000);
		const lines = log?.entries.stdout.slice(before) ?? [];
		expect(lines).toHaveLength(100);
		expect(
			lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as unknown),
		).toHaveLength(20);
		expect(logsOf(true).map(({ entries }) => entries.stdout.length)).toEqual(ended);
		await busy.close();
		vi.advanceTimersByTime(1_000);
		expect(log?.entries.stdout).toHaveLength(before + 100);
		vi.useRealTimers();
	});
});

describe('deploy', () => {
	it('makes containers, priced by their share of the cards', async () => {
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
		const changes = { image_url: 'registry.example/web:2', env_variables: { A: '2' } };
		expect((await patch(changes)).json).toEqual({ status: 'succeeded', deployment_id: id });
		expect(
			at((await caas.get(`/deployment/${id}`)).json, 'data', 'container_config'),
		).toMatchObject(changes);
		expect(violations(await patch({ container_config: {} }))).toEqual([
			'body.container_config: extra_forbidden',
		]);
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

	it('requires every parameter', async () => {
		const keys = [...new URLSearchParams(query).keys()];
		expect(violations(await caas.get('/price'))).toEqual(
			keys.map((key) => `query.${key}: missing`),
		);
	});

	it('tells where replicas are available', async () => {
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
