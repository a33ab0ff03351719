import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { OpenStream } from '../shared/stream/stream';
import { parseRetryAfter } from '../shared/http/retry';
import type { Reply } from '../shared/http/reply';

/** Why a connection is over, and what follows. */
export type Ending =
	/** The follower was closed. */
	| { kind: 'closed' }
	/** The container will not write any more. */
	| { kind: 'finished'; isProgress?: true }
	/** The line to stop at has come. */
	| { kind: 'stopped'; isProgress?: true }
	/** The service does not know the log, or nothing of it from here on. */
	| { kind: 'unknown'; error: NodeApiError | NodeOperationError; isForGood: boolean }
	/** It may work the next time. */
	| {
			kind: 'again';
			reason: string;
			retryAfterMs?: number;
			isIdle?: true;
			isProgress?: true;
			isRefusal?: true;
	  }
	/** It would fail in the same way again until a person mends something. */
	| { kind: 'failed'; error: NodeApiError | NodeOperationError; isCredential: boolean };

const PASSING = new Set([408, 425, 429]);

/** What follows from an answer that is no stream. */
export function endingOf(
	reply: Exclude<Reply | OpenStream, { kind: 'open' }>,
	error: () => NodeApiError | NodeOperationError,
): Ending {
	if (reply.kind === 'cancelled') return { kind: 'closed' };
	if (reply.kind !== 'answer') {
		// What cannot be sent for good (the credential, its token server, a certificate) cannot be for any log
		return reply.permanent
			? { kind: 'failed', error: error(), isCredential: reply.kind === 'unsent' }
			: { kind: 'again', reason: reply.reason, isRefusal: true };
	}
	const { status } = reply;
	if (status === 404 || status === 410 || status === 416)
		return { kind: 'unknown', error: error(), isForGood: status === 410 };
	if (status >= 500 || PASSING.has(status)) {
		return {
			kind: 'again',
			reason: error().message,
			retryAfterMs: parseRetryAfter(reply.retryAfter),
			isRefusal: true,
		};
	}
	// A 403 may be meant for this container alone
	return { kind: 'failed', error: error(), isCredential: status === 401 };
}
