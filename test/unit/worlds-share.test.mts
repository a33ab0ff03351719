import { expect, it } from 'vitest';
import { shareOf } from '../worlds/describeWorlds.mts';

const SHARE = 3;
const WORLDS = 30;
const scenarios = Array.from({ length: 20 }, (_, index) => ({ name: `scenario ${index}` }));

/** Of each world the scenarios that a change plays. */
const played = Array.from({ length: WORLDS }, (_, world) => shareOf(scenarios, world, SHARE));

it('a share of the scenarios is played in each world, and all in the documented one', () => {
	const [documented = [], ...others] = played;
	expect(documented).toEqual(scenarios);
	for (const { length } of others) {
		expect(length).toBeGreaterThanOrEqual(Math.floor(scenarios.length / SHARE));
		expect(length).toBeLessThanOrEqual(Math.ceil(scenarios.length / SHARE));
	}
});

it('each scenario is played in a share of the worlds', () => {
	for (const scenario of scenarios) {
		const worlds = played.slice(1).filter((some) => some.includes(scenario));
		expect(worlds.length).toBeGreaterThanOrEqual(Math.floor(WORLDS / SHARE) - 1);
	}
});

it('a world with few scenarios is played whole, and each world where no share is wanted', () => {
	const few = scenarios.slice(0, SHARE - 1);
	expect(shareOf(few, 5, SHARE)).toEqual(few);
	expect(shareOf(scenarios, 5, 1)).toEqual(scenarios);
});
