import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { compare, endWorlds, Log, NOTHING, startWorld, unique } from './service.mts';

endWorlds();

/** Truncated lines were told apart by their first 256 characters when these cursors were saved. */
const FORMER_CHARACTERS = 256;
const LIMIT = 1_024;

const digestOf = (line: string, characters: number) =>
	hash('sha256', line.slice(0, characters), 'base64').slice(0, 6);
const longer = (line: string) => line + 'x'.repeat(2 * LIMIT);
const begin = (line: string) => line.slice(0, 20);

const LINES: Record<string, (line: string) => string> = {
	'all lines': longer,
	'some lines': (line) => (/[37] of/.test(line) ? longer(line) : line),
};

for (const [which, lineOf] of Object.entries(LINES))
	for (const offset of ['honoured', 'ignored'] as const)
		it(`a cursor of before, ${which} are truncated, the offset is ${offset}: nothing comes again`, async () => {
			const log = new Log(...unique(60).map(lineOf));
			const world = await startWorld(async (call) => {
				call.open();
				await call.follow(log, offset === 'honoured' ? (call.offset ?? 0) : 0);
			});
			const trigger = world.trigger({ options: { largestLine: LIMIT } });
			await world.activate(trigger);
			await world.clock.pass(10_000);
			await world.deactivate(trigger);
			const saved = log.written
				.filter((line) => line.length > LIMIT)
				.reduce(
					(text, line) =>
						text.replaceAll(digestOf(line, LIMIT - 1), () => digestOf(line, FORMER_CHARACTERS)),
					JSON.stringify(trigger.saved),
				);
			expect(saved).not.toBe(JSON.stringify(trigger.saved));
			trigger.saved = JSON.parse(saved) as typeof trigger.saved;
			log.write(...unique(5, 60).map(lineOf));
			await world.activate(trigger, 'init');
			await world.clock.pass(200_000);
			log.write(...unique(5, 65).map(lineOf));
			world.cut();
			await world.clock.pass(100_000);
			expect(compare(log.written.map(begin), trigger.lines.map(begin))).toEqual(NOTHING);
		});
