import { describe, expect, it } from 'vitest';
import { deployment, locator, RETRY } from '../../engine/nodes.mts';
import { MINUTE, type Machine, type Service } from './service.mts';
import { deploy, destroy, destroyMany, stage, told, type Stage } from './stage.mts';

/** A machine takes ten minutes to start, and meanwhile its list or its details show it otherwise. */
const WORLDS: Array<[string, (service: Service, isStarting: (one: Machine) => boolean) => void]> = [
	['is shown as it is', () => undefined],
	[
		'is not in the list',
		(service, isStarting) => {
			service.listed = (machine, entry) => (isStarting(machine) ? undefined : entry);
		},
	],
	[
		'has no name in the list',
		(service, isStarting) => {
			service.listed = (machine, entry) => (isStarting(machine) ? { ...entry, name: null } : entry);
		},
	],
	[
		'has its ID as name in the list',
		(service, isStarting) => {
			service.listed = (machine, entry) =>
				isStarting(machine) ? { ...entry, name: machine.id } : entry;
		},
	],
	[
		'has no details',
		(service, isStarting) => {
			service.detailed = (machine, details) => (isStarting(machine) ? undefined : details);
		},
	],
	[
		'has no status',
		(service, isStarting) => {
			service.listed = service.detailed = (machine, row) =>
				isStarting(machine) ? { ...row, status: '' } : row;
		},
	],
];

async function slowStart(change: (typeof WORLDS)[number][1]): Promise<Stage> {
	const set = await stage({ startMs: 10 * MINUTE });
	const { service } = set;
	// Others are there, too
	service.add({ name: 'other' });
	change(service, ({ startedAt }) => service.clock.now() < startedAt);
	return set;
}

describe.each(WORLDS)('a machine that starts and %s', (_, change) => {
	it.each([0, 1, 3, 5])('is not bought again by an execution %d minutes later', async (minutes) => {
		const { service, run, time } = await slowStart(change);
		expect(told(await run(deploy())).error).toBeUndefined();
		await time.pass(minutes * MINUTE);
		const second = told(await run(deploy(), [{}], { executionId: '2' }));
		expect(service.machines).toHaveLength(2);
		expect(second.error).toContain('already exists');
	});

	it.each([0, 1, 3, 5])(
		'is not bought again by an execution %d minutes later, if the answer was lost',
		async (minutes) => {
			const { service, run, time } = await slowStart(change);
			let count = 0;
			service.answered = (call, said) =>
				call.method === 'POST' && ++count === 1 ? { reset: true } : said;
			await run(deploy());
			await time.pass(minutes * MINUTE);
			await run(deploy(), [{}], { executionId: '2' });
			expect(service.machines).toHaveLength(2);
		},
	);

	it.each([0, 3])('counts for the running cost %d minutes later', async (minutes) => {
		const { service, run, time } = await slowStart(change);
		const safety = { maxPrice: 50, maxRunningCost: 2.5 };
		expect(told(await run(deploy({ safety }))).error).toBeUndefined();
		await time.pass(minutes * MINUTE);
		const order = deploy({ resourcePrivateName: 'third', safety });
		const { error } = told(await run(order, [{}], { executionId: '2' }));
		expect(service.machines).toHaveLength(2);
		expect(error).toContain('Maximum Running Cost');
	});

	it.each([0, 3])('is ended by its ID %d minutes later', async (minutes) => {
		const { service, run, time } = await slowStart(change);
		await run(deploy());
		await time.pass(minutes * MINUTE);
		const { error, all } = told(await run(destroy('dep-2'), [{}], { executionId: '2' }));
		if (error === undefined) expect(service.bills.map(({ id }) => id)).toEqual(['dep-1']);
		expect(all).toContain('dep-2');
	});

	it('is named or ended by Destroy Many and by its name in the execution that bought it', async () => {
		for (const node of [destroyMany('jo'), destroy('job', {}, 'name')]) {
			const { service, chain } = await slowStart(change);
			const { error, of } = told(await chain([deploy(), node]));
			const isTold = error !== undefined || JSON.stringify(of('N2')).includes('dep-2');
			expect(isTold || service.bills.length === 1).toBe(true);
		}
	});

	it('is bought once after a lost answer, whatever retries there are', async () => {
		const { service, run, time } = await slowStart(change);
		let count = 0;
		service.answered = (call, said) =>
			call.method === 'POST' && ++count === 1 ? { reset: true } : said;
		const first = await run(deploy({}, RETRY));
		const contextData = JSON.parse(
			JSON.stringify(first.data.executionData?.contextData ?? {}),
		) as never;
		expect(told(first).all).toContain('job');
		if (told(first).error !== undefined) {
			// By the list of executions, as soon as it may be sent again
			await time.pass(16 * MINUTE);
			await run(deploy(), [{}], { executionId: '1', contextData });
		}
		expect(service.machines).toHaveLength(2);
	});

	it('is waited for', async () => {
		const { chain } = await slowStart(change);
		const node = deployment('waitFor', {
			deploymentId: locator('={{ $json.deployment_id }}'),
			waitUntil: 'running',
			pollInterval: 20,
			timeout: 300,
			onTimeout: 'output',
		});
		const { of, error } = told(await chain([deploy(), node, node, node]));
		if (error === undefined) expect(of('N4')).toMatchObject([{ reached: true }]);
	});
});
