import { describe, expect, it } from 'vitest';
import { deployment } from '../../engine/nodes.mts';
import type { Service } from './service.mts';
import { by, chain, destroy, openService, told, twoAccounts } from './harness.mts';

/** The seconds after which each deployment was told to end the first time. */
function toldAfter(service: Service, begun: number): Record<string, number> {
	const seconds: Record<string, number> = {};
	for (const { path, at } of service.requests('DELETE', /./))
		seconds[path.replace('/deployment/', '')] ??= (at - begun) / 1_000;
	return seconds;
}

const refusing =
	(id: string, until = Infinity) =>
	({ method, path, at }: { method: string; path: string; at: number }) =>
		method === 'DELETE' && path.endsWith(`/${id}`) && at < until
			? { status: 409, json: { detail: 'busy' } }
			: undefined;

describe('several deployments, the first of which is refused for good', () => {
	async function world(names = ['job-a', 'job-b', 'job-c']) {
		const service = await openService();
		names.forEach((name) => service.add({ name }));
		service.before = refusing('d-1');
		return { service, engine: await twoAccounts(service), begun: service.clock.now() };
	}

	const checkAll = (service: Service, begun: number) => {
		expect(service.running.map(({ id }) => id)).toEqual(['d-1']);
		Object.values(toldAfter(service, begun)).forEach((seconds) => expect(seconds).toBeLessThan(10));
	};

	it('of a list in one item', async () => {
		const { service, engine, begun } = await world();
		const run = await chain(engine, service, [destroy(['d-1', 'd-2', 'd-3'])]);
		expect(told(run).error).toMatch(/1 of 3 deployments may still run: d-1/);
		checkAll(service, begun);
	});

	it('of an item each', async () => {
		const { service, engine, begun } = await world();
		const run = await chain(engine, service, [destroy('={{ $json.id }}')], {
			items: ['d-1', 'd-2', 'd-3'].map((id) => ({ json: { id } })),
		});
		expect(told(run).error).toContain('d-1');
		checkAll(service, begun);
	});

	it('of names', async () => {
		const { service, engine, begun } = await world();
		const run = await chain(engine, service, [
			destroy(['job-a', 'job-b', 'job-c'], {}, by('one'), 'name'),
		]);
		expect(told(run).error).toMatch(/1 of 3 deployments may still run: "job-a"/);
		checkAll(service, begun);
	});

	it('of names, the first of which is not there', async () => {
		const { service, engine, begun } = await world();
		const run = await chain(engine, service, [
			destroy(['job-x', 'job-b', 'job-c'], {}, by('one'), 'name'),
		]);
		expect(told(run).error).toMatch(/1 of 3 deployments may still run: "job-x"/);
		expect(toldAfter(service, begun)).toEqual({ 'd-2': 0, 'd-3': 0 });
	});

	it('of Destroy Many', async () => {
		const { service, engine, begun } = await world();
		const run = await chain(engine, service, [
			deployment(
				'destroyMany',
				{ namePrefix: 'job-', match: 'prefix', limit: 50, dryRun: false, options: {} },
				by('one'),
			),
		]);
		expect(told(run).error).toMatch(/1 of 3 deployments may still run: d-1/);
		checkAll(service, begun);
	});

	it('and the second is busy for half a minute: it is told again soon', async () => {
		const { service, engine, begun } = await world();
		service.before = (call) => refusing('d-1')(call) ?? refusing('d-2', begun + 30_000)(call);
		const run = await chain(engine, service, [destroy(['d-1', 'd-2', 'd-3'])]);
		expect(told(run).error).toMatch(/1 of 3 deployments may still run: d-1/);
		const { endedAt = Infinity } = service.machines[1] ?? {};
		expect((endedAt - begun) / 1_000).toBeLessThan(60);
	});

	it('a service that is slow with details does not hold up the others', async () => {
		const { service, engine, begun } = await world();
		service.before = undefined;
		service.change = ({ method, path }, said) =>
			method === 'GET' && path !== '/deployments' ? { ...said, after: 9_000 } : said;
		const run = await chain(engine, service, [destroy(['d-1', 'd-2', 'd-3'])]);
		expect(told(run).error).toBeUndefined();
		expect(service.running).toEqual([]);
		Object.values(toldAfter(service, begun)).forEach((seconds) => expect(seconds).toBeLessThan(15));
	});

	it('an ID that comes twice is destroyed once, and gone already the second time', async () => {
		const { service, engine } = await world();
		service.before = undefined;
		const run = await chain(engine, service, [destroy(['d-1', 'd-1'])]);
		expect(told(run).of('N1')).toMatchObject([
			{ deleted: true, already_gone: false },
			{ deleted: true, already_gone: true },
		]);
	});
});
