import type { IDataObject } from 'n8n-workflow';
import type { Fixture } from '../engine/fixture.mts';
import { computeTrigger } from '../engine/nodes.mts';
import { PolledTrigger } from '../engine/poll.mts';

export const MINUTE = 60_000;

/** How many events the items tell: each has an ID of its own. */
export const ids = (items: IDataObject[]) => new Set(items.map((item) => item.event_id)).size;

/**
 * A compute trigger that is asked by the tests of a fixture.
 * @param told is given each trigger before it is activated
 */
export function pollsOf(fixture: Fixture, told: (trigger: PolledTrigger) => void) {
	let trigger: PolledTrigger;

	async function watch(event: string, parameters: IDataObject = {}): Promise<PolledTrigger> {
		trigger = new PolledTrigger(fixture.engine, computeTrigger(event, parameters));
		told(trigger);
		await trigger.activate();
		return trigger;
	}

	/** The items of the next poll, so many minutes later. */
	async function next(minutes = 1): Promise<IDataObject[]> {
		fixture.sandbox.clock.advance(minutes * MINUTE);
		const before = trigger.items.length;
		await trigger.poll();
		return trigger.items.slice(before);
	}

	return { watch, next };
}
