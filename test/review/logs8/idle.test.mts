import { describe, expect, it } from 'vitest';
import { difference, endWorlds, EXACT } from '../logs2/service.mts';
import { ENDS, openPages, sized } from './pages.mts';

/** What happens while nothing happens: few requests, no growth, and the end of a destroyed deployment is told. */
endWorlds();

describe('an hour without a line', () => {
	for (const end of ENDS)
		it(`${end} at the end`, async () => {
			const { world, log } = await openPages({ unit: 'entries', lines: 7, end });
			log.write(...sized(45));
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.time.pass(600_000);
			const { length } = world.calls;
			const size = JSON.stringify(trigger.saved).length;
			await world.time.pass(3_600_000);
			const requests = world.calls.length - length;
			const failures = trigger.failures.map(String).concat(trigger.errors.map(String));
			expect(requests).toBeLessThanOrEqual(720);
			expect(JSON.stringify(trigger.saved).length).toBe(size);
			// A quiet log is no outage
			expect(failures).toEqual([]);
			log.write(...sized(3, 100));
			await world.time.pass(200_000);
			expect(difference(log.due, trigger.lines)).toEqual(EXACT);
		});
});

describe('a destroyed deployment', () => {
	for (const end of ENDS.slice(0, 12))
		it(`${end} at the end`, async () => {
			const { world, log } = await openPages({ unit: 'entries', lines: 7, end });
			log.write(...sized(45));
			const trigger = world.trigger({ options: { connectionEvents: true } });
			await world.activate(trigger);
			await world.time.pass(300_000);
			log.write(...sized(4, 200));
			world.deployment.status = 'destroyed';
			await world.time.pass(1_800_000);
			const events = trigger.items.filter((item) => !('line' in item));
			const lines = trigger.items
				.filter((item) => 'line' in item && item.line !== undefined)
				.map(({ line }) => String(line));
			expect(lines.filter((line) => log.due.includes(line)).length).toBe(49);
			expect(JSON.stringify(events.at(-1))).toMatch(/finished/);
			const { length } = world.calls;
			await world.time.pass(1_800_000);
			expect(world.calls.length).toBe(length);
		});
});
