import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { computeTrigger } from '../engine/nodes.mts';
import { catalogue, offer } from '../engine/offers.mts';
import { PolledTrigger, type Keeping } from '../engine/poll.mts';
import { random } from '../engine/random.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const MINUTE = 60_000;
/** Together 1,000 polls of each way to keep static data. */
const POLLS = { states: 500, ends: 300, offers: 200 };
const KEEPING: Keeping[] = ['workflow', 'scheduler', 'durable'];

/** A poll of one of these kinds follows a change. */
const KINDS = [
	...Array.from({ length: 9 }, () => 'poll' as const),
	'restart',
	'outage',
	'lost save',
] as const;

function oneOf<T>(values: readonly T[], below: (count: number) => number): T {
	return values[below(values.length)] as T;
}

/** Asks the trigger as one of the kinds; says whether it could see the service. */
async function ask(trigger: PolledTrigger, kind: (typeof KINDS)[number]): Promise<boolean> {
	const polls = trigger.polls;
	const { faults } = fixture.sandbox;
	if (kind === 'outage') {
		faults.add({ times: Infinity, ...errorForms.empty(503) });
		await trigger.poll();
		faults.clear();
		return false;
	}
	// The process dies after it has started the execution, and before it has saved
	trigger.losesSaves = kind === 'lost save';
	const before = trigger.executions.length;
	await (kind === 'restart' ? trigger.restart() : trigger.poll());
	trigger.losesSaves = false;
	if (kind === 'lost save' && trigger.executions.length > before) await trigger.restart();
	return trigger.polls > polls;
}

/** The events by their ID, and how often an event came again. */
function distinct(items: IDataObject[], told: (item: IDataObject) => string) {
	const byId = new Map<string, string>();
	for (const item of items) {
		const id = String(item.event_id);
		// One ID is one event
		expect(byId.get(id) ?? told(item)).toBe(told(item));
		byId.set(id, told(item));
	}
	return { events: [...byId.values()], repeats: items.length - byId.size };
}

