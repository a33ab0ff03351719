import { describe, expect, it } from 'vitest';
import { caas, CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { Gateway } from './service.mts';
import { expectAllTold, itemsOf, order, OTHER_PROCESS, toldBy, world } from './world.mts';

const isExtend = ({ path }: { path: string }) => path.endsWith('/extend');
const extend = (hours: number, safety = {}, settings = {}) =>
	deployment('extend', { deploymentId: locator('dep-1'), durationHours: hours, safety }, settings);
const destroy = (id: string, options = {}) =>
	deployment('destroy', { deploymentId: locator(id), options });

describe('a rate limit that names its end as a date, of a clock that is wrong', () => {
	it.each([-300_000, -20_000, 0, 300_000])(
		'by %i ms does not keep a machine',
		async (clockAhead) => {
			const here = await world({ clockAhead });
			here.service.buy({ resource_private_name: 'job' });
			const opensAt = here.clock.now() + 15_000;
			here.service.gateway = (call, forward) => {
				if (here.clock.now() >= opensAt) return forward(call);
				const date = new Date(opensAt + clockAhead).toUTCString();
				return { status: 429, body: { detail: 'Too many' }, headers: { 'Retry-After': date } };
			};
			const run = await here.run(destroy('dep-1'));
			expect(itemsOf(run)[0]).toMatchObject({ deleted: true, verified: true });
			expect(here.service.alive()).toHaveLength(0);
		},
	);

	it('of no seconds at all is given some time', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		const opensAt = here.clock.now() + 2_000;
		here.service.gateway = (call, forward) =>
			here.clock.now() >= opensAt
				? forward(call)
				: { status: 429, body: { detail: 'Too many' }, headers: { 'Retry-After': '0' } };
		const run = await here.run(destroy('dep-1'));
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, verified: true });
	});
});

describe('a deletion that is queued, and refused later', () => {
	it.each([true, false])('is never called done, with Verify %s', async (verify) => {
		const here = await world({ endTakes: 600_000 });
		const machine = here.service.buy({ resource_private_name: 'job' });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			if (call.method === 'DELETE')
				void here.clock.wait(12_000).then(() => {
					delete machine.endingAt;
					delete machine.endedAt;
				});
			return answer;
		};
		const run = await here.run(destroy('dep-1', { verify }));
		expect(toldBy(run)).not.toContain('"verified":true');
		here.clock.pass(20_000);
		expect(here.service.alive()).toHaveLength(1);
		if (verify) expect(run.data.resultData.error?.message).toContain('still "running"');
	});
});

describe('two copies behind a load balancer, one of which knows nothing new', () => {
	const inTurn = (behind: number): { gateway: (forward: Gateway) => Gateway } => {
		let turn = 0;
		return {
			gateway: (inner) => (call, forward) => {
				if (call.method !== 'GET') return inner(call, forward);
				const isBehind = turn++ % 2 === 0;
				if (!isBehind) return inner(call, forward);
				if (call.path.endsWith('/deployments'))
					return { status: 200, body: { data: { deployments: [], total: behind } } };
				return call.path.includes('/deployment/')
					? { status: 404, body: { detail: 'Not found' } }
					: inner(call, forward);
			},
		};
	};

	it('recovers a lost deploy, waits for it and destroys it', async () => {
		const here = await world();
		here.service.gateway = inTurn(0).gateway((call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? { ...answer, cut: 'before' } : answer;
		});
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('waitFor', { deploymentId: locator('job', 'name'), waitUntil: 'running' }),
			deployment('destroy', { deploymentId: locator('job', 'name') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: 'dep-1' });
		expect(here.service.alive()).toHaveLength(0);
	});

	it('never calls ended what runs', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		const { gateway } = inTurn(0);
		here.service.gateway = gateway((call, forward) =>
			call.method === 'DELETE' ? { status: 404, body: { detail: 'Not found' } } : forward(call),
		);
		const runs = [await here.run(destroy('dep-1')), await here.run(destroy('dep-1'))];
		for (const run of runs) expect(toldBy(run)).not.toContain('"deleted":true');
		expectAllTold(here, ...runs);
	});
});

describe('a proxy that sends an extension a second time', () => {
	it.each([
		['of one GPU', 7, 1, {}],
		['of two GPUs', 8, 2, {}],
		['of two GPUs under a limit', 8, 2, { maxPrice: 100 }],
	])('%s is never said to have added once', async (_, hardware, gpus, safety) => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job', hardware_id: hardware, gpus_per_vm: gpus });
		here.clock.pass(1_200_000);
		here.service.gateway = (call, forward) => {
			if (isExtend(call)) forward(call);
			return forward(call);
		};
		const run = await here.run(extend(2, safety));
		expect(here.service.machines[0]?.extensions).toHaveLength(2);
		expect(itemsOf(run)[0]).toMatchObject({ added_hours: null, requested_hours: 2 });
	});

	it.each([1, 20, 60])('and minutes that are summed up are told %i minutes on', async (minutes) => {
		const here = await world({ sumsMinutes: true });
		here.service.buy({ resource_private_name: 'job', hardware_id: 8, gpus_per_vm: 2 });
		here.clock.pass(minutes * 60_000);
		const run = await here.run(extend(2, { maxPrice: 100 }));
		expect(itemsOf(run)[0]).toMatchObject({ added_hours: 2 });
	});
});

