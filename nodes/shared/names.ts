/** Shortest length at which services cut names. */
const SHORTEST_CUT = 20;

/** The length at which a service may cut names: that of the longest one that it shows, unless that is short. */
export function cutLength(shown: string[]): number {
	return Math.max(SHORTEST_CUT, ...shown.map((name) => name.length));
}

/**
 * Tells of shown names whether a service may have made them of this one: the same, in other case, without its accents, with other
 * characters between its words or in place of letters that are not ASCII, without some of its characters, or cut at its longest length.
 * @param longest {@link cutLength} of all names that the service shows
 * @param match `prefix` also takes names that begin with this one
 */
export function likeName(
	name: string,
	longest: number,
	match: 'exact' | 'prefix' = 'exact',
): (shown: string) => boolean {
	const lowerCase = name.toLowerCase();
	const spellings = spellingsOf(name);
	return (shown) => {
		if (shown.toLowerCase() === lowerCase) return true;
		const other = spellingOf(shown.normalize('NFKD'));
		if (other.letters.length === 0) return false;
		return spellings.some((wanted) => {
			const dropped = droppedFrom(wanted, other);
			if (!dropped) return false;
			const more = other.letters.length - wanted.letters.length;
			if (more < 0) return isCut(shown, wanted.gaps[other.letters.length] ?? '', longest);
			return match === 'prefix' ? isBegun(wanted, other, dropped) : more === 0;
		});
	};
}

/** A name in lower case. */
interface Spelling {
	/** Its letters and digits. */
	letters: string[];
	/** What stands before each of them. */
	gaps: string[];
	/** What stands after the last one. */
	rest: string;
}

/** What services may make of the letters of a name; without those of which nothing is left. */
function spellingsOf(name: string): Spelling[] {
	const decomposed = name.normalize('NFKD');
	return [
		spellingOf(decomposed),
		spellingOf(decomposed.replace(ACCENTS, '')),
		spellingOf(name.normalize('NFKC').replace(NOT_ASCII, OTHER_LETTER)),
	].filter(({ letters }) => letters.length > 0);
}

const ACCENTS = /[\u0300-\u036f]/g;
const NOT_ASCII = /[^\0-\x7f]/gu;
/** In place of letters that are not ASCII: a service treats all of them alike. */
const OTHER_LETTER = '\x7f';

function spellingOf(name: string): Spelling {
	const spelling: Spelling = { letters: [], gaps: [], rest: '' };
	for (const character of name.toLowerCase()) {
		if (!/[\p{L}\p{M}\p{N}]/u.test(character)) {
			spelling.rest += character;
			continue;
		}
		spelling.letters.push(character);
		spelling.gaps.push(spelling.rest);
		spelling.rest = '';
	}
	return spelling;
}

/**
 * The characters that a service drops which has made the beginning of one name of that of another one.
 * @returns undefined where it has not: it drops a character everywhere or nowhere (`job-12` is not `job-1-2`), and adds none
 */
function droppedFrom(wanted: Spelling, shown: Spelling): Set<string> | undefined {
	const length = Math.min(wanted.letters.length, shown.letters.length);
	// What stands before the first letter is cut off by many
	const gaps = Array.from({ length }, (_, index) => ({
		before: index === 0 ? '' : wanted.gaps[index]!,
		after: index === 0 ? '' : shown.gaps[index]!,
		isSame: wanted.letters[index] === shown.letters[index],
	}));
	const dropped = new Set(gaps.flatMap(({ before, after }) => (after === '' ? [...before] : [])));
	const fits = gaps.every(
		({ before, after, isSame }) => isSame && (after === '' || isLeft(before, dropped)),
	);
	return fits ? dropped : undefined;
}

/** Whether something is left of what stands between letters. */
function isLeft(gap: string, dropped: Set<string>): boolean {
	return [...gap].some((character) => !dropped.has(character));
}

/** Whether a name that begins with the letters of a prefix goes on with what is left of the characters after them. */
function isBegun({ letters, rest }: Spelling, shown: Spelling, dropped: Set<string>): boolean {
	if (rest === '') return true;
	const next = shown.gaps[letters.length] ?? shown.rest;
	return isLeft(rest, dropped) === (next !== '');
}

/**
 * Whether a name may have been cut.
 * @param next what stood between its last letter and the next one: a service may have trimmed it
 */
function isCut(shown: string, next: string, longest: number): boolean {
	return shown.length + next.length >= longest;
}
