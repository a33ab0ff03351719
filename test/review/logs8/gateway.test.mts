import { describe, expect, it } from 'vitest';
import { difference, endWorlds, EXACT } from '../logs2/service.mts';
import { openPages, sized, type End } from './pages.mts';

/** A gateway that answers an empty 200 for some seconds, while nothing else happens. */
endWorlds();

const ENDS: End[] = ['empty', '416', 'poll5'];

for (const ms of [3_000, 20_000, 60_000])
	describe(`an empty 200 for ${ms} ms`, () => {
		for (const lines of [3, 7, 40, Infinity])
			for (const end of ENDS)
				it(`${end} at the end, pages of ${lines}`, async () => {
					const { world, log } = await openPages({ unit: 'entries', end, lines });
					log.write(...sized(48));
					const trigger = world.trigger();
					await world.activate(trigger);
					await world.time.pass(300_000);
					expect(difference(log.due, trigger.lines)).toEqual(EXACT);
					const next = world.calls.length;
					let until = 0;
					log.before = ({ index, at, response }) => {
						if (index === next) until = at + ms;
						if (at > until) return false;
						response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
						return true;
					};
					await world.time.pass(600_000);
					log.write(...sized(5, 1_000));
					await world.time.pass(300_000);
					expect(difference(log.due, trigger.lines)).toEqual(EXACT);
				});
	});
