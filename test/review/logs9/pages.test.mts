import { describe, expect, it } from 'vitest';
import { endWorlds, optionsOf } from '../logs2/service.mts';
import { sized } from '../logs8/pages.mts';
import { fate, open, WELL, type Ways } from './service.mts';

/** Short pages: of a service that counts from one, of lines that are equal, and from an offset on. */
endWorlds();

describe('a service that counts from one', () => {
	for (const lines of [3, 5, 12, 20, 35, 36, 37, 60])
		it(`pages of ${lines}`, async () => {
			const { world, log } = await open({ start: 'one', page: () => lines });
			log.write(...sized(200, 0));
			const trigger = world.trigger();
			await world.activate(trigger);
			for (let turn = 1; turn < 8; turn++) {
				await world.time.pass(5_000 * turn);
				log.write(...sized(50, 1_000 * turn));
			}
			await world.time.pass(400_000);
			expect(fate(log.due, trigger)).toEqual(WELL);
		});
});

describe('equal lines that fill a page', () => {
	for (const lines of [2, 3, 4, 5, 6, 7])
		for (const equal of [lines - 1, lines, lines + 1])
			for (const [others, times] of [
				[40, 1],
				[16, 3],
				[3, 40],
			] as const)
				it(`pages of ${lines}, ${equal} after each ${others}, ${times} times`, async () => {
					const { world, log } = await open({ page: () => lines });
					for (let turn = 0; turn < times; turn++) {
						log.write(...sized(others, turn * 100));
						log.write(...Array.from({ length: equal }, () => 'wait'));
					}
					const trigger = world.trigger();
					await world.activate(trigger);
					await world.time.pass(900_000);
					expect(fate(log.due, trigger)).toEqual(WELL);
				});
});

describe('from an offset on', () => {
	const text = `${sized(25, 0).join('\n')}\n`;
	const offsets = { entries: '25', bytes: String(text.length), eventId: '25' };
	for (const [unit, offset] of Object.entries(offsets))
		for (const lines of [7, 20, 40])
			it(`${unit}, pages of ${lines}`, async () => {
				const ways: Ways = { page: () => lines, unit: unit as keyof typeof offsets };
				const { world, log } = await open(ways);
				log.write(...sized(60, 0));
				const trigger = world.trigger({
					startFrom: 'offset',
					offset,
					options: optionsOf(ways),
				});
				await world.activate(trigger);
				await world.time.pass(300_000);
				log.write(...sized(30, 1_000));
				await world.time.pass(300_000);
				expect(fate(log.due.slice(25), trigger)).toEqual(WELL);
			});
});
