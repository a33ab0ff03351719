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

/** Equal answers in a row after which a service with nothing new repeats its last lines. */
const MAX_REPETITIONS = 20;

/** How an answer ended that the service has ended itself. */
export interface EndedAnswer {
	/** Whether the place was in it. */
	wasFound: boolean;
	/** Whether it consists of entries before the place. */
	isPage: boolean;
	/** Entries that were new. */
	brought: number;
	/** How it began. */
	beginning: string;
}

/**
 * Where a service ends each answer, an answer may be a page that ends before the new lines. So after one that brought nothing new, the
 * last entry alone is requested: a page that begins with it has the next ones.
 */
export class Paging {
	/** Whether the last entry alone is to be requested. */
	isNarrow = false;
	/** It did not come when it was requested. */
	private wasNarrowInVain = false;
	private previous = '';
	private repetitions = 0;

	/** Takes the end of an answer. Returns whether the log has certainly nothing new. */
	onEnd({ wasFound, isPage, brought, beginning }: EndedAnswer): boolean {
		const wasNarrow = this.isNarrow;
		this.isNarrow = !wasNarrow && brought === 0 && (wasFound || isPage);
		const isVerified = brought === 0 && wasFound && (wasNarrow || this.wasNarrowInVain);
		this.wasNarrowInVain = !wasFound && (wasNarrow || this.wasNarrowInVain);
		const answer = `${beginning} ${brought}`;
		this.repetitions = answer === this.previous ? this.repetitions + 1 : 0;
		this.previous = answer;
		return isVerified || this.repetitions >= MAX_REPETITIONS;
	}
}
