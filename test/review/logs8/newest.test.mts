import { describe, expect, it } from 'vitest';
import { endWorlds, optionsOf, UNITS } from '../logs2/service.mts';
import { ENDS, openPages, sized } from './pages.mts';

/** Start From: Now and Newest Lines, at a service that ends each answer: in pages, or at the end of the log. */
endWorlds();

const LENGTHS = [2, 5, 20, 300];
const PAGES = [2, 7, 36, 40, 100, Infinity];
const TRIED = ENDS.filter((end) => end !== 'firstPage');
const STARTS = { now: 0, newest: 12 };
/** A line that comes while the first answers tell what the log has may count as one of those that it had. */
const SECONDS = 5;

describe('a log that is silent meanwhile', () => {
	for (const [start, wanted] of Object.entries(STARTS))
		for (const [turn, unit] of UNITS.entries())
			for (const [place, lines] of PAGES.entries())
				for (const [at, length] of LENGTHS.entries()) {
					const end = TRIED[(3 * turn + 5 * place + at) % TRIED.length] ?? 'empty';
					it(`${start}, ${unit}, ${length} lines in pages of ${lines}, ${end} at the end`, async () => {
						const habit = { unit, end, lines };
						const { world, log } = await openPages(habit);
						const old = sized(length);
						log.write(...old);
						const options = optionsOf(habit);
						const trigger = world.trigger({ startFrom: start, newestLines: wanted, options });
						await world.activate(trigger);
						await world.time.pass(400_000);
						expect(trigger.lines).toEqual(old.slice(Math.max(0, length - wanted)));
						const written = sized(50, 5_000);
						log.write(...written);
						await world.time.pass(200_000);
						expect(trigger.lines.slice(-50)).toEqual(written);
						expect(trigger.lines.length).toBe(Math.min(wanted, length) + 50);
					});
				}
});

describe('a log that is written meanwhile', () => {
	for (const unit of UNITS)
		for (const lines of [40, 100, Infinity])
			for (const end of ['empty', 'wholeLog', 'poll5'] as const)
				for (const perSecond of [1, 10])
					it(`${unit}, pages of ${lines}, ${end} at the end, ${perSecond} lines a second`, async () => {
						const habit = { unit, end, lines };
						const { world, log } = await openPages(habit);
						log.write(...sized(100));
						const trigger = world.trigger({ startFrom: 'now', options: optionsOf(habit) });
						await world.activate(trigger);
						const before = log.lines.length;
						for (let second = 0; second < 60; second++) {
							log.write(...sized(perSecond, 1_000 + second * perSecond));
							await world.time.pass(1_000);
						}
						await world.time.pass(60_000);
						const { length } = trigger.lines;
						expect(trigger.lines).toEqual(log.lines.slice(log.lines.length - length));
						expect(Math.abs(log.lines.length - length - before)).toBeLessThanOrEqual(
							SECONDS * perSecond,
						);
					});
});
