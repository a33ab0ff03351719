import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, optionsOf } from '../logs2/service.mts';
import { openPages } from './pages.mts';

endWorlds();

describe('event IDs and a service that ends each answer after one line', () => {
	for (const count of [3, 10])
		it(`${count} lines, empty at the end`, async () => {
			const habit = { unit: 'eventId', lines: 1, end: 'empty' } as const;
			const { world, log } = await openPages(habit);
			log.write(...numbered(count));
			const trigger = world.trigger({ options: optionsOf(habit) });
			await world.activate(trigger);
			await world.time.pass(3_600_000);
			expect(difference(log.due, trigger.lines)).toEqual(EXACT);
		});
});
