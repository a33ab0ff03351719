import type { Answer } from './answer';
import { beginsAtKnown } from './complete';

/** A follow-up has brought little if the answer before it had more than so many times as much. */
const LITTLE = 5;
/** Most answers in a row that none follows at once. */
const MAX_DISTRUST = 7;

/**
 * Whether the next request follows an answer at once. Where the service ends each answer, one with something new may be a page behind
 * which others wait: the next one shows it. While such follow-ups bring little, they become rarer, since the service has no pages or the
 * log is at its end.
 */
export class FollowUp {
	/** Whether the next request is one. */
	isDue = false;
	/** How many answers in a row none follows: now, and after the next follow-up that brings little. */
	private left = 0;
	private distrust = 0;

	/** An answer, the last one of these, is over. */
	answered(history: readonly Answer[]): void {
		const answer = history.at(-1)!;
		const before = history.at(-2)?.brought ?? 0;
		const isLittle = this.isDue && answer.brought * LITTLE < before;
		if (this.isDue) {
			this.left = isLittle ? this.distrust : 0;
			this.distrust = isLittle ? Math.min(MAX_DISTRUST, 2 * this.distrust + 1) : 0;
		}
		this.isDue = !isLittle && beginsAtKnown(answer) && --this.left < 0;
	}
}
