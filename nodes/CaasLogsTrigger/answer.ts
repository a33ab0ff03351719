import type { StreamEvent } from '../shared/stream/event';
import { elapsed } from '../shared/time';
import { WINDOW, type Position } from './cursor';

/** Lines with which a service may end a connection, or begin each one. */
const LINES_OF_ITS_OWN = [1, 2, 3, 4];
/** First digests that are kept: all known ones, and those that may come before them. */
const MAX_FIRST = 2 * WINDOW + 8;
/** Entries of one answer, and their characters, that are kept. */
const MAX_ENTRIES = 5_000;
export const MAX_CHARACTERS = 8 * 1_048_576;
/** Fewer entries than all known ones prove a place only if this many of them differ. */
const MIN_DISTINCT = 4;
/** Entries at the end of the known ones that are the same as at their start, in a log that repeats itself. */
const MIN_REPEATED = 8;
/** In a log that repeats itself, new lines look like old ones. Old ones come faster than this, in milliseconds for the window. */
const BURST_MS = 500;
/** And the first of them comes so soon after the opening, in milliseconds. */
const PROMPT_MS = 900;
/** In any log, known lines that come so soon need not be confirmed. */
const IMMEDIATE_MS = 300;
/** Entries of two answers that begin in the same way. */
const ALIKE_ENTRIES = 4;

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

/** What is requested: from the first known entry, from the beginning, or far beyond the end, where nothing can be. */
export type Requested = 'window' | 'beginning' | 'beyond';
/** The same, or another search: for the last known entry alone, or for all known ones again. */
export type Next = Requested | 'last' | 'all';

/**
 * How an answer is over: it goes on and is silent; the service has ended it; it was lost; there was none, maybe because of the
 * offset. `empty`: it goes on, has brought nothing, and may bring a whole log later.
 */
export type Ending = 'silent' | 'ended' | 'broken' | 'refused' | 'offsetRefused' | 'empty';

export interface Entry {
	event: StreamEvent;
	digest: string;
	/** When it began to come. */
	at: number;
}

/** What one connection has brought while a place was searched. */
export class Answer {
	/** Entries and bytes so far. */
	count = 0;
	bytes = 0;
	/** The last entries, at least as many as are known, and the first digests. */
	entries: Entry[] = [];
	readonly first: string[] = [];
	/** The first place after the known entries, and whether they end at the last entry. */
	place?: Place;
	isPlaceHere = false;
	/** The place before the lines with which a service ends each connection; and that in the log before this one. */
	placeBeforeClosing?: Place;
	formerPlace?: Place;
	/** The first place after the known entries in another order: a service may sort lines that came at the same time. */
	reorderedPlace?: Place;
	ending?: Ending;
	/** Whether the place was found in it, and how many entries of the connection were new. */
	wasFound = false;
	brought = 0;
	private openedAt = -Infinity;
	private delayMs = Infinity;
	/** How much text is kept. */
	characters = 0;

