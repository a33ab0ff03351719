import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import { Answer, knownEntries } from './answer';
import { digestOf, WINDOW, type Cursor, type Position } from './cursor';
import { Paging } from './paging';

/** Entries, and their characters, that are kept while the place is searched. */
const MAX_HELD = 1_000;
const MAX_HELD_CHARACTERS = 8 * 1_048_576;
/** The service may count from one, or from after an entry: so many entries more are requested. */
const MARGIN = 4;
/** Entries beyond those that were read, after which the known ones will not come any more. */
const MAX_BEYOND = 1_000;

/** A place in the entries of a connection. */
interface Place {
	/** Entries and bytes before it. */
	count: number;
	bytes: number;
	/** Known entries after it that were none of the log. */
	closing?: number;
}

/**
 * Finds, in what a new connection brings, the place where reading stopped: by the entries before it, whatever the service makes of an
 * offset. It may honour it, count from one, ignore it, show the last lines or only new ones.
 *
 * The log is requested from the first known entry (`window`). If the known entries do not come, from the beginning; if
 * they do not come there either, from the beginning once more. Two equal beginnings are another log, which is delivered
 * as a whole; different ones are a service that shows new lines only, which are delivered. Until then entries are held,
 * so that none is lost to the search.
 */
export class Overlap {
	private stage: 'none' | 'window' | 'beginning' | 'again' | 'empty' | 'count' | 'offset' = 'none';
	private position: Position;
	private known = knownEntries([]);
	/** What this connection has brought, whether the place was in it, and the first of several places. */
	private answer = new Answer();
	private wasFound = false;
	private firstPlace?: Place;
	/** The place, if the last known entries were closing lines of a connection and not of the log. */
	private loosePlace?: Place;
	private readonly paging = new Paging();
	/** Entries of all connections of this search. */
	private held: StreamEvent[] = [];
	private heldCharacters = 0;
	/** The first digests of the connection before, if that asked for the beginning. */
	private beginning: string[] = [];
	/** The service has once shown new lines only. */
	private showsNewOnly = false;

	constructor(
		private readonly cursor: Cursor,
		private readonly unit: OffsetSettings['offsetUnit'],
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
		return this.isSearching && this.answer.count > this.position.offset.entries + MAX_BEYOND;
	}

	/** Whether this connection has brought nothing although entries are known. */
	get isEmpty(): boolean {
		return this.isSearching && this.answer.count === 0;
	}

	/** Whether the search is where the log begins. */
	get isFromBeginning(): boolean {
		return this.isSearching && (this.stage !== 'window' || this.windowStart.entries === 0);
	}

	/** Whether it has brought nothing although the log was requested from its beginning. */
	get isEmptyLog(): boolean {
		return this.isEmpty && this.isFromBeginning;
	}

