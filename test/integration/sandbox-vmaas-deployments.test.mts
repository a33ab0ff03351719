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

describe('deploy', () => {
	it('records the purchase and charges it', async () => {
		const { json } = await vmaas.post('/deploy', sampleDeploy);
		const [deployment] = sandbox.books.deployments;
		expect(json).toEqual({ status: 'succeeded', deployment_id: deployment?.id });
		expect(deployment).toMatchObject({
			resource_private_name: 'training-1',
			state: 'deployment requested',
			charged: 28.56,
			refunded: 0,
		});
		expect(deployment?.charges).toEqual([
			{ at: sandbox.clock.now(), reason: 'deploy', hours: 3, amount: 28.56 },
		]);
		expect(deployment?.order.request).toEqual(sampleDeploy);
	});

	it('is not idempotent: the same name gives two deployments', async () => {
		await deployed();
		await deployed();
		expect(new Set(sandbox.books.byName('training-1').map(({ id }) => id)).size).toBe(2);
		expect(sandbox.books.totals()).toEqual({ charged: 57.12, refunded: 0 });
	});

	it('is a 409 without enough capacity, and charges nothing', async () => {
		const soldOut = await vmaas.post('/deploy', { ...sampleDeploy, location_ids: ['eu-north-1'] });
		expect([soldOut.status, at(soldOut.json, 'detail')]).toEqual([
			409,
			'Not enough capacity: hardware 12 is sold out in eu-north-1',
		]);
		expect((await vmaas.post('/deploy', { ...sampleDeploy, vms_qty: 5 })).status).toBe(409);
		expect(sandbox.books.totals()).toEqual({ charged: 0, refunded: 0 });
	});

	it('has capacity again when VMs are destroyed, unless a test marks it as sold out', async () => {
		const id = await deployed({ vms_qty: 4 });
		await vmaas.delete(`/deployment/${id}`);
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(409);
		sandbox.clock.advance(20_000);
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(200);
		const offer = sandbox.hardware.find(({ id: offerId }) => offerId === '12__2');
		if (offer) offer.sold_out = true;
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(409);
	});
});

describe('states', () => {
	it('go from requested to running to completed on the clock', async () => {
		const started = sandbox.clock.now();
		const id = await deployed({ vms_qty: 2 });
		sandbox.clock.advance(STARTUP - 1);
		expect(await status(id)).toBe('deployment requested');
		sandbox.clock.advance(1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(0.75 * HOUR);
		expect(await details(id)).toMatchObject({
			created_at: new Date(started).toISOString(),
			started_at: new Date(started + STARTUP).toISOString(),
			finished_at: null,
			amount_paid: 57.12,
			completed_percent: 25,
			total_gpus: 16,
			total_vms: 2,
			locations: [{ id: '2', iso2: 'CA', name: 'Canada' }],
			compute_minutes_served: 45,
			compute_minutes_remaining: 135,
		});
		sandbox.clock.advance(2.25 * HOUR - 1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(1);
		expect(await details(id)).toMatchObject({
			status: 'completed',
			finished_at: new Date(sandbox.clock.now()).toISOString(),
			completed_percent: 100,
			compute_minutes_served: 180,
			compute_minutes_remaining: 0,
		});
	});

	it('are all passed through, however far the clock is moved at once', async () => {
		const id = await deployed();
		sandbox.clock.advance(1_000 * HOUR);
		const deployment = sandbox.books.find(id);
		expect(deployment?.finishedAt).toBe(sandbox.clock.now() - 997 * HOUR + STARTUP);
		expect(deployment?.transitions.map(({ state }) => state)).toEqual([
			'deployment requested',
			'running',
			'completed',
		]);
	});

	it('can be failed by a test: the hours that were not served are refunded', async () => {
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

describe('extend', () => {
	it('moves the end', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + HOUR);
		const answer = await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 2 });
		expect(at(answer.json, 'data')).toMatchObject({
			compute_minutes_remaining: 240,
			amount_paid: 47.6,
		});
		sandbox.clock.advance(4 * HOUR - 1);
		expect(await status(id)).toBe('running');
		sandbox.clock.advance(1);
		expect(await status(id)).toBe('completed');
	});

	it('is a 404 for what is being terminated or has ended, and so is destroy for what has ended', async () => {
		const extend = async (id: string) =>
			(await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 1 })).status;
		const id = await deployed();
		await vmaas.delete(`/deployment/${id}`);
		const completed = await deployed({ duration_hours: 1 });
		expect(await extend(id)).toBe(404);
		sandbox.clock.advance(2 * HOUR);
		for (const ended of [id, completed]) {
			expect(await extend(ended)).toBe(404);
			expect((await vmaas.delete(`/deployment/${ended}`)).status).toBe(404);
		}
	});
});

describe('refunds', () => {
	it('are all but the first hour before the start, and nothing of a single hour', async () => {
		const early = await deployed();
		const short = await deployed({ duration_hours: 1 });
		for (const id of [early, short]) await vmaas.delete(`/deployment/${id}`);
		expect(sandbox.books.find(early)?.refunds).toMatchObject([{ hours: 2 }]);
		expect(sandbox.books.find(short)?.refunds).toEqual([]);
		expect(at(await details(early), 'amount_paid')).toBe(9.52);
	});

	it('count extensions', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP + 2 * HOUR);
		await vmaas.post(`/deployment/${id}/extend`, { duration_hours: 5 });
		await vmaas.delete(`/deployment/${id}`);
		expect(sandbox.books.find(id)).toMatchObject({ charged: 76.16, refunded: 57.12 });
	});
});

describe('VMs', () => {
	it('have an address only while they run', async () => {
		const web = { port: 80, protocol: 'tcp', whitelist: ['0.0.0.0/0'] };
		const id = await deployed({ network_services: { web } });
		const vm = async () =>
			at((await vmaas.get(`/deployment/${id}/vms`)).json, 'data', 'workers', 0);
		const none = {
			ssh_access: null,
			network_services: { web: { public_ip: null, public_port: null, srv_record: null } },
		};
		expect(await vm()).toMatchObject(none);
		sandbox.clock.advance(STARTUP);
		expect(await vm()).toMatchObject({
			ssh_access: expect.stringMatching(/^\w+@\d+\.\d+\.\d+\.\d+$/),
			network_services: { web: { ...web, public_ip: expect.any(String) } },
		});
		await vmaas.delete(`/deployment/${id}`);
		expect(await vm()).toMatchObject(none);
	});

	it('come in pages from 1', async () => {
		const id = await deployed({ vms_qty: 3 });
		const page = async (query: string) =>
			listAt((await vmaas.get(`/deployment/${id}/vms${query}`)).json, 'data', 'workers');
		const [first, second] = [await page('?page=1&page_size=2'), await page('?page=2&page_size=2')];
		expect([first.length, second.length]).toEqual([2, 1]);
		expect([...first, ...second]).toEqual(await page(''));
		expect(violations(await vmaas.get(`/deployment/${id}/vms?page_size=0`))).toEqual([
			'query.page_size: greater_than_equal',
		]);
		expect((await vmaas.get(`/deployment/${id}/vms-jobs/unknown`)).status).toBe(404);
	});
});
