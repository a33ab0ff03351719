import type { LogOffset } from '../marketplace/log/request';

/** No log is so long, and a service that counts in 32 bits can still read it. */
const FAR = 1_000_000_000;
/** Requests far beyond the end that may fail before the offset counts as honoured. */
const MAX_FAILURES = 5;

/**
 * Whether the service honours the offset, where lines are equal and only their number can tell which are new. One that ignores it sends
 * as many entries for an offset far beyond the end of the log as for another one. Then an answer has all entries of the log, or, if they
 * are fewer than were read, the last ones: of those, only more than there were before are new.
 */
export class OffsetHabit {
	isHonoured = false;
	isIgnored = false;
	/** Entries of the answer that is compared, and of the last one where only the last ones come. */
	private compared = 0;
	private shown?: number;
	private failures = 0;

	get isKnown(): boolean {
		return this.isHonoured || this.isIgnored;
	}

	/** An offset far beyond the end, which is requested to tell. */
	beyond({ entries, bytes, lastEventId }: LogOffset): LogOffset {
		return { entries: entries + FAR, bytes: bytes + FAR, lastEventId };
	}

	/** Notes an answer of so many entries, which are more than those that were expected. */
	compare(count: number): void {
		this.compared = count;
	}

	/**
	 * Takes the number of entries that came from far beyond the end.
	 * @param isBroken whether there may have been more
	 */
	decide(count: number, isBroken: boolean): void {
		this.shown = undefined;
		this.isIgnored = count >= this.compared;
		if (this.isIgnored) return;
		if (!isBroken) this.isHonoured = true;
		else if (count === 0) this.fail(false);
	}

	/**
	 * The request far beyond the end has failed.
	 * @param isOffset whether the service refused the offset, as one does that honours it
	 */
	fail(isOffset: boolean): void {
		this.failures++;
		this.isHonoured = isOffset || this.failures >= MAX_FAILURES;
	}

	/** How many entries are new of an answer that has fewer than were read; undefined where that tells nothing any more. */
	newOf(count: number): number | undefined {
		const { shown = count } = this;
		this.shown = count;
		if (count >= shown) return count - shown;
		this.isIgnored = false;
		return undefined;
	}
}
