import { describe, expect, it } from 'vitest';
import { deployment, locator } from '../../engine/nodes.mts';
import type { Service } from './service.mts';
import { deploy, destroy, destroyMany, extend, stage, told, type Stage } from './stage.mts';

/** Where what is bought shows only later. */
async function behind(ms: number, changes: Partial<Service> = {}): Promise<Stage> {
	const set = await stage(changes);
	const { service } = set;
	const isShown = ({ boughtAt }: { boughtAt: number }) => service.clock.now() >= boughtAt + ms;
	service.listed = (machine, entry) => (isShown(machine) ? entry : undefined);
	service.detailed = (machine, details) => (isShown(machine) ? details : undefined);
	return set;
}

describe.each([20_000, 60_000, 110_000])('what shows after %d ms', (ms) => {
	it('is destroyed by Destroy Many of the same execution, or it says that it was not', async () => {
		const { service, chain } = await behind(ms);
		const run = await chain([
			deploy({ resourcePrivateName: 'nightly-1' }),
			destroyMany('nightly-'),
		]);
		const { of, error } = told(run);
		const isTold = error !== undefined || JSON.stringify(of('N2')).includes('dep-1');
		expect({ bills: service.bills.length, isTold }).toMatchObject({ isTold: true });
	});

	it('is listed by a dry run of Destroy Many', async () => {
		const { chain } = await behind(ms);
		const run = await chain([
			deploy({ resourcePrivateName: 'nightly-1' }),
			destroyMany('nightly-', { dryRun: true }),
		]);
		const { of, error } = told(run);
		expect(error !== undefined || JSON.stringify(of('N2')).includes('dep-1')).toBe(true);
	});

	it('is destroyed by ID and by name', async () => {
		for (const node of [
			destroy('={{ $json.deployment_id }}'),
			destroy('={{ $json.resource_private_name }}', {}, 'name'),
		]) {
			const { service, chain } = await behind(ms);
			const { error, of } = told(await chain([deploy(), node]));
			expect(error).toBeUndefined();
			expect(of('N2')).toMatchObject([{ deleted: true, verified: true, deployment_id: 'dep-1' }]);
			expect(service.bills).toEqual([]);
		}
	});

	it('is extended once', async () => {
		const { service, chain } = await behind(ms);
		const run = await chain([deploy(), extend('={{ $json.deployment_id }}')]);
		expect(told(run).error).toBeUndefined();
		expect(service.machines.map(({ hours }) => hours)).toEqual([4]);
	});

	it('is waited for', async () => {
		const { chain } = await behind(ms);
		const waiting = deployment('waitFor', {
			deploymentId: locator('={{ $json.deployment_id }}'),
			waitUntil: 'running',
			pollInterval: 10,
			timeout: 300,
			onTimeout: 'error',
		});
		const { of, error } = told(await chain([deploy(), waiting]));
		expect(error).toBeUndefined();
		expect(of('N2')).toMatchObject([{ reached: true, status: 'running' }]);
	});

	it('counts for the running cost of the next purchase', async () => {
		const { service, chain } = await behind(ms);
		const limited = (name: string) =>
			deploy({ resourcePrivateName: name, safety: { maxPrice: 50, maxRunningCost: 1.5 } });
		const { error } = told(await chain([limited('a'), limited('b')]));
		expect(service.machines).toHaveLength(1);
		expect(error).toContain('Maximum Running Cost');
	});
});

describe('where the ID of the answer is that of the request, and the deployment has another one', () => {
	const requests = async (ms: number) =>
		await behind(ms, {
			deployed: ({ id }) => ({ id: `req-${id}`, status: 'deployment requested' }),
		});

	it.each([0, 20_000, 60_000])('Destroy tells of it (%d ms)', async (ms) => {
		const { service, chain } = await requests(ms);
		const { error, all } = told(await chain([deploy(), destroy('={{ $json.deployment_id }}')]));
		// Either it ends the one of that name, or it names it
		expect(service.bills.length === 0 || all.includes('dep-1"') || error?.includes('dep-1')).toBe(
			true,
		);
		if (service.bills.length > 0) expect(error?.replaceAll('req-dep-1', '')).toContain('dep-1');
	});

	it.each([0, 20_000, 60_000])('Extend extends nothing else (%d ms)', async (ms) => {
		const { service, chain } = await requests(ms);
		const { error } = told(await chain([deploy(), extend('={{ $json.deployment_id }}')]));
		expect(service.machines.map(({ hours }) => hours)).toEqual([2]);
		expect(error).toBeDefined();
	});

	it.each([0, 20_000, 60_000])('the same name is not bought again (%d ms)', async (ms) => {
		const { service, chain } = await requests(ms);
		await chain([deploy(), deploy()]);
		expect(service.machines).toHaveLength(1);
	});
});

describe('what is listed in another state first', () => {
	const FIRST: Array<[string, Record<string, unknown>]> = [
		['without a status', { status: null }],
		['queued', { status: 'queued' }],
		['PENDING', { status: 'PENDING' }],
		['without a name', { name: '' }],
		['without a name, as null', { name: null }],
		['with minutes of 0', { compute_minutes_served: 0, compute_minutes_remaining: 0 }],
		['with an empty ID in details', {}],
	];
	it.each(FIRST)('(%s) is bought once after a lost answer', async (what, fields) => {
		const { service, chain } = await stage({ startMs: 60_000 });
		service.listed = (machine, entry) =>
			service.clock.now() < machine.startedAt ? { ...entry, ...fields } : entry;
		service.detailed = (machine, details) =>
			service.clock.now() >= machine.startedAt
				? details
				: what.includes('empty ID')
					? { ...details, id: '' }
					: { ...details, ...('name' in fields ? {} : fields) };
		let count = 0;
		service.answered = (call, said) =>
			call.method === 'POST' && ++count === 1 ? { reset: true } : said;
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { all, error } = told(await chain([deploy({}, settings)]));
		expect(service.machines).toHaveLength(1);
		expect(error).toBeUndefined();
		expect(all).toContain('dep-1');
	});
});
