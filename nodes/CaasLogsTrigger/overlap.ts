import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import { Answer, knownEntries, type KnownEntries, type Place } from './answer';
import { digestOf, WINDOW, type Cursor, type Position } from './cursor';
import { HeldEntries } from './heldEntries';
import { Paging } from './paging';
import { StartOffset } from './startOffset';

/** Entries of two answers that begin in the same way. */
const SAME_ENTRIES = 4;
/** The service may count from one, or from after an entry: so many entries more are requested. */
const MARGIN = 4;
/** Entries beyond those that were read, after which the known ones will not come any more. */
const MAX_BEYOND = 1_000;
/** Connections that may be lost during one stage of the search, before what they brought counts as all that there is. */
const MAX_LOST = 5;

/**
 * Finds, in what a new connection brings, the place where reading stopped: by the entries before it, whatever the service makes of an
 * offset. It may honour it, count from one, ignore it, show the last lines or only new ones.
 *
 * The log is requested from the first known entry (`window`). If the known entries do not come, from the beginning; if
 * they do not come there either, from the beginning once more. Then this last connection shows the log as it is now, and what others
 * have shown beside it came from a log that is gone, or from a service that shows new lines only. All of that is delivered: until
 * then entries are held, and none is dropped that the log had not before.
 *
 * Only an answer that has ended, or is silent, shows that the place is not in it: a connection that is lost shows what it brought.
 */
export class Overlap {
	private stage: 'none' | 'window' | 'beginning' | 'again' | 'empty' | 'count' | 'offset' = 'none';
	private position: Position;
	private known = knownEntries([]);
	/** The place in the log before the present one: what took its place may have been the page of a proxy. */
	private former?: { position: Position; known: KnownEntries };
	/** Where this connection has brought the entries before that place. */
	private formerPlace?: Place;
	/** What this connection has brought, and whether the place was in it. */
	private answer = new Answer();
	private wasFound = false;
	private readonly paging = new Paging();
	private held = new HeldEntries();
	private startOffset?: StartOffset;
	/** The first digests of the connection before. */
	private beginning: string[] = [];
	/** The service has once shown new lines only, or the whole log whatever the offset was. */
	private showsNewOnly = false;
	private showsBeginning = false;
	/** Connections that were lost during this stage. */
	private lost = 0;

	/** @param onOtherLog is called before the first entry of another log is returned */
	constructor(
		private readonly cursor: Cursor,
		private readonly unit: OffsetSettings['offsetUnit'],
		private readonly onOtherLog: () => void,
	) {
		this.position = cursor.position();
	}

	/** Whether every entry is new, so that none needs {@link take}. */
	get isFound(): boolean {
		return this.stage === 'none';
	}

	/** Whether the search waits for more of what the service has. */
	get isSearching(): boolean {
		return this.stage === 'window' || this.stage === 'beginning' || this.stage === 'again';
	}

	/** Whether more of this connection cannot help the search. */
	get isExhausted(): boolean {
		if (!this.isSearching) return false;
		return this.held.isFull || this.answer.count > this.position.offset.entries + MAX_BEYOND;
	}

	/** Whether the place is still to come, since the log is shown from its beginning. */
	get isPatient(): boolean {
		const isBefore = this.answer.count < this.position.offset.entries;
		const hasPlace = this.answer.firstPlace ?? this.formerPlace;
		return this.isSearching && this.showsBeginning && isBefore && !hasPlace;
	}

	/** Whether this connection has brought nothing although entries are known. */
	get isEmpty(): boolean {
		return this.isSearching && this.answer.count === 0;
	}

	/** Whether the search is where the log begins. */
	get isFromBeginning(): boolean {
		return this.isSearching && (this.stage !== 'window' || this.windowStart.entries === 0);
	}

	/** A connection begins. Returns the offset to request. */
	begin(): LogOffset {
		if (!this.isSearching) {
			this.position = this.cursor.position();
			if (this.paging.isNarrow) this.narrow();
			const { known } = this.position;
			this.known = knownEntries(known);
			this.stage = known.length > 0 ? 'window' : 'none';
			if (known.length === 0 && this.leftOut > 0) this.stage = 'count';
		}
		this.answer = new Answer();
		this.formerPlace = undefined;
		this.wasFound = false;
		this.held.onConnection();
		return this.stage === 'beginning' || this.stage === 'again' ? BEGINNING : this.windowStart;
	}

