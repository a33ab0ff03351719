import { describe, expect, it } from 'vitest';
import type { OffsetMeaning } from './service.mts';
import { booksOf, compare, endWorlds, EXACT, lines, OUT, world } from './world.mts';

endWorlds();

const MEANINGS: OffsetMeaning[] = ['entries', 'ignored', 'tail', 'oneBased', 'after', 'bytes'];

describe('a container that is replaced while there is no connection, whose start has the same length', () => {
	it.each([31_000, 62_000, 93_000])('after %i ms of silence', async (silenceMs) => {
		const w = await world({ lifeMs: 30_000 });
		w.service.write(OUT, ...lines(99, 0, 'loading in the first life'), 'Ready.');
		await w.start();
		await w.clock.pass(silenceMs);
		w.service.ways.instead = () => ({ status: 502 });
		w.service.cutAll();
		w.service.replace(OUT);
		w.service.write(OUT, ...lines(99, 0, 'loading in the second life'), 'Ready.', 'work');
		await w.clock.pass(5_000);
		w.service.ways.instead = () => undefined;
		await w.clock.pass(60_000);
		// The last line of the old log stands at the same place in the new one, so that what follows it may come before the rest, and again
		const { lost, again } = booksOf(w);
		expect({ lost, again: again.filter((line) => line !== 'work') }).toEqual(EXACT);
	});
});

describe.each(MEANINGS)('a service that takes the offset for %s', (offset) => {
	it('with a log of equal blocks', async () => {
		const w = await world({ offset, tail: 200 });
		const block = lines(40, 0, 'at frame');
		w.service.write(OUT, ...block, ...block, ...block);
		await w.start();
		await w.clock.pass(10_000);
		for (let turn = 0; turn < 4; turn++) {
			w.service.ways.instead = () => ({ status: 503 });
			w.service.cutAll();
			w.service.write(OUT, ...block.slice(0, turn % 2 ? 40 : 13));
			await w.clock.pass(3_000);
			w.service.ways.instead = () => undefined;
			await w.clock.pass(60_000);
			if (turn % 2 === 0) w.service.write(OUT, ...block.slice(13));
			await w.clock.pass(10_000);
		}
		expect(booksOf(w).lost).toEqual([]);
		// The place in a log that repeats itself is certain where the offset is honoured, or where the whole log comes
		if (offset !== 'tail' && offset !== 'bytes') expect(booksOf(w).again).toEqual([]);
	});

	it.each(['half', 'end', 'reset'] as const)(
		'that ends connections by %s, in bare lines',
		async (death) => {
			for (const count of [5, 20, 33, 60]) {
				const w = await world({
					offset,
					death,
					lifeMs: 7_000,
					frame: (line) => `${line}\n`,
					contentType: 'text/plain',
				});
				w.service.write(OUT, ...lines(count));
				await w.start();
				for (let turn = 0; turn < 6; turn++) {
					await w.clock.pass(10_000);
					w.service.write(OUT, `late ${turn}`);
				}
				await w.clock.pass(30_000);
				const { lost, again } = booksOf(w);
				// A half of a line that was delivered comes whole, too
				expect({ count, lost, again: again.length <= 6 ? [] : again }).toEqual({
					count,
					lost: [],
					again: [],
				});
			}
		},
	);

	it('whose lines are in a slightly different order at each read', async () => {
		const w = await world({ offset, lifeMs: 20_000 });
		w.service.ways.view = (log, { index }) => {
			const isSwapped = log.length > 1 && index % 2 === 1;
			return isSwapped ? [...log.slice(0, -2), ...log.slice(-2).reverse()] : log;
		};
		w.service.write(OUT, ...lines(60));
		await w.start();
		for (let turn = 0; turn < 6; turn++) {
			await w.clock.pass(13_000);
			w.service.write(OUT, `late ${turn}`, `later ${turn}`);
		}
		await w.clock.pass(30_000);
		expect(booksOf(w).lost).toEqual([]);
		// Lines that were sorted in between, and not the whole log
		expect(booksOf(w).again.length).toBeLessThan(10);
	});

	it('of which every second answer is of a copy that is behind', async () => {
		const w = await world({ offset, lifeMs: 20_000 });
		w.service.ways.view = (log, { index }) =>
			index % 2 === 0 || log.length === 1 ? log : log.slice(0, Math.max(0, log.length - 7));
		w.service.write(OUT, ...lines(60));
		await w.start();
		for (let turn = 0; turn < 6; turn++) {
			await w.clock.pass(23_000);
			w.service.write(OUT, ...lines(3, turn * 3, 'late'));
		}
		await w.clock.pass(90_000);
		expect(booksOf(w)).toEqual(EXACT);
	});

	it('and puts the time of the answer before each line', async () => {
		const w = await world({ offset, lifeMs: 20_000 });
		w.service.ways.frame = (line) => `data: ${w.clock.elapsed} ${line}\n\n`;
		w.service.write(OUT, ...lines(60));
		await w.start();
		for (let turn = 0; turn < 4; turn++) {
			await w.clock.pass(23_000);
			w.service.write(OUT, ...lines(3, turn * 3, 'late'));
		}
		await w.clock.pass(90_000);
		const { lost } = compare(
			w.service.written.get(OUT) ?? [],
			w.trigger.lines.map((line) => line.replace(/^\d+ /, '')),
		);
		expect(lost).toEqual([]);
	});
});
