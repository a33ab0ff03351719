import { expect, it } from 'vitest';
import { compare, endWorlds, Log, startWorld, unique } from './service.mts';

endWorlds();

const BOOT = Array.from({ length: 40 }, (_, n) => `step ${n} of the start`);

for (const habit of ['honoured', 'ignored'] as const)
	for (const ends of [false, true])
		for (const own of habit === 'ignored' ? [1, 4, 12] : [12])
			it(`a server that starts with the same 40 lines, after a crash with ${own} of its own before them, the offset is ${habit}, answers ${ends ? 'end' : 'go on'}`, async () => {
				const log = new Log(...BOOT);
				const world = await startWorld(async (call) => {
					call.open();
					const from = habit === 'honoured' ? (call.offset ?? 0) : 0;
					if (!ends) return await call.follow(log, from);
					call.send(...log.lines.slice(from));
					call.response.end();
				});
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.clock.pass(60_000);
				log.restart(...unique(own, 0, 'after a crash'), ...BOOT);
				world.cut();
				await world.clock.pass(300_000);
				log.write('request 1');
				await world.clock.pass(100_000);
				const isOwn = (line: string) => !line.startsWith('step');
				const { lost } = compare(log.written.filter(isOwn), trigger.lines.filter(isOwn));
				const requests = world.calls
					.map(({ offset }) => offset)
					.slice(0, 9)
					.join(' ');
				expect(lost, requests).toEqual([]);
			});
