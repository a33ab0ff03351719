import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { HOUR, MINUTE } from './service.mts';
import { stage } from './stage.mts';

/** Statuses as polls see them, one a minute; null where the list does not show it. What is told, by former and new status. */
const WORLDS: Array<[world: string, seen: Array<unknown>, told: Array<[unknown, unknown]>]> = [
	[
		'unknown words',
		['warming up', 'Throttled', 'Throttled', 'running'],
		[
			['warming up', 'Throttled'],
			['throttled', 'running'],
		],
	],
	['other case and characters', ['running', 'RUNNING', 'Running ', 'running'], []],
	[
		'an end in other case',
		['running', 'Termination_Requested', 'DESTROYED', 'destroyed', 'Destroyed'],
		[
			['running', 'Termination_Requested'],
			['termination requested', 'DESTROYED'],
		],
	],
	['a copy that is behind, once', ['running', 'deployment requested', 'running'], []],
	[
		'a copy that is behind after the end',
		['running', 'destroyed', 'running', 'destroyed', 'termination requested', 'destroyed'],
		[['running', 'destroyed']],
	],
	[
		'two unknown words in turn',
		['running', 'degraded', 'running', 'degraded', 'running'],
		[
			['running', 'degraded'],
			['degraded', 'running'],
			['running', 'degraded'],
			['degraded', 'running'],
		],
	],
	[
		'a lasting way back',
		['running', ...Array<string>(5).fill('deployment requested')],
		[['running', 'deployment requested']],
	],
	[
		'no status',
		['running', undefined, '', null, 'running', 'completed'],
		[['running', 'completed']],
	],
	['no words', ['running', 3, { a: 1 }, 'running'], []],
	[
		'an own word "ended"',
		['running', 'ended', 'ended', 'destroyed', 'ended'],
		[
			['running', 'ended'],
			['ended', 'destroyed'],
		],
	],
	['two ends', ['running', 'failed', 'destroyed'], [['running', 'failed']]],
	['a gap before the end', ['running', null, null, 'destroyed'], [['running', 'destroyed']]],
];

it.each(WORLDS)(
	'the state of a deployment with %s is told as it changes, once',
	async (_world, seen, told) => {
		const { service, engine, time } = await stage();
		const vm = service.add('job', { status: 'x' });
		let now: unknown = seen[0];
		service.list = (entries) => ({
			data: {
				deployments: now === null ? [] : entries.map((entry) => ({ ...entry, status: now })),
				total: now === null ? 0 : 1,
			},
		});
		service.details = (_, shown) => (now === null ? undefined : { ...shown, status: now });
		const trigger = new PolledTrigger(
			engine,
			computeTrigger('deploymentStateChanged', { product: 'vmaas', options: {} }),
		);
		await time.during(trigger.activate(), HOUR);
		for (const [index, status] of seen.slice(1).entries()) {
			now = status;
			await time.pass(MINUTE);
			await time.during(trigger.poll(), HOUR);
			// Between two polls n8n starts again
			if (index === 1) await time.during(trigger.restart(), HOUR);
		}
		const of = ({ former_status: former, status }: IDataObject) => [former, status];
		expect(trigger.items.map(of)).toEqual(told);
		expect(new Set(trigger.items.map(({ event_id: id }) => id)).size).toBe(told.length);
		for (const { deployment_id: id } of trigger.items) expect(id).toBe(vm.id);
		expect(trigger.errors).toEqual([]);
	},
);

it.each([
	['cut', (entries: unknown[]) => ({ data: { deployments: entries.slice(0, 1), total: 3 } })],
	['no list', () => ({ data: { deployments: 'none' } })],
	['false', () => false],
	['an error', () => ({ error: 'busy' })],
])('a list that is %s is told as an error, and no change is lost', async (_world, list) => {
	const { service, engine, time } = await stage();
	const all = ['a', 'b', 'c'].map((name) => service.add(name));
	const whole = service.list;
	const trigger = new PolledTrigger(
		engine,
		computeTrigger('deploymentStateChanged', { product: 'vmaas', options: {} }),
	);
	await time.during(trigger.activate(), HOUR);
	service.list = list;
	for (const vm of all) vm.status = 'completed';
	await time.pass(MINUTE);
	await time.during(trigger.poll(), HOUR);
	expect(trigger.items).toEqual([]);
	expect(trigger.errors).toHaveLength(1);
	service.list = whole;
	await time.pass(MINUTE);
	await time.during(trigger.poll(), HOUR);
	expect(trigger.items.map(({ deployment_id: id }) => id)).toEqual(all.map(({ id }) => id));
});
