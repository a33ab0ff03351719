import { BEGINNING, offsetAfter, type LogOffset } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { MARGIN, WINDOW, type Cursor } from './cursor';
import type { Overlap } from './overlap';

/**
 * Leaves out what a log has, but for its newest lines. Where the service ends its answers, the next one tells whether the first was all
 * that it had: if it is a full page as well, the log is read page by page to its end; if not, what it brings has been written since.
 */
export class Newest {
	private readonly kept: StreamEvent[] = [];
	/** Entries of the first answer that has ended, and whether others have shown that it was a page. */
	private firstCount?: number;
	private isPaged = false;
	/** Entries since the first answer has ended: they are wanted as well, if that was all that the log had. */
	private fresh = 0;

	/**
	 * @param lines how many are wanted
	 * @param offset of the first one that is kept; at first, that of the first one that comes
	 */
	constructor(
		readonly lines: number,
		private offset: LogOffset = BEGINNING,
	) {}

	/** Whether the service has ended an answer. */
	get hasEnded(): boolean {
		return this.firstCount !== undefined;
	}

	/** Takes the next entry of the log. */
	take(event: Readonly<StreamEvent>): void {
		this.kept.push({ ...event });
		if (this.hasEnded && !this.isPaged) this.fresh++;
		// Those before the wanted ones are what the place is recognized by
		if (this.kept.length <= this.lines + this.fresh + WINDOW + MARGIN) return;
		const dropped = this.kept.shift();
		if (dropped) this.offset = offsetAfter(this.offset, dropped);
	}

	/**
	 * The service has ended an answer.
	 * @param count its entries
	 * @param overlap tells whether it was a page
	 * @returns whether the next one is to tell what the log has
	 */
	goesOn(count: number, { isPageFull, next }: Pick<Overlap, 'isPageFull' | 'next'>): boolean {
		const { firstCount } = this;
		this.firstCount ??= count;
		this.isPaged ||= isPageFull;
		if (this.isPaged) this.fresh = 0;
		// A page of known entries alone is as long as the first one
		const mayBePage = next === 'last' && firstCount !== undefined && count >= firstCount;
		return isPageFull || mayBePage || (firstCount === undefined && count > 0);
	}

	/** The log has no more for now: moves the cursor, which is at its end, to the newest lines. Returns them, in order. */
	finish(cursor: Cursor): StreamEvent[] {
		cursor.restart(this.offset);
		const { kept, lines, fresh } = this;
		for (const event of kept.splice(0, Math.max(0, kept.length - lines - fresh)))
			cursor.advance(event);
		return kept;
	}
}
