import type { StreamEvent } from '../shared/stream/event';
import type { Entry } from './known';
import { DIGEST_CHARACTERS } from './cursor';

/** What several answers have shown, in two parts. */
export interface Shown {
	/** What the last one does not show. */
	before: Entry[];
	/** The log as it is now. */
	now: Entry[];
	/** Whether the last one shows some of the others again. */
	isRepeated: boolean;
}

/** So many entries that two answers have in common are no coincidence: behind those with which both begin, or where the later one ends. */
const MIN_LOG = 4;

/**
 * Joins what answers have shown: the same part of a log, parts that overlap, or, where the log is another one each time, parts that
 * have nothing in common but a beginning.
 * @param areDistinct whether equal entries of two answers are the same entry
 */
export function join(answers: Entry[][], areDistinct: boolean): Shown {
	const last = answers.at(-1) ?? [];
	// Lines between two of them may have come on no connection but the last one; and each may begin with a greeting
	const isShown = (one: Entry[]) => {
		if (!areDistinct || one.length === 0) return false;
		const own = one.findIndex(({ digest }, index) => digest !== last[index]?.digest);
		const log = own > 0 && one.length - own >= MIN_LOG ? one.slice(own) : one;
		return textOf(last).includes(textOf(log));
	};
	const others = answers.slice(0, -1);
	const shown = [...others.filter((one) => !isShown(one)), ...answers.slice(-1)].reduce<Shown>(
		(sum, now) => {
			const before = [...sum.before, ...sum.now];
			if (!areDistinct) return { before, now, isRepeated: false };
			// An answer from an offset within the log may have shown what comes after the beginning of it
			for (const first of [0, sum.before.length]) {
				const further = before.slice(first);
				const common = commonOf(now, further);
				if (common >= MIN_LOG)
					return {
						before: before.slice(0, first),
						now: [...now, ...further.slice(common)],
						isRepeated: true,
					};
			}
			return merge(before, now);
		},
		{ before: [], now: [], isRepeated: false },
	);
	return { ...shown, isRepeated: shown.isRepeated || others.some(isShown) };
}

function merge(before: Entry[], now: Entry[]): Shown {
	const [earlier, later] = [textOf(before), textOf(now)];
	// An empty answer repeats nothing
	const isRepeated = before.length > 0 && now.length > 0;
	if (later.includes(earlier)) return { before: [], now, isRepeated };
	// A connection that was lost earlier than the one before it
	if (earlier.startsWith(later)) return { before: [], now: before, isRepeated };
	const common = commonOf(before, now);
	return { before: before.slice(0, before.length - common), now, isRepeated: common > 0 };
}

/** How many entries at the end of a list another one begins with. */
function commonOf(before: Entry[], now: Entry[]): number {
	const [earlier, later] = [textOf(before), textOf(now)];
	const size = DIGEST_CHARACTERS + 1;
	let common = Math.min(before.length, now.length);
	while (!earlier.endsWith(later.slice(0, common * size))) common--;
	return common;
}

/** The digests as one text, in which a part of a list is found as a part of the text. */
function textOf(list: Entry[]): string {
	return list.map(({ digest }) => `${digest} `).join('');
}

/** What came, without when it did. */
export function eventsOf(entries: Entry[]): StreamEvent[] {
	return entries.map(({ event }) => event);
}
