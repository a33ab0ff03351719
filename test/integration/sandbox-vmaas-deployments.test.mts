import { describe, expect, it } from 'vitest';
import { at, cloud, listAt, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const HOUR = 3_600_000;
const STARTUP = 30_000;

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'));

async function deployed(changes: object = {}): Promise<string> {
	const { json } = await vmaas.post('/deploy', { ...sampleDeploy, ...changes });
	return String(at(json, 'deployment_id'));
}

const details = async (id: string): Promise<unknown> =>
	at((await vmaas.get(`/deployment/${id}`)).json, 'data');
const status = async (id: string): Promise<unknown> => at(await details(id), 'status');

describe('states', () => {
	it('go from requested to running to completed on the clock', async () => {
		const id = await deployed();
		expect(await status(id)).toBe('deployment requested');
		sandbox.clock.advance(STARTUP - 1);
		expect(await status(id)).toBe('deployment requested');
		sandbox.clock.advance(1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(3 * HOUR - 1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(1);
		expect(await details(id)).toMatchObject({
			status: 'completed',
			completed_percent: 100,
			compute_minutes_served: 180,
			compute_minutes_remaining: 0,
		});
		expect(sandbox.books.find(id)?.transitions.map(({ state }) => state)).toEqual([
			'deployment requested',
			'running',
			'completed',
		]);
	});

	it('go to destroyed by way of termination requested', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP);
		expect((await vmaas.delete(`/deployment/${id}`)).json).toEqual({
			status: 'succeeded',
			deployment_id: id,
		});
		expect(await status(id)).toBe('termination requested');
		sandbox.clock.advance(20_000);
		expect(await details(id)).toMatchObject({
			status: 'destroyed',
			finished_at: new Date(sandbox.clock.now()).toISOString(),
		});
	});

	it('all happen however far the clock is moved at once', async () => {
		const id = await deployed();
		sandbox.clock.advance(1_000 * HOUR);
		expect(sandbox.books.find(id)?.finishedAt).toBe(sandbox.clock.now() - 997 * HOUR + STARTUP);
	});

	it('can be failed by the service, which then gives back what it did not serve', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + HOUR / 2);
		sandbox.fail(id);
		expect(await status(id)).toBe('failed');
		expect(sandbox.books.find(id)?.refunds).toEqual([
			{ at: sandbox.clock.now(), hours: 2.5, amount: 23.8 },
		]);
		expect(() => sandbox.fail(id)).toThrow(id);
	});
});

describe('details', () => {
	it('have every documented field', async () => {
		const started = sandbox.clock.now();
		const id = await deployed({ vms_qty: 2, github_ids: ['somebody'] });
		sandbox.clock.advance(STARTUP + 45 * 60_000);
		expect(await details(id)).toEqual({
			id,
			status: 'running',
			created_at: new Date(started).toISOString(),
			started_at: new Date(started + STARTUP).toISOString(),
			finished_at: null,
			amount_paid: 57.12,
			completed_percent: 25,
			total_gpus: 16,
			gpus_per_vm: 8,
			total_vms: 2,
			hardware_name: 'A100 SXM4',
			hardware_id: 12,
			locations: [{ id: '2', iso2: 'CA', name: 'Canada' }],
			brand_name: 'NVIDIA',
			compute_minutes_served: 45,
			compute_minutes_remaining: 135,
			ssh_keys: sampleDeploy.ssh_keys,
			github_ids: ['somebody'],
		});
	});

	it('are 404 for what VMaaS does not know, container deployments too', async () => {
		expect((await vmaas.get('/deployment/nobody')).status).toBe(404);
		const container = sandbox.books.seeded[0]?.id ?? '';
		expect((await vmaas.get(`/deployment/${container}`)).json).toEqual({
			detail: 'Deployment not found',
		});
	});
});

describe('extend', () => {
	it('adds hours to the remaining and charges them', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + HOUR);
		const answer = await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 2 });
		expect(answer.status).toBe(200);
		expect(at(answer.json, 'data')).toMatchObject({
			id,
			compute_minutes_served: 60,
			compute_minutes_remaining: 240,
			amount_paid: 47.6,
		});
		expect(sandbox.books.find(id)?.extensions).toEqual([2]);
		sandbox.clock.advance(4 * HOUR - 1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(1);
		expect(await status(id)).toBe('completed');
	});

	it.each([
		[{ duration_hours: 0 }, 'body.duration_hours: greater_than_equal'],
		[{ duration_hours: 1.5 }, 'body.duration_hours: int_from_float'],
		[{}, 'body.duration_hours: missing'],
	])('refuses %j', async (body, violation) => {
		const answer = await vmaas.post(`/deployment/${await deployed()}/extend`, body);
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});

	it('is 404 for what is unknown, over or going down', async () => {
		const id = await deployed();
		await vmaas.delete(`/deployment/${id}`);
		const over = await deployed({ duration_hours: 1 });
		sandbox.clock.advance(10_000);
		expect((await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 1 })).status).toBe(404);
		sandbox.clock.advance(2 * HOUR);
		for (const gone of [id, over, 'nobody'])
			expect((await vmaas.post(`/deployment/${gone}/extend`, { duration_hours: 1 })).status).toBe(
				404,
			);
	});
});

