import { expect, it } from 'vitest';
import { difference, endWorlds, EXACT, optionsOf, peakOf, UNITS } from '../logs2/service.mts';
import { type Habit, openPages, sized } from './pages.mts';

/** How the trigger keeps up with a quick log of a service that ends each answer after so many entries. */
endWorlds();

const BEHIND_SECONDS = 8;

for (const unit of UNITS)
	for (const end of ['empty', '416', 'lastLine', 'wholeLog', 'poll30'] as const)
		for (const [lines, perSecond] of [
			[7, 3],
			[20, 10],
			[40, 20],
			[100, 50],
		] as const)
			it(`${unit}, ${end} at the end, pages of ${lines}, ${perSecond} lines a second`, async () => {
				const habit: Habit = { unit, end, lines };
				const { world, log } = await openPages(habit);
				log.write(...sized(500));
				const trigger = world.trigger({ options: optionsOf(habit) });
				await world.activate(trigger);
				let next = 10_000;
				let furthest = 0;
				const write = async (seconds: number) => {
					for (let second = 0; second < seconds; second++) {
						log.write(...sized(perSecond, (next += perSecond)));
						await world.time.pass(1_000);
						furthest = Math.max(furthest, log.due.length - trigger.lines.length);
					}
				};
				await write(120);
				furthest = 0;
				await write(40);
				expect(furthest).toBeLessThanOrEqual(BEHIND_SECONDS * perSecond);
				await world.time.pass(120_000);
				expect(difference(log.due, trigger.lines)).toEqual(EXACT);
				expect(peakOf(world)).toBeLessThanOrEqual(10);
			});
