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
