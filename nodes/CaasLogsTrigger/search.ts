import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import { Answer, knownEntries, LIMITS, type Place } from './answer';
import { OffsetHabit, Paging } from './habits';
import { FormerLog, HeldEntries } from './heldEntries';
import { leadOf, type Cursor, type Position } from './cursor';
import { StartOffset, type LeftOut } from './beginning';

/** So many entries more are requested: the service may count from one, or from after an entry. */
export const MARGIN = 4;

/** What is known while the place is searched where reading stopped, and what that says about the connection. */
export abstract class Search {
	protected stage: 'none' | 'window' | 'beyond' | 'beginning' | 'again' | 'empty' = 'none';
	protected position: Position;
	protected known = knownEntries([]);
	protected readonly former = new FormerLog();
	/** What this connection has brought, and whether the place was in it. */
	protected answer = new Answer();
	protected wasFound = false;
	protected readonly paging = new Paging();
	protected readonly habit = new OffsetHabit();
	protected held = new HeldEntries();
	protected leftOut?: LeftOut;
	/** The first digests of the connection before. */
	protected beginning: string[] = [];
	/** Whether that one went on when it was closed. */
	protected wasLeftOpen = false;
	/** The service has once shown new lines only, or the whole log whatever the offset was. */
	protected showsNewOnly = false;
	/** Lines that one connection had shown did not come on the next one. */
	protected hasNoPast = false;
	protected showsBeginning = false;
	/** Whether known lines have come so late that they may be new: another connection is to show them again. */
	protected isConfirming = false;
	/** Answers in a row that the service has ended. */
	protected ended = 0;
	/** Connections that were lost during this stage. */
	protected lost = 0;

	constructor(
		protected readonly cursor: Cursor,
		protected readonly unit: OffsetSettings['offsetUnit'],
	) {
		this.position = cursor.position();
	}

	/** Whether every entry is new, so that none needs {@link take}. */
	get isFound(): boolean {
		return this.stage === 'none' && !this.leftOut;
	}

	/** Whether the search waits for more of what the service has. */
	get isSearching(): boolean {
		return this.stage !== 'none' && this.stage !== 'empty';
	}

	/** Whether more of this connection cannot help the search. */
	get isExhausted(): boolean {
		const longest = Math.max(this.position.offset.entries, this.former.entries);
		return this.isSearching && this.answer.count > longest + LIMITS.beyond;
	}

	/** Whether the place is still to come: the known entries have begun to come, or the log is shown from its beginning. */
	get isPatient(): boolean {
		if (!this.isSearching || (this.answer.firstPlace ?? this.former.place)) return false;
		return this.mayBeUnended || this.isPage || this.isBeforePlace;
	}

	/** Whether known lines are still to come although it is silent: the service ends its answers, and has not ended this one. */
	get mayBeUnended(): boolean {
		const { answer, stage, known } = this;
		if (this.ended === 0 || stage !== 'window') return false;
		// A log that has ended may be empty from this offset on, because another one has begun
		if (answer.count === 0) return this.ended > 1;
		const before = this.position.offset.entries - known.digests.length - this.windowStart.entries;
		return answer.mayBePageOf(known, Math.min(Math.max(0, before), MARGIN + leadOf(this.position)));
	}

	/** How many entries are still to come before the number of those that were read. */
	get missing(): number {
		return this.position.offset.entries - this.answer.count;
	}

	protected get isBeforePlace(): boolean {
		return this.showsBeginning && this.missing > 0;
	}

	/** Whether this connection has brought nothing although entries are known. */
	get isEmpty(): boolean {
		return this.isSearching && this.answer.count === 0;
	}

	/** Whether the search is where the log begins. */
	get isFromBeginning(): boolean {
		const isWindow = this.stage === 'window' || this.stage === 'beyond';
		return this.isSearching && !(isWindow && this.windowStart.entries > 0);
	}

	/** Whether the first entries are to be read before; see {@link StartOffset}. */
	get needsBeginning(): boolean {
		return StartOffset.isNeeded(this.position, this.unit);
	}

	/** Whether only the number of the entries tells which of them are new, as far as nothing shows that the service honours the offset. */
	protected get isCounted(): boolean {
		const { stage, unit, known, habit } = this;
		const isCountable = unit === 'entries' || unit === 'bytes';
		const isRequested = stage === 'window' || stage === 'beyond';
		const mayBeWrong = isCountable && known.isRepetitive && !habit.isHonoured;
		return isRequested && mayBeWrong && this.windowStart.entries > 0;
	}

	/**
	 * Whether known lines that have come are those of before. A service that shows new lines only may bring the same ones once more: they
	 * come at any time, and on the next connection others come.
	 */
	protected isOfPast({ count }: Place): boolean {
		const { answer, known, isConfirming, showsNewOnly } = this;
		if (known.isRepetitive || (answer.isImmediate && !showsNewOnly)) return true;
		return isConfirming && count >= known.digests.length;
	}

	/** Whether connections have shown nothing but lines that are known: they may be new all the same. */
	protected get hasEqualLines(): boolean {
		return this.known.isRepetitive && this.held.isAmong(this.known.digests);
	}

	/** Whether it has certainly brought some of the known entries and nothing else. */
	protected get isPage(): boolean {
		const { stage, answer, known } = this;
		return stage === 'window' && answer.isPageOf(known, MARGIN, leadOf(this.position));
	}

	/** The place in a log that is known from its beginning, where each connection begins with lines of its own. */
	protected get greetedPlace(): Place | undefined {
		const { stage, answer, known, position, beginning, wasLeftOpen } = this;
		if (stage !== 'again' || known.digests.length !== position.offset.entries) return undefined;
		return answer.isGreeted(known, beginning, wasLeftOpen) ? answer.atNumber : undefined;
	}

	protected get windowStart(): LogOffset {
		const { from } = this.position;
		if (this.unit === 'none') return BEGINNING;
		const hasMargin =
			this.unit === 'entries' &&
			!(this.known.isRepetitive || this.paging.isNarrow || this.showsNewOnly || this.lost > 0);
		return hasMargin ? { ...from, entries: Math.max(0, from.entries - MARGIN) } : from;
	}
}
