import { BEGINNING, offsetAfter, type LogOffset } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { MARGIN, WINDOW, type Cursor } from './cursor';

/** Leaves out what a log has, but for its newest lines. */
export class Newest {
	private readonly kept: StreamEvent[] = [];
	/**
	 * @param lines how many are wanted
	 * @param offset of the first one that is kept; at first, that of the first one that comes
	 */
	constructor(
		readonly lines: number,
		private offset: LogOffset = BEGINNING,
	) {}

	/** Takes the next entry of the log. */
	take(event: Readonly<StreamEvent>): void {
		this.kept.push({ ...event });
		// Those before the wanted ones are what the place is recognized by
		if (this.kept.length <= this.lines + WINDOW + MARGIN) return;
		const dropped = this.kept.shift();
		if (dropped) this.offset = offsetAfter(this.offset, dropped);
	}

	/** The log has no more for now: moves the cursor to the newest lines. Returns them, in order. */
	finish(cursor: Cursor): StreamEvent[] {
		cursor.restart(this.offset);
		const { kept, lines } = this;
		for (const event of kept.splice(0, Math.max(0, kept.length - lines))) cursor.advance(event);
		return kept;
	}
}
