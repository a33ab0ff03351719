import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { endWorlds, fateOf, openWorld, WELL } from './service.mts';

endWorlds();

for (const latency of [500, 1_000, 2_000, 2_800, 3_200, 4_000, 6_000, 9_000])
	for (const [name, isHonoured] of [
		['honours', true],
		['ignores', false],
	] as const)
		it(`${latency} ms to the first line, ${name} the offset`, async () => {
			const log = numbered(100);
			const world = await openWorld(async (call) => {
				call.head();
				await call.wait(latency);
				let at = isHonoured ? (call.offset ?? 0) : 0;
				while (!call.response.destroyed) {
					if (at < log.length) {
						call.send(...log.slice(at));
						at = log.length;
					}
					await call.wait(250);
				}
			});
			const trigger = world.trigger();
			await world.activate(trigger);
			for (let cuts = 0; cuts < 3; cuts++) {
				await world.time.pass(60_000);
				log.push(...numbered(5, log.length));
				await world.time.pass(1_000);
				world.cut();
			}
			await world.time.pass(120_000);
			expect(fateOf(log, trigger.lines)).toEqual(WELL);
		});
