import { describe, expect, it } from 'vitest';
import {
	computeTrigger,
	CONTINUE,
	deployment,
	LIMIT,
	locator,
	RETRY,
} from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { itemsOf, order, OTHER_PROCESS, toldBy, world } from './world.mts';

describe('Maximum Running Cost', () => {
	it.each([
		[-4, 4],
		[-10, 10],
		[-20, 20],
		[4, 8],
		[0, 30],
	])('with a clock %i minutes ahead and summed minutes, %i minutes on', async (ahead, minutes) => {
		const here = await world({ sumsMinutes: true, clockAhead: ahead * 60_000 });
		const body = { resource_private_name: 'big', gpus_per_vm: 2, hardware_id: 8 };
		here.service.buy({ ...body, duration_hours: 10 });
		here.clock.pass(minutes * 60_000);
		// It costs 2 an hour, and with the new one 3
		const run = await here.run(
			deployment('deploy', order({ safety: { maxRunningCost: 2.5 } }), OTHER_PROCESS),
		);
		expect(here.service.machines).toHaveLength(1);
		expect(toldBy(run)).toMatch(/Maximum Running Cost/);
	});

	it.each([-10, 10])('of usual minutes and a clock %i minutes ahead', async (ahead) => {
		const here = await world({ clockAhead: ahead * 60_000 });
		here.service.buy({ resource_private_name: 'big', gpus_per_vm: 2, hardware_id: 8 });
		here.clock.pass(20 * 60_000);
		const [spent] = itemsOf(await here.run(deployment('getSpending', { groupBy: 'none' })));
		const isRight = spent?.cost_per_hour === 2 || spent?.is_complete === false;
		expect(isRight, JSON.stringify(spent)).toBe(true);
	});
});

describe('prices in other forms', () => {
	it.each(['1,250.00', '12,50', '$ 12.50', '-3', -3, '0x10', '1e400', [[12]], true])(
		'%j is no price that passes a limit',
		async (shown) => {
			const here = await world({ money: () => shown });
			const run = await here.run(deployment('deploy', order({ safety: { maxPrice: 10 } })));
			expect(here.service.machines).toHaveLength(0);
			expect(toldBy(run)).toMatch(/price/i);
		},
	);

	it('that change between price and deploy are told', async () => {
		const here = await world();
		here.service.gateway = (call, forward) => {
			if (call.path.endsWith('/deploy')) here.service.behaviour.rate = 5;
			return forward(call);
		};
		const run = await here.run(deployment('deploy', order({ safety: { maxPrice: 3 } })));
		expect(itemsOf(run)[0]?.hint).toContain('10 paid instead of the price of 2');
	});

	it('of an extension by somebody dearer are checked', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.service.behaviour.rate = 5;
		const node = deployment('extend', {
			deploymentId: locator('dep-1'),
			durationHours: 2,
			safety: { maxHourlyPrice: 2 },
		});
		expect(toldBy(await here.run(node))).toContain('above the Maximum Hourly Price');
		expect(here.service.machines[0]?.extensions).toHaveLength(0);
	});
});

describe('expressions that find nothing', () => {
	it.each([
		['maxPrice', { maxPrice: '={{ $json.none }}' }],
		['maxHourlyPrice', { maxHourlyPrice: '={{ $json.none }}' }],
		['maxRunningCost', { maxRunningCost: '={{ $json.none }}' }],
		['dryRun', { dryRun: '={{ $json.none }}' }],
		['uniqueName', { uniqueName: '={{ $json.none }}' }],
		['ifNameExists', { ifNameExists: '={{ $json.none }}' }],
	])('turn no safety off: %s', async (_, safety) => {
		const here = await world();
		const run = await here.run(deployment('deploy', order({ safety }), CONTINUE), [{}, {}]);
		expect(here.service.machines).toHaveLength(0);
		for (const item of itemsOf(run)) expect(item.error).toBeTypeOf('string');
	});

	it('destroy nothing', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		const many = { match: 'prefix', limit: 5, dryRun: false };
		for (const node of [
			deployment('destroyMany', { ...many, namePrefix: '={{ $json.none }}' }, CONTINUE),
			deployment(
				'destroyMany',
				{ ...many, namePrefix: 'job', dryRun: '={{ $json.no }}' },
				CONTINUE,
			),
			deployment('destroy', { deploymentId: locator('={{ $json.none }}') }, CONTINUE),
			deployment('destroy', { deploymentId: locator('={{ $json.none }}', 'name') }, CONTINUE),
		]) {
			const [item] = itemsOf(await here.run(node));
			expect(item?.error).toBeTypeOf('string');
		}
		expect(here.service.alive()).toHaveLength(1);
	});
});

