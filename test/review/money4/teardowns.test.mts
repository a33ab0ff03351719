import { describe, expect, it } from 'vitest';
import { deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { Machine } from './service.mts';
import { by, chain, destroy, ONE, openService, told, twoAccounts } from './harness.mts';

describe('a destroy', () => {
	/** Lets the books say something else from a DELETE on. */
	const afterDelete = async (changes: (machine: Machine, seconds: number) => void) => {
		const service = await openService();
		const one = service.add();
		service.add({ name: 'other' });
		let at: number | undefined;
		service.before = ({ method, at: now }) => {
			if (at !== undefined) changes(one, (now - at) / 1_000);
			if (method !== 'DELETE' || at !== undefined) return undefined;
			at = now;
			changes(one, 0);
			return { json: { status: 'termination requested', deployment_id: one.id } };
		};
		const run = await chain(await twoAccounts(service), service, [destroy('d-1')]);
		return { service, one, ...told(run) };
	};

	it('whose end begins, and is given up, is asked for again or is an error', async () => {
		const { one, of, error } = await afterDelete((machine, seconds) => {
			if (machine.endedAt !== undefined) return;
			machine.status = seconds < 30 ? 'termination requested' : 'running';
		});
		if (error === undefined) {
			expect(of('N1')).toMatchObject([{ deleted: true }]);
			expect(one.endedAt).toBeDefined();
		}
	});

	it('whose end never comes is an error that names it', async () => {
		const { error } = await afterDelete((machine) => {
			machine.status = 'termination requested';
		});
		expect(error).toContain('d-1');
	});

	it.each(['TERMINATED', 'Destroyed', 'stopped', 'deleted', 'completed', 'cancelled', 'failed'])(
		'whose state is then %s, and bills no more',
		async (status) => {
			const { of, error } = await afterDelete((machine) => {
				machine.status = status;
				machine.endedAt ??= 0;
			});
			expect([of('N1')[0]?.deleted, undefined]).toContain(error === undefined ? true : undefined);
		},
	);

	it.each([
		['details 404, list as before', /^\/deployment\//],
		['list empty, details as before', /^\/deployments/],
	])('with %s is not claimed while it runs', async (_, path) => {
		const service = await openService();
		const one = service.add();
		service.before = (call) => {
			if (call.method === 'DELETE') return { json: { status: 'ok' } };
			if (!path.test(call.path)) return undefined;
			return call.path === '/deployments'
				? { json: { data: { deployments: [], total: 0 } } }
				: { status: 404, text: 'Not found' };
		};
		const run = await chain(await twoAccounts(service), service, [destroy('d-1')]);
		expect(one.endedAt).toBeUndefined();
		expect(told(run).error).toContain('d-1');
	});

	it('whose list misses it at times is not claimed while it runs', async () => {
		const service = await openService();
		const one = service.add();
		service.add({ name: 'other' });
		let reads = 0;
		service.before = ({ method, path }) => {
			if (method === 'DELETE') return { json: { status: 'ok' } };
			// One of two copies never had it
			if (path.endsWith('d-1')) return reads++ % 2 ? { status: 404, text: '' } : undefined;
			return undefined;
		};
		service.change = ({ path }, said) => {
			if (path !== '/deployments' || reads % 3 === 0) return said;
			const rows = service.machines.filter(({ id }) => id !== 'd-1');
			return { json: { data: { deployments: rows.map((row) => service.entry(row)), total: 1 } } };
		};
		const run = await chain(await twoAccounts(service), service, [destroy('d-1')]);
		expect(one.endedAt).toBeUndefined();
		expect(told(run).of('N1')[0]?.deleted ?? null).toBe(null);
	});
});

describe('Destroy Many', () => {
	const many = (more = {}) =>
		deployment(
			'destroyMany',
			{ namePrefix: 'job', match: 'prefix', limit: 50, dryRun: false, options: {}, ...more },
			by('one', RETRY),
		);

	it('by a retry destroys the same ones, not new ones', async () => {
		const service = await openService();
		['job-a', 'job-b'].forEach((name) => service.add({ name }));
		let refusals = 0;
		service.before = ({ method, path }) => {
			if (method !== 'DELETE' || !path.endsWith('d-1') || refusals++ > 0) return undefined;
			service.add({ name: 'job-new' });
			return { status: 403, json: { detail: 'not now' } };
		};
		const run = await chain(await twoAccounts(service), service, [many()]);
		expect(told(run).error).toBeUndefined();
		expect(service.running.map(({ name }) => name)).toEqual(['job-new']);
	});

	it('takes none of another account or product', async () => {
		const service = await openService();
		service.add({ name: 'job-a' });
		service.add({ name: 'job-b', account: 'key-two-b2' });
		service.add({ name: 'job-c', product: 'caas' });
		await chain(await twoAccounts(service), service, [many()]);
		expect(service.running.map(({ name }) => name)).toEqual(['job-b', 'job-c']);
	});

	it('of twelve that end late ends in the time of a few', async () => {
		const service = await openService({ showsEnded: false });
		Array.from({ length: 12 }, (_, index) => service.add({ name: `job-${index}` }));
		service.add({ name: 'other', account: ONE });
		const begun = service.clock.now();
		const run = await chain(await twoAccounts(service), service, [many()]);
		expect(told(run).of('N1')).toHaveLength(12);
		expect((service.clock.now() - begun) / 1_000).toBeLessThan(120);
	});
});

it('a deployment by name is destroyed where the list spells its ID as a number', async () => {
	const service = await openService({ idOf: (count) => `${count}00` });
	service.add();
	service.change = ({ path }, said) => {
		if (path !== '/deployments') return said;
		const { data } = said.json as { data: { deployments: Array<{ id: unknown }> } };
		data.deployments.forEach((row) => (row.id = Number(row.id)));
		return said;
	};
	const run = await chain(await twoAccounts(service), service, [
		deployment('destroy', { deploymentId: locator('job', 'name'), options: {} }, by('one')),
	]);
	expect(told(run).error).toBeUndefined();
	expect(service.running).toEqual([]);
});
