import { now } from '../time';
import type { Account } from './credentials';
import { header } from './exchange';
import type { Head } from './reply';

/** Clocks that are wrong are so by minutes: what differs by more than that, in milliseconds, is no clock. */
const MOST_MS = 3_600_000;

/**
 * What the clock of the service said when an answer came, in milliseconds since 1970; NaN where that is not told. An answer that a
 * cache has kept says in `Age` for how many seconds.
 */
function serviceTime(head: Head): number {
	const ageMs = Number(header(head, 'age') ?? 0) * 1000;
	return ageMs >= 0 ? Date.parse(header(head, 'date') ?? '') + ageMs : NaN;
}

/** Notes how far the clock of the service is ahead, since the times that it shows may be of that clock. */
export function noteClock(account: Account, head: Head): void {
	const ahead = serviceTime(head) - now();
	if (Math.abs(ahead) <= MOST_MS) account.clockAheadMs = ahead;
}

/**
 * `Retry-After` of an answer, in seconds where it is a date: that one is of the same clock as the `Date` of the answer, however wrong
 * it is.
 */
export function retryAfterOf(head: Head): string | undefined {
	const value = header(head, 'retry-after');
	const opensAt = Number.isNaN(Number(value)) ? Date.parse(value ?? '') : NaN;
	const waitMs = opensAt - serviceTime(head);
	return Number.isNaN(waitMs) ? value : String(Math.max(0, waitMs) / 1000);
}
