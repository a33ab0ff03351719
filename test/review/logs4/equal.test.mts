import { expect, it } from 'vitest';
import { endWorlds, startWorld, type Glitch } from './service.mts';

endWorlds();

const FAR = 1_000_000;
const GLITCHES: Glitch[] = ['ended', 'open', 404, 416];

for (const offset of ['ignored', 'last'] as const)
	for (const ends of [false, true])
		for (const glitch of GLITCHES)
			it(`equal lines, the offset is ${offset}, answers ${ends ? 'end' : 'go on'}, one is ${glitch}`, async () => {
				let left = 1;
				const world = await startWorld({
					offset: offset === 'last' ? 'ignored' : offset,
					keeps: offset === 'last' ? 200 : Infinity,
					ends,
					glitch: (request) => ((request.offset ?? 0) > FAR && left-- > 0 ? glitch : undefined),
				});
				const log = world.log();
				log.write(...Array<string>(100).fill('tick'));
				const trigger = world.trigger();
				await world.activate(trigger);
				for (let round = 0; round < 12; round++) {
					await world.clock.pass(20_000);
					log.write('tick');
					await world.clock.pass(20_000);
					if (!ends) world.cut();
				}
				await world.clock.pass(200_000);
				expect(trigger.lines.length).toBe(log.written.length);
			});

for (const beyond of ['log', 404, 416] as const)
	for (const ends of [false, true])
		it(`equal lines, the offset is honoured, answers ${ends ? 'end' : 'go on'}, beyond the end ${beyond}`, async () => {
			const world = await startWorld({ beyond, ends });
			const log = world.log();
			log.write(...Array<string>(100).fill('tick'));
			const trigger = world.trigger();
			await world.activate(trigger);
			for (let round = 0; round < 12; round++) {
				await world.clock.pass(20_000);
				log.write('tick');
				await world.clock.pass(20_000);
				if (!ends) world.cut();
				log.write('tick');
			}
			await world.clock.pass(200_000);
			expect(trigger.lines.length).toBe(log.written.length);
		});

for (const [offset, ends] of [
	['entries', false],
	['entries', true],
	['ignored', false],
	['ignored', true],
] as const)
	for (const seconds of [3, 5, 9])
		it(`equal lines, a stop ${seconds} s after a loss of the connection, the offset is ${offset}, answers ${ends ? 'end' : 'go on'}`, async () => {
			const world = await startWorld({ offset, ends });
			const log = world.log();
			log.write(...Array<string>(100).fill('tick'));
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.clock.pass(5_000);
			log.write('tick', 'tick');
			world.cut();
			log.write('tick', 'tick');
			await world.clock.pass(seconds * 1_000);
			await world.deactivate(trigger);
			await world.activate(trigger);
			await world.clock.pass(200_000);
			expect(trigger.lines.length).toBe(log.written.length);
		});
