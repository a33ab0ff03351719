/** The seeds of the worlds to play: `SEEDS` of them from `SEED` on. */
export function seedsOf(usual: number): number[] {
	const first = Number(process.env.SEED ?? 0);
	return Array.from({ length: Number(process.env.SEEDS ?? usual) }, (_, index) => first + index);
}

export type Random = ReturnType<typeof randomOf>;

/** Random numbers from a seed. */
export function randomOf(seed: number) {
	let state = seed * 7919 + 17;
	const int = (below: number) => (
		(state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0),
		(state >>> 8) % below
	);
	return { int, of: <T,>(list: readonly T[]) => list[int(list.length)] as T };
}