describe('destroy and the bill', () => {
	it.each([
		{ after: 0, hours: 2 },
		{ after: 0.5, hours: 2 },
		{ after: 1, hours: 2 },
		{ after: 1.2, hours: 1.8 },
		{ after: 2.75, hours: 0.25 },
	])('after $after of 3 hours refunds $hours', async ({ after, hours }) => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + after * HOUR);
		await vmaas.delete(`/deployment/${id}`);
		const amount = Math.round(hours * 9.52 * 1e6) / 1e6;
		expect(sandbox.books.find(id)?.refunds).toEqual([{ at: sandbox.clock.now(), hours, amount }]);
		expect(at(await details(id), 'amount_paid')).toBeCloseTo(28.56 - amount, 6);
	});

	it('refunds all but the first hour when it has not started, and nothing of a single hour', async () => {
		const early = await deployed();
		const short = await deployed({ duration_hours: 1 });
		for (const id of [early, short]) await vmaas.delete(`/deployment/${id}`);
		expect(sandbox.books.find(early)?.refunds).toMatchObject([{ hours: 2 }]);
		expect(sandbox.books.find(short)?.refunds).toEqual([]);
	});

	it('counts extensions', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + 2 * HOUR);
		await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 5 });
		await vmaas.delete(`/deployment/${id}`);
		expect(sandbox.books.find(id)).toMatchObject({ charged: 76.16, refunded: 57.12 });
	});

	it('refunds once, is patient while it goes down and 404 when it is gone or unknown', async () => {
		const id = await deployed();
		await vmaas.delete(`/deployment/${id}`);
		sandbox.clock.advance(1_000);
		expect((await vmaas.delete(`/deployment/${id}`)).status).toBe(200);
		expect(sandbox.books.find(id)?.refunds).toHaveLength(1);
		sandbox.clock.advance(19_000);
		for (const gone of [id, 'nobody'])
			expect((await vmaas.delete(`/deployment/${gone}`)).status).toBe(404);
		const over = await deployed({ duration_hours: 1 });
		sandbox.clock.advance(2 * HOUR);
		expect((await vmaas.delete(`/deployment/${over}`)).status).toBe(404);
	});
});

describe('VMs', () => {
	const services = { web: { port: 80, protocol: 'tcp', whitelist: ['0.0.0.0/0'] } };

	it('have an address only while they run', async () => {
		const iso = (ms: number) => new Date(sandbox.clock.now() - ms).toISOString();
		const id = await deployed({ network_services: services });
		const vm = async () =>
			at((await vmaas.get(`/deployment/${id}/vms`)).json, 'data', 'workers', 0);
		expect(await vm()).toMatchObject({
			status: 'deployment requested',
			ssh_access: null,
			network_services: { web: { public_ip: null } },
		});
		sandbox.clock.advance(STARTUP);
		expect(await vm()).toEqual({
			device_id: expect.any(String),
			vm_id: expect.any(String),
			hardware: 'A100 SXM4',
			brand_name: 'NVIDIA',
			created_at: iso(STARTUP),
			uptime_percent: 100,
			gpus_per_vm: 8,
			status: 'running',
			vm_events: [
				{ time: iso(STARTUP), message: 'deployment requested' },
				{ time: iso(0), message: 'running' },
			],
			network_services: {
				web: {
					...services.web,
					public_port: expect.any(Number),
					public_ip: expect.any(String),
					srv_record: expect.any(String),
				},
			},
			ssh_access: expect.stringMatching(/^\w+@\d+\.\d+\.\d+\.\d+$/),
			is_external: false,
		});
		await vmaas.delete(`/deployment/${id}`);
		expect(await vm()).toMatchObject({ ssh_access: null });
	});

	it('come in pages from 1 with 1 to 100 entries', async () => {
		const id = await deployed({ vms_qty: 3 });
		const page = async (query: string) =>
			at((await vmaas.get(`/deployment/${id}/vms${query}`)).json, 'data');
		expect(await page('')).toMatchObject({ total: 3 });
		const first = listAt(await page('?page=1&page_size=2'), 'workers');
		const second = listAt(await page('?page=2&page_size=2'), 'workers');
		expect([...first, ...second]).toEqual(listAt(await page('?page_size=100'), 'workers'));
		for (const [query, violation] of [
			['page=0', 'query.page: greater_than_equal'],
			['page_size=0', 'query.page_size: greater_than_equal'],
			['page_size=101', 'query.page_size: less_than_equal'],
		]) {
			expect(violations(await vmaas.get(`/deployment/${id}/vms?${query}`))).toEqual([violation]);
		}
		const vmId = String(at(second[0], 'vm_id'));
		const jobs = await vmaas.get(`/deployment/${id}/vms-jobs/${vmId}`);
		expect(at(jobs.json, 'data')).toEqual({ total: 1, workers: second });
		expect((await vmaas.get(`/deployment/${id}/vms-jobs/nobody`)).status).toBe(404);
		expect((await vmaas.get('/deployment/nobody/vms')).status).toBe(404);
	});
});
