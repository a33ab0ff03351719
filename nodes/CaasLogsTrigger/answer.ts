import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import { WINDOW } from './cursor';

/** Lines with which a service may end a connection. */
const CLOSING_LINES = [1, 2, 3, 4];
/** Lines with which it may begin each one. */
const GREETING_LINES = [1, 2, 3, 4];
/** First entries that are kept: all known ones, and those that may come before them. */
const MAX_FIRST = 2 * WINDOW + 8;
/** Fewer entries than all known ones prove a place only if this many of them differ. */
const MIN_DISTINCT = 4;
/** So many different ones prove that an answer begins with the known ones. */
const MIN_PAGE = 2;
/** Entries at the end of the known ones that are the same as at their start, in a log that repeats itself. */
const MIN_REPEATED = 8;
/** In a log that repeats itself, new lines look like old ones. Old ones come faster than this, in milliseconds for the window. */
const BURST_MS = 500;
/** And the first of them comes so soon after the opening, in milliseconds. */
const PROMPT_MS = 900;
/** In any log, known lines that come so soon need not be confirmed. */
const IMMEDIATE_MS = 300;

/** When a search of a place takes what has come for all that there is. */
export const LIMITS = {
	/** Entries of two answers that begin in the same way. */
	sameEntries: 4,
	/** Entries beyond those that were read, after which the known ones will not come any more. */
	beyond: 1_000,
	/** Connections that are lost. */
	lost: 5,
	/** Connections that are lost before the log is requested from its beginning, which shows more. */
	lostInWindow: 2,
};

/** The entries before the place that is searched. */
export interface KnownEntries {
	/** Their digests, the oldest first. */
	digests: string[];
	/** Whether they could stand at several places of the log. */
	isRepetitive: boolean;
}

export function knownEntries(digests: string[]): KnownEntries {
	const isRepetitive =
		digests.length < 2 ||
		digests.some(
			(_, shift) =>
				shift > 0 &&
				// A short beginning that comes again at the end, as a blank line may, is none
				digests.length - shift >= Math.min(MIN_REPEATED, digests.length - 1) &&
				digests.slice(shift).every((one, index) => one === digests[index]),
		);
	return { digests, isRepetitive };
}

/** The last of them alone, for a request of the last entry. */
export function lastOf({ digests }: KnownEntries): KnownEntries {
	const last = digests.slice(-1);
	return { digests: last, isRepetitive: digests.indexOf(last[0] ?? '') < digests.length - 1 };
}

/** A place in the entries of a connection. */
export interface Place {
	/** Entries and bytes before it. */
	count: number;
	bytes: number;
	/** Known entries after it that were none of the log. */
	closing?: number;
}