describe.each(KEEPING)('1,000 polls, static data by %s', (keeping) => {
	it('tell each state of each deployment, and no other', async () => {
		const below = random(22);
		const { sandbox } = fixture;
		const trigger = new PolledTrigger(
			fixture.engine,
			computeTrigger('deploymentStateChanged'),
			keeping,
		);
		const made: Array<ReturnType<typeof sandbox.addResident>> = [];
		/** What somebody sees who looks at the same moments and forgets nothing. */
		const known = new Map<string, string>();
		const expected: string[] = [];
		const observe = () => {
			for (const { id, state } of made) {
				if (known.get(id) === state) continue;
				known.set(id, state);
				expected.push(`${id} ${state}`);
			}
		};
		await trigger.activate();
		const lost = { count: 0 };
		for (let polls = 0; polls < POLLS.states; polls++) {
			const alive = made.filter(({ isGone }) => !isGone);
			const one = alive[below(alive.length || 1)];
			const action = below(8);
			if (action === 0 && alive.length < 20)
				made.push(sandbox.addResident({ name: `n-${polls}`, hours: 1 + below(4) }));
			if (action === 1 && one?.state === 'running') sandbox.fail(one.id);
			if (action === 2 && one)
				await fixture.client.call(`/deployment/${one.id}`, { method: 'DELETE' });
			sandbox.clock.advance(below(20) * MINUTE);
			const kind = oneOf(KINDS, below);
			lost.count += Number(kind === 'lost save');
			if (await ask(trigger, kind)) observe();
		}
		const { events, repeats } = distinct(
			trigger.items,
			(item) => `${String(item.deployment_id)} ${String(item.status)}`,
		);
		expect(events.toSorted()).toEqual(expected.toSorted());
		expect(events.length).toBeGreaterThan(60);
		// Only where a save was lost
		if (keeping === 'durable') expect(repeats).toBe(0);
		else expect(repeats).toBeGreaterThan(0);
		expect(repeats).toBeLessThanOrEqual(lost.count * 3);
	});

	it('tell each end of each deployment once', async () => {
		const below = random(7);
		const { sandbox } = fixture;
		const trigger = new PolledTrigger(
			fixture.engine,
			computeTrigger('deploymentExpiresSoon', { minutes: 30 }),
			keeping,
		);
		await trigger.activate();
		const made: Array<ReturnType<typeof sandbox.addResident>> = [];
		const expected = new Set<string>();
		for (let polls = 0; polls < POLLS.ends; polls++) {
			const running = made.filter(({ state }) => state === 'running');
			const one = running[below(running.length || 1)];
			const action = below(8);
			if (action === 0 && running.length < 10)
				made.push(sandbox.addResident({ name: `n-${polls}`, hours: 1 + below(3) }));
			if (action === 1 && one)
				await fixture.client.call(`/deployment/${one.id}/extend`, {
					method: 'POST',
					body: { duration_hours: 1 + below(2) },
				});
			sandbox.clock.advance(below(10) * MINUTE);
			if (!(await ask(trigger, oneOf(KINDS, below)))) continue;
			for (const one of made) {
				const served = Math.floor(one.servedHours(sandbox.clock.now()) * 60 + 1e-6);
				if (one.state === 'running' && one.hiredHours * 60 - served <= 30)
					expected.add(`${one.id} ${one.hiredHours}`);
			}
		}
		const { events, repeats } = distinct(trigger.items, (item) => {
			const minutes = Number(item.compute_minutes_served) + Number(item.compute_minutes_remaining);
			return `${String(item.deployment_id)} ${minutes / 60}`;
		});
		// What expired at a poll that told nothing, the first one, is told by the next
		expect(events.toSorted()).toEqual([...expected].toSorted());
		expect(events.length).toBeGreaterThan(20);
		if (keeping === 'durable') expect(repeats).toBe(0);
		else expect(repeats).toBeGreaterThan(0);
	});

	it('tell each offer that appears, but for those that were gone at a restart only', async () => {
		const below = random(3);
		const { sandbox } = fixture;
		const trigger = new PolledTrigger(
			fixture.engine,
			computeTrigger('offerMatches', { maxHourlyPrice: 2 }),
			keeping,
		);
		const offers = Array.from({ length: 6 }, (_, index) => ({ deploy_id: index + 1, price: 3 }));
		const show = () => catalogue(sandbox, ...offers.map((one) => offer(one)));
		show();
		await trigger.activate();
		const present = new Set<number>();
		/** Went since the last events: n8n has not saved that. */
		const unsaved = new Set<number>();
		/** Of these, those that the trigger has forgotten. */
		const forgotten = new Set<number>();
		let expected = 0;
		let mayBeMissed = 0;
		for (let polls = 0; polls < POLLS.offers; polls++) {
			const one = oneOf(offers, below);
			if (below(3) > 0) one.price = below(2) === 0 ? 1 + below(10) / 10 : 3;
			show();
			sandbox.clock.advance(MINUTE);
			const kind = oneOf(KINDS, below);
			const before = trigger.executions.length;
			const hasSeen = await ask(trigger, kind);
			const told = trigger.executions.length - before;
			const isLost = kind === 'lost save' && told > 0;
			if (keeping !== 'durable' && (kind === 'restart' || isLost))
				for (const id of unsaved) forgotten.add(id);
			// The next one to appear has the number of polls with events, and so the ID, of what was lost
			if (isLost && keeping !== 'durable') mayBeMissed += told;
			if (!hasSeen) continue;
			for (const { deploy_id: id, price } of offers) {
				if (price > 2) {
					present.delete(id);
					forgotten.delete(id);
					unsaved.add(id);
				} else if (!present.has(id)) {
					present.add(id);
					if (forgotten.delete(id)) mayBeMissed++;
					else expected++;
				}
			}
			if (told > 0 && !isLost) unsaved.clear();
		}
		const { events } = distinct(trigger.items, (item) => String(item.deploy_id));
		expect(events.length).toBeGreaterThan(20);
		expect(events.length).toBeLessThanOrEqual(expected + mayBeMissed);
		expect(events.length).toBeGreaterThanOrEqual(expected - mayBeMissed);
		if (keeping === 'durable') expect(events).toHaveLength(expected);
	});
});
