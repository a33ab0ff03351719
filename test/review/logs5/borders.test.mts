import { expect, it } from 'vitest';
import { compare, endWorlds, Log, NOTHING, startWorld, unique } from './service.mts';

endWorlds();

/** A log whose last line is the same as one at its beginning: a rule, a blank line, the time of the day. */
function bordered(count: number, at: number): string[] {
	const lines = unique(count);
	lines[at] = '=====';
	lines[count - 1] = '=====';
	return lines;
}

for (const habit of ['ignored', 'honoured', 'one'] as const)
	for (const over of ['ended', 'lost'] as const)
		for (const count of [33, 36, 37, 38, 39, 40, 41, 44, 60])
			for (const at of [0, 1, 3])
				it(`the offset is ${habit}, answers are ${over}, ${count} lines, the last one is line ${at} again`, async () => {
					const log = new Log(...bordered(count, at));
					const world = await startWorld(async (call) => {
						call.open();
						const given = call.offset ?? 0;
						const from = { ignored: 0, honoured: given, one: Math.max(0, given - 1) }[habit];
						call.send(...log.lines.slice(from));
						await call.wait(200);
						if (over === 'ended') call.response.end();
						else call.response.destroy();
					});
					const trigger = world.trigger();
					await world.activate(trigger);
					await world.clock.pass(600_000);
					const { lost, repeated, foreign } = compare(log.written, trigger.lines);
					const requests = world.calls
						.slice(-9)
						.map(({ offset }) => offset)
						.join(' ');
					expect({ lost, repeated, foreign }, requests).toEqual(NOTHING);
				});
