import { answerProblem } from '../http/errors';
import { parseJson } from '../json';
import { parseRetryAfter } from '../http/retry';
import { type Reply, isSuccess } from '../http/reply';

/**
 * How to read the outcome of a request that must not be sent twice and has no idempotency key (deploy, extend, document
 * create). Whatever is neither done nor refused is unknown: the machine or the hours may have been bought.
 */

/** Looks for what a lost request has done: at once, and after each of these pauses in milliseconds. */
export const RECONCILE_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/**
 * What was sent so long ago and does not show is taken for never made: the request waited two minutes for its answer at most, and
 * a loop must not be held up for ever. Another item or call then sends again.
 */
export const ASSUME_ABSENT_AFTER_MS = 900_000;

/** What is still sent where the outcome is unknown, for the error of a purchase. */
export const NOT_SENT_AGAIN =
	'This item does not send it again; another item or call does only after a quarter of an hour, when it still does not show.';

/** Any 2xx is a yes, also when its body is empty or was cut. */
export function isAccepted(reply: Reply): boolean {
	if (reply.kind === 'answer') return isSuccess(reply.status);
	return reply.kind === 'lost' && reply.status !== undefined && isSuccess(reply.status);
}

/** A 2xx is a clear yes when it is JSON or empty; anything else may be a proxy's welcome page. */
export function isConfirmed(reply: Reply): boolean {
	return (
		reply.kind === 'answer' &&
		isAccepted(reply) &&
		(reply.text.trim() === '' || parseJson(reply.text) !== undefined)
	);
}

/** Only a clear no counts: after a 408 or a 5xx the service may have gone on with the work. */
export function isRejected(reply: Reply): boolean {
	if (reply.kind === 'unsent') return true;
	return (
		reply.kind === 'answer' && reply.status >= 300 && reply.status < 500 && reply.status !== 408
	);
}

/** What to tell of an outcome that is unknown; nothing is known of the request of an earlier run. */
export function describeCause(reply: Reply | undefined): string {
	if (!reply || reply.kind === 'cancelled') return 'An earlier try of this node did not end';
	if (reply.kind !== 'answer') return reply.reason;
	if (isAccepted(reply)) return `The service answered ${reply.status}, but not with what was made`;
	return answerProblem(
		reply.status,
		reply.contentType,
		reply.text,
		parseRetryAfter(reply.retryAfter),
	).message;
}
