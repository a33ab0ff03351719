import { describe, expect, it } from 'vitest';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

/** Habits of the lists of deployments and of hardware, each gone after a reset. */
const [sandbox, client] = await useSandbox((started) => cloud(started, 'vmaas'));

const get = async (path: string) => (await client.get(path)).json;
const status = async (path: string) => (await client.get(path)).status;
const list = async (query = '') => listAt(await get(`/deployments${query}`), 'data', 'deployments');
const names = async (query?: string) => (await list(query)).map((entry) => at(entry, 'name'));
const residents = (...all: string[]) =>
	all.map((name) => sandbox.addResident({ name, hoursAgo: 1, mayLeave: true }).id);

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

it('filters of the hardware list are ignored, or refused', async () => {
	sandbox.adopt({ filters: 'ignored' });
	const all = listAt(await get('/hardware?gpu=H100'), 'data', 'hardware');
	expect(all).toHaveLength(sandbox.hardware.length);
	sandbox.adopt({ filters: 'refused' });
	expect(await status('/hardware?gpu=H100')).toBe(422);
	expect(await status('/hardware')).toBe(200);
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
