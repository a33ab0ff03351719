import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import {
	caas,
	containerParameters,
	CONTINUE,
	deployment,
	locator,
	RETRY,
} from '../../engine/nodes.mts';
import { expectAllTold, itemsOf, order, OTHER_PROCESS, toldBy, world } from './world.mts';

describe('a deployment that bills under a state that is not known', () => {
	it.each(['PROVISIONED', 'en cours', 'suspended', 'failed_over', 'completed_setup'])(
		'"%s" stops a second purchase, is destroyed, and counts as running',
		async (word) => {
			const here = await world({ word: (status) => (status === 'running' ? word : status) });
			here.service.buy({ resource_private_name: 'job' });
			here.clock.pass(600_000);
			const second = await here.run(deployment('deploy', order()));
			expect(toldBy(second)).toContain('already exists');
			const [spent] = itemsOf(await here.run(deployment('getSpending', { groupBy: 'none' })));
			expect(spent).toMatchObject({ running: 1, paid: 2 });
			const end = await here.run(deployment('destroy', { deploymentId: locator('job', 'name') }));
			expect(itemsOf(end)[0]).toMatchObject({ deleted: true });
		},
	);
});

describe('a catalogue that changes while it is bought from', () => {
	it('buys nothing above the limit, and nothing twice', async () => {
		const here = await world();
		let prices = 0;
		here.service.gateway = (call, forward) => {
			if (call.path.endsWith('/price')) here.service.behaviour.rate = ++prices > 3 ? 9 : 1;
			if (call.path.endsWith('/deploy') && call.body.hardware_id === 7)
				return { status: 422, body: { detail: 'hardware 7 is sold out' } };
			return forward(call);
		};
		const { hardwareId: _, locationId: __, placement: ___, ...rest } = order();
		const parameters = { ...rest, gpusPerVm: 0, filters: {}, maxTries: 3, safety: { maxPrice: 5 } };
		const run = await here.run(deployment('deployCheapest', parameters));
		expect(here.service.machines).toHaveLength(0);
		expect(toldBy(run)).toContain('sold out');
	});
});

describe('answers that are about something else', () => {
	it.each([
		{ status: 'succeeded', deployment_id: 'dep-99' },
		{ id: 'request-1', data: { deployment_id: 'dep-1' } },
		{ data: [{ deployment_id: 'dep-1' }] },
		{ deployment: { id: 'dep-1' } },
		[{ deployment_id: 'dep-1' }],
		'dep-1',
		{ status: 'succeeded', deployment_id: 0 },
		{ status: 'succeeded', deployment_id: 'other-1' },
		true,
	])('%j still leads to the machine', async (answer) => {
		const here = await world({ deployed: () => answer });
		const run = await here.run(deployment('deploy', order(), RETRY));
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, run);
	});
});

describe('copies that answer in turn, without totals', () => {
	it('lose no lost deploy for good', async () => {
		const here = await world({ showsTotal: false });
		let turn = 0;
		here.service.gateway = (call, forward) => {
			here.service.behaviour.listBehind = turn++ % 3 === 0 ? 3_600_000 : 0;
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? { ...answer, cut: 'amid' } : answer;
		};
		const run = await here.run(deployment('deploy', order(), RETRY));
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-1', recovered: true });
	});
});

