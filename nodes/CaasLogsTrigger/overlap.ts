import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import { Answer, knownEntries, lastOf, LIMITS, type Place } from './answer';
import { digestOf, leadOf, type Cursor } from './cursor';
import { HeldEntries } from './heldEntries';
import { MARGIN, Search } from './search';
import { leaveOut, StartOffset } from './beginning';

/**
 * Finds, in what a new connection brings, the place where reading stopped: by the entries before it, whatever the service makes of an
 * offset. It may honour it, count from one, ignore it, show the last lines or only new ones.
 *
 * The log is requested from the first known entry (`window`). If the known entries do not come, from the beginning; if they do not
 * come there either, once more. This last connection shows the log as it is now, and what others have shown beside it is of a log
 * that is gone, or new. All of that is delivered: until then entries are held, and none is dropped that the log had not before.
 * Only an answer that has ended, or is silent, shows that the place is not in it: a connection that is lost shows what it brought.
 */
export class Overlap extends Search {
	/**
	 * @param deliver gets the entries that are new, in order
	 * @param onOtherLog is called before the first entry of another log is delivered
	 */
	constructor(
		cursor: Cursor,
		unit: OffsetSettings['offsetUnit'],
		private readonly deliver: (events: StreamEvent[]) => void,
		private readonly onOtherLog: () => void,
	) {
		super(cursor, unit);
	}

	/** A connection begins. Returns the offset to request. */
	begin(): LogOffset {
		if (!this.isSearching) {
			this.position = this.cursor.position();
			const { known } = this.position;
			this.known = knownEntries(known);
			const from = this.paging.isNarrow ? this.cursor.lastBefore : undefined;
			if (from) {
				this.known = lastOf(this.known);
				this.position = { ...this.position, known: this.known.digests, from };
			}
			this.stage = known.length > 0 ? 'window' : 'none';
			const left = known.length > 0 ? 0 : this.position.offset.entries - this.windowStart.entries;
			this.leftOut = left > 0 ? leaveOut(left) : undefined;
		}
		this.answer = new Answer();
		this.former.onConnection();
		this.wasFound = false;
		this.held.onConnection(!this.hasEqualLines);
		if (this.stage === 'beyond') return this.habit.beyond(this.position.offset);
		return this.stage === 'beginning' || this.stage === 'again' ? BEGINNING : this.windowStart;
	}

	/**
	 * There is no connection.
	 * @param isOffset whether the service may have refused the offset
	 * @returns whether to request the log at once from elsewhere, as its beginning: a new one may be shorter
	 */
	refused(isOffset: boolean): boolean {
		if (this.stage === 'beyond') {
			this.habit.fail(isOffset);
			this.stage = 'window';
			return isOffset;
		}
		if (!isOffset) return false;
		const isWindow = this.stage === 'window' && this.windowStart.entries > 0;
		if (isWindow) this.next('beginning');
		else if (this.isSearching && !this.held.hasBefore) this.stage = 'none';
		return isWindow;
	}

