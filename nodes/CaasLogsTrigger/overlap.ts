import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import { digestOf, WINDOW, type Cursor, type Position } from './cursor';

/** Fewer entries than {@link WINDOW} prove a place only if this many of them differ. */
const MIN_DISTINCT = 4;
/** In a log that repeats itself, new lines look like old ones. Old ones come faster than this, in milliseconds for the window. */
const BURST_MS = 250;
/** And the first of them comes so soon, in milliseconds. */
const PROMPT_MS = 500;
/** Entries, and their characters, that are kept while the place is searched. */
const MAX_HELD = 1_000;
const MAX_HELD_CHARACTERS = 8 * 1_048_576;
/** The service may count from one, or from after an entry: so many entries more are requested. */
const MARGIN = 4;
/** Equal answers in a row after which a service with nothing new repeats its last lines. */
const MAX_REPETITIONS = 20;
/** Entries beyond those that were read, after which the known ones will not come any more. */
const MAX_BEYOND = 1_000;

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
	private stage: 'none' | 'window' | 'beginning' | 'again' | 'empty' | 'count' = 'none';
	private position: Position;
	private isRepetitive = false;
	/** Entries of all connections of this search. */
	private held: StreamEvent[] = [];
	private heldCharacters = 0;
	/** Entries of this connection: their number, the first digests, and the last ones with the time of each. */
	count = 0;
	bytes = 0;
	private begunAt = 0;
	/** Whether the first one came as soon as the connection was open. */
	private isPrompt = false;
	private first: string[] = [];
	private last: Array<{ digest: string; at: number }> = [];
	/** The first digests of the connection before, if that asked for the beginning. */
	private beginning: string[] = [];
	/** The service has once shown new lines only. */
	private showsNewOnly = false;
	/** Whether the place was found on this connection, and whether the next one is requested from the last entry alone. */
	private wasFound = false;
	private isNarrow = false;
	/** The last entry alone did not come when it was requested. */
	private wasNarrowInVain = false;
	/** The first place on this connection, where a log that repeats itself has several. */
	private firstPlace?: { count: number; bytes: number };
	/** How the last connection began, and how many before it were the same. */
	private lastAnswer = '';
	private repetitions = 0;

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
		return this.isSearching && this.count > this.position.offset.entries + MAX_BEYOND;
	}

	/** Whether this connection has brought nothing although entries are known. */
	get isEmpty(): boolean {
		return this.isSearching && this.count === 0;
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
		return this.isSearching && this.count <= MAX_HELD;
	}

	/** A connection begins. Returns the offset to request. */
	begin(): LogOffset {
		if (!this.isSearching) {
			this.position = this.cursor.position();
			if (this.isNarrow) this.narrow();
			const { known } = this.position;
			this.stage = known.length > 0 ? 'window' : 'none';
			this.isRepetitive =
				known.length < 2 ||
				known.some(
					(_, shift) => shift > 0 && known.slice(shift).every((one, index) => one === known[index]),
				);
			if (known.length === 0 && this.leftOut > 0) this.stage = 'count';
		}
		this.count = 0;
		this.bytes = 0;
		this.begunAt = -Infinity;
		this.isPrompt = false;
		this.firstPlace = undefined;
		this.first = [];
		this.last = [];
		this.wasFound = false;
		return this.stage === 'beginning' || this.stage === 'again' ? BEGINNING : this.windowStart;
	}

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.begunAt = now();
	}

	/**
	 * Takes the next entry of the connection while the place is searched.
	 * @param receivedAt when it began to come
	 * @returns the entries that are new and not delivered yet, in order
	 */
	take(event: StreamEvent, receivedAt = now()): StreamEvent[] {
		if (this.stage === 'empty') {
			this.cursor.restart(BEGINNING);
			return [...this.finish(), { ...event }];
		}
		this.count++;
		this.bytes += event.bytes;
		if (this.stage === 'count') {
			if (this.count >= this.leftOut) this.stage = 'none';
			return [];
		}
		// Such a service has nothing of the past, which would have come by now
		this.isPrompt ||= this.count === 1 && receivedAt - this.begunAt <= PROMPT_MS;
		if (this.showsNewOnly && !this.isPrompt) return [...this.finish(), { ...event }];
		const digest = digestOf(event, this.unit);
		if (this.first.length < WINDOW) this.first.push(digest);
		this.last.push({ digest, at: receivedAt });
		if (this.last.length > WINDOW) this.last.shift();
		const isAtNumber = this.count >= this.position.offset.entries;
		if (this.isPlace) {
			// Of several places in a log that repeats itself, the number of entries tells which one it is
			if (!this.isRepetitive || !this.isFromBeginning || isAtNumber) return this.found(this);
			this.firstPlace ??= { count: this.count, bytes: this.bytes };
		}
		this.hold(event);
		if (isAtNumber && this.firstPlace) return this.found(this.firstPlace);
		if (this.stage !== 'again' || !this.isSameBeginning) return [];
		// What was held before is in this log, too, unless its lines are equal: those may all be new. Of this connection all is held
		if (this.isRepetitive && new Set(this.beginning).size < MIN_DISTINCT) this.showsNewOnly = true;
		else this.held = this.held.slice(-this.count);
		this.cursor.restart(BEGINNING);
		return this.finish();
	}

	/** Ends the search at a place of this connection. Returns the entries after it that are held. */
	private found(place: { count: number; bytes: number }): StreamEvent[] {
		if (this.isFromBeginning) this.cursor.correct({ entries: place.count, bytes: place.bytes });
		this.wasFound = true;
		this.showsNewOnly = false;
		const after = this.count - place.count;
		const held = this.finish();
		return after > 0 ? held.slice(-after) : [];
	}

	/**
	 * The service has ended the stream. Where it ends each answer, an answer may be a page that ends before the new lines: so after one
	 * that brought nothing new, only the last entry is requested again.
	 * @param brought entries that were new
	 * @returns whether the log has certainly nothing new
	 */
	onEnd(brought: number): boolean {
		const { wasFound } = this;
		const wasNarrow = this.isNarrow;
		this.isNarrow = !wasNarrow && brought === 0 && (wasFound || this.isPage);
		if (this.isNarrow) this.stage = 'none';
		const isVerified = wasFound && (wasNarrow || this.wasNarrowInVain);
		this.wasNarrowInVain = wasNarrow ? !wasFound : this.wasNarrowInVain && !wasFound;
		const answer = `${this.first.join(' ')} ${brought}`;
		this.repetitions = answer === this.lastAnswer ? this.repetitions + 1 : 0;
		this.lastAnswer = answer;
		if (this.repetitions >= MAX_REPETITIONS) return true;
		return brought === 0 && (isVerified || this.position.known.length === 0);
	}

	/** Whether the connection has brought some of the known entries and nothing else. */
	private get isPage(): boolean {
		const { known } = this.position;
		return (
			this.stage === 'window' &&
			this.count > 0 &&
			this.count === this.first.length &&
			(!this.isRepetitive || this.isPrompt) &&
			Array.from({ length: MARGIN + 1 }).some((_, shift) =>
				this.first.slice(shift).every((digest, index) => digest === known[index]),
			)
		);
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
		if (this.firstPlace) return this.found(this.firstPlace);
		if (this.showsNewOnly && (isOpen || this.count > 0)) return this.finish();
		if (this.stage === 'window' && this.windowStart.entries > 0) {
			this.stage = 'beginning';
			return 'reconnect';
		}
		if (this.count === 0) {
			// An answer that is empty and ends changes nothing
			if (!isOpen) return 'reconnect';
			const held = this.finish();
			if (held.length > 0) this.showsNewOnly = true;
			else this.stage = 'empty';
			return held;
		}
		if (this.stage !== 'again') {
			this.beginning = this.first;
			this.stage = 'again';
			return 'reconnect';
		}
		this.showsNewOnly = true;
		return this.finish();
	}

	/** Entries to leave out by their number, where none is known to recognize the place by. */
	private get leftOut(): number {
		return this.position.offset.entries - this.windowStart.entries;
	}

	private get windowStart(): LogOffset {
		const { from } = this.position;
		if (this.unit === 'none') return BEGINNING;
		const hasMargin = this.unit === 'entries' && !this.isRepetitive && !this.isNarrow;
		return hasMargin ? { ...from, entries: Math.max(0, from.entries - MARGIN) } : from;
	}

	/** Whether the entry that came last is the one that was read last. */
	private get isPlace(): boolean {
		const { known } = this.position;
		const { last, count } = this;
		if (count < known.length && !this.isProof(count)) return false;
		const size = Math.min(count, known.length);
		for (let back = 1; back <= size; back++)
			if (last[last.length - back]?.digest !== known[known.length - back]) return false;
		const isBurst = last.at(-1)!.at - last[last.length - size]!.at <= BURST_MS;
		return !this.isRepetitive || (this.isPrompt && isBurst);
	}

	/** Whether so few entries at the start of a connection can prove the place. */
	private isProof(count: number): boolean {
		return (
			!this.isRepetitive &&
			new Set(this.last.slice(-count).map(({ digest }) => digest)).size >= MIN_DISTINCT
		);
	}

	private get isSameBeginning(): boolean {
		return (
			this.first.length >= this.beginning.length &&
			this.beginning.every((digest, index) => digest === this.first[index])
		);
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
