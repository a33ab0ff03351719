import { describe, expect, it } from 'vitest';
import { CONTINUE, deployment, LIMIT, locator, RETRY } from '../../engine/nodes.mts';
import type { Machine } from './service.mts';
import {
	by,
	chain,
	deploy,
	deployContainer,
	destroy,
	extend,
	ONE,
	openService,
	told,
	twoAccounts,
} from './harness.mts';

const isPost = ({ method }: { method: string }) => method === 'POST';

/** What a service may make of a name. */
const RENAMED: Array<[string, (name: string) => string]> = [
	['lower case', (name) => name.toLowerCase()],
	['slug', (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')],
	['underscores', (name) => name.replace(/[^A-Za-z0-9]+/g, '_')],
	['no blanks', (name) => name.replace(/\s+/g, '')],
	['cut at 20', (name) => name.slice(0, 20)],
	['trimmed', (name) => name.trim()],
	['accents removed', (name) => name.normalize('NFD').replace(/\p{M}/gu, '')],
	['composed', (name) => name.normalize('NFC')],
	['decomposed', (name) => name.normalize('NFD')],
	['lower case and cut at 20', (name) => name.toLowerCase().slice(0, 20)],
	['collapsed blanks', (name) => name.replace(/\s+/g, ' ')],
];

describe.each(['Nightly  Training Ü&B (v2)', 'café-LLM_Fine.Tune 2026'])(
	'the name "%s"',
	(name) => {
		it.each(RENAMED)('in %s is bought once, also after a lost answer', async (_, rename) => {
			const service = await openService();
			service.change = (call, said) => {
				if (!isPost(call)) return said;
				service.machines.forEach((made) => (made.name = rename(made.name)));
				return { cut: true };
			};
			const engine = await twoAccounts(service);
			const order = { resourcePrivateName: name };
			await chain(engine, service, [deploy(order, by('one', { ...RETRY, ...CONTINUE }))]);
			const run = await chain(engine, service, [deploy(order)], { executionId: '2' });
			expect(service.machines).toHaveLength(1);
			expect(told(run).error).toContain('already exists');
		});

		it.each(RENAMED)('in %s is named in the output', async (_, rename) => {
			const service = await openService();
			service.change = (call, said) => {
				if (isPost(call)) service.machines.forEach((made) => (made.name = rename(name)));
				return said;
			};
			const run = await chain(await twoAccounts(service), service, [
				deploy({ resourcePrivateName: name }),
				destroy('={{ $json.resource_private_name }}', {}, by('one'), 'name'),
			]);
			expect(told(run).error).toBeUndefined();
			expect(service.running).toEqual([]);
		});
	},
);

describe('several at once', () => {
	it.each([
		['deploys', deploy, 60_000],
		['deploys that show at once', deploy, 0],
		['container deploys', deployContainer, 60_000],
	])('executions: %s of one name buy one', async (_, make, behindMs) => {
		const service = await openService({ behindMs });
		const engine = await twoAccounts(service);
		const runs = await service.clock.during(
			Promise.all(
				['1', '2', '3'].map(async (executionId) => await engine.run(make(), [{}], { executionId })),
			),
		);
		expect(service.machines).toHaveLength(1);
		expect(runs.filter((run) => told(run).error === undefined)).toHaveLength(1);
	});

	it('executions with Unique Name buy one each, and destroy their own by name', async () => {
		const service = await openService({ behindMs: 30_000 });
		const engine = await twoAccounts(service);
		const runs = await Promise.all(
			['1', '2', '3'].map(
				async (executionId) =>
					await chain(
						engine,
						service,
						[
							deploy({ safety: { uniqueName: true } }),
							destroy('={{ $json.resource_private_name }}', {}, by('one'), 'name'),
						],
						{ executionId },
					),
			),
		);
		expect(runs.map((run) => told(run).error)).toEqual([undefined, undefined, undefined]);
		expect(service.machines).toHaveLength(3);
		expect(service.running).toEqual([]);
	});

	it('destroys of one deployment by two executions both succeed', async () => {
		const service = await openService();
		service.add();
		const engine = await twoAccounts(service);
		const runs = await service.clock.during(
			Promise.all(
				['1', '2'].map(
					async (executionId) => await engine.run(destroy('d-1'), [{}], { executionId }),
				),
			),
		);
		expect(runs.map((run) => told(run).error)).toEqual([undefined, undefined]);
	});

	it('items that extend one deployment add what each output says', async () => {
		const service = await openService();
		const one = service.add();
		const run = await chain(
			await twoAccounts(service),
			service,
			[extend('d-1', 2, { maxPrice: 10 })],
			{ items: [{ json: {} }, { json: {} }] },
		);
		const added = told(run)
			.of('N1')
			.map(({ added_hours: hours }) => Number(hours));
		expect(one.hours - 5).toBe(added.reduce((sum, hours) => sum + hours, 0));
	});
});

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

describe('Use the Existing One', () => {
	const use = (more = {}) => deploy({ safety: { ifNameExists: 'useExisting', ...more } });
	it.each<[string, Partial<Machine>, boolean]>([
		['runs long enough', {}, true],
		['has too little time', { hours: 1 }, false],
		['is being destroyed', { status: 'termination requested' }, false],
		['has an unknown state', { status: 'paused' }, false],
		['is requested', { status: 'deployment requested' }, true],
		['has another name by case', { name: 'JOB' }, false],
		['has a longer name', { name: 'job-2' }, false],
	])('that %s', async (_, changes, isUsed) => {
		const service = await openService();
		service.add(changes);
		const run = await chain(await twoAccounts(service), service, [use()]);
		const { of } = told(run);
		expect(of('N1')[0]?.existing === true).toBe(isUsed);
	});

	it('after a lost deploy with Retry On Fail is one', async () => {
		const service = await openService({ behindMs: 30_000 });
		service.change = (call, said) => (isPost(call) ? { cut: true } : said);
		const node = deploy({ safety: { ifNameExists: 'useExisting' } }, by('one', RETRY));
		const run = await chain(await twoAccounts(service), service, [node, node]);
		expect(service.machines).toHaveLength(1);
		expect(told(run).error).toBeUndefined();
	});
});

describe('the limits of an agent', () => {
	const EXPRESSION = '={{ 999 }}';
	it.each<[string, object, boolean]>([
		['a fixed Maximum Price', { safety: LIMIT }, true],
		['none', { safety: {} }, false],
		['an expression', { safety: { maxPrice: EXPRESSION } }, false],
		['another currency by expression', { safety: { ...LIMIT, currency: '={{ "usdc" }}' } }, false],
		[
			'hours by expression and an hourly limit',
			{ safety: { maxHourlyPrice: 5 }, durationHours: '={{ 8 }}' },
			false,
		],
		['a fixed limit below the price', { safety: { maxPrice: 1 } }, false],
		['Maximum Running Cost alone', { safety: { maxRunningCost: 5 } }, false],
		[
			'a fixed limit and Use the Existing One',
			{ safety: { ...LIMIT, ifNameExists: 'useExisting' } },
			true,
		],
	])('%s', async (_, changes, isBought) => {
		const service = await openService();
		const engine = await twoAccounts(service);
		const tool = engine.tool(deploy({ ...changes }));
		await service.clock.during(tool({}).catch(() => ''));
		expect(service.machines).toHaveLength(isBought ? 1 : 0);
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
