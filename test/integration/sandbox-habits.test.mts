import { describe, expect, it } from 'vitest';
import type { ComputeHabits } from '../sandbox/index.mts';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

/** Each habit of the compute service shows, and is gone after a reset. */
const [sandbox, client] = await useSandbox((started) => cloud(started, 'vmaas'));

const STARTUP_MS = 30_000;
const MINUTE = 60_000;
const NAME = 'Training-1';

const get = async (path: string) => (await client.get(path)).json;
const status = async (path: string) => (await client.get(path)).status;
const list = async (query = '') => listAt(await get(`/deployments${query}`), 'data', 'deployments');
const names = async (query?: string) => (await list(query)).map((entry) => at(entry, 'name'));
const residents = (...all: string[]) =>
	all.map((name) => sandbox.addResident({ name, hoursAgo: 1, mayLeave: true }).id);

/** Eight GPUs for three hours. */
async function deploy(): Promise<{ id: string; answer: unknown }> {
	const answer = await client.post('/deploy', { ...sampleDeploy, resource_private_name: NAME });
	expect(answer.status).toBe(200);
	return { id: sandbox.books.deployments.at(-1)?.id ?? '', answer: answer.json };
}

const DETAILS: Array<[habits: Partial<ComputeHabits>, shown: Record<string, unknown>]> = [
	[{}, { status: 'running', hardware_id: 12, compute_minutes_served: 30 }],
	[{ stateWords: { running: 'Running' } }, { status: 'Running' }],
	[{ numbersAsText: true }, { compute_minutes_served: '30', hardware_id: 12 }],
	[{ sumsMinutes: true }, { compute_minutes_served: 240, compute_minutes_remaining: 1_200 }],
	[{ dates: 'epoch' }, { created_at: expect.any(Number) }],
	[{ dates: 'local' }, { created_at: expect.stringMatching(/^\d\d\/\d\d\/2026 \d\d:\d\d$/) }],
	[{ minutes: 'fromStart' }, { compute_minutes_served: 30, compute_minutes_remaining: 150 }],
	[{ idKey: 'uuid' }, { uuid: expect.any(String), hardware_id: 12 }],
];

it.each(DETAILS)('details: %j', async (habits, shown) => {
	sandbox.adopt(habits);
	const { id } = await deploy();
	sandbox.clock.advance(STARTUP_MS + 30 * MINUTE);
	expect(at(await get(`/deployment/${id}`), 'data')).toMatchObject(shown);
	sandbox.reset();
	const { id: next } = await deploy();
	sandbox.clock.advance(STARTUP_MS + 30 * MINUTE);
	expect(at(await get(`/deployment/${next}`), 'data')).toMatchObject(DETAILS[0]?.[1] ?? {});
});

it('no minutes until it runs, or never', async () => {
	sandbox.adopt({ minutes: 'fromStart' });
	const { id } = await deploy();
	const shown = { compute_minutes_served: 0, compute_minutes_remaining: 0 };
	expect(at(await get(`/deployment/${id}`), 'data')).toMatchObject(shown);
	sandbox.adopt({ minutes: 'none' });
	expect(await get(`/deployment/${id}`)).not.toHaveProperty('data.compute_minutes_served');
});

it.each([404, 200] as const)(
	'an empty copy answers after details have shown one that runs (DELETE: %d)',
	async (emptyCopyStatus) => {
		sandbox.adopt({ emptyCopyMs: 20_000, emptyCopyStatus });
		const { id } = await deploy();
		expect(await status(`/deployment/${id}`)).toBe(200);
		sandbox.clock.advance(STARTUP_MS);
		expect(await status(`/deployment/${id}`)).toBe(200);
		expect(await status(`/deployment/${id}`)).toBe(404);
		expect(await names()).toEqual([]);
		expect((await client.delete(`/deployment/${id}`)).status).toBe(emptyCopyStatus);
		sandbox.clock.advance(20_000);
		expect(at(await get(`/deployment/${id}`), 'data')).toMatchObject({ status: 'running' });
		expect(await names()).toContain(NAME);
	},
);

it('details of what has ended are a 404', async () => {
	sandbox.adopt({ forgetsEnded: true });
	const { id } = await deploy();
	sandbox.clock.advance(STARTUP_MS + 30 * MINUTE);
	expect(await status(`/deployment/${id}`)).toBe(200);
	sandbox.clock.advance(180 * MINUTE);
	expect(await status(`/deployment/${id}`)).toBe(404);
});

