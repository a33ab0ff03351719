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
	/** Whether this is the last entry alone: it is requested where an answer may have been a page that ended before the new lines. */
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

/** The last of them alone. */
export function lastOf(position: Position, from: Position['from']): KnownEntries {
	const known = position.known.slice(-1);
	const isRepetitive = position.known.indexOf(known[0] ?? '') < position.known.length - 1;
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