	/** Whether entries come so slowly that they are written now, and are not what the service has of the past. */
	get isTrickle(): boolean {
		return this.isSearching && this.answer.count <= MAX_HELD;
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
			if (this.needsBeginning) this.stage = 'offset';
		}
		this.answer = new Answer();
		this.wasFound = false;
		this.firstPlace = this.loosePlace = undefined;
		return this.stage === 'beginning' || this.stage === 'again' ? BEGINNING : this.windowStart;
	}

	/** Whether reading starts at an offset of which nothing shows yet that the service honours it. */
	get needsBeginning(): boolean {
		const { known, from } = this.position;
		return this.unit === 'entries' && known.length === 0 && from.entries > 0;
	}

	/** The log begins with these entries: what begins so, too, is not what was requested. */
	setBeginning(events: StreamEvent[]): void {
		this.beginning = events.map((event) => digestOf(event, this.unit));
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
		const { offset, from } = this.position;
		answer.add(event, receivedAt);
		if (this.stage === 'count') {
			if (answer.count >= this.leftOut) this.stage = 'none';
			return [];
		}
		if (this.stage === 'offset') return this.takeAtOffset(event);
		// Such a service has nothing of the past, which would have come by now
		if (this.showsNewOnly && !answer.isPrompt) return [...this.finish(), { ...event }];
		answer.remember(digestOf(event, this.unit), receivedAt);
		const isAtNumber = answer.count >= offset.entries;
		this.findClosingLines(offset);
		if (answer.endsWith(known)) {
			// Of several places in a log that repeats itself, the number of entries tells which one it is
			if (!known.isRepetitive || !this.isFromBeginning || isAtNumber) return this.found(answer);
			this.firstPlace ??= { count: answer.count, bytes: answer.bytes };
		}
		this.hold(event);
		if (isAtNumber && this.firstPlace) return this.found(this.firstPlace);
		if (this.stage !== 'again' || !answer.beginsWith(this.beginning)) return [];
		// What was held before is in this log, too, unless its lines are equal: those may all be new. Of this connection all is held
		if (known.isRepetitive) this.showsNewOnly = true;
		else this.held = this.held.slice(-answer.count);
		this.cursor.restart(BEGINNING);
		return this.finish();
	}

	/** Takes an entry where reading starts at an offset. A service that ignores it sends the whole log, of which lines are left out by count. */
	private takeAtOffset(event: StreamEvent): StreamEvent[] {
		const { answer, beginning } = this;
		answer.remember(digestOf(event, this.unit), now());
		this.hold(event);
		const isBeginning = answer.first.every((digest, index) => digest === beginning[index]);
		if (!isBeginning || new Set(beginning).size < 2) return this.finish();
		if (answer.count < beginning.length) return [];
		const { entries } = this.position.offset;
		const held = this.finish();
		if (answer.count >= entries) return held.slice(entries);
		this.position = { ...this.position, from: BEGINNING };
		this.stage = 'count';
		return [];
	}

	/** Notes where the known entries came but for the last ones: a service may end each connection with a line that is new each time. */
	private findClosingLines({ entries }: LogOffset): void {
		const { answer, loosePlace } = this;
		const { digests, isRepetitive } = this.known;
		// At the start of a log, where containers write the same lines each time, too few would be compared
		if (loosePlace || isRepetitive || digests.length < WINDOW || entries <= WINDOW) return;
		const closing = [1, 2].find((lines) =>
			answer.endsWith({ digests: digests.slice(0, -lines), isRepetitive }),
		);
		if (closing) this.loosePlace = { count: answer.count, bytes: answer.bytes, closing };
	}

	/** Ends the search at a place of this connection. Returns the entries after it that are held. */
	private found(place: Place): StreamEvent[] {
		this.cursor.forget(place.closing ?? 0);
		if (this.isFromBeginning) this.cursor.correct({ entries: place.count, bytes: place.bytes });
		this.wasFound = true;
		this.showsNewOnly = false;
		const after = this.answer.count - place.count;
		const held = this.finish();
		return after > 0 ? held.slice(-after) : [];
	}

	/**
	 * The service has ended the stream.
	 * @param brought entries that were new
	 * @returns whether the log has certainly nothing new
	 */
	onEnd(brought: number): boolean {
		const { answer, wasFound } = this;
		const isPage = this.stage === 'window' && answer.isPageOf(this.known, MARGIN);
		const beginning = answer.first.join(' ');
		const isComplete = this.paging.onEnd({ wasFound, isPage, brought, beginning });
		if (this.paging.isNarrow) this.stage = 'none';
		return isComplete || (brought === 0 && this.known.digests.length === 0);
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
		const place = this.firstPlace ?? this.loosePlace;
		if (place) return this.found(place);
		if (this.showsNewOnly && (isOpen || this.answer.count > 0)) return this.finish();
		if (this.stage === 'window' && this.windowStart.entries > 0) {
			this.stage = 'beginning';
			return 'reconnect';
		}
		if (this.answer.count === 0) {
			// An answer that is empty and ends changes nothing
			if (!isOpen) return 'reconnect';
			const held = this.finish();
			if (held.length > 0) this.showsNewOnly = true;
			else this.stage = 'empty';
			return held;
		}
		if (this.stage !== 'again') {
			this.beginning = this.answer.first;
			this.stage = 'again';
			return 'reconnect';
		}
		this.showsNewOnly = true;
		return this.finish();
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
		this.held.push({ ...event });
		this.heldCharacters += event.data.length;
		while (this.held.length > MAX_HELD || this.heldCharacters > MAX_HELD_CHARACTERS) {
			const dropped = this.held.shift();
			if (!dropped) break;
			this.heldCharacters -= dropped.data.length;
		}
	}

	private finish(): StreamEvent[] {
		const { held } = this;
		this.stage = 'none';
		this.held = [];
		this.heldCharacters = 0;
		return held;
	}
}