	/** Whether the first entries of the log are to be read before; see {@link StartOffset}. */
	get needsBeginning(): boolean {
		return StartOffset.isNeeded(this.position, this.unit);
	}

	/** Begins where reading starts, with the first entries of the log. */
	startAt(first: StreamEvent[]): void {
		this.startOffset = new StartOffset(this.position, this.unit, first);
		this.stage = 'offset';
	}

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.answer.opened();
	}

	/**
	 * Takes the next entry of the connection while the place is searched.
	 * @param receivedAt when it began to come
	 * @returns the entries that are new and not delivered yet, in order
	 */
	take(event: StreamEvent, receivedAt = now()): StreamEvent[] {
		// What comes so late may be the whole log of a slow service
		if (this.stage === 'empty') this.stage = 'beginning';
		const { answer, known } = this;
		const { offset } = this.position;
		answer.add(event, receivedAt);
		if (this.stage === 'count') {
			if (answer.count >= this.leftOut) this.stage = 'none';
			return [];
		}
		if (this.stage === 'offset') return this.takeAtOffset(event);
		// Such a service has nothing of the past, which would have come by now
		if (this.showsNewOnly && !answer.isPrompt) return [...this.conclude(), { ...event }];
		answer.remember(digestOf(event, this.unit), receivedAt);
		if (this.stage === 'beginning' && answer.count === SAME_ENTRIES)
			this.showsBeginning ||= answer.beginsWith(this.beginning.slice(0, SAME_ENTRIES), 2);
		if (this.former && answer.endsWith(this.former.known)) this.formerPlace ??= answer.end;
		answer.noteClosingLines(known, offset.entries);
		// From the beginning the number of entries tells which of several places it is
		const isAtNumber = answer.count >= offset.entries;
		if (answer.endsWith(known)) {
			if (isAtNumber || !(this.isFromBeginning || this.showsBeginning)) return this.found(answer);
			answer.firstPlace ??= answer.end;
		}
		this.hold(event);
		return isAtNumber && answer.firstPlace ? this.found(answer.firstPlace) : [];
	}

	private takeAtOffset(event: StreamEvent): StreamEvent[] {
		const taken = this.startOffset?.take(event) ?? [];
		if (Array.isArray(taken)) {
			if (taken.length > 0) this.stage = 'none';
			return taken;
		}
		this.position = taken;
		this.answer = new Answer();
		this.stage = 'count';
		return [];
	}

	/** Ends the search at a place of this connection. Returns the entries after it that are held. */
	private found(place: Place): StreamEvent[] {
		this.cursor.forget(place.closing ?? 0);
		if (this.isFromBeginning || this.showsBeginning)
			this.cursor.correct({ entries: place.count, bytes: place.bytes });
		this.showsNewOnly = false;
		return this.entriesAfter(place);
	}

	/** The log is there again that another one seemed to have replaced. */
	private comeBack(place: Place): StreamEvent[] {
		this.onOtherLog();
		if (this.former) this.cursor.load(this.former.position);
		this.former = undefined;
		return this.entriesAfter(place);
	}

	/** Ends the search. */
	private entriesAfter({ count }: Place): StreamEvent[] {
		this.wasFound = true;
		const after = this.answer.count - count;
		const held = this.finish();
		return after > 0 ? held.slice(-after) : [];
	}

	/** This connection shows the log as it is now. What others have shown, and it does not, is new, too. */
	private conclude(): StreamEvent[] {
		const { hasEqualLines, position, known } = this;
		const { now: held, before: heldBefore } = this.held;
		const shown = new Set(held.map((event) => digestOf(event, this.unit)));
		const isNew = (event: StreamEvent) => !shown.has(digestOf(event, this.unit));
		const before = hasEqualLines ? heldBefore : heldBefore.filter(isNew);
		this.showsNewOnly = hasEqualLines || before.length === heldBefore.length;
		if (position.offset.entries > WINDOW) this.former = { position, known };
		this.onOtherLog();
		this.cursor.restart(BEGINNING);
		return [...before, ...this.finish()];
	}

	/** Whether other connections have shown nothing but lines that are known: they may be new all the same. */
	private get hasEqualLines(): boolean {
		const { digests, isRepetitive } = this.known;
		const isKnown = (event: StreamEvent) => digests.includes(digestOf(event, this.unit));
		return isRepetitive && this.held.before.every(isKnown);
	}

	/**
	 * The service has ended the stream.
	 * @param brought entries that were new
	 * @returns whether the log has certainly nothing new
	 */
	onEnd(brought: number): boolean {
		const { answer, wasFound } = this;
		const { isPage } = this;
		const beginning = answer.first.join(' ');
		const isComplete = this.paging.onEnd({ wasFound, isPage, brought, beginning });
		if (this.paging.isNarrow) this.stage = 'none';
		return isComplete || (brought === 0 && this.known.digests.length === 0);
	}

	/** Whether this connection has brought some of the known entries and nothing else. */
	private get isPage(): boolean {
		return this.stage === 'window' && this.answer.isPageOf(this.known, MARGIN);
	}

	/** Requests the last entry alone. */
	private narrow(): void {
		const { offset, known } = this.position;
		const from = this.cursor.lastBefore;
		this.position = from ? { offset, known: known.slice(-1), from } : this.position;
	}

	/**
	 * All that the service had has come, and the place was not in it.
	 * @param isOpen whether the connection goes on
	 * @returns the entries that are new, or `reconnect` where another connection is to tell
	 */
	notFound(isOpen: boolean): StreamEvent[] | 'reconnect' {
		const { answer } = this;
		const place = answer.firstPlace ?? answer.loosePlace;
		if (place) return this.found(place);
		if (this.formerPlace) return this.comeBack(this.formerPlace);
		if (this.showsNewOnly && answer.count > 0) return this.conclude();
		if (this.stage === 'window' && this.windowStart.entries > 0) return this.next('beginning');
		if (answer.count === 0) {
			// An answer that is empty and ends changes nothing
			if (!isOpen) return 'reconnect';
			if (this.held.before.length > 0) return this.conclude();
			this.stage = 'empty';
			return [];
		}
		const isSameTwice = this.stage === 'beginning' && this.showsBeginning && !this.held.hasDropped;
		return isSameTwice || this.stage === 'again' ? this.conclude() : this.next('again');
	}

	/**
	 * The connection was lost. What it would have brought may be on the next one: where each one is lost, as in a crash loop, what has
	 * come is all that there is.
	 * @returns the entries that are new
	 */
	broken(): StreamEvent[] {
		if (!this.isSearching || this.answer.count === 0 || this.isPage) return [];
		// Where the log is shown from its beginning, the known entries may come again further on
		const hasPlace = this.answer.firstPlace && !this.showsBeginning;
		if (!hasPlace && ++this.lost < MAX_LOST) return [];
		const found = this.notFound(false);
		return found === 'reconnect' ? [] : found;
	}

	private next(stage: 'beginning' | 'again'): 'reconnect' {
		this.beginning = this.answer.first;
		this.stage = stage;
		this.lost = 0;
		return 'reconnect';
	}

	private get windowStart(): LogOffset {
		const { from } = this.position;
		if (this.unit === 'none') return BEGINNING;
		const hasMargin = this.unit === 'entries' && !this.known.isRepetitive && !this.paging.isNarrow;
		return hasMargin ? { ...from, entries: Math.max(0, from.entries - MARGIN) } : from;
	}

	/** Entries to leave out by their number, where none is known to recognize the place by. */
	private get leftOut(): number {
		return this.position.offset.entries - this.windowStart.entries;
	}

	private hold(event: StreamEvent): void {
		this.held.add(event);
		// The log had them before
		if (this.held.isFull && this.isPatient) this.held.dropOldest();
	}

	private finish(): StreamEvent[] {
		const now = this.held.takeNow();
		this.stage = 'none';
		this.lost = 0;
		this.held = new HeldEntries();
		return now;
	}
}
