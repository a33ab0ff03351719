import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { watchEnds } from '../../nodes/ComputeTrigger/events/expiring.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { MINUTE, useNoon, watched } from './compute-parts.mts';

useNoon();

const listOf = (deployments: IDataObject[]) => ({ deployments, total: deployments.length });
const DAY_MINUTES = 24 * 60;

describe('a deployment expires soon', () => {
	function ends(minutes = 30) {
		const one = watched(watchEnds(VMAAS, minutes));
		const told = async (deployments: IDataObject[], after?: number) => {
			one.show(listOf(deployments));
			return await one.look(after);
		};
		return { ...one, told };
	}
	const left = (remaining: unknown, served?: number, status = 'running'): IDataObject[] => [
		{
			id: 'a',
			status,
			compute_minutes_remaining: remaining as number,
			compute_minutes_served: served,
		},
	];

	it.each([
		[30, 'running', 1],
		[31, 'running', 0],
		[0, 'running', 1],
		[1, 'paused', 1],
		[0, 'paused', 0],
		[1, 'deployment requested', 0],
		[1, 'terminating', 0],
		[null, 'running', 0],
	])('with %j minutes and "%s": %d events', async (remaining, status, count) => {
		const { told } = ends();
		expect((await told([])).events).toEqual([]);
		expect((await told(left(remaining, 60, status))).events).toHaveLength(count);
	});

	it.each([
		['all its minutes', 60, [-1, 0, 44, 45], 46],
		['those that remain alone', undefined, [-1, 0, 44, 45], 46],
	])('again once %s have grown by an extension', async (_, served, none, grown) => {
		const { told } = ends(1_000);
		await told([]);
		const [first] = (await told(left(20, served))).events;
		for (const more of none)
			expect((await told(left(20 + more, served), 0)).events, String(more)).toEqual([]);
		const [second] = (await told(left(20 + grown, served), 0)).events;
		expect([first?.isUnique, second?.isUnique]).toEqual([served === 60, served === 60]);
		expect([first?.identity, second?.identity]).toEqual(
			served === 60
				? [
						['vmaas', 'a', '1'],
						['vmaas', 'a', '2'],
					]
				: [
						['vmaas', 'a'],
						['vmaas', 'a'],
					],
		);
	});

	describe('whose minutes are added up over 8 GPUs', () => {
		const added = (remaining: number): IDataObject[] => [
			{
				...left(remaining * 8, 60 * 8)[0],
				hardware_quantity: 8,
				started_at: new Date(Date.now() - 60 * MINUTE).toISOString(),
			},
		];

		it('is told where each of them counts once, with the hours that were paid', async () => {
			const { told } = ends();
			await told([]);
			expect((await told(added(31), 0)).events).toEqual([]);
			const { events } = await told(added(30), 0);
			expect(events).toMatchObject([
				{ identity: ['vmaas', 'a', '2'], isUnique: true, json: { remaining_minutes: 30 } },
			]);
		});

		it('is not told again where an extension has added less than an hour to each', async () => {
			const { told } = ends(1_000);
			await told([]);
			expect((await told(added(20), 0)).events).toHaveLength(1);
			expect((await told(added(20 + 45), 0)).events).toEqual([]);
			expect((await told(added(20 + 46), 0)).events).toHaveLength(1);
		});
	});

	it('that has paid for nothing yet is one that is not told again', async () => {
		const { told } = ends();
		await told([]);
		const { events } = await told(left(0, 0));
		expect(events).toMatchObject([{ identity: ['vmaas', 'a', '0'], isUnique: true }]);
		expect((await told(left(0, 0))).events).toEqual([]);
	});

	it.each([
		[7 * DAY_MINUTES - 1, 1],
		[7 * DAY_MINUTES, 0],
	])(
		'and is not listed any more: %d minutes after its end it is remembered? %d',
		async (after, count) => {
			const { told } = ends();
			await told([]);
			await told(left(0));
			const { seen } = await told([], after);
			expect(Object.keys(seen)).toHaveLength(count);
		},
	);

	it('the sample is the one that ends first', async () => {
		const { show, sample } = ends();
		const list = [...left(5_000), { ...left(7)[0], id: 'b' }, { ...left(60)[0], id: 'c' }];
		show(listOf([...list, { id: 'd', status: 'failed', compute_minutes_remaining: 1 }]));
		expect(await sample()).toMatchObject({ deployment_id: 'b', remaining_minutes: 7 });
		show(listOf([{ id: 'd', status: 'running' }]));
		expect(await sample()).toBeUndefined();
	});
});
