import { expect, it, vi } from 'vitest';
import { endWorlds, randomOf, startWorld } from './service.mts';

endWorlds();

const PARTS = [
	['INFO started {n}'],
	['DEBUG step {n}'],
	[
		'ERROR failed {n}',
		'Traceback (most recent call last):',
		'  File "a.py", line {n}',
		'ValueError: {n}',
	],
	['WARN slow {n}', '  detail {n}', '', '  more {n}'],
	['panic: {n}', '', 'goroutine {n} [running]:', 'main.main()', '\t/a.go:{n}'],
	['plain {n}', '\tindented {n}'],
	['{"level":"error","n":{n}}'],
];
const first = Number(process.env.SEED ?? 0);

/** What a trigger with these options puts out of a log that comes at once, or in parts over many connections. */
for (let seed = first; seed < first + Number(process.env.SEEDS ?? 12); seed++)
	it(`cut ${seed}: the same items as on one connection`, async () => {
		const { int, of } = randomOf(seed);
		const jitter = randomOf(seed + 1_000_000);
		vi.spyOn(Math, 'random').mockImplementation(() => jitter.int(1_000) / 1_000);
		let n = 0;
		const lines = Array.from({ length: 30 }, () => {
			n++;
			return of(PARTS).map((line) => line.replaceAll('{n}', String(n)));
		}).flat();
		const stopsAt = int(4) === 0 ? 10 + int(20) : 0;
		const options = {
			joinLines: int(3) > 0,
			contextLines: of([0, 0, 1, 3]),
			...(int(3) === 0 && { include: 'failed|slow|panic' }),
			...(int(4) === 0 && { level: 'warn' }),
			...(int(5) === 0 && { exclude: 'detail' }),
			...(int(4) === 0 && { firstLine: '^[A-Z]+ |^panic|^plain|^\\{' }),
			...(stopsAt > 0 && { stopOn: `\\b${stopsAt}\\b` }),
		};
		const parameters = { batch: { maxEntries: of([2, 100]), maxWaitMs: 3_600_000 }, options };
		const world = await startWorld({
			offset: of(['entries', 'ignored', 'one'] as const),
			ends: int(3) === 0,
			cutAfter: int(2) === 0 ? 1 + int(5) : Infinity,
			lineMs: of([0, 50]),
		});
		const log = world.log();
		const isStopping = int(3) === 0;
		const cut = world.trigger(parameters);
		log.write(...lines.slice(0, 1));
		await world.activate(cut);
		await world.clock.pass(1_000);
		for (let at = 1; at < lines.length;) {
			const count = 1 + int(7);
			log.write(...lines.slice(at, at + count));
			at += count;
			await world.clock.pass(int(6_000));
			if (int(4) === 0) world.cut();
			if (isStopping && int(6) === 0) {
				await world.deactivate(cut);
				await world.clock.pass(int(4_000));
				await world.activate(cut, 'init');
			}
		}
		await world.clock.pass(60_000);
		log.write('INFO last');
		await world.clock.pass(60_000);
		// All that waits comes after Max Wait
		await world.clock.pass(3_700_000);
		world.rules.ends = false;
		world.rules.cutAfter = Infinity;
		const whole = world.trigger({ ...parameters, startFrom: 'beginning' });
		await world.activate(whole);
		await world.clock.pass(3_700_000);
		const shown = ({ items }: typeof cut) =>
			items.map(({ line, matched, level }) => ({ line, matched, level }));
		const name = JSON.stringify({ options, rules: world.rules, isStopping });
		expect(shown(cut), name).toEqual(shown(whole));
	}, 120_000);
