import { answerProblem } from '../http/errors';
import { parseJson } from '../json';
import { isSuccess, type Outcome } from '../http/request';
import { retryAfterMs } from '../http/retry';

/**
 * How to read the outcome of a request that must not be sent twice and has no idempotency key (deploy, extend, document
 * create). Whatever is neither done nor refused is unknown: the machine or the hours may have been bought.
 */

/** Looks for what a lost request has done: at once, and after each of these pauses in milliseconds. */
export const PATIENCE_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/**
 * What was sent so long ago and does not show is taken for never made: the request waited two minutes for its answer at most, and
 * a loop must not be held up for ever. Another item or call then sends again.
 */
export const LONG_AGO_MS = 900_000;

/** What is still sent where the outcome is unknown, for the error of a purchase. */
export const NOT_AGAIN =
	'This item does not send it again; another item or call does only after a quarter of an hour, when it still does not show.';

/** Any 2xx is a yes, also when its body is empty or was cut. */
export function wasDone(outcome: Outcome): boolean {
	if (outcome.kind === 'answer') return isSuccess(outcome.status);
	return outcome.kind === 'lost' && outcome.status !== undefined && isSuccess(outcome.status);
}

/** A 2xx is a clear yes when it is JSON or empty; anything else may be a proxy's welcome page. */
export function saidYes(outcome: Outcome): boolean {
	return (
		outcome.kind === 'answer' &&
		wasDone(outcome) &&
		(outcome.text.trim() === '' || parseJson(outcome.text) !== undefined)
	);
}

/** Only a clear no counts: after a 408 or a 5xx the service may have gone on with the work. */
export function wasRefused(outcome: Outcome): boolean {
	if (outcome.kind === 'unsent') return true;
	return (
		outcome.kind === 'answer' &&
		outcome.status >= 300 &&
		outcome.status < 500 &&
		outcome.status !== 408
	);
}

/** What to tell of an outcome that is unknown; nothing is known of the request of an earlier run. */
export function causeOf(outcome: Outcome | undefined): string {
	if (!outcome || outcome.kind === 'cancelled') return 'An earlier try of this node did not end';
	if (outcome.kind !== 'answer') return outcome.reason;
	if (wasDone(outcome)) return `The service answered ${outcome.status}, but not with what was made`;
	return answerProblem(
		outcome.status,
		outcome.contentType,
		outcome.text,
		retryAfterMs(outcome.retryAfter),
	).message;
}
