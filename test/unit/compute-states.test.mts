import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { watchEnds } from '../../nodes/ComputeTrigger/events/expiring.ts';
import { watchStates } from '../../nodes/ComputeTrigger/events/states.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { jsonOf, useNoon, watched } from './compute-parts.mts';

useNoon();

const listOf = (deployments: IDataObject[]) => ({ deployments, total: deployments.length });
const DAY_MINUTES = 24 * 60;

function states() {
	const one = watched(watchStates(VMAAS));
	/** What is told of this list, after so many minutes. */
	const told = async (deployments: IDataObject[], minutes?: number) => {
		one.show(listOf(deployments));
		return jsonOf(await one.look(minutes)).map(({ deployment_id, status, former_status }) => [
			deployment_id,
			status,
			former_status,
		]);
	};
	/** The same where details of what is not in it are not found. */
	const toldAlone = async (deployments: IDataObject[], minutes?: number) => {
		one.answers((path) =>
			path.endsWith('/deployments') ? { json: { data: listOf(deployments) } } : { status: 404 },
		);
		one.asked.length = 0;
		await one.look(minutes);
		return one.asked.filter((path) => path !== 'deployments');
	};
	return { ...one, told, toldAlone };
}

const is = (status: unknown, more: IDataObject = {}): IDataObject[] => [
	{ id: 'a', status: status as string, ...more },
];

describe('a deployment that is seen for the first time', () => {
	it.each([
		['was there before the base line', { compute_minutes_served: 7 }, false],
		['may be new: minutes are rounded', { compute_minutes_served: 6 }, true],
		['adds the minutes up over GPUs', { compute_minutes_served: 48, hardware_quantity: 8 }, true],
		['was there for longer', { compute_minutes_served: 49, hardware_quantity: 8 }, false],
		['has no GPU', { compute_minutes_served: 6, hardware_quantity: 0 }, true],
		['shows no minutes', {}, true],
	])('%s', async (_, more, isTold) => {
		const { told } = states();
		await told([]);
		expect(await told(is('running', more))).toEqual(isTold ? [['a', 'running', null]] : []);
		// And once it was seen, its end is told in any case
		expect(await told(is('failed'))).toEqual([['a', 'failed', 'running']]);
	});
});

describe('an earlier state', () => {
	it.each([
		[1.999, false],
		[2, true],
	])('that lasts for %d minutes is believed: %s', async (minutes, isTold) => {
		const { told } = states();
		await told(is('running'));
		expect(await told(is('deployment requested'))).toEqual([]);
		expect(await told(is('deployment requested'), minutes)).toHaveLength(isTold ? 1 : 0);
	});

	it('lasts from when it was shown, not from another one, nor from before a later state', async () => {
		const { told } = states();
		await told(is('terminating'));
		expect(await told(is('running'))).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('terminating'))).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('deployment requested'), 2)).toHaveLength(1);
	});

	it('is none of a word that is not known, which is told at once, and what follows it, too', async () => {
		const { told } = states();
		await told(is('running'));
		expect(await told(is('paused'))).toEqual([['a', 'paused', 'running']]);
		expect(await told(is('deployment requested'))).toHaveLength(1);
	});

	it('after the end is another life of it once that lasts, and its end is told again', async () => {
		const { told } = states();
		await told(is('failed'));
		expect(await told(is('paused'))).toEqual([]);
		expect(await told(is('paused'), 2)).toEqual([['a', 'paused', 'ended']]);
		expect(await told(is('destroyed'))).toEqual([['a', 'destroyed', 'paused']]);
		expect(await told(is('failed'))).toEqual([]);
	});
});

describe('a deployment that the list does not show', () => {
	it('is asked for, for a day', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		expect(await toldAlone([])).toEqual(['a']);
		expect(await toldAlone([], DAY_MINUTES - 0.01)).toEqual(['a']);
		expect(await toldAlone([], 0.01)).toEqual([]);
	});

	it('is asked for again for a day where the list has shown it meanwhile', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		expect(await toldAlone([])).toEqual(['a']);
		await told(is('running'), DAY_MINUTES);
		expect(await toldAlone([])).toEqual(['a']);
	});

	it('is not asked for after its end', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		await toldAlone([]);
		await told(is('failed'));
		expect(await toldAlone([])).toEqual([]);
	});

	it('takes its turn: five in a poll, those first that were asked for least', async () => {
		const { told, toldAlone } = states();
		const all = Array.from({ length: 7 }, (_, index) => ({ id: `d${index}`, status: 'running' }));
		await told(all);
		expect(await toldAlone([])).toEqual(['d0', 'd1', 'd2', 'd3', 'd4']);
		expect(await toldAlone([])).toEqual(['d5', 'd6', 'd0', 'd1', 'd2']);
	});
});

it('beside 20,000 that have ended, the oldest end is forgotten for a new one', async () => {
	const ended = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ id: `old ${index}`, status: 'failed' }));
	const { told, show, look } = states();
	await told([...ended(20_000), ...is('running')]);
	expect(await told(is('failed'))).toHaveLength(1);
	show(listOf([]));
	const { seen } = await look();
	expect(seen.ended).toHaveLength(20_000 * 8);
	// The one that has ended last is among them
	expect(await told(is('destroyed'))).toEqual([]);
});

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