describe('containers', () => {
	it('of a lost deploy that is answered late, in two executions at once', async () => {
		const here = await world({ listBehind: 30_000 });
		here.service.gateway = async (call, forward) =>
			call.path.endsWith('/deploy')
				? await here.service.later(130_000, () => forward(call))
				: forward(call);
		const node = caas('deployment', 'deploy', containerParameters(), RETRY);
		const runs = await here.clock.during(
			Promise.all([
				here.engine.run(node, [{}], { executionId: 'a' }),
				here.engine.run(node, [{}], { executionId: 'b' }),
			]),
		);
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, ...runs);
	});

	it('are updated once, and told so, by items in pairs', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'web', container_config: {} }, 'caas');
		let updates = 0;
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.method === 'PATCH' && updates++ === 0 ? { ...answer, cut: 'before' } : answer;
		};
		const parameters = {
			deploymentId: locator('dep-1'),
			updateFields: { imageUrl: '={{ $json.image }}' },
		};
		const items = [{ image: 'r/web:1' }, { image: 'r/web:2' }];
		const run = await here.run(
			caas('deployment', 'update', parameters, { ...RETRY, ...CONTINUE }),
			items,
		);
		expect(itemsOf(run)).toHaveLength(2);
		expect(here.service.machines[0]?.config).toMatchObject({ image_url: 'r/web:2' });
	});
});

describe('Destroy Many', () => {
	it('with a list that is cut off between its pages destroys each, or says which are left', async () => {
		const here = await world({ pageSize: 20, endTakes: 1_000 });
		for (let index = 0; index < 45; index++)
			here.service.buy({ resource_private_name: `night-${index}` });
		let deletes = 0;
		here.service.gateway = (call, forward) => {
			if (call.method !== 'DELETE') return forward(call);
			deletes++;
			if (deletes % 7 === 0) return { ...forward(call), cut: 'before' };
			if (deletes % 11 === 0) return { status: 429, headers: { 'Retry-After': '90' } };
			return forward(call);
		};
		const parameters = { namePrefix: 'night-', match: 'prefix', limit: 100, dryRun: false };
		const run = await here.run(deployment('destroyMany', parameters, { ...CONTINUE }));
		expectAllTold(here, run);
		const gone = itemsOf(run).filter(({ deleted }) => deleted === true);
		expect(gone.length + here.service.alive().length).toBe(45);
	});

	it('of two executions at once with one prefix', async () => {
		const here = await world({ endTakes: 5_000, hidesEnded: true });
		for (let index = 0; index < 4; index++)
			here.service.buy({ resource_private_name: `night-${index}` });
		const parameters = { namePrefix: 'night-', match: 'prefix', limit: 100, dryRun: false };
		const node = deployment('destroyMany', parameters, RETRY);
		const runs = await here.clock.during(
			Promise.all([
				here.engine.run(node, [{}], { executionId: 'a' }),
				here.engine.run({ ...node, ...OTHER_PROCESS }, [{}], { executionId: 'b' }),
			]),
		);
		expect(here.service.alive()).toHaveLength(0);
		for (const item of runs.flatMap(itemsOf)) expect(item).toMatchObject({ deleted: true });
	});
});

describe('what is not in the list any more', () => {
	it('is not in the spending either, and this is said', async () => {
		const here = await world({ hidesEnded: true });
		const machine = here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(600_000);
		machine.endedAt = here.clock.now();
		here.service.buy({ resource_private_name: 'other' });
		const [spent] = itemsOf(await here.run(deployment('getSpending', { groupBy: 'none' })));
		expect(spent).toMatchObject({ deployments: 1, paid: 2 });
	});
});

describe('Wait For', () => {
	it.each(['running', 'destroyed', 'final'])(
		'%s survives a gateway that answers wrongly for half a minute',
		async (waitUntil) => {
			const here = await world({ startTakes: 20_000 });
			const machine = here.service.buy({ resource_private_name: 'job' });
			const begins = here.clock.now() + 15_000;
			if (waitUntil !== 'running') machine.endedAt = begins + 60_000;
			const wrong = [404, 502, 200, 302];
			let turn = 0;
			here.service.gateway = (call, forward) => {
				const since = here.clock.now() - begins;
				if (since < 0 || since > 30_000) return forward(call);
				const status = wrong[turn++ % wrong.length] ?? 404;
				return { status, body: '<html><title>Sorry</title></html>' };
			};
			const parameters: IDataObject = { deploymentId: locator('dep-1'), waitUntil, timeout: 200 };
			const run = await here.run(deployment('waitFor', parameters));
			expect(toldBy(run)).not.toContain('will not become');
			if (run.data.resultData.error === undefined)
				expect(itemsOf(run)[0]).toMatchObject({ reached: true });
			else expect(run.data.resultData.error.message).toMatch(/could not be read|redirect|JSON/);
		},
	);
});

