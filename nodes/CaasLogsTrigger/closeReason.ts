import type { NodeError } from '../shared/http/errors';
import type { Reply } from '../shared/http/reply';
import { parseRetryAfter } from '../shared/http/retry';
import type { OpenStream } from '../shared/stream/stream';

/** Why a connection is over, and what follows. */
export type CloseReason =
	/** The follower was closed. */
	| { kind: 'closed' }
	/** The log has ended: the container will not write any more. */
	| { kind: 'finished'; isProgress?: true }
	/** The line to stop on has come. */
	| { kind: 'stopped'; isProgress?: true }
	/** The service does not know the log, or has nothing at the offset. */
	| { kind: 'unknown'; error: NodeError; isPermanent: boolean }
	/** The next try may succeed. */
	| {
			kind: 'retry';
			reason: string;
			/** Pause that the service asks for. */
			retryAfterMs?: number;
			/** The idle timeout was reached. */
			isIdle?: true;
			/** The connection brought something new. */
			isProgress?: true;
			/** No stream was opened. */
			isRefusal?: true;
	  }
	/** It fails again in the same way until a person corrects something. */
	| { kind: 'failed'; error: NodeError; isCredential: boolean };

/** Statuses below 500 that a later try may not get: request timeout, too early, too many requests. */
const TRANSIENT_STATUSES = new Set([408, 425, 429]);

/**
 * What follows from a reply that is no stream.
 * @param error builds the error of the reply
 */
export function closeReasonOf(
	reply: Exclude<Reply | OpenStream, { kind: 'open' }>,
	error: () => NodeError,
): CloseReason {
	if (reply.kind === 'cancelled') return { kind: 'closed' };
	if (reply.kind !== 'answer') {
		// What can never be sent (because of the credential, its token server, a certificate) can never be sent for any log
		return reply.permanent
			? { kind: 'failed', error: error(), isCredential: reply.kind === 'unsent' }
			: { kind: 'retry', reason: reply.reason, isRefusal: true };
	}
	const { status } = reply;
	if (status === 404 || status === 410 || status === 416)
		return { kind: 'unknown', error: error(), isPermanent: status === 410 };
	if (status >= 500 || TRANSIENT_STATUSES.has(status)) {
		return {
			kind: 'retry',
			reason: error().message,
			retryAfterMs: parseRetryAfter(reply.retryAfter),
			isRefusal: true,
		};
	}
	// A 403 may concern this container alone
	return { kind: 'failed', error: error(), isCredential: status === 401 };
}
