import { describe, expect, it } from 'vitest';
import type { ComputeHabits } from '../sandbox/index.mts';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy, sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

/** Each habit that VMaaS and CaaS have in common shows in both, and is gone after a reset. */
const STARTUP_MS = 30_000;
const MINUTE = 60_000;
const NAME = 'Training-1';

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

const PRICES: Array<[ComputeHabits['price'], shown: Record<string, unknown>]> = [
	['right', { total_cost_usdc: 38.08, replica_count: 2, gpus: 8 }],
	['zero', { total_cost_usdc: 0, replica_count: 2 }],
	['null', { total_cost_usdc: null }],
	['oneReplica', { total_cost_usdc: 19.04, replica_count: 1 }],
	['oneGpu', { total_cost_usdc: 4.76, gpus: 1 }],
	['withoutCounts', { total_cost_usdc: 19.04 }],
	['otherCurrency', { total_cost: 3.808, currency: 'tok' }],
];

const MINUTE_BEHIND: Array<[keyof ComputeHabits, list: number, details: number, write: number]> = [
	['listLagMs', 0, 200, 200],
	['detailsLagMs', 1, 404, 200],
	['writeLagMs', 1, 200, 404],
];

describe.each(['vmaas', 'caas'] as const)('%s', async (kind) => {
	const [sandbox, client] = await useSandbox((started) => cloud(started, kind));
	const isVm = kind === 'vmaas';
	const sample = isVm ? sampleDeploy : sampleContainerDeploy;
	const gpusKey = isVm ? 'gpus_per_vm' : 'gpus_per_container';
	const workers = isVm ? 'vms' : 'containers';
	const address = isVm ? 'ssh_access' : 'public_url';
	const location = isVm ? '["2"]' : '[2]';

	const get = async (path: string) => (await client.get(path)).json;
	const status = async (path: string) => (await client.get(path)).status;
	const names = async () =>
		listAt(await get('/deployments'), 'data', 'deployments').map((entry) => at(entry, 'name'));

	/** Eight GPUs for three hours. */
	async function deploy(): Promise<{ id: string; answer: unknown }> {
		const answer = await client.post('/deploy', { ...sample, resource_private_name: NAME });
		expect(answer.status).toBe(200);
		return { id: sandbox.books.deployments.at(-1)?.id ?? '', answer: answer.json };
	}

	/** The price of eight GPUs for each of some replicas. */
	const price = async (replicas: number, hours: number) => {
		const query = `hardware_id=12&${gpusKey}=8&duration_hours=${hours}&currency=usdc`;
		const { data } = Object(
			await get(`/price?${query}&location_ids=${location}&replica_count=${replicas}`),
		) as { data: Record<string, unknown> };
		return data;
	};

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

	it('one that was replaced stays in the list', async () => {
		sandbox.adopt({ listsOldWorkers: true });
		const { id } = await deploy();
		sandbox.clock.advance(STARTUP_MS);
		const [present, replaced] = listAt(
			await get(`/deployment/${id}/${workers}`),
			'data',
			'workers',
		);
		expect(present).toMatchObject({ status: 'running', [address]: expect.any(String) });
		expect(replaced).toMatchObject({ status: 'destroyed', [address]: null });
		const id_ = isVm ? 'vm_id' : 'container_id';
		expect(at(replaced, id_)).not.toBe(at(present, id_));
	});

	it('what has ended is extended, and charged', async () => {
		const ended = sandbox.addResident({ kind, name: 'ended', hours: 1, hoursAgo: 3 });
		const extend = async () =>
			await client.post(`/deployment/${ended.id}/extend`, { duration_hours: 2 });
		expect((await extend()).status).toBe(404);
		sandbox.adopt({ extendsEnded: true });
		expect((await extend()).status).toBe(200);
		expect(ended.extensions).toEqual([2]);
	});

	it('fees that the list does not show are in the price and in the bill', async () => {
		sandbox.adopt({ surcharges: { '12__2': 2 } });
		const { total_cost_usdc: total } = await price(1, 1);
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
		it.each(MINUTE_BEHIND)('%s', async (lag, listed, details, write) => {
			sandbox.adopt({ [lag]: MINUTE });
			const { id } = await deploy();
			expect((await names()).filter((name) => name === NAME)).toHaveLength(listed);
			expect(await status(`/deployment/${id}`)).toBe(details);
			expect((await client.delete(`/deployment/${id}`)).status).toBe(write);
			sandbox.clock.advance(MINUTE);
			expect(await names()).toContain(NAME);
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
			expect((await names())[0]).toBe('train');
		});
	});

	it.each([404, 409, 410] as const)('DELETE of an ended one: %i', async (endedStatus) => {
		sandbox.adopt({ endedStatus });
		const { id } = sandbox.addResident({ kind, name: 'ended', hours: 1, hoursAgo: 3 });
		expect((await client.delete(`/deployment/${id}`)).status).toBe(endedStatus);
	});

	it.each(PRICES)('price: %s', async (habit, { gpus, ...shown }) => {
		sandbox.adopt({ price: habit });
		const data = await price(2, 2);
		expect(data).toMatchObject({ ...shown, ...(gpus !== undefined && { [gpusKey]: gpus }) });
		expect('total_cost_usdc' in data).toBe('total_cost_usdc' in shown);
	});
});
