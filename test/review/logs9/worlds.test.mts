import { describe, expect, it } from 'vitest';
import { pick, random } from '../../engine/random.mts';
import { endWorlds, peakOf, UNITS } from '../logs2/service.mts';
import { BEHINDS, play, type Kind } from './play.mts';
import { fate, WELL, type Ways } from './service.mts';

/** Logs that are quick, steady and silent by turns, at services that end each answer, with stops and kills in the middle of a catch-up. */
endWorlds();

const SEEDS = Number(process.env.SEEDS ?? 6);
const FIRST = Number(process.env.FIRST ?? 1);

const SERVICES: Record<string, (roll: (below: number) => number) => { ways: Ways; most?: number }> =
	{
		'pages of so many lines': (roll) => {
			const lines = pick(roll, [7, 12, 20, 37, 40, 60, 100, 200]);
			return { ways: { unit: pick(roll, UNITS), behind: pick(roll, BEHINDS), page: () => lines } };
		},
		'all there is': (roll) => ({ ways: { unit: pick(roll, UNITS), behind: pick(roll, BEHINDS) } }),
		'the whole log each time': () => ({ ways: { start: 'whole' } }),
		'the last lines alone': (roll) => {
			const tail = pick(roll, [100, 200]);
			return { ways: { start: { tail } }, most: Math.floor(tail / 12) };
		},
	};

for (const [name, service] of Object.entries(SERVICES))
	describe(name, () => {
		for (const events of ['none', 'stop'])
			for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
				it(`${events}, seed ${seed}`, async () => {
					const roll = random(seed * 7_919);
					const { ways, most } = service(roll);
					const kind: Kind = seed % 2 ? 'distinct' : 'heartbeat';
					const what = events === 'none' ? ['none'] : ['none', 'stop', 'kill'];
					const { world, log, trigger, story } = await play(ways, kind, roll, what, most);
					const result = fate(log.due, trigger);
					if (events === 'none') expect(result, story.join('; ')).toEqual(WELL);
					expect(result.lost + result.behind, story.join('; ')).toBe(0);
					expect(peakOf(world)).toBeLessThanOrEqual(10);
				});
	});
