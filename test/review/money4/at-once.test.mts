import { describe, expect, it } from 'vitest';
import {
	by,
	chain,
	deploy,
	deployContainer,
	destroy,
	extend,
	openService,
	told,
	twoAccounts,
} from './harness.mts';

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
