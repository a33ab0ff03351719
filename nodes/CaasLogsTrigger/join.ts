import type { StreamEvent } from '../shared/stream/event';
import type { Entry } from './answer';

/** What several answers have shown, in two parts. */
export interface Shown {
	/** What the last one does not show. */
	before: StreamEvent[];
	/** The log as it is now. */
	now: StreamEvent[];
	/** Whether the last one shows some of the others again. */
	isRepeated: boolean;
}

interface Parts {
	before: Entry[];
	now: Entry[];
	isRepeated: boolean;
}

/**
 * Joins what answers have shown: the same part of a log, parts that overlap, or, where the log is another one each time, parts that
 * have nothing in common but a beginning.
 * @param areDistinct whether equal entries of two answers are the same entry
 */
export function join(answers: Entry[][], areDistinct: boolean): Shown {
	const parts = answers.reduce<Parts>(
		({ before, now }, next) => {
			const earlier = [...before, ...now];
			return areDistinct ? merge(earlier, next) : { before: earlier, now: next, isRepeated: false };
		},
		{ before: [], now: [], isRepeated: false },
	);
	const events = (list: Entry[]) => list.map(({ event }) => event);
	return { ...parts, before: events(parts.before), now: events(parts.now) };
}

function merge(before: Entry[], now: Entry[]): Parts {
	const isRepeated = before.length > 0;
	if (textOf(now).includes(textOf(before))) return { before: [], now, isRepeated };
	// A connection that was lost earlier than the one before it
	if (textOf(before).startsWith(textOf(now))) return { before: [], now: before, isRepeated };
	const common = overlapOf(before, now);
	return { before: before.slice(0, before.length - common), now, isRepeated: common > 0 };
}

/** How many entries at the end of the first list are those at the beginning of the second one (Knuth, Morris and Pratt). */
function overlapOf(first: Entry[], second: Entry[]): number {
	const fallbacks: number[] = [];
	const next = (matched: number, digest: string): number => {
		let count = matched;
		while (count > 0 && second[count]?.digest !== digest) count = fallbacks[count - 1]!;
		return second[count]?.digest === digest ? count + 1 : 0;
	};
	second.forEach(({ digest }, index) => {
		fallbacks.push(index === 0 ? 0 : next(fallbacks[index - 1]!, digest));
	});
	return first.reduce((matched, { digest }) => next(matched, digest), 0);
}

/** The digests as one text, in which a part of a list is found as a part of the text. */
function textOf(list: Entry[]): string {
	return list.map(({ digest }) => `${digest} `).join('');
}
