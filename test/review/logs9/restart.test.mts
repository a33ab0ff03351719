import { expect, it } from 'vitest';
import { endWorlds, optionsOf } from '../logs2/service.mts';
import { BEHINDS } from './play.mts';
import { sized } from '../logs8/pages.mts';
import { fate, open, WELL, type Ways } from './service.mts';

/** A new log begins while pages of the old one are read, of which the last known line stands in the new one as well. */
endWorlds();

const mixed = (count: number, from: number): string[] =>
	sized(count, from).map((line, index) => (index % 10 === 9 ? 'heartbeat' : line));

for (const unit of ['entries', 'bytes'] as const)
	for (const lines of [20, 100])
		for (const behind of BEHINDS)
			it(`${unit}, pages of ${lines}, ${JSON.stringify(behind)} at the end`, async () => {
				const ways: Ways = { unit, behind, page: () => lines };
				const { world, log } = await open(ways);
				log.write(...mixed(1_000, 0));
				const trigger = world.trigger({ options: optionsOf(ways) });
				log.before = ({ index }) => {
					if (index === 6) log.restart(...mixed(40, 5_000));
				};
				await world.activate(trigger);
				await world.time.pass(120_000);
				log.write(...mixed(30, 6_000));
				await world.time.pass(120_000);
				expect(fate(log.due, trigger)).toEqual(WELL);
			});
