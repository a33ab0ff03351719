import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger, type Keeping } from '../../engine/poll.mts';
import { HOUR, MINUTE, type Deployment, type Json, type Service } from './service.mts';
import { stage, type Stage } from './stage.mts';

/** What one poll sees: a status in the list, or `null` where the list does not have it; then what its details show. */
type Seen = [listed: string | null, details?: string | null];

const WORLDS: Array<[world: string, seen: Seen[], told: Array<[unknown, unknown]>]> = [
	['comes back as it was', [['running'], [null], [null], ['running']], []],
	['comes back, each second poll', [['running'], [null], ['running'], [null], ['running']], []],
	[
		'ends while it is away',
		[['running'], [null], [null], ['destroyed']],
		[['running', 'destroyed']],
	],
	[
		'ends while it is away, as its details tell',
		[['running'], [null, 'running'], [null, 'destroyed'], ['destroyed'], [null], ['destroyed']],
		[['running', 'destroyed']],
	],
	[
		'ends as its details tell, and a list that is behind shows it once more',
		[['running'], [null, 'destroyed'], ['running'], ['destroyed']],
		[['running', 'destroyed']],
	],
	[
		'changes twice while it is away',
		[['deployment requested'], [null], [null, 'termination requested'], ['completed']],
		[
			['deployment requested', 'termination requested'],
			['termination requested', 'completed'],
		],
	],
	[
		'ends without a word in the list, as its details tell',
		[['running'], ['', 'destroyed'], ['', 'destroyed'], ['destroyed']],
		[['running', 'destroyed']],
	],
	[
		'is listed without its status, and ends as its details tell',
		[['running'], ['', 'running'], ['', 'destroyed'], ['', 'destroyed']],
		[['running', 'destroyed']],
	],
	[
		'comes back from an end for good, and ends again',
		[['running'], ['completed'], [null], ['running'], ['running'], ['running'], ['completed']],
		[
			['running', 'completed'],
			['ended', 'running'],
			['running', 'completed'],
		],
	],
];

async function watching(
	set: Stage,
	event: string,
	keeping: Keeping,
	more: IDataObject = {},
): Promise<{ trigger: PolledTrigger; poll(restarts?: boolean): Promise<void> }> {
	const { engine, time } = set;
	const parameters = { product: 'caas', options: {}, ...more };
	const trigger = new PolledTrigger(engine, computeTrigger(event, parameters), keeping);
	await time.during(trigger.activate(), HOUR);
	return {
		trigger,
		async poll(restarts = false) {
			await time.pass(MINUTE);
			if (restarts) await time.during(trigger.restart(), HOUR);
			await time.during(trigger.poll(), HOUR);
		},
	};
}

/** Shows one deployment as it is seen now. */
function showAs(service: Service, one: Deployment, seen: () => Seen): void {
	const { list } = service;
	service.list = (entries, call) => {
		const [status] = seen();
		const shown = entries.flatMap((entry) =>
			entry.id !== one.id ? [entry] : status === null ? [] : [{ ...entry, status }],
		);
		return list(shown, call);
	};
	service.details = (which, shown): Json | undefined => {
		if (which !== one) return shown;
		const [listed, status = listed] = seen();
		return status === null ? undefined : { ...shown, status };
	};
}

describe.each<[Keeping, boolean]>([
	['workflow', false],
	['scheduler', true],
	['durable', true],
])('a deployment that the list does not always have (static data by %s)', (keeping, restarts) => {
	it.each(WORLDS)('%s: its changes are told once', async (_world, seen, told) => {
		const set = await stage();
		const { service } = set;
		const one = service.add('web');
		service.add('other');
		let [now = ['running'] as Seen] = seen;
		showAs(service, one, () => now);
		const { trigger, poll } = await watching(set, 'deploymentStateChanged', keeping);
		for (const [index, next] of seen.slice(1).entries()) {
			now = next;
			await poll(restarts && index === 1);
		}
		const changes = trigger.items.map(({ former_status, status }) => [former_status, status]);
		expect(changes).toEqual(told);
		expect(new Set(trigger.items.map(({ event_id: id }) => id)).size).toBe(told.length);
		expect(trigger.errors).toEqual([]);
	});

	it('seven that vanish at once and end are all told within a day, once each', async () => {
		const set = await stage();
		const { service } = set;
		const all = Array.from({ length: 7 }, (_, n) => service.add(`web-${n}`));
		service.add('other');
		const { trigger, poll } = await watching(set, 'deploymentStateChanged', keeping);
		const { list } = service;
		service.list = (entries, call) => list(entries.slice(-1), call);
		await poll();
		for (const one of all) one.status = 'destroyed';
		for (let polls = 0; polls < 4; polls++) await poll(restarts && polls === 2);
		service.list = list;
		await poll();
		const told = trigger.items.map(({ deployment_id: id }) => id);
		expect(told.sort()).toEqual(all.map(({ id }) => id).sort());
	});
});

describe('one that expires soon', () => {
	/** In which polls the list does not have it; it has ten minutes left in poll 5. */
	it.each([
		['before', [3, 4]],
		['at', [4, 5, 6]],
		['before and after', [3, 7]],
		['at, and each second poll', [5, 7, 9]],
	])('is told once, where the list does not have it %s the time', async (_when, away) => {
		const set = await stage();
		const { service } = set;
		service.add('other', { hours: 24 });
		const one = service.add('web', { hours: 1, madeAt: service.clock.now() - 44.5 * MINUTE });
		let polls = 0;
		showAs(service, one, () => [away.includes(polls) ? null : 'running', 'running']);
		const { trigger, poll } = await watching(set, 'deploymentExpiresSoon', 'workflow', {
			minutes: 10,
		});
		while (polls < 12) {
			polls++;
			await poll(polls === 8);
		}
		expect(trigger.items.map(({ deployment_id: id }) => id)).toEqual([one.id]);
	});
});

it('a list that is empty for some polls, with or without a total, ends nothing and repeats nothing', async () => {
	for (const empty of [{ deployments: [], total: 0 }, { deployments: [] }]) {
		const set = await stage();
		const { service } = set;
		const one = service.add('web');
		for (let n = 0; n < 5; n++) service.add(`other-${n}`);
		const { trigger, poll } = await watching(set, 'deploymentStateChanged', 'durable');
		const { list } = service;
		service.list = () => ({ data: empty });
		service.details = () => undefined;
		for (let polls = 0; polls < 3; polls++) await poll(polls === 1);
		service.list = list;
		await poll();
		expect(trigger.items).toEqual([]);
		one.status = 'failed';
		await poll();
		expect(trigger.items).toMatchObject([{ deployment_id: one.id, state: 'ended' }]);
	}
});