	/** Begins where reading starts, with the first entries of the log. */
	startAt(first: StreamEvent[]): void {
		this.leftOut = new StartOffset(this.position, this.unit, first);
	}

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.answer.opened();
	}

	/**
	 * Takes the next entry of the connection while the place is searched, and delivers what is new.
	 * @param receivedAt when it began to come
	 */
	take(event: StreamEvent, receivedAt = now()): void {
		// What comes so late may be the whole log of a slow service
		if (this.stage === 'empty') this.stage = 'beginning';
		const { answer, known, habit } = this;
		const { offset } = this.position;
		if (this.leftOut) {
			const wanted = this.leftOut.take(event);
			if (wanted) this.leftOut = undefined;
			return this.deliver(wanted ?? []);
		}
		answer.add(event, receivedAt);
		const digest = digestOf(event, this.unit);
		answer.remember(digest, receivedAt);
		if (answer.count === offset.entries) answer.atNumber = answer.end;
		this.held.add(event, digest);
		// Such a service has nothing of the past, which would have come by now
		const isOld = !this.hasNoPast && !known.isRepetitive && known.digests.includes(digest);
		if (this.showsNewOnly && !answer.isPrompt && !isOld) return void this.conclude();
		if (this.stage === 'beginning' && answer.count >= LIMITS.sameEntries)
			this.showsBeginning ||= answer.beginsWith(this.beginning.slice(0, answer.count), 2);
		this.former.look(answer);
		answer.noteClosingLines(known, offset.entries);
		// From the beginning the number of entries tells which of several places it is
		const isAtNumber = answer.count >= offset.entries;
		if (answer.endsWith(known)) {
			if (answer.count === offset.entries) answer.placeAtNumber = answer.end;
			const isSure = isAtNumber || !(this.isFromBeginning || this.showsBeginning);
			const isHere = this.isCounted ? habit.isIgnored && answer.placeAtNumber : isSure;
			if (isHere && this.isOfPast(answer.end)) return this.found(answer.end);
			answer.firstPlace ??= answer.end;
		}
		const { firstPlace: place } = answer;
		if (isAtNumber && place && !this.isCounted && this.isOfPast(place)) this.found(place);
	}

	/**
	 * Finds the place by the number of entries in an answer.
	 * @param end how the answer has ended: one that goes on is silent, and one that is broken may have had more
	 */
	private count(end: 'clean' | 'open' | 'broken'): void {
		const { answer, habit } = this;
		if (this.stage === 'beyond') {
			habit.decide(answer.count, end === 'broken');
			this.stage = 'window';
			answer.isInconclusive = !habit.isIgnored;
			if (answer.isInconclusive) return;
		}
		const { placeAtNumber, firstPlace: place } = answer;
		if (!place) return;
		const isLong = answer.count >= this.position.offset.entries;
		if (habit.isIgnored && (placeAtNumber || isLong || !this.hasEqualLines))
			return this.found(placeAtNumber ?? place);
		if (habit.isIgnored && end === 'broken') return;
		if (habit.isIgnored) {
			const fresh = habit.newOf(answer.count);
			if (fresh !== undefined) return this.goOnAfter({ ...place, count: answer.count - fresh });
		}
		// What an offset brings on a connection that goes on is taken for new: there it does not come without end
		if (place.count === answer.count || (end !== 'clean' && !isLong)) return this.found(place);
		habit.compare(answer.count);
		answer.isInconclusive = true;
		this.stage = 'beyond';
	}

	/** The place is in this connection. */
	private found(place: Place): void {
		this.cursor.forget(place.closing ?? 0);
		const showsAll = this.showsBeginning && !this.known.isRepetitive;
		if (this.isFromBeginning || showsAll)
			this.cursor.correct({ entries: place.count, bytes: place.bytes });
		this.showsNewOnly = this.hasNoPast = false;
		this.goOnAfter(place);
	}

	/** The log is there again that another one seemed to have replaced. */
	private comeBack(place: Place): void {
		this.onOtherLog();
		const position = this.former.comeBack();
		if (position) this.cursor.load(position);
		this.goOnAfter(place);
	}

	private goOnAfter({ count }: Place): void {
		this.wasFound = true;
		const events = this.held.last(this.answer.count - count);
		this.finish();
		this.deliver(events);
	}

	/** This connection shows the log as it is now. Returns whether the next one is to bring it: it was too much to keep. */
	private conclude(): boolean {
		const { hasEqualLines, position, known, held } = this;
		const { before, now: shown, isRepeated } = held.all(!hasEqualLines);
		this.showsNewOnly = hasEqualLines || !isRepeated || this.hasNoPast;
		this.former.remember(position, known);
		const { hasDropped } = held;
		this.finish();
		this.deliver(before);
		this.onOtherLog();
		this.cursor.restart(BEGINNING);
		if (!hasDropped) this.deliver(shown);
		return hasDropped;
	}

	/**
	 * The stream has ended, or the connection was lost.
	 * @param countBrought returns how many entries were new
	 * @returns whether the log has certainly nothing new
	 */
	onEnd(countBrought: () => number): boolean {
		this.ended++;
		if (this.isCounted) this.count('clean');
		const greeted = this.greetedPlace;
		if (greeted) this.found(greeted);
		return this.endAnswer(countBrought);
	}

	private endAnswer(countBrought: () => number): boolean {
		const { answer, wasFound, stage, known, position } = this;
		if (answer.isInconclusive) return false;
		const brought = countBrought();
		const margin = known.isRepetitive ? 0 : MARGIN;
		const isPage = stage === 'window' && answer.mayBePageOf(known, margin + leadOf(position));
		const beginning = answer.first.join(' ');
		const isComplete = this.paging.onEnd({ wasFound, isPage, brought, beginning });
		if (this.isPage && answer.isPrompt && !this.showsNewOnly) this.held.dropNow();
		if (this.paging.isNarrow) this.stage = 'none';
		return isComplete || (brought === 0 && this.known.digests.length === 0);
	}

	/**
	 * All that the service had has come, and the place was not in it.
	 * @param isOpen whether the connection goes on
	 * @returns whether another connection is to tell
	 */
	notFound(isOpen: boolean): boolean {
		const { answer, held } = this;
		if (isOpen) this.ended = 0;
		if (this.isCounted && !answer.isInconclusive) this.count(isOpen ? 'open' : 'clean');
		if (answer.isInconclusive || !this.isSearching) return answer.isInconclusive;
		const place = answer.firstPlace ?? answer.loosePlace ?? this.greetedPlace;
		if (place && !this.isConfirming && !this.isOfPast(place)) {
			this.isConfirming = true;
			return true;
		}
		if (this.isConfirming && answer.count === 0 && isOpen) {
			this.hasNoPast = true;
			return this.conclude();
		}
		const isShownTwice = this.stage === 'beginning' && this.showsBeginning && !held.hasDropped;
		if (place && this.isOfPast(place)) this.found(place);
		else if (this.former.place) this.comeBack(this.former.place);
		else if (this.showsNewOnly && answer.count > 0) return this.conclude();
		else if (this.stage === 'window' && this.windowStart.entries > 0)
			this.next('beginning', isOpen);
		// An answer that is empty and ends changes nothing
		else if (answer.count === 0 && !isOpen) return true;
		else if (answer.count === 0 && !held.hasBefore) this.stage = 'empty';
		else if (answer.count === 0 || this.stage === 'again' || isShownTwice) return this.conclude();
		else this.next('again', isOpen);
		return this.isSearching;
	}

	/**
	 * The connection was lost. What it would have brought may be on the next one: where each one is lost, as in a crash loop, what has
	 * come is all that there is.
	 * @param countBrought as in {@link onEnd}
	 */
	broken(countBrought: () => number): void {
		this.ended = 0;
		if (!this.isSearching) return void this.endAnswer(countBrought);
		const { answer, stage, habit } = this;
		if (stage === 'beyond') return this.count('broken');
		// Where the log is shown from its beginning, the known entries may come again further on
		if (answer.firstPlace && !this.showsBeginning && !(this.isCounted && habit.isIgnored)) {
			if (this.isCounted) return this.count('broken');
			if (this.isOfPast(answer.firstPlace)) return this.found(answer.firstPlace);
			this.isConfirming = true;
		}
		const { isPage } = this;
		if (this.isBeforePlace && !answer.firstPlace) this.held.dropNow();
		this.endAnswer(countBrought);
		const mostLost = stage === 'window' ? LIMITS.lostInWindow : LIMITS.lost;
		if (!isPage && ++this.lost >= mostLost) {
			this.stage = stage;
			if (this.isCounted && answer.firstPlace) this.found(answer.firstPlace);
			else this.notFound(false);
		}
	}

	private next(stage: 'beginning' | 'again', isOpen = false): void {
		this.beginning = this.answer.first;
		this.wasLeftOpen = isOpen;
		this.stage = stage;
		this.lost = 0;
	}

	private finish(): void {
		this.stage = 'none';
		this.isConfirming = false;
		this.lost = 0;
		this.held = new HeldEntries();
	}
}
