import { expect, it } from 'vitest';
import { difference, endWorlds, openWorld } from '../logs2/service.mts';
import { randomOf, seedsOf, type Random } from './seeds.mts';

/** Logs whose lines repeat each other, at services of which nothing is known: blank lines, brackets, few words, equal blocks. */
endWorlds();

/** A line of a log by its index. */
const FORMS: Record<string, (index: number, random: Random) => string> = {
	'some blank': (index, { int }) => (int(4) === 0 ? '' : `n${index}`),
	'half blank': (index) => (index % 2 ? '' : `n${index}`),
	'few words': (_, { of }) => of(['a', 'b', 'c', '', 'd']),
	'short blocks': (index) => `at ${index % 7}`,
	'long blocks': (index) => `at ${index % 23}`,
	JSON: (index) => ['{', `  "n": ${index}`, '}', ''][index % 4] ?? '',
};

const HABITS: Record<string, (offset: number) => number> = {
	honoured: (offset) => offset,
	ignored: () => 0,
	'one-based': (offset) => Math.max(0, offset - 1),
};

for (const seed of seedsOf(40))
	it(`world ${seed}`, async () => {
		const random = randomOf(seed);
		const { int, of } = random;
		const [form, lineOf] = of(Object.entries(FORMS));
		const [habit, startOf] = of(Object.entries(HABITS));
		const over = of(['ended', 'lost', 'mixed', 'open'] as const);
		const short = of([Infinity, Infinity, 100, 40]);
		// One that ignores the offset would never show what is behind a page
		const page = habit === 'ignored' ? Infinity : short;
		const delayMs = of([0, 0, 0, 200, 1_200]);
		const log: string[] = [];
		const grow = (count: number) => {
			for (; count > 0; count--) log.push(lineOf(log.length, random));
		};
		grow(1 + int(of([5, 60, 300])));
		const world = await openWorld(async (call) => {
			call.head();
			if (delayMs > 0) await call.wait(delayMs);
			let at = Math.min(startOf(call.offset ?? 0), log.length);
			const end = at + page;
			for (let left = int(4); !call.response.destroyed; await call.wait(250)) {
				const next = Math.min(end, log.length);
				if (next > at) call.send(...log.slice(at, next));
				at = next;
				if (at < end && (over === 'open' || left-- > 0)) continue;
				const isLost = over === 'lost' || (over === 'mixed' && int(2) === 0);
				if (!isLost) return void call.response.end();
				await call.wait(50);
				return void call.response.destroy();
			}
		});
		const trigger = world.trigger({ streams: ['stdout'] });
		await world.activate(trigger);
		for (let turn = 0; turn < 8; turn++) {
			await world.time.pass(int(20_000));
			if (int(2) === 0) world.cut();
			grow(int(of([3, 12])));
		}
		await world.time.pass(400_000);
		const { lost, repeated } = difference(log, trigger.lines);
		const name = JSON.stringify({ form, habit, over, page, delayMs, lines: log.length });
		expect(lost, name).toBe(0);
		// Few words stand at several places, and those of a slow service may be new until others come behind them
		const isSure = form !== 'few words' && delayMs < 300;
		expect(repeated, name).toBeLessThanOrEqual(isSure ? 0 : 10 * log.length);
	});