it('a VM that was replaced stays in the list', async () => {
	sandbox.adopt({ listsOldVms: true });
	const { id } = await deploy();
	sandbox.clock.advance(STARTUP_MS);
	const [present, replaced] = listAt(await get(`/deployment/${id}/vms`), 'data', 'workers');
	expect(present).toMatchObject({ status: 'running', ssh_access: expect.any(String) });
	expect(replaced).toMatchObject({ status: 'destroyed', ssh_access: null });
	expect(at(replaced, 'vm_id')).not.toBe(at(present, 'vm_id'));
});

it('what has ended is extended, and charged', async () => {
	const ended = sandbox.addResident({ name: 'ended', hours: 1, hoursAgo: 3 });
	const extend = async () =>
		await client.post(`/deployment/${ended.id}/extend`, { duration_hours: 2 });
	expect((await extend()).status).toBe(404);
	sandbox.adopt({ extendsEnded: true });
	expect((await extend()).status).toBe(200);
	expect(ended.extensions).toEqual([2]);
});

it('fees that the list does not show are in the price and in the bill', async () => {
	sandbox.adopt({ surcharges: { '12__2': 2 } });
	const query = `hardware_id=12&gpus_per_vm=8&duration_hours=1&currency=usdc&location_ids=["2"]`;
	const total = at(await get(`/price?${query}&replica_count=1`), 'data', 'total_cost_usdc');
	await deploy();
	expect([total, sandbox.books.deployments[0]?.order.hourlyPrice]).toEqual([19.04, 19.04]);
});

describe('answers to a deploy', () => {
	it.each<[Partial<ComputeHabits>, (id: string) => unknown]>([
		[{ idKey: 'uuid' }, (uuid) => ({ status: 'succeeded', uuid })],
		[{ deployAnswer: 'request' }, (id) => ({ id: 'req-8841', data: { deployment_id: id } })],
	])('%j', async (habits, expected) => {
		sandbox.adopt(habits);
		const { id, answer } = await deploy();
		expect(answer).toEqual(expected(id));
	});
});

describe('behind', () => {
	const MINUTE_BEHIND: Array<[keyof ComputeHabits, list: number, details: number, write: number]> =
		[
			['listLagMs', 0, 200, 200],
			['detailsLagMs', 1, 404, 200],
			['writeLagMs', 1, 200, 404],
		];
	it.each(MINUTE_BEHIND)('%s', async (lag, listed, details, write) => {
		sandbox.adopt({ [lag]: MINUTE });
		const { id } = await deploy();
		expect(await list()).toHaveLength(listed);
		expect(await status(`/deployment/${id}`)).toBe(details);
		expect((await client.delete(`/deployment/${id}`)).status).toBe(write);
		sandbox.clock.advance(MINUTE);
		expect(await list()).toHaveLength(1);
		expect(await status(`/deployment/${id}`)).toBe(200);
	});

	it('a state is shown as it was', async () => {
		const { id } = await deploy();
		sandbox.clock.advance(STARTUP_MS + MINUTE);
		sandbox.adopt({ detailsLagMs: MINUTE });
		await client.delete(`/deployment/${id}`);
		expect(at(await get(`/deployment/${id}`), 'data', 'status')).toBe('running');
		expect(sandbox.books.find(id)?.state).toBe('termination requested');
	});
});

describe('names', () => {
	it('are lower-cased and cut', async () => {
		sandbox.adopt({ lowersNames: true, longestName: 5 });
		await deploy();
		expect(await names()).toEqual(['train']);
	});
});

