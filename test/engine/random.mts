import { createHash } from 'node:crypto';

/** Whole numbers that are the same for the same seed. */
export function random(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** One of a list, by such numbers. */
export function pick<T>(below: (below: number) => number, all: readonly T[]): T {
	const one = all[below(all.length)];
	if (one === undefined) throw new Error('Nothing to pick');
	return one;
}

/** Seed of the worlds: what is random in a scenario, such as the jitter of pauses, is the same again with the same seed. */
export const WORLDS_SEED = process.env.WORLDS_SEED ?? '1';

/** `Math.random` from a seed, until it is restored. The package takes its jitter from there. */
export function useRandom(seed: string): { restore(): void } {
	const real = Math.random;
	const below = random(createHash('sha256').update(seed).digest().readUInt32BE(0));
	Math.random = () => below(2 ** 32) / 2 ** 32;
	return {
		restore: () => {
			Math.random = real;
		},
	};
}