describe('Retry On Fail with Continue', () => {
	it('buys each item once, whatever fails between', async () => {
		const here = await world({ listBehind: 15_000 });
		let deploys = 0;
		here.service.gateway = (call, forward) => {
			if (!call.path.endsWith('/deploy')) return forward(call);
			deploys++;
			if (deploys % 3 === 1) return { ...forward(call), cut: 'before' };
			return deploys % 3 === 2 ? { status: 429, body: { detail: 'slow' } } : forward(call);
		};
		const node = deployment('deploy', order({ resourcePrivateName: '={{ $json.name }}' }), {
			...RETRY,
			...CONTINUE,
		});
		const items = ['a', 'b', 'c', 'd', 'a'].map((name) => ({ name }));
		const run = await here.run(node, items);
		const names = here.service.alive().map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		for (const { id } of here.service.alive()) expect(toldBy(run)).toContain(id);
	});
});

describe('an agent that calls its tool twice', () => {
	it('at once, with the first answer lost, has one machine', async () => {
		const here = await world({ listBehind: 20_000 });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? { ...answer, cut: 'before' } : answer;
		};
		const call = here.engine.tool(deployment('deploy', order({ safety: LIMIT }), RETRY));
		const said = await here.clock.during(
			Promise.all([call({}), call({}).catch(String), call({ a: 1 }).catch(String)]),
		);
		expect(here.service.machines).toHaveLength(1);
		for (const text of said) expect(text).toContain('dep-1');
	});
});

describe('a deployment of the same name elsewhere', () => {
	it('of the other product neither stops a purchase nor is destroyed for it', async () => {
		const here = await world();
		const other = here.service.buy({ resource_private_name: 'job' }, 'caas');
		other.id = 'dep-2';
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('destroy', { deploymentId: locator('job', 'name') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: 'dep-2' });
		expect(here.service.alive()).toEqual([other]);
	});
});

describe('Deployment > Get Spending', () => {
	it('counts what cannot be read, with amounts as text and in other forms', async () => {
		const here = await world({ money: (amount) => `${amount},00` });
		here.service.buy({ resource_private_name: 'job' });
		const [spent] = itemsOf(await here.run(deployment('getSpending', { groupBy: 'none' })));
		expect(spent).toMatchObject({ paid: 0, unknown_paid: 1, is_complete: false });
	});

	it('finds the days in spite of time zones', async () => {
		const here = await world({
			timeText: (ms) => `${new Date(ms - 8 * 3_600_000).toISOString().slice(0, 19)}-08:00`,
		});
		here.service.buy({ resource_private_name: 'job' });
		const [spent] = itemsOf(await here.run(deployment('getSpending', { groupBy: 'day' })));
		expect(spent).toMatchObject({ day: '2026-11-20', paid: 2 });
	});
});

describe('the Compute Trigger', () => {
	it('tells each end once, with copies that disagree in turn', async () => {
		const here = await world();
		let turn = 0;
		here.service.gateway = (call, forward) => {
			here.service.behaviour.listBehind = turn++ % 2 === 0 ? 90_000 : 0;
			return forward(call);
		};
		const machine = here.service.buy({ resource_private_name: 'job' });
		const node = computeTrigger('deploymentStateChanged', { products: ['vmaas'], filters: {} });
		const trigger = new PolledTrigger(here.engine, node);
		const polling = async () => {
			await trigger.activate();
			for (let poll = 0; poll < 15; poll++) {
				if (poll === 4) machine.endedAt = here.clock.now();
				await here.clock.wait(60_000);
				await trigger.poll();
				if (poll === 8) await trigger.restart();
			}
		};
		await here.clock.during(polling());
		const ends = trigger.items.filter(({ state }) => state === 'ended');
		expect(ends).toHaveLength(1);
	});
});

describe('a no that comes with 200', () => {
	it.each([
		{ status: 402, message: 'insufficient balance' },
		{ statusCode: 402, message: 'insufficient balance' },
		{ data: { error: 'insufficient balance' } },
		{ data: null, message: 'insufficient balance', result: 'error' },
		{ data: { status: 'error', message: 'insufficient balance' } },
		{ status: 'error', data: {} },
		{ success: 'false', message: 'insufficient balance' },
		{ success: 0, message: 'insufficient balance' },
	])('is no purchase: %j', async (body) => {
		const here = await world();
		here.service.gateway = (call, forward) =>
			call.path.endsWith('/deploy') ? { status: 200, body } : forward(call);
		const run = await here.run(deployment('deploy', order(), { ...RETRY, ...CONTINUE }));
		expect(here.service.sent('POST', '/deploy')).toHaveLength(1);
		expect(itemsOf(run)[0]?.error).toBeTypeOf('string');
		expect(toldBy(run)).not.toContain('confirmed the deployment');
	});
});