/** What one connection has brought while the place was searched. */
export class Answer {
	/** Entries and bytes so far. */
	count = 0;
	bytes = 0;
	/** Digests of the first entries. */
	readonly first: string[] = [];
	/** The first of several places. */
	firstPlace?: Place;
	/** The place after as many entries as were read; and the same if those before it are known. */
	atNumber?: Place;
	placeAtNumber?: Place;
	/** Whether another answer is to tell what is new in this one. */
	isInconclusive = false;
	/** Whether the first entry came as soon as the connection was open, or at once. */
	isPrompt = false;
	isImmediate = false;
	private openedAt = -Infinity;
	private placeBeforeClosing?: Place;
	private readonly last: Array<{ digest: string; at: number }> = [];

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.openedAt = now();
	}

	/** Counts an entry that began to come at this time. */
	add(event: StreamEvent, receivedAt: number): void {
		if (this.count === 0) {
			this.isPrompt = receivedAt - this.openedAt <= PROMPT_MS;
			this.isImmediate = receivedAt - this.openedAt <= IMMEDIATE_MS;
		}
		this.count++;
		this.bytes += event.bytes;
	}

	/** Remembers the digest of the entry that was counted last. */
	remember(digest: string, receivedAt: number): void {
		if (this.first.length < MAX_FIRST) this.first.push(digest);
		this.last.push({ digest, at: receivedAt });
		if (this.last.length > WINDOW) this.last.shift();
	}

	/**
	 * Whether the entry that came last is the last of the known ones.
	 * @param closing how many of the known ones are left out at their end
	 */
	endsWith({ digests, isRepetitive }: KnownEntries, closing = 0): boolean {
		const { last, count } = this;
		const known = digests.length - closing;
		const size = Math.min(count, known);
		if (count < known && (isRepetitive || this.distinct(count) < MIN_DISTINCT)) return false;
		for (let back = 1; back <= size; back++)
			if (last[last.length - back]?.digest !== digests[known - back]) return false;
		const isBurst = last.at(-1)!.at - last[last.length - size]!.at <= BURST_MS;
		return !isRepetitive || (this.isPrompt && isBurst);
	}

	/**
	 * Whether the connection can have brought some of the known entries, from the first one on, and nothing else.
	 * @param margin entries that may have come before them
	 */
	mayBePageOf({ digests, isRepetitive }: KnownEntries, margin: number): boolean {
		const { count, first } = this;
		if (count === 0 || count > first.length || (isRepetitive && !this.isPrompt)) return false;
		return Array.from({ length: margin + 1 }).some((_, shift) =>
			first.slice(shift).every((digest, index) => digest === digests[index]),
		);
	}

	/**
	 * Whether it has certainly brought these entries, some of which differ, and nothing else; or only some of those before them.
	 * @param lead how many come before them at the offset that was requested
	 */
	isPageOf({ digests, isRepetitive }: KnownEntries, margin: number, lead: number): boolean {
		const { count, first } = this;
		if (isRepetitive || count > first.length) return false;
		if (count > 0 && count <= lead) return true;
		return Array.from({ length: margin + lead + 1 }).some((_, shift) => {
			const page = first.slice(shift);
			const isKnown = page.every((digest, index) => digest === digests[index]);
			return isKnown && new Set(page).size >= MIN_PAGE;
		});
	}

	/**
	 * Whether its first entries are these.
	 * @param distinct how many of them must differ
	 */
	beginsWith(digests: string[], distinct = 0): boolean {
		return (
			new Set(digests).size >= distinct &&
			this.first.length >= digests.length &&
			digests.every((digest, index) => digest === this.first[index])
		);
	}

	/** The place after the entry that came last. */
	get end(): Place {
		return { count: this.count, bytes: this.bytes };
	}

	/**
	 * Notes where the known entries came but for the last ones: a service may end each connection with a line that is new each time.
	 * @param entries of the log that were read
	 */
	noteClosingLines(known: KnownEntries, entries: number): void {
		const { digests, isRepetitive } = known;
		// At the start of a log, where containers write the same lines each time, too few would be compared
		if (isRepetitive || digests.length < WINDOW || entries <= WINDOW) return;
		const closing = CLOSING_LINES.find((lines) => this.endsWith(known, lines));
		if (closing) this.placeBeforeClosing = { ...this.end, closing };
	}

	/** The place before closing lines: another line has come where they were. */
	get loosePlace(): Place | undefined {
		const { placeBeforeClosing: place, count } = this;
		return place && count > place.count ? place : undefined;
	}

	/**
	 * Whether it and the connection before it bring the whole known log, each behind lines of its own, as a service writes them that
	 * tells when a client has connected. A container that starts again and again writes other lines as well, or ends the connection.
	 * @param before the first digests of that connection
	 * @param wasOpen whether that connection went on
	 */
	isGreeted({ digests }: KnownEntries, before: string[], wasOpen: boolean): boolean {
		const { first, isPrompt } = this;
		return GREETING_LINES.some((lines) => {
			const log = digests.slice(lines);
			const [one, two, three] = [first, before, digests].map((entries) => entries[lines - 1]);
			const areOthers = new Set([one, two, three]).size === 3;
			const isSame = [first, before].every((entries) =>
				log.every((digest, index) => digest === entries[index + lines]),
			);
			const isCertain = new Set(log).size >= MIN_DISTINCT || (wasOpen && isPrompt);
			return areOthers && isSame && log.length > 0 && isCertain;
		});
	}

	private distinct(count: number): number {
		return new Set(this.last.slice(-count).map(({ digest }) => digest)).size;
	}
}