	/**
	 * @param start entries before the offset that was requested
	 * @param known what is searched in it; undefined where nothing is known
	 */
	constructor(
		readonly requested: Requested,
		readonly start: number,
		readonly known?: KnownEntries,
	) {}

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.openedAt = elapsed();
	}

	/** Takes the next entry, and looks whether the known entries end there, or those of a former log. */
	add(event: Readonly<StreamEvent>, digest: string, at: number, former?: KnownEntries): void {
		if (this.count === 0) this.delayMs = at - this.openedAt;
		this.count++;
		this.bytes += event.bytes;
		this.characters += event.data.length;
		this.entries.push({ event: { ...event }, digest, at });
		if (this.first.length < MAX_FIRST) this.first.push(digest);
		const { entries, known } = this;
		while (
			entries.length > MAX_ENTRIES ||
			(this.characters > MAX_CHARACTERS && entries.length > WINDOW)
		)
			this.characters -= entries.shift()!.event.data.length;
		this.isPlaceHere = known !== undefined && this.endsWith(known);
		if (this.isPlaceHere) this.place ??= this.end;
		if (known) this.noteClosingLines(known);
		if (known && this.endsWithReordered(known)) this.reorderedPlace ??= this.end;
		if (former && this.endsWith(former)) this.formerPlace ??= this.end;
	}

	/** Forgets the entries; what they show stays. */
	release(): void {
		this.entries = [];
		this.characters = 0;
	}

	/** Whether there were too many entries to keep. */
	get hasDropped(): boolean {
		return this.entries.length < this.count;
	}

	/** The entries after a place, as far as they are kept. */
	after({ count }: Place): StreamEvent[] {
		return this.count > count
			? this.entries.slice(count - this.count).map(({ event }) => event)
			: [];
	}

	/** The place after the entry that came last. */
	get end(): Place {
		return { count: this.count, bytes: this.bytes };
	}

	/** Whether it was requested from where the log begins. */
	get isFromBeginning(): boolean {
		return this.start === 0;
	}

	/** Whether the first entry came as soon as the connection was open. */
	get isPrompt(): boolean {
		return this.delayMs <= PROMPT_MS;
	}

	/** Whether it came at once. */
	get isImmediate(): boolean {
		return this.delayMs <= IMMEDIATE_MS;
	}

	/** Whether it has brought all that the service had. */
	get isWhole(): boolean {
		return this.count > 0 && (this.ending === 'silent' || this.ending === 'ended');
	}

	/** Whether it has, as far as is known, nothing but what another one begins with. */
	isBeginningOf({ first }: Answer): boolean {
		return this.first.every((digest, index) => digest === first[index]);
	}

	/** Whether it begins as another one does. */
	isAlike({ first }: Answer): boolean {
		const own = this.first.slice(0, first.length);
		return (
			this.first.length >= ALIKE_ENTRIES &&
			new Set(own).size > 1 &&
			own.every((digest, index) => digest === first[index])
		);
	}

	/**
	 * How many entries that are known it has brought, if it can be a page of those and of nothing else but what stands before them;
	 * otherwise undefined.
	 * @param margin entries before the known ones with which it may begin
	 */
	pageOf(margin: number): number | undefined {
		const { count, first, known } = this;
		if (!known || count === 0 || count > first.length) return undefined;
		if (known.isRepetitive && !this.isPrompt) return undefined;
		const { lead, digests } = known;
		const all = [...lead, ...digests];
		for (let before = 0; before <= margin; before++) {
			const unknown = Math.max(0, before - lead.length);
			const start = Math.max(0, lead.length - before);
			const came = first.slice(unknown);
			if (came.every((digest, index) => digest === all[start + index])) return came.length;
		}
		return undefined;
	}

	/** The place before closing lines: another line has come where they were; or that after the known entries in another order. */
	get loosePlace(): Place | undefined {
		const { placeBeforeClosing: place, count } = this;
		return place && count > place.count ? place : this.reorderedPlace;
	}

	/**
	 * The place where it and the answer before it bring the whole known log, each behind lines of its own, as a service writes them that
	 * tells when a client has connected. A container that starts again and again writes other lines as well, or ends the connection.
	 */
	greetedPlace(before: Answer): Place | undefined {
		const { first, known, isPrompt } = this;
		const digests = known?.digests ?? [];
		if (digests.length !== known?.position.offset.entries) return undefined;
		const isGreeted = LINES_OF_ITS_OWN.some((lines) => {
			const log = digests.slice(lines);
			const lists = [first, before.first, digests];
			const areOthers = new Set(lists.map((list) => list[lines - 1])).size === lists.length;
			const isSame = lists.every((list) =>
				log.every((digest, index) => digest === list[index + lines]),
			);
			const isCertain =
				new Set(log).size >= MIN_DISTINCT || (before.ending === 'silent' && isPrompt);
			return areOthers && isSame && log.length > 0 && isCertain;
		});
		const { length } = digests;
		const bytes = this.entries.slice(0, length).reduce((sum, { event }) => sum + event.bytes, 0);
		return isGreeted ? { count: length, bytes } : undefined;
	}

	/**
	 * Whether the entry that came last is the last of these.
	 * @param closing how many of them are left out at their end
	 */
	private endsWith({ digests, isRepetitive, position }: KnownEntries, closing = 0): boolean {
		const { entries, count } = this;
		const { entries: read } = position.offset;
		const length = digests.length - closing;
		if (entries.at(-1)!.digest !== digests[length - 1]) return false;
		const size = Math.min(count, length);
		const last = entries.slice(-size);
		if (!last.every(({ digest }, index) => digest === digests[length - size + index])) return false;
		if (isRepetitive) {
			// A few that come late may be new. As many as were ever read are the log, of a service that is slow to begin
			const isAll = this.isFromBeginning && count >= Math.max(MIN_REPEATED, read);
			const isOfPast = this.isPrompt || isAll;
			return count >= length && isOfPast && last.at(-1)!.at - last[0]!.at <= BURST_MS;
		}
		return count >= length || new Set(last.map(({ digest }) => digest)).size >= MIN_DISTINCT;
	}

	private endsWithReordered({ digests }: KnownEntries): boolean {
		const { entries } = this;
		if (digests.length < WINDOW || !digests.includes(entries.at(-1)!.digest)) return false;
		const last = new Set(entries.slice(-WINDOW).map(({ digest }) => digest));
		// Where some are equal, the same lines may stand at other places as well
		return last.size === WINDOW && digests.every((digest) => last.has(digest));
	}

	private noteClosingLines(known: KnownEntries): void {
		const { digests, isRepetitive, position } = known;
		// At the start of a log, where containers write the same lines each time, too few would be compared
		if (isRepetitive || digests.length < WINDOW || position.offset.entries <= WINDOW) return;
		const closing = LINES_OF_ITS_OWN.find((lines) => this.endsWith(known, lines));
		if (closing) this.placeBeforeClosing = { ...this.end, closing };
	}
}
