import type { StreamEvent } from '../shared/stream/event';
import { elapsed } from '../shared/time';
import { MARGIN, WINDOW } from './cursor';
import {
	agree,
	MIN_DISTINCT,
	MIN_REPEATED,
	type Entry,
	type KnownEntries,
	type Place,
} from './known';

/** First digests that are kept: all known ones, and those that may come before them. */
const MAX_FIRST = 2 * WINDOW + 8;
/** Entries of one answer, and their characters, that are kept. */
export const MAX_ENTRIES = 5_000;
export const MAX_CHARACTERS = 8 * 1_048_576;
/** In a log that repeats itself, new lines look like old ones. Old ones come faster than this, in milliseconds for the window. */
const BURST_MS = 500;
/** And the first of them comes so soon after the opening, in milliseconds. */
const PROMPT_MS = 900;
/** In any log, known lines that come so soon need not be confirmed. */
const IMMEDIATE_MS = 300;
/** Entries of two answers that begin in the same way. */
const ALIKE_ENTRIES = 4;

/**
 * What is requested: from the first known entry, from the beginning, far beyond the end, where nothing can be; or behind the last known
 * entry, where all is new, and then perhaps where nothing can be, in the same search.
 */
export type Requested = 'window' | 'beginning' | 'beyond' | 'behind';
/** The same, or another search: for the last known entries alone, or for all known ones again; `nothing`: behind the end, to compare. */
export type Next = Requested | 'last' | 'all' | 'nothing';

/**
 * How an answer is over: it goes on and is silent; the service has ended it; it was lost; there was none, maybe because of the
 * offset. `empty`: it goes on, has brought nothing, and may bring a whole log later.
 */
export type Ending = 'silent' | 'ended' | 'broken' | 'refused' | 'offsetRefused' | 'empty';

/** What one connection has brought while a place was searched. */
export class Answer {
	/** Entries and bytes so far. */
	count = 0;
	bytes = 0;
	/** The last entries, at least as many as are known, and the first digests. */
	entries: Entry[] = [];
	readonly first: string[] = [];
	/** The first place after all known entries, and whether they end at the last entry. */
	fullPlace?: Place;
	isPlaceHere = false;
	/** The first place after some of them, where the answer begins within the known entries. */
	partialPlace?: Place;
	/** The place before the lines with which a service ends each connection; and that in the log before this one. */
	placeBeforeClosing?: Place;
	formerPlace?: Place;
	/** The first place after the known entries in another order: a service may sort lines that came at the same time. */
	reorderedPlace?: Place;
	ending?: Ending;
	/** Entries before the place that was found in it, and how many entries of the connection were new. */
	foundAt?: number;
	brought = 0;
	private openedAt = -Infinity;
	/** From then until the first entry. */
	delayMs = Infinity;
	/** How much text is kept. */
	characters = 0;

