import { expect, it } from 'vitest';
import { shareOf } from '../worlds/describeWorlds.mts';

const SHARE = { part: 2, parts: 3 };
const WORLDS = 30;
const scenarios = Array.from({ length: 20 }, (_, index) => ({ name: `scenario ${index}` }));

/** Of each world the scenarios that a change plays. */
const played = Array.from({ length: WORLDS }, (_, world) =>
	shareOf({ name: '' }, world, scenarios, SHARE),
);

it('a share of the scenarios is played in each world, and all in the documented one', () => {
	const [documented = [], ...others] = played;
	expect(documented).toEqual(scenarios);
	for (const { length } of others) {
		expect(length).toBeGreaterThanOrEqual(Math.floor(scenarios.length / SHARE.parts));
		expect(length).toBeLessThanOrEqual(Math.ceil(scenarios.length / SHARE.parts));
	}
});

it('each scenario is played in a share of the worlds', () => {
	for (const scenario of scenarios) {
		const worlds = played.slice(1).filter((some) => some.includes(scenario));
		expect(worlds.length).toBeGreaterThanOrEqual(Math.floor(WORLDS / SHARE.parts) - 1);
	}
});

it('all parts together are all', () => {
	const parts = [1, 2, 3].map((part) =>
		shareOf({ name: '' }, 5, scenarios.slice(0, 2), { part, parts: 3 }),
	);
	expect(parts.flat()).toHaveLength(2);
	expect(new Set(parts.flat())).toEqual(new Set(scenarios.slice(0, 2)));
});

it('a world that few scenarios touch is played whole, and each world where no share is wanted', () => {
	const few = scenarios.slice(0, 2);
	const world = { name: '', scenarios: few.map(({ name }) => name) };
	expect(shareOf(world, 5, scenarios, SHARE)).toEqual(few);
	expect(shareOf({ name: '' }, 5, scenarios, { part: 1, parts: 1 })).toEqual(scenarios);
});
