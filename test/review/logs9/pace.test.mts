import { describe, expect, it } from 'vitest';
import { endWorlds, optionsOf, peakOf } from '../logs2/service.mts';
import { sized } from '../logs8/pages.mts';
import { fate, open, WELL, type Ways } from './service.mts';

/** How many lines a second come in pages of so many, and how many requests a log takes that comes without pages. */
endWorlds();

/** As many pages a second as must be read of a log that waits. */
const PAGES_PER_SECOND = 4;

describe('a log that waits', () => {
	for (const unit of ['entries', 'bytes', 'eventId'] as const)
		for (const lines of [5, 20, 50, 100])
			it(`${unit}, pages of ${lines}`, async () => {
				const ways: Ways = { unit, page: () => lines };
				const { world, log } = await open(ways);
				log.write(...sized(10, 0));
				const trigger = world.trigger({ options: optionsOf(ways) });
				await world.activate(trigger);
				await world.time.pass(5_000);
				log.write(...sized(lines * 400, 10));
				await world.time.pass(10_000);
				const { length } = trigger.lines;
				await world.time.pass(10_000);
				const perSecond = (trigger.lines.length - length) / 10;
				expect(perSecond).toBeGreaterThanOrEqual(PAGES_PER_SECOND * lines);
				expect(fate(log.due.slice(0, trigger.lines.length), trigger)).toEqual(WELL);
				expect(peakOf(world)).toBeLessThanOrEqual(10);
			});
});

describe('a service without pages', () => {
	for (const start of ['exact', 'whole', { tail: 100 }] as const)
		for (const [count, every] of [
			[0, 1],
			[1, 2],
			[1, 1],
			[10, 1],
		] as const)
			it(`${JSON.stringify(start)}, ${count} lines each ${every} s`, async () => {
				const { world, log } = await open({ start });
				log.write(...sized(100, 0));
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.time.pass(30_000);
				const { length } = world.calls;
				for (let second = 0; second < 60; second++) {
					if (second % every === 0) log.write(...sized(count, 1_000 + second * 100));
					await world.time.pass(1_000);
				}
				expect(world.calls.length - length).toBeLessThanOrEqual(count ? 90 : 10);
				await world.time.pass(60_000);
				expect(fate(log.due, trigger)).toEqual(WELL);
			});
});