	/**
	 * @param start entries before the offset that was requested
	 * @param known what is searched in it; undefined where nothing is known
	 * @param lateMs how late known lines may come, as the service has shown, in milliseconds
	 * @param isFromBeginning whether it was requested from where the log begins: entries are counted from where reading began
	 */
	constructor(
		readonly requested: Requested,
		readonly start: number,
		readonly known?: KnownEntries,
		private readonly lateMs = 0,
		readonly isFromBeginning = start === 0,
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
		if (this.isPlaceHere) this.fullPlace ??= this.end;
		if (known && this.isPartOf(known)) this.partialPlace ??= this.end;
		const closing = known?.closings.find((lines) => this.endsWith(known, lines));
		if (closing) this.placeBeforeClosing = { ...this.end, closing };
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

	/** The place after so many entries, where none were dropped. */
	placeAfter(count: number): Place {
		const bytes = this.entries.slice(0, count).reduce((sum, { event }) => sum + event.bytes, 0);
		return { count, bytes };
	}

	/** The place after the entry that came last. */
	get end(): Place {
		return { count: this.count, bytes: this.bytes };
	}

	/** Whether the first entry came as soon as the connection was open. */
	get isPrompt(): boolean {
		return this.delayMs <= PROMPT_MS;
	}

	/** Whether known lines in it are of the past, although the log repeats itself. */
	get isTimely(): boolean {
		return this.isPrompt || (this.known?.isVaried === true && this.delayMs <= this.lateMs);
	}

	/** Whether it came at once. */
	get isImmediate(): boolean {
		return this.delayMs <= IMMEDIATE_MS;
	}

	/** Whether the place was found in it. */
	get wasFound(): boolean {
		return this.foundAt !== undefined;
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
		if (known.isRepetitive && !this.isTimely) return undefined;
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

	/**
	 * The first place after known entries. The last of them may also stand where the log begins, or where the known ones do: some of them
	 * are no place in an answer that may be from there.
	 */
	get place(): Place | undefined {
		const { partialPlace: partial, fullPlace } = this;
		const place = partial && this.mayBePast ? fullPlace : (partial ?? fullPlace);
		return this.isOfOther(place) ? undefined : place;
	}

	/** Whether it begins, as far as entries have come, where the log or the known ones do. */
	get mayBePast(): boolean {
		return this.mayBeginAsLog || this.mayBeginAsKnown;
	}

	/** Whether it begins as the log began. */
	get beginsAsLog(): boolean {
		return this.mayBeginAsLog && this.first.length >= (this.known?.position.first?.length ?? 0);
	}

	/** Whether it does so although it was requested from far behind: the service ignores the offset. */
	get showsIgnored(): boolean {
		return this.start > MARGIN && this.beginsAsLog;
	}

	/** The same, as far as entries have come. */
	private get mayBeginAsLog(): boolean {
		const { first, beginning } = this;
		return beginning !== undefined && agree(beginning, first);
	}

	/** How the known log begins, if that tells it from others. */
	private get beginning(): string[] | undefined {
		const { first = [] } = this.known?.position ?? {};
		return first.length >= ALIKE_ENTRIES && new Set(first).size > 1 ? first : undefined;
	}

	/** Whether more lines stand before a place than the log ever had, which begins otherwise: in another one the known lines came again. */
	private isOfOther(place: Place | undefined): boolean {
		const { beginning, known, mayBeginAsLog } = this;
		if (!place || !known || !beginning || mayBeginAsLog) return false;
		return place.count + (place.closing ?? 0) > known.position.offset.entries;
	}

	/** Whether it begins, as far as entries have come, with the known ones, or one before: a service may count from one. */
	private get mayBeginAsKnown(): boolean {
		const { known, requested, start } = this;
		if (!known || requested !== 'window') return false;
		const margin = Math.max(0, known.position.offset.entries - known.digests.length - start);
		return this.pageOf(margin + 1) !== undefined;
	}

	/**
	 * A place that is shown by less, so that it counts only where the whole answer shows no other: before closing lines, where another line
	 * has come since; after the known entries in another order; or after some of them, with which the answer begins.
	 */
	get loosePlace(): Place | undefined {
		const { placeBeforeClosing: closing, count, reorderedPlace, partialPlace } = this;
		const place =
			closing && count > closing.count
				? closing
				: (reorderedPlace ?? (this.beginsAsLog ? undefined : partialPlace));
		return this.isOfOther(place) ? undefined : place;
	}

	/**
	 * Whether the entry that came last is the last of these.
	 * @param closing how many of them are left out at their end
	 */
	private endsWith({ digests, isRepetitive, position }: KnownEntries, closing = 0): boolean {
		const { entries, count } = this;
		const length = digests.length - closing;
		if (count < length || entries.at(-1)!.digest !== digests[length - 1]) return false;
		const last = entries.slice(-length);
		if (!last.every(({ digest }, index) => digest === digests[index])) return false;
		if (!isRepetitive) return true;
		// A few that come late may be new. As many as were ever read are the log, of a service that is slow to begin
		const isAll = this.isFromBeginning && count >= Math.max(MIN_REPEATED, position.offset.entries);
		return (this.isTimely || isAll) && last.at(-1)!.at - last[0]!.at <= BURST_MS;
	}

	/** Whether all that has come are the last ones of these: a service may have dropped the others, or send its last lines alone. */
	private isPartOf({ digests, isRepetitive }: KnownEntries): boolean {
		const { first, count } = this;
		if (isRepetitive || count < MIN_DISTINCT || count >= digests.length) return false;
		const isLast = first.every((digest, at) => digest === digests[digests.length - count + at]);
		return isLast && new Set(first).size >= MIN_DISTINCT;
	}

	private endsWithReordered({ digests }: KnownEntries): boolean {
		const { entries } = this;
		if (digests.length < WINDOW || !digests.includes(entries.at(-1)!.digest)) return false;
		const last = new Set(entries.slice(-WINDOW).map(({ digest }) => digest));
		// Where some are equal, the same lines may stand at other places as well
		return last.size === WINDOW && digests.every((digest) => last.has(digest));
	}
}
