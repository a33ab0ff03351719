import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { watchEnds } from '../../nodes/ComputeTrigger/events/expiring.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import type { Answered } from './log-parts.mts';
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

	it.each([-1, 0, 44, 45])('not again where its end is %d minutes later', async (more) => {
		const { told } = ends(1_000);
		await told([]);
		expect((await told(left(20))).events).toMatchObject([{ identity: ['vmaas', 'a'] }]);
		expect((await told(left(20 + more), 0)).events).toEqual([]);
	});

	it.each([
		['at once', 20 + 46, 0],
		['after some time', 46, 20],
		['after a time as long as the extension', 10, 60],
	])('again once its end is later by an extension, seen %s', async (_, remaining, after) => {
		const { told } = ends(1_000);
		await told([]);
		await told(left(20));
		expect((await told(left(remaining), after)).events).toHaveLength(1);
		expect((await told(left(remaining), 0)).events).toEqual([]);
	});

	it('again after an extension that a poll has seen, although its VM was down', async () => {
		const { told } = ends();
		await told([]);
		expect((await told(left(30, 125))).events).toHaveLength(1);
		expect((await told(left(85, 127), 5)).events).toEqual([]);
		expect((await told(left(30, 127), 55)).events).toHaveLength(1);
	});

	it('not again where its VM is down, and its time stands still', async () => {
		const { told } = ends();
		await told([]);
		const counts = [];
		for (let polls = 0; polls < 12; polls++) counts.push((await told(left(20), 10)).events.length);
		expect(counts).toEqual([1, ...Array<number>(11).fill(0)]);
	});

	describe('whose minutes are added up over 8 GPUs', () => {
		const added = (remaining: number): IDataObject[] => [
			{
				...left(remaining * 8, 60 * 8)[0],
				hardware_quantity: 8,
				started_at: new Date(Date.now() - 60 * MINUTE).toISOString(),
			},
		];

		it('is told where each of them counts once', async () => {
			const { told } = ends();
			await told([]);
			expect((await told(added(31), 0)).events).toEqual([]);
			const { events } = await told(added(30), 0);
			expect(events).toMatchObject([{ identity: ['vmaas', 'a'], json: { remaining_minutes: 30 } }]);
		});

		it.each([
			[45, 0],
			[46, 1],
		])('and is %d minutes later for each, is told again %d times', async (more, count) => {
			const { told } = ends(1_000);
			await told([]);
			expect((await told(added(20), 0)).events).toHaveLength(1);
			expect((await told(added(20 + more), 0)).events).toHaveLength(count);
		});

		it('is not told again where details do not tell for a while that they are added up', async () => {
			const { told } = ends(1_000);
			await told([]);
			expect((await told(added(20), 0)).events).toHaveLength(1);
			const unclear = (remaining: number) => [{ ...added(remaining)[0], started_at: undefined }];
			expect((await told(unclear(20), 0)).events).toEqual([]);
			expect((await told(added(20), 0)).events).toEqual([]);
			expect((await told(unclear(20 + 60), 0)).events).toHaveLength(1);
		});

		it('is told again also where that showed only later', async () => {
			const { told } = ends(1_000);
			await told([]);
			expect((await told([{ ...added(20)[0], started_at: undefined }], 0)).events).toHaveLength(1);
			expect((await told(added(20), 0)).events).toEqual([]);
			expect((await told(added(20 + 60), 0)).events).toHaveLength(1);
		});
	});

	it.each<[string, Answered, number]>([
		['the details show minutes', { json: { data: left(300)[0] } }, 0],
		['the details show that it is over', { json: { data: left(0)[0] } }, 1],
		['there are no details', { status: 404 }, 1],
		['the details cannot be read', { status: 403 }, 0],
	])(
		'whose 0 minutes in the list may be a field that is not set, where %s',
		async (_, said, count) => {
			const { told, answers, look } = ends();
			await told([]);
			const list = { json: { data: listOf(left(0, 0)) } };
			answers((path) => (path.endsWith('/deployments') ? list : said));
			expect((await look()).events).toHaveLength(count);
		},
	);

	it('that is over is not told again, however long it is shown', async () => {
		const { told } = ends();
		await told([]);
		expect((await told(left(0, 60))).events).toHaveLength(1);
		for (let day = 0; day < 9; day++)
			expect((await told(left(0, 60), DAY_MINUTES)).events).toEqual([]);
	});

	it('that has paid for nothing yet is one that is not told again', async () => {
		const { told } = ends();
		await told([]);
		expect((await told(left(0, 0))).events).toHaveLength(1);
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
