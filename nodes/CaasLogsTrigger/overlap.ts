import { BEGINNING, beyond, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { elapsed } from '../shared/time';
import { Answer, type Ending, type Next } from './answer';
import { leaveOut, StartOffset, type LeftOut } from './beginning';
import { Behind, isAlone, isPageKnown } from './behind';
import { isComplete, isFullPage, longestOf, mayBeKnownPage, wasBehindEmpty } from './complete';
import { WINDOW, type Cursor, type Position } from './cursor';
import { decide, type Habit, type Step } from './decide';
import { FollowUp } from './followUp';
import { eventsOf } from './join';
import { distinctEnd, knownEntries, lastOf, type KnownEntries, type Place } from './known';
import { MAX_ANSWERS, Search } from './search';

/** Known lines of a slow service may take so many times as long as they once took. */
const LATENESS = 2;

/** What finds the new entries tells. */
export interface OverlapHost {
	/** Gets the entries that are new, in order. */
	deliver(events: StreamEvent[]): void;
	/** Is called before the first entry of another log is delivered. */
	onOtherLog(): void;
	/** How many entries of the present connection were new. */
	readonly brought: number;
}

/**
 * Finds, in what a new connection brings, the place where reading stopped: by the entries before it, whatever the service makes of an
 * offset. Entries are held meanwhile, and none is dropped that the log had not before. {@link decide} says what to do next; this class
 * keeps the answers of the last connections and does it.
 */
export class Overlap {
	private readonly history: Answer[] = [];
	private readonly habit: Habit = {
		offset: 'unknown',
		showsNewOnly: false,
		showsPast: false,
		pastMs: 0,
	};
	/** The search that is under way, and what is requested next. */
	private search?: Search;
	next: Next = 'window';
	/** The log before the present one: what took its place may have been the page of a proxy, and then it comes back. */
	private former?: KnownEntries;
	private leftOut?: LeftOut;
	/** What comes from behind the last known entry; after its connection, what is new if the log is still the same. */
	private behind?: Behind;
	/** Whether something came where nothing can be. */
	private showsBeyond?: boolean;
	private readonly followUp = new FollowUp();

	constructor(
		private readonly cursor: Cursor,
		private readonly unit: OffsetSettings['offsetUnit'],
		private readonly host: OverlapHost,
	) {}

	/** A connection begins. Returns the offset to request. */
	begin(): LogOffset {
		const position = this.cursor.position();
		if (this.next === 'behind' || this.next === 'nothing') return this.beginBehind(position);
		const before = (count: number) => this.cursor.before(count);
		const room = this.behind ? 1 : longestOf(this.history);
		const last = this.next === 'last' ? lastOf(position, before, room) : undefined;
		const isNew = this.next === 'all' || (!this.search && position.known.length > 0);
		if (last) this.start(last);
		else if (isNew) this.start(knownEntries(position));
		const { search } = this;
		const requested = this.next === 'beginning' || this.next === 'beyond' ? this.next : 'window';
		const unknown = this.unit === 'none' ? BEGINNING : position.from;
		const start = search?.offsetOf(requested) ?? unknown;
		const { pastMs, showsNewOnly } = this.habit;
		const lateMs = showsNewOnly ? 0 : LATENESS * pastMs;
		const { entries } = start;
		const isFirst = entries === 0 && (this.unit !== 'bytes' || start.bytes === 0);
		const answer = this.remember(new Answer(requested, entries, search?.known, lateMs, isFirst));
		search?.add(answer);
		if (search) return start;
		const left = position.offset.entries - start.entries;
		this.leftOut = left > 0 ? leaveOut(left, this.cursor, start) : undefined;
		return start;
	}

	private remember(answer: Answer): Answer {
		this.history.push(answer);
		if (this.history.length > MAX_ANSWERS) this.history.shift();
		return answer;
	}

	private beginBehind(position: Position): LogOffset {
		const start = this.next === 'behind' ? position.offset : beyond(position.offset);
		this.behind = this.next === 'behind' ? new Behind(position) : this.behind;
		this.next = 'window';
		this.remember(new Answer('behind', start.entries));
		return start;
	}

	/** Begins where reading starts, with the first entries of the log. */
	startAt(first: StreamEvent[]): void {
		this.leftOut = new StartOffset(this.cursor, this.unit, first);
	}

	/** The connection is open: what the service has of the past comes now. */
	opened(): void {
		this.answer.opened();
	}

	/**
	 * Takes the next entry of the connection while the place is searched, and delivers what is new.
	 * @param receivedAt when it began to come
	 */
	take(event: StreamEvent, receivedAt = elapsed()): void {
		const { answer, behind, leftOut, search } = this;
		if (answer.requested === 'behind') return behind?.take(event, this.cursor.digestOf(event));
		if (leftOut) {
			const wanted = leftOut.take(event);
			if (wanted) this.leftOut = undefined;
			return this.host.deliver(wanted ?? []);
		}
		if (!search) return;
		answer.ending = undefined;
		answer.add(event, this.cursor.digestOf(event), receivedAt, search.former);
		this.apply(search, decide(search));
	}

	/**
	 * All that the service had has come, or there is no connection any more.
	 * @returns `searching`: another connection is to tell what is new; `complete`: the log has certainly nothing new
	 */
	end(ending: Ending): 'searching' | 'complete' | 'known' {
		const { answer, behind, history, search } = this;
		answer.ending = ending;
		if (answer.requested === 'behind') return this.endBehind(ending);
		const isSearching = search !== undefined && this.apply(search, decide(search));
		answer.brought = this.host.brought;
		this.behind = undefined;
		// Without an offset, the next answer is the same one
		if (this.unit !== 'none') this.followUp.answered(history);
		if (isAlone(answer) && (behind ?? isPageKnown(history, this.cursor.position(), this.unit))) {
			this.next = 'behind';
			this.host.deliver(behind?.events ?? []);
			answer.brought = this.host.brought;
		}
		// A place that is not the only one takes more of the known entries
		const isNextPage = this.followUp.isDue && distinctEnd(this.cursor.position()) !== undefined;
		if (isNextPage || mayBeKnownPage(answer)) this.next = 'last';
		if (isSearching) return 'searching';
		const isUnseen = this.next === 'behind' && !wasBehindEmpty(history);
		return !isUnseen && isComplete(history) ? 'complete' : 'known';
	}

	/** What was behind the last known entry is new if that entry is still where it was: it is requested again. */
	private endBehind(ending: Ending): 'complete' | 'known' {
		this.showsBeyond = this.behind?.showsOthers ?? this.showsBeyond;
		this.next = this.behind?.next(ending) ?? 'window';
		if (this.next === 'window') this.behind = undefined;
		this.answer.brought = this.behind?.events.length ?? 0;
		return wasBehindEmpty(this.history) ? 'complete' : 'known';
	}

	/**
	 * There is no connection.
	 * @param isOffset whether the service may have refused the offset
	 * @returns whether to request the log at once from elsewhere, as its beginning: a new one may be shorter
	 */
	refused(isOffset = false): boolean {
		const { requested } = this.answer;
		this.end(isOffset ? 'offsetRefused' : 'refused');
		return isOffset && requested !== 'beginning' && requested !== this.next;
	}

	/** The trigger is closed: delivers what is held of logs that may be gone at the next start. The search begins again then. */
	release(): void {
		const { habit, search } = this;
		if (!search) return;
		const { before, now } = search.shown;
		const isKept = habit.showsPast && !habit.showsNewOnly;
		// Equal lines that have come again at once are of a log that the service keeps
		const isAgain = search.hasEqualLines && search.answers.some(({ place }) => place);
		this.finish(search);
		if (isAgain) return;
		this.host.deliver(eventsOf(isKept ? before : [...before, ...now]));
	}

	/** Whether the service has shown that it has nothing of the past: what is not delivered at a stop is lost. */
	get showsNewOnly(): boolean {
		return this.habit.showsNewOnly;
	}

	/** Whether an entry is the last known one, while the place is searched. */
	isLastKnown(event: Readonly<StreamEvent>): boolean {
		return this.searching?.known.digests.at(-1) === this.cursor.digestOf(event);
	}

	/** Whether every entry is new, so that none needs {@link take}. */
	get isFound(): boolean {
		return !this.search && !this.leftOut && this.answer.requested !== 'behind';
	}

	/** The search, while it waits for more of what the service has. */
	get searching(): Search | undefined {
		return this.answer.ending === 'empty' || this.next === 'last' ? undefined : this.search;
	}

	/** Whether the next connection is to bring the next page, or the last known entry again, which shows that what came behind it is new. */
	get hasMore(): boolean {
		const isUnconfirmed = this.behind && (this.next === 'last' || !this.showsBeyond);
		return isUnconfirmed ?? this.followUp.isDue;
	}

	/** Whether the answer was a page of those that follow each other. */
	get isPageFull(): boolean {
		return isFullPage(this.history);
	}

	/** Silence after which the connection is of no more use. */
	get silenceMs(): number {
		return this.answer.requested === 'behind' ? (this.behind?.silenceMs ?? 0) : Infinity;
	}

	/** Whether the first entries are to be read before; see {@link StartOffset}. */
	get needsBeginning(): boolean {
		return StartOffset.isNeeded(this.cursor.position(), this.unit);
	}

	private get answer(): Answer {
		return this.history.at(-1)!;
	}

	/** Begins a search. What the answers to one before it have shown is still to be delivered, if the log has not got it any more. */
	private start(known: KnownEntries): void {
		const search = new Search(known, this.habit, this.unit, this.history, this.former);
		search.answers.push(...(this.search?.answers ?? []));
		this.search = search;
		this.next = 'window';
	}

	/** Returns whether another connection is to tell what is new. */
	private apply(search: Search, step: Step): boolean {
		const { habit, answer } = this;
		if (search.hasIgnored) habit.offset = 'beginning';
		if (step.learned) habit.offset = step.learned;
		switch (step.kind) {
			case 'wait':
				if (answer.ending) answer.ending = 'empty';
				return false;
			case 'request':
				this.next = step.what;
				return step.what !== 'last';
			case 'rotated':
				return this.rotate(search);
			case 'former':
				this.host.onOtherLog();
				if (search.former) this.cursor.load(search.former.position);
				this.former = undefined;
				this.goOnAfter(search, step.place);
				return false;
			case 'found':
				this.cursor.forget(step.place.closing ?? 0);
				if (answer.isFromBeginning || (search.showsBeginning && !search.isUncertain))
					this.cursor.correct({ entries: step.place.count, bytes: step.place.bytes });
				habit.showsNewOnly = false;
				habit.showsPast = true;
				habit.pastMs = Math.max(habit.pastMs, answer.delayMs);
				this.goOnAfter(search, step.place);
				return false;
		}
	}

	private goOnAfter(search: Search, place: Place): void {
		const events = this.answer.after(place);
		this.answer.foundAt = place.count;
		this.finish(search);
		this.host.deliver(events);
	}

	/** The last answer shows the log as it is now. Returns whether the next one is to bring it: it was too much to keep. */
	private rotate(search: Search): boolean {
		const { hasDropped } = this.answer;
		const { before, now: shown, isRepeated } = search.shown;
		this.habit.showsNewOnly = !isRepeated;
		// A page that changes with each request is no log: the longest one counts
		const longest = Math.max(WINDOW, this.former?.position.offset.entries ?? 0);
		if (search.count > longest) this.former = search.known;
		this.finish(search);
		this.host.deliver(eventsOf(before));
		this.host.onOtherLog();
		this.cursor.restart(BEGINNING);
		if (!hasDropped) this.host.deliver(eventsOf(shown));
		return hasDropped;
	}

	private finish(search: Search): void {
		for (const answer of search.answers) answer.release();
		this.search = undefined;
		this.next = 'window';
	}
}
