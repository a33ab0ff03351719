import { describe, expect, it } from 'vitest';
import { difference, endWorlds, EXACT, optionsOf, peakOf, UNITS } from '../logs2/service.mts';
import { ENDS, openPages, sized } from './pages.mts';

/** Services that end each answer and limit it by lines or bytes; new lines come between two requests, the trigger stops at any moment. */
endWorlds();

const LIMITS = [
	{ lines: 1 },
	{ lines: 2 },
	{ lines: 3 },
	{ lines: 7 },
	{ lines: 40 },
	{ bytes: 100 },
];
const TRIED = ENDS.filter((end) => end !== 'firstPage' && !end.startsWith('held'));

describe('answers that end', () => {
	for (const unit of UNITS)
		for (const [place, limit] of LIMITS.entries())
			for (const [turn, end] of TRIED.entries()) {
				// A third of all the worlds: the machine is small
				if ((place + turn + UNITS.indexOf(unit)) % 3) continue;
				it(`${unit}, ${JSON.stringify(limit)}, ${end} at the end`, async () => {
					const habit = { unit, end, ...limit };
					const { world, log } = await openPages(habit);
					log.write(...sized(45));
					const trigger = world.trigger({ options: optionsOf(habit) });
					await world.activate(trigger);
					await world.time.pass(200_000);
					expect(difference(log.due, trigger.lines)).toEqual(EXACT);
					for (let round = 0; round < 5; round++) {
						// New lines come right after an answer
						const { length } = world.calls;
						log.after = ({ index }) => {
							if (index === length + (round % 2))
								log.write(...sized(1 + round * 2, 100 + round * 20));
						};
						await world.time.pass(100_000);
						log.after = undefined;
						if (round === 2) {
							await world.deactivate(trigger);
							await world.activate(trigger, 'init');
						}
						if (round === 3) {
							await trigger.kill();
							log.write(...sized(3, 300));
							await world.activate(trigger, 'init');
						}
					}
					await world.time.pass(200_000);
					expect(log.due.length).toBe(73);
					expect(difference(log.due, trigger.lines)).toEqual(EXACT);
					expect(peakOf(world)).toBeLessThanOrEqual(10);
					const { length } = world.calls;
					await world.time.pass(600_000);
					expect((world.calls.length - length) / 600).toBeLessThanOrEqual(1);
					expect(trigger.lines.length).toBe(73);
				});
			}
});
