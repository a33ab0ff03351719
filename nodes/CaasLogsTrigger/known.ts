import type { StreamEvent } from '../shared/stream/event';
import { WINDOW, type Position } from './cursor';

/** Entries at the end of the known ones that are the same as at their start, in a log that repeats itself. */
export const MIN_REPEATED = 8;

/** So many of the last entries are requested at most to find the place by them: more may be one of many equal blocks. */
const MAX_END = MIN_REPEATED - 1;
/** Some entries, or such of a log that repeats itself, show a place only if this many of them differ. */
export const MIN_DISTINCT = 4;

/** Lines with which a service may end a connection, or begin each one. */
export const LINES_OF_ITS_OWN = [1, 2, 3, 4];

/** An entry of an answer. */
export interface Entry {
	event: StreamEvent;
	digest: string;
	/** When it began to come. */
	at: number;
}

/** The entries before the place that is searched. */
export interface KnownEntries {
	/** The place, as it was read. */
	position: Position;
	/** Their digests, the oldest first; and those of the entries before them, as far as they are known. */
	digests: string[];
	lead: string[];
	/** Whether they could stand at several places of the log. */
	isRepetitive: boolean;
	/** Whether so many of them differ that they come again only from the past of a service that has shown it. */
	isVaried: boolean;
	/** How many of the last ones may be lines with which the service has ended a connection: the others tell their place. */
	closings: number[];
	/** Whether these are {@link lastOf} them: requested where an answer may have been a page that ended before the new lines. */
	isLast: boolean;
}

export function knownEntries(position: Position): KnownEntries {
	const digests = position.known.slice(-WINDOW);
	const lead = position.known.slice(0, -WINDOW);
	// At the start of a log, where containers write the same lines each time, too few would be compared
	const areMany = digests.length === WINDOW && position.offset.entries > WINDOW;
	const tellsPlace = (lines: number) => areMany && !areRepetitive(digests.slice(0, -lines));
	return {
		position,
		digests,
		lead,
		isRepetitive: areRepetitive(digests),
		isVaried: isVaried(digests),
		closings: LINES_OF_ITS_OWN.filter(tellsPlace),
		isLast: false,
	};
}

/** Whether entries could stand at several places of a log. */
function areRepetitive(digests: readonly string[]): boolean {
	return (
		digests.length < 2 ||
		digests.some(
			(_, shift) =>
				shift > 0 &&
				// A short beginning that comes again at the end, as a blank line may, is none
				digests.length - shift >= Math.min(MIN_REPEATED, digests.length - 1) &&
				isRepeatedAfter(shift, digests),
		)
	);
}

/**
 * As few of the last entries as tell their place from all others: a blank line tells nothing where another one stands before it, nor do
 * several that end as they begin. Undefined where a few do not.
 */
export function distinctEnd({ known, first = [], offset }: Position): number | undefined {
	// A service that ignores the offset shows the beginning of the log as well
	const all = [...first.slice(0, Math.max(0, offset.entries - known.length)), ...known];
	const longest = Math.min(MAX_END, known.length - 1);
	for (let size = 1; size <= longest; size++) {
		const end = known.slice(-size);
		const isElsewhere = (_: string, start: number) =>
			start < all.length - size && end.every((digest, index) => digest === all[start + index]);
		const isBorder = (_: string, shift: number) => shift > 0 && isRepeatedAfter(shift, end);
		if (!all.some(isElsewhere) && !end.some(isBorder)) return size;
	}
	return undefined;
}

/**
 * The last of them alone, which are requested where answers are short.
 * @param before the offset before so many entries at the end of those that were read; undefined where there are none
 * @param room entries of the longest answer: where it has room for no more than these, the last one alone is requested
 */
export function lastOf(
	position: Position,
	before: (count: number) => Position['from'] | undefined,
	room: number,
): KnownEntries | undefined {
	const distinct = distinctEnd(position);
	const count = distinct !== undefined && distinct < room ? distinct : 1;
	const from = before(count);
	if (!from) return undefined;
	const known = position.known.slice(-count);
	const isRepetitive = distinct !== count && position.known.length > 1;
	return {
		position: { ...position, known, from },
		digests: known,
		lead: [],
		isRepetitive,
		isVaried: isVaried(position.known),
		closings: [],
		isLast: true,
	};
}

/** Whether each entry is the same as that so many before it. */
function isRepeatedAfter(shift: number, digests: readonly string[]): boolean {
	return digests.slice(shift).every((one, index) => one === digests[index]);
}

/** Whether digests are the same as others, as far as both go. */
export function agree(digests: readonly string[], others: readonly string[]): boolean {
	return digests.every((one, index) => one === (others[index] ?? one));
}

function isVaried(digests: readonly string[]): boolean {
	return new Set(digests).size >= MIN_DISTINCT;
}

/** A place in the entries of an answer. */
export interface Place {
	/** Entries and bytes before it. */
	count: number;
	bytes: number;
	/** Known entries after it that were none of the log. */
	closing?: number;
}
