import { WINDOW, type Position } from './cursor';

/** Entries at the end of the known ones that are the same as at their start, in a log that repeats itself. */
export const MIN_REPEATED = 8;

/** The entries before the place that is searched. */
export interface KnownEntries {
	/** The place, as it was read. */
	position: Position;
	/** Their digests, the oldest first; and those of the entries before them, as far as they are known. */
	digests: string[];
	lead: string[];
	/** Whether they could stand at several places of the log. */
	isRepetitive: boolean;
	/** Whether these are {@link lastOf} them: requested where an answer may have been a page that ended before the new lines. */
	isLast: boolean;
}

export function knownEntries(position: Position): KnownEntries {
	const digests = position.known.slice(-WINDOW);
	const lead = position.known.slice(0, -WINDOW);
	const isRepetitive =
		digests.length < 2 ||
		digests.some(
			(_, shift) =>
				shift > 0 &&
				// A short beginning that comes again at the end, as a blank line may, is none
				digests.length - shift >= Math.min(MIN_REPEATED, digests.length - 1) &&
				digests.slice(shift).every((one, index) => one === digests[index]),
		);
	return { position, digests, lead, isRepetitive, isLast: false };
}

/**
 * As few of the last entries as tell their place from all others in the known ones: a blank line tells nothing where another one stands
 * before it. Undefined where a few do not: such a log repeats itself further back as well.
 */
export function distinctEnd(known: readonly string[]): number | undefined {
	const longest = Math.min(MIN_REPEATED, known.length) - 1;
	const sizes = Array.from({ length: Math.max(0, longest) }, (_, index) => index + 1);
	return sizes.find((size) => {
		const end = known.slice(-size);
		const isElsewhere = (_: string, start: number) =>
			start + size < known.length && end.every((digest, index) => digest === known[start + index]);
		return !known.some(isElsewhere);
	});
}

/**
 * The last of them alone, which are requested where answers are short.
 * @param before the offset before so many entries at the end of those that were read; undefined where there are none
 */
export function lastOf(
	position: Position,
	before: (count: number) => Position['from'] | undefined,
): KnownEntries | undefined {
	const end = distinctEnd(position.known);
	const from = before(end ?? 1);
	if (!from) return undefined;
	const known = position.known.slice(-(end ?? 1));
	const isRepetitive = end === undefined && position.known.length > 1;
	return {
		position: { ...position, known, from },
		digests: known,
		lead: [],
		isRepetitive,
		isLast: true,
	};
}

/** A place in the entries of an answer. */
export interface Place {
	/** Entries and bytes before it. */
	count: number;
	bytes: number;
	/** Known entries after it that were none of the log. */
	closing?: number;
}
