import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { WORLDS_SEED } from '../engine/random.mts';
import type { World } from '../sandbox/worlds/world.mts';
import { describeScenarios, playedIn, useStage } from './describeWorlds.mts';
import { WORLDS_SHARE } from './loadWorlds.mts';
import type { Kind, Scenario } from './stage.mts';

/** Worlds of one mix, at most. */
const MOST_WORLDS = 3;

/** Lists of a world of which a mix has only what all of its worlds have. The others are added up. */
const COMMON = new Set(['mustSucceed', 'scenarios']);

/** Changes of an answer that can be made one after the other; of other functions a mix can have only one. */
const CHANGES = new Set(['reshape', 'chunk', 'vectors']);

/** Two worlds contradict each other. */
class Contradiction extends Error {}

type Change = (value: unknown) => void;

const isFields = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Both behaviours in one. */
function both(a: unknown, b: unknown, key: string): unknown {
	if (a === undefined || b === undefined) return a ?? b;
	if (Array.isArray(a) && Array.isArray(b))
		return COMMON.has(key) ? a.filter((one) => b.includes(one)) : [...a, ...b];
	if (isFields(a) && isFields(b)) return bothOf(a, b);
	if (a instanceof RegExp && b instanceof RegExp) return new RegExp(`${a.source}|${b.source}`);
	if (CHANGES.has(key))
		return (value: unknown) => [a, b].forEach((change) => (change as Change)(value));
	if (key === 'name') return `${String(a)} + ${String(b)}`;
	if (a !== b) throw new Contradiction();
	return a;
}

function bothOf(a: object, b: object): object {
	const [ofA, ofB] = [a, b].map((one) => new Map<string, unknown>(Object.entries(one)));
	const keys = new Set([...(ofA?.keys() ?? []), ...(ofB?.keys() ?? [])]);
	return Object.fromEntries([...keys].map((key) => [key, both(ofA?.get(key), ofB?.get(key), key)]));
}

/**
 * One world that behaves like all of these at once. What must succeed in each of them must succeed in it, and a law that cannot
 * hold in one of them cannot hold in it.
 * @returns undefined where two of them contradict each other
 */
export function mixOf<W extends World>(worlds: readonly W[]): W | undefined {
	try {
		return worlds.reduce<object>(bothOf, {}) as W;
	} catch (error) {
		if (error instanceof Contradiction) return undefined;
		throw error;
	}
}

/**
 * Tests every law in random mixes of two or three of these worlds, each in one scenario. The same `WORLDS_SEED` makes the same
 * mixes.
 * @param adjust what a mix asks for beyond its worlds; undefined where it makes no sense
 */
export function describeMixes<W extends World, S extends Scenario, R>(
	kind: Kind<W, S, R>,
	worlds: readonly W[],
	scenarios: readonly S[],
	count: number,
	adjust: (mix: W) => W | undefined = (mix) => mix,
): void {
	const mixes = fc
		.tuple(
			fc.uniqueArray(fc.constantFrom(...worlds), { minLength: 2, maxLength: MOST_WORLDS }),
			fc.nat(),
		)
		.map(([parts, index]) => {
			const mix = mixOf(parts);
			const world = mix && adjust(mix);
			const played = world ? playedIn(world, scenarios) : [];
			return { size: parts.length, world, scenario: played[index % played.length] };
		})
		.filter(({ scenario }) => scenario !== undefined);
	const seed = createHash('sha256').update(WORLDS_SEED).digest().readInt32BE(0);
	const stage = useStage();
	const { part, parts } = WORLDS_SHARE;
	for (const [index, { size, world, scenario }] of fc
		.sample(mixes, { seed, numRuns: count })
		.entries())
		if (world && scenario && index % parts === part - 1)
			describeScenarios(kind, stage, world, [scenario], `mixes of ${size} worlds`);
}
