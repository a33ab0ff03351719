import { expect, it, vi } from 'vitest';
import { endWorlds, randomOf, startWorld, type Glitch } from './service.mts';

endWorlds();

const first = Number(process.env.SEED ?? 0);

for (let seed = first; seed < first + Number(process.env.SEEDS ?? 15); seed++)
	it(`units ${seed}: two logs, cut, ended, stopped and killed, each line once`, async () => {
		const { int, of } = randomOf(seed);
		const jitter = randomOf(seed + 1_000_000);
		vi.spyOn(Math, 'random').mockImplementation(() => jitter.int(1_000) / 1_000);
		const unit = of(['bytes', 'none', 'entries', 'eventId'] as const);
		const end = of(['\n', '\r\n']);
		const isBare = unit !== 'eventId' && int(4) === 0;
		let isTrouble = false;
		const glitches = of([0, 5]);
		const world = await startWorld({
			offset: of(
				unit === 'bytes'
					? (['bytes', 'ignored'] as const)
					: unit === 'entries'
						? (['entries', 'last'] as const)
						: (['ignored'] as const),
			),
			beyond: of(['log', 'ended', 404, 416] as const),
			keeps: of([Infinity, 80]),
			ends: int(3) === 0,
			cutAfter: int(3) === 0 ? 1 + int(6) : Infinity,
			lineMs: of([0, 0, 200]),
			greeting: isBare ? '' : of(['', `: hi${end}${end}`, `event: ping${end}data: {}${end}${end}`]),
			frame: (line, id) =>
				isBare
					? `${line}\n`
					: `${unit === 'eventId' ? `id: ${id}${end}` : ''}data: ${line}${end}${end}`,
			glitch: () =>
				isTrouble && glitches > 0 && int(glitches) === 0
					? of<Glitch>(['ended', 404, 502, 'reset'])
					: undefined,
		});
		const { rules, clock } = world;
		const logs = [world.log('stdout'), world.log('stderr')];
		let n = 0;
		const lines = (count: number) =>
			Array.from(
				{ length: count },
				() => `n${n++} ${of(['a', 'é🙂', 'x'.repeat(300), '{"a":1}'])}`,
			);
		for (const log of logs) log.write(...lines(1 + int(60)));
		const delayMs = of([0, 50, 4_000]);
		const came: string[] = [];
		const delivery = of(['completed', 'succeeded']);
		const maxRunsInFlight = of([1, 2]);
		const trigger = world.trigger(
			{
				streams: ['stdout', 'stderr'],
				batch: { maxEntries: of([5, 100]), maxWaitMs: of([20, 3_000, 60_000]), maxBytes: 2_048 },
				options: { offsetUnit: unit, maxRunsInFlight, delivery },
			},
			async (items) => {
				if (isTrouble && delivery === 'succeeded' && trigger.executions.length % 7 === 0)
					throw new Error('no');
				await clock.wait(delayMs);
				came.push(...items.map(({ line }) => String(line)));
			},
		);
		await world.activate(trigger);
		isTrouble = true;
		let kills = 0;
		for (let round = 0; round < 12; round++) {
			await clock.pass(int(20_000));
			for (const log of logs) log.write(...lines(int(5)));
			const event = int(10);
			if (event < 2) world.cut();
			if (event === 2) world.end();
			if (event === 3 || event === 4) {
				if (event === 4) kills++;
				await (event === 3 ? world.deactivate(trigger) : world.kill(trigger));
				await clock.pass(int(10_000));
				for (const log of logs) log.write(...lines(int(3)));
				await world.activate(trigger, 'init');
			}
			if (event === 5) {
				isTrouble = false;
				await clock.pass(900_000);
				for (const log of logs) log.restart(...lines(1 + int(20)));
				world.cut();
				await clock.pass(400_000);
				isTrouble = true;
			}
		}
		isTrouble = false;
		await clock.pass(900_000);
		for (const log of logs) log.write(...lines(2));
		await clock.pass(900_000);
		const name = JSON.stringify({ ...rules, unit, isBare, glitches, kills, delayMs, end });
		const written = logs.flatMap(({ written: all }) => all);
		const delivered = new Set(trigger.lines);
		expect(
			{
				lost: written.filter((line) => !delivered.has(line)),
				foreign: trigger.lines.filter((line) => !written.includes(line)),
			},
			name,
		).toEqual({ lost: [], foreign: [] });
		if (kills === 0) expect(came.length, name).toBe(new Set(came).size);
		for (const log of logs) {
			const own = came.filter((line) => log.written.includes(line));
			if (kills === 0 && maxRunsInFlight === 1) expect(own, name).toEqual(log.written);
		}
	}, 120_000);
