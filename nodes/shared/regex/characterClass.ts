/** Inclusive ranges of characters: UTF-16 code units, or code points in Unicode mode. */
export type CharacterClass = ReadonlyArray<readonly [first: number, last: number]>;

export const LAST_CODE_UNIT = 0xffff;
export const LAST_CODE_POINT = 0x10ffff;

/** `\d`, `\w`, `\s` and the characters that `.` leaves out, as ECMA-262 defines them. */
export const DIGIT: CharacterClass = [[48, 57]];
export const WORD: CharacterClass = [
	[48, 57],
	[65, 90],
	[95, 95],
	[97, 122],
];
export const LINE_TERMINATOR: CharacterClass = [
	[10, 10],
	[13, 13],
	[0x2028, 0x2029],
];
export const SPACE: CharacterClass = [
	[9, 13],
	[32, 32],
	[160, 160],
	[0x1680, 0x1680],
	[0x2000, 0x200a],
	[0x2028, 0x2029],
	[0x202f, 0x202f],
	[0x205f, 0x205f],
	[0x3000, 0x3000],
	[0xfeff, 0xfeff],
];

/** The class of one character. */
export const single = (code: number): CharacterClass => [[code, code]];

export const isSingle = (set: CharacterClass): boolean =>
	set.length === 1 && set[0]![0] === set[0]![1];

export function contains(set: CharacterClass, code: number): boolean {
	return set.some(([first, last]) => first <= code && code <= last);
}

/** All characters up to `last` that are not in the class, in order and in as few ranges as possible. */
export function negated(set: CharacterClass, last: number): CharacterClass {
	const result: Array<readonly [number, number]> = [];
	let from = 0;
	for (const [first, end] of [...set].sort((a, b) => a[0] - b[0])) {
		if (first > from) result.push([from, first - 1]);
		from = Math.max(from, end + 1);
	}
	if (from <= last) result.push([from, last]);
	return result;
}

/** The class with the flag i: with every code unit that is equal to one of its own. */
export function ignoringCase(set: CharacterClass): CharacterClass {
	const others = caseVariants()
		.filter((variants) => variants.some((unit) => contains(set, unit)))
		.flat()
		.filter((unit) => !contains(set, unit));
	return [...set, ...others.flatMap(single)];
}

let knownVariants: number[][] | undefined;

/**
 * Sets of code units that are equal with the flag i. ECMA-262 ("Canonicalize", without the flag u) compares upper cases,
 * but only those of one code unit, and no ASCII letter is equal to another character: `k` is not the Kelvin sign.
 */
function caseVariants(): number[][] {
	if (knownVariants) return knownVariants;
	const byUpperCase = new Map<number, number[]>();
	for (let unit = 0; unit <= LAST_CODE_UNIT; unit++) {
		const text = String.fromCharCode(unit).toUpperCase();
		const upper = text.charCodeAt(0);
		const canonical = text.length === 1 && (unit < 128 || upper >= 128) ? upper : unit;
		const variants = byUpperCase.get(canonical);
		if (variants) variants.push(unit);
		else byUpperCase.set(canonical, [unit]);
	}
	knownVariants = [...byUpperCase.values()].filter((variants) => variants.length > 1);
	return knownVariants;
}