describe('a service in Go, whose empty lists are null', () => {
	it.each([0, 1, 100])('with %i other deployments', async (others) => {
		const here = await world();
		for (let index = 0; index < others; index++)
			here.service.buy({ resource_private_name: `other-${index}` });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			const { data } = answer.body as { data?: { deployments?: unknown[] } };
			if (data?.deployments?.length === 0) Object.assign(data, { deployments: null });
			return answer;
		};
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('waitFor', { deploymentId: locator('job', 'name'), waitUntil: 'running' }),
			deployment('destroy', { deploymentId: locator('job', 'name') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true });
		const again = await here.run(deployment('deploy', order(), OTHER_PROCESS));
		expect(here.service.alive('job')).toHaveLength(1);
		expect(itemsOf(again)[0]).toMatchObject({ resource_private_name: 'job' });
	});
});

describe('a retry from the list of executions', () => {
	it('finds what the first one has sent, and sends nothing again', async () => {
		const here = await world();
		here.service.gateway = async (call, forward) =>
			call.path.endsWith('/deploy')
				? await here.service.later(400_000, () => ({ ...forward(call), cut: 'before' }))
				: forward(call);
		const node = deployment('deploy', order());
		const first = await here.run(node, [{}], 'same');
		expect(first.data.resultData.error?.message).toContain('outcome unknown');
		await here.clock.during(here.clock.wait(300_000));
		const second = await here.clock.during(
			here.engine.run(node, [{}], {
				executionId: 'retry',
				contextData: JSON.parse(JSON.stringify(first.data.executionData?.contextData)),
			}),
		);
		expect(here.service.machines).toHaveLength(1);
		expect(itemsOf(second)[0]).toMatchObject({ deployment_id: 'dep-1', recovered: true });
	});
});

describe('limits and hours in forms that an expression may give', () => {
	it.each([
		{ maxPrice: '={{ true }}' },
		{ maxPrice: '={{ [] }}' },
		{ maxPrice: '={{ [5] }}' },
		{ maxPrice: '={{ "10 usdc" }}' },
		{ maxPrice: '={{ "1,5" }}' },
		{ maxPrice: '={{ NaN }}' },
		{ maxPrice: '={{ Infinity }}' },
		{ maxPrice: '={{ -1 }}' },
		{ maxPrice: '={{ "" }}' },
		{ maxPrice: '={{ {} }}' },
	])('%j is no limit: nothing is bought', async (safety) => {
		const here = await world();
		const run = await here.run(deployment('deploy', order({ safety }), CONTINUE));
		expect(here.service.machines).toHaveLength(0);
		expect(itemsOf(run)[0]?.error).toBeTypeOf('string');
	});

	it.each(['={{ "2h" }}', '={{ 2.5 }}', '={{ true }}', '={{ "" }}', '={{ [3] }}', '={{ 1e9 }}'])(
		'%s are no hours',
		async (durationHours) => {
			const here = await world();
			here.service.buy({ resource_private_name: 'mine' });
			const runs = [
				await here.run(deployment('deploy', order({ durationHours }), CONTINUE)),
				await here.run(
					deployment(
						'extend',
						{ deploymentId: locator('dep-1'), durationHours, safety: {} },
						CONTINUE,
					),
				),
			];
			if (durationHours !== '={{ 1e9 }}')
				for (const run of runs) expect(itemsOf(run)[0]?.error).toBeTypeOf('string');
			expect(here.service.machines).toHaveLength(1);
		},
	);
});
