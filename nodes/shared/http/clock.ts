import { now } from '../time';
import type { Account } from './credentials';
import { header } from './exchange';
import type { Head } from './reply';

/** Clocks that are wrong are so by minutes: what differs by more than that, in milliseconds, is no clock. */
const MOST_MS = 3_600_000;

/**
 * How far the clock of the service is ahead by an answer; undefined where it does not tell. One that a cache has kept says in `Age`
 * for how many seconds.
 */
function clockAhead(head: Head): number | undefined {
	const ageMs = Number(header(head, 'age') ?? 0) * 1000;
	const ahead = Date.parse(header(head, 'date') ?? '') + ageMs - now();
	return ageMs >= 0 && Math.abs(ahead) <= MOST_MS ? ahead : undefined;
}

/** Notes how far the clock of the service is ahead, since the times that it shows may be of that clock. */
export function noteClock(account: Account, head: Head): void {
	account.clockAheadMs = clockAhead(head) ?? account.clockAheadMs;
}

/** `Retry-After` of an answer, in seconds where it is a date: that one is of the clock of the service, too. */
export function retryAfterOf(head: Head): string | undefined {
	const value = header(head, 'retry-after');
	const ahead = clockAhead(head);
	const opensAt = Number.isNaN(Number(value)) ? Date.parse(value ?? '') : NaN;
	if (ahead === undefined || Number.isNaN(opensAt)) return value;
	return String(Math.max(0, opensAt - ahead - now()) / 1000);
}
