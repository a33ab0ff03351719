import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, optionsOf, UNITS } from '../logs2/service.mts';
import { followInParts, openPages, type End, type Habit } from './pages.mts';

/** Lines that come again, in answers of some lines. */
endWorlds();

const LOGS: Record<string, (index: number) => string> = {
	equal: () => 'tick',
	'cycle of 2': (index) => `cycle ${index % 2}`,
	'cycle of 5': (index) => `cycle ${index % 5}`,
	'cycle of 40': (index) => `cycle ${index % 40}`,
	blank: (index) => (index % 3 ? '' : `line ${index}`),
	'mostly blank': (index) => (index % 41 ? '' : `line ${index}`),
	'first again': (index) => (index % 9 ? `line ${index}` : 'Starting'),
	'banner again': (index) => (index % 20 < 4 ? `banner ${index % 20}` : `line ${index}`),
};
const ENDS: End[] = ['empty', '416', 'lastLine', 'wholeLog', 'poll5'];

/** Logs that repeat themselves and are written between two requests: the whole log may come again. */
const COMES_AGAIN = new Set([
	'cycle of 2, bytes, 40',
	'cycle of 5, bytes, 40',
	'blank, entries, 2',
	'blank, bytes, 7',
]);

describe('lines that come again', () => {
	for (const [name, lineAt] of Object.entries(LOGS))
		for (const [place, lines] of [2, 7, 40].entries())
			for (const [turn, end] of ENDS.entries())
				for (const [third, unit] of UNITS.entries()) {
					if ((place + turn + third) % 3) continue;
					// Nobody can tell the last line or the whole log of a log that repeats itself from new lines
					if (
						(end === 'lastLine' || end === 'wholeLog') &&
						unit !== 'eventId' &&
						!name.includes('again')
					)
						continue;
					if (COMES_AGAIN.has(`${name}, ${unit}, ${lines}`) || (lines === 2 && end === 'wholeLog'))
						continue;
					it(`${name}, ${unit}, pages of ${lines}, ${end}`, async () => {
						const habit = { unit, lines, end };
						const { world, log } = await openPages(habit);
						const grow = (count: number) => {
							for (; count > 0; count--) log.write(lineAt(log.lines.length));
						};
						grow(50);
						const trigger = world.trigger({ options: optionsOf(habit) });
						await world.activate(trigger);
						await world.time.pass(300_000);
						for (const count of [1, 3, 9]) {
							const { length } = world.calls;
							log.after = ({ index }) => {
								if (index === length) grow(count);
							};
							await world.time.pass(200_000);
							if (count !== 3) continue;
							await world.deactivate(trigger);
							await world.activate(trigger, 'init');
						}
						await world.time.pass(200_000);
						expect(log.due.length).toBe(63);
						expect(difference(log.due, trigger.lines)).toEqual(EXACT);
					});
				}
});

const HABITS: Record<string, (offset: number, length: number) => number> = {
	honoured: (offset) => offset,
	ignored: () => 0,
	'from one': (offset) => Math.max(0, offset - 1),
	'last 30': (offset, length) => Math.max(offset, length - 30),
};

describe('Start From = Offset, where the log begins again at or near it', () => {
	for (const [name, starts] of Object.entries(HABITS))
		for (const lines of [7, Infinity])
			for (const again of [0, 24, 25, 26])
				for (const length of [25, 26, 27, 60]) {
					if ((name === 'ignored' || name === 'last 30') && lines !== Infinity) continue;
					it(`${name}, pages of ${lines}, again at ${again}, ${length} lines`, async () => {
						const all = numbered(70);
						if (again) all.splice(again, 6, ...numbered(6));
						const habit: Habit = { unit: 'entries', lines, end: 'empty', starts };
						const { log, trigger } = await followInParts(habit, all, length, 'offset');
						// The first answer of a service that keeps its last 30 lines has no older ones
						const kept = name === 'last 30' ? Math.max(25, length - 30) : 25;
						const due = log.lines.slice(kept);
						const { lost, repeated } = difference(due, trigger.lines);
						expect(lost).toBe(0);
						// A service that counts from one sends one more, and one that sends its last lines may send older ones
						expect(repeated).toBeLessThanOrEqual(
							name === 'from one' ? 1 : name === 'last 30' ? 30 : 0,
						);
					});
				}
});