describe('lists', () => {
	it('have smaller pages, in another order', async () => {
		residents('a', 'b', 'c');
		sandbox.adopt({ largestPage: 2, oldestFirst: true });
		expect(await names('?page_size=100')).toEqual(['a', 'b']);
		expect(await names('?page=1&page_size=100')).toEqual(['c']);
	});

	it('refuse large pages', async () => {
		sandbox.adopt({ refusesPagesAbove: 50 });
		expect(await status('/deployments?page_size=51')).toBe(422);
		expect(await status('/deployments?page_size=50')).toBe(200);
	});

	it('hide ended ones, ignore the status, show dates', async () => {
		residents('a');
		sandbox.addResident({ name: 'ended', hours: 1, hoursAgo: 3 });
		expect(await names('?status=completed')).toEqual(['ended']);
		sandbox.adopt({ hidesEnded: true, ignoresStatus: true, listsDates: true });
		expect(await list('?status=completed')).toEqual([
			expect.objectContaining({ name: 'a', created_at: expect.any(String) }),
		]);
	});

	it.each([
		['true', true],
		['missing', undefined],
	] as const)('total: %s', async (total, shown) => {
		sandbox.adopt({ total });
		expect(at(await get('/deployments'), 'data', 'total')).toBe(shown);
	});

	it('move while they are read', async () => {
		residents('a', 'b', 'c');
		sandbox.adopt({ largestPage: 2, hidesEnded: true, moves: 'ends' });
		expect(await names('?page=0')).toEqual(['c', 'b']);
		// c has ended, so b and a are the first page now
		expect(await names('?page=1')).toEqual([]);
		expect(await names('?page=0')).toEqual(['b', 'a']);
		sandbox.adopt({ moves: 'arrives' });
		sandbox.clock.advance(10_000);
		await names();
		expect(await names()).toHaveLength(2);
		expect(await names('?page=1')).toHaveLength(1);
	});

	it('are not there', async () => {
		const [id] = residents('a');
		sandbox.adopt({ withoutList: 404, withoutDetails: 405 });
		expect(await status('/deployments')).toBe(404);
		expect(await status(`/deployment/${id}`)).toBe(405);
		expect(await status(`/deployment/${id}/vms`)).toBe(405);
	});
});

it.each([404, 409, 410] as const)('DELETE of an ended one: %i', async (endedStatus) => {
	sandbox.adopt({ endedStatus });
	const { id } = sandbox.addResident({ name: 'ended', hours: 1, hoursAgo: 3 });
	expect((await client.delete(`/deployment/${id}`)).status).toBe(endedStatus);
});

it('filters of the hardware list are ignored, or refused', async () => {
	sandbox.adopt({ filters: 'ignored' });
	const all = listAt(await get('/hardware?gpu=H100'), 'data', 'hardware');
	expect(all).toHaveLength(sandbox.hardware.length);
	sandbox.adopt({ filters: 'refused' });
	expect(await status('/hardware?gpu=H100')).toBe(422);
	expect(await status('/hardware')).toBe(200);
});

const PRICES: Array<[ComputeHabits['price'], shown: Record<string, unknown>]> = [
	['right', { total_cost_usdc: 38.08, replica_count: 2, gpus_per_vm: 8 }],
	['zero', { total_cost_usdc: 0, replica_count: 2 }],
	['null', { total_cost_usdc: null }],
	['oneReplica', { total_cost_usdc: 19.04, replica_count: 1 }],
	['oneGpu', { total_cost_usdc: 4.76, gpus_per_vm: 1 }],
	['withoutCounts', { total_cost_usdc: 19.04 }],
	['otherCurrency', { total_cost: 3.808, currency: 'tok' }],
];

it.each(PRICES)('price: %s', async (price, shown) => {
	sandbox.adopt({ price });
	const query = `hardware_id=12&gpus_per_vm=8&duration_hours=2&currency=usdc&location_ids=["2"]`;
	const data = at(await get(`/price?${query}&replica_count=2`), 'data');
	expect(data).toMatchObject(shown);
	expect('total_cost_usdc' in (data as object)).toBe('total_cost_usdc' in shown);
});

it('one hardware in several sizes', async () => {
	const [a100] = sandbox.hardware.filter(({ id }) => id === '12__2');
	if (!a100) throw new Error('The catalogue has no A100');
	sandbox.hardware.push({ ...a100, id: '12__2__1', num_cards: 1, price: 1.2 });
	const body = { ...sampleDeploy, gpus_per_vm: 1 };
	expect((await client.post('/deploy', body)).status).toBe(200);
	expect(sandbox.books.deployments.at(-1)?.order).toMatchObject({
		gpusPerWorker: 1,
		hourlyPrice: 1.2,
	});
	expect((await client.post('/deploy', { ...body, gpus_per_vm: 2 })).json).toMatchObject({
		detail: [{ msg: 'must be 8 or 1, the cards of this hardware' }],
	});
});

it('somebody hears of each request before it is served, until a reset', async () => {
	const heard: string[] = [];
	sandbox.onRequest = ({ path }) => {
		heard.push(path);
		if (heard.length === 1) residents('rival');
	};
	expect(await names()).toEqual(['rival']);
	sandbox.reset();
	expect(await names()).toEqual([]);
	expect(heard).toHaveLength(1);
});