describe('extensions', () => {
	it('that are rounded up are not said to be what was asked for', async () => {
		const here = await world({ hoursAdded: (hours) => Math.ceil(hours / 12) * 12 });
		here.service.buy({ resource_private_name: 'job' });
		const run = await here.run(extend(5));
		expect(itemsOf(run)[0]).toMatchObject({ added_hours: null, requested_hours: 5 });
	});

	it('of one deployment by pairs of items, the first lost: never more than asked for', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			const isFirst = isExtend(call) && here.service.sent('POST', '/extend').length === 1;
			return isFirst ? { ...answer, cut: 'amid' } : answer;
		};
		const run = await here.run(extend(1, {}, { ...RETRY, ...CONTINUE }), [{}, {}]);
		expect(here.service.machines[0]?.extensions).toHaveLength(2);
		expect(itemsOf(run)).toHaveLength(2);
		for (const item of itemsOf(run)) expect(item).toMatchObject({ added_hours: 1 });
	});

	it('of two executions, the first lost and made late: each told as it was', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.service.gateway = async (call, forward) => {
			const isFirst = isExtend(call) && here.service.sent('POST', '/extend').length === 1;
			if (!isFirst) return forward(call);
			return await here.service.later(150_000, () => ({ ...forward(call), cut: 'before' }));
		};
		const [first, second] = await here.clock.during(
			Promise.all([
				here.engine.run(extend(1), [{}], { executionId: 'a' }),
				here.engine.run(extend(1), [{}], { executionId: 'b' }),
			]),
		);
		const hours = here.service.machines[0]?.extensions.length;
		const added = [first, second].filter((run) => toldBy(run).includes('"added_hours":1'));
		expect(hours).toBe(2);
		expect(added.length).toBeLessThanOrEqual(2);
	});
});

describe('IDs that are used again after the end', () => {
	it('never mix the old one and the new one up', async () => {
		const here = await world({ idOf: () => 'dep-1' });
		here.service.buy({ resource_private_name: 'old' }).endedAt = here.clock.now();
		here.clock.pass(60_000);
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			if (call.path.endsWith('/deploy')) here.service.machines.shift();
			return answer;
		};
		const run = await here.run(deployment('deploy', order()));
		expectAllTold(here, run);
		const end = await here.run(destroy('dep-1'));
		expect(itemsOf(end)[0]).toMatchObject({ deleted: true, already_gone: false });
		expect(here.service.alive()).toHaveLength(0);
	});
});

describe('a redirect loop in front of everything that is written', () => {
	it('is an error, and nothing is claimed', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'other' });
		here.service.gateway = (call, forward) =>
			call.method === 'GET'
				? forward(call)
				: { status: 307, headers: { Location: `${here.service.url}${call.path}` } };
		const runs = [
			await here.run(deployment('deploy', order(), RETRY)),
			await here.run(destroy('dep-1')),
			await here.run(extend(1)),
		];
		for (const run of runs) expect(run.data.resultData.error?.message).toMatch(/redirect/i);
		expect(here.service.sent('POST', '/deploy')).toHaveLength(1);
	});
});

describe('states in other words', () => {
	it.each(['TERMINATED', 'Termination-Requested', 'beendet', 'cancelled'])(
		'%s is not believed to be what it is not',
		async (word) => {
			const here = await world({ word: (status) => (status === 'destroyed' ? word : status) });
			here.service.buy({ resource_private_name: 'job' });
			const run = await here.run(destroy('dep-1'));
			if (word === 'TERMINATED') expect(itemsOf(run)[0]).toMatchObject({ deleted: true });
			else expect(run.data.resultData.error?.message).toContain(word);
		},
	);
});

describe('updates of containers', () => {
	it('that a proxy sends twice, the second of which is refused', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'web', container_config: {} }, 'caas');
		here.service.gateway = (call, forward) => {
			if (call.method !== 'PATCH') return forward(call);
			forward(call);
			return { status: 409, body: { detail: 'An update is under way' } };
		};
		const parameters = { deploymentId: locator('dep-1'), updateFields: { imageUrl: 'r/web:2' } };
		const run = await here.run(caas('deployment', 'update', parameters, RETRY));
		expect(here.service.sent('PATCH', '')).toHaveLength(1);
		expect(toldBy(run)).toMatch(/outcome unknown|"updated":true/);
	});
});

describe('destroys of one deployment', () => {
	it('by pairs of items and by two executions are all right', async () => {
		const here = await world({ endTakes: 20_000, listBehind: 10_000 });
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(60_000);
		const twice = deployment('destroy', { deploymentId: locator('dep-1') }, RETRY);
		const runs = await here.clock.during(
			Promise.all([
				here.engine.run(twice, [{}, {}], { executionId: 'a' }),
				here.engine.run({ ...twice, ...OTHER_PROCESS }, [{}], { executionId: 'b' }),
			]),
		);
		for (const item of runs.flatMap(itemsOf)) expect(item).toMatchObject({ deleted: true });
	});
});
