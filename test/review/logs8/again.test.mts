import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, optionsOf, peakOf, UNITS } from '../logs2/service.mts';
import { followInParts, openPages, type End, type Habit } from './pages.mts';

/** A log whose beginning comes once more later on, as of a process that a supervisor starts again in its container. */
endWorlds();

const ENDS: End[] = ['empty', '404', 'lastLine', 'wholeLog', 'firstPage', 'poll5'];

describe('the banner of four lines comes every 20 lines', () => {
	for (const unit of UNITS)
		for (const lines of [1, 2, 3, 4, 7])
			for (const end of ENDS) {
				// Nobody can tell the first page of a log from the same lines further on
				if (unit !== 'eventId' && lines <= 3 && (end === 'wholeLog' || end === 'firstPage'))
					continue;
				if (unit !== 'entries' && (lines === 3 || lines === 7 || end === '404' || end === 'poll5'))
					continue;
				it(`${unit}, pages of ${lines}, ${end}`, async () => {
					const habit = { unit, lines, end };
					const { world, log } = await openPages(habit);
					for (let index = 0; index < 50; index++)
						log.write(index % 20 < 4 ? `banner ${index % 20}` : `line ${index}`);
					const trigger = world.trigger({ options: optionsOf(habit) });
					await world.activate(trigger);
					await world.time.pass(900_000);
					expect(difference(log.due, trigger.lines)).toEqual(EXACT);
					expect(peakOf(world)).toBeLessThanOrEqual(10);
				});
			}
});

describe('a service that ignores the offset, and a log that begins again', () => {
	for (const startFrom of ['beginning', 'lastStop', 'offset'])
		for (const again of [20, 25, 30])
			for (const length of [26, 27, 28, 33]) {
				it(`${startFrom}, again at ${again}, ${length} lines`, async () => {
					const all = numbered(70);
					all.splice(again, 6, ...numbered(6));
					const habit: Habit = { unit: 'entries', end: 'empty', starts: () => 0 };
					const { log, trigger } = await followInParts(habit, all, length, startFrom);
					const due = log.lines.slice(startFrom === 'offset' ? 25 : 0);
					expect(difference(due, trigger.lines)).toEqual(EXACT);
				});
			}
});
