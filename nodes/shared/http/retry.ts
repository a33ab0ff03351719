import { now } from '../time';
import type { Answer, Reply } from './reply';

/**
 * How a call is sent again. Each policy says how many tries there are and after which replies.
 *
 * `idempotent` GET, search, and a write that changes nothing more when it is repeated: anything transient is tried again.
 * `billed`     chat, answers, embeddings: tokens are billed, so only a rejection that names its end, or a request that never left.
 * `teardown`   as `idempotent` with more tries: a deployment that stays up costs money.
 * `ifUnsent`   deploy, extend, document create: only a request that never left. There is no idempotency key
 *              (compute-api.md "Deploy VMs"), so after that the outcome has to be looked up first.
 * `never`      a stream that is followed: whoever follows it has a back-off of its own.
 */
export type RetryPolicy = 'idempotent' | 'billed' | 'teardown' | 'ifUnsent' | 'never';

/** Send again after `delayMs`, or stop; `opensInMs` is set when the service named a time that is too far away to wait for. */
export type RetryDecision = { again: true; delayMs: number } | { again: false; opensInMs?: number };

const TRIES: Record<RetryPolicy, number> = {
	idempotent: 3,
	billed: 3,
	teardown: 5,
	ifUnsent: 3,
	never: 1,
};
/** Statuses after which the same request may succeed. */
export const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A quota that opens later than this is reported, not waited for: an execution must not hang on an hourly limit. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

/** A reply that is no success. */
type Unsuccessful = Exclude<Reply, { kind: 'cancelled' }>;

/**
 * Decides what follows a call that did not succeed.
 * @param tries how often the call was sent so far, 1 or more
 * @param random a number from 0 up to 1: the jitter, so that many clients do not come back at the same moment
 */
export function decideRetry(
	policy: RetryPolicy,
	reply: Unsuccessful,
	tries: number,
	random: number,
): RetryDecision {
	const opensInMs = reply.kind === 'answer' ? parseRetryAfter(reply.retryAfter) : undefined;
	if (opensInMs !== undefined && opensInMs > LONGEST_RETRY_AFTER_MS)
		return { again: false, opensInMs };
	if (tries >= TRIES[policy] || !isRetryable(policy, reply, opensInMs))
		return { again: false, opensInMs };
	const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
	return { again: true, delayMs: opensInMs ?? Math.round(ceiling * (0.5 + random / 2)) };
}

function isRetryable(
	policy: RetryPolicy,
	reply: Unsuccessful,
	opensInMs: number | undefined,
): boolean {
	if (reply.kind !== 'answer') {
		if (reply.permanent) return false;
		return reply.kind === 'unsent' || policy === 'idempotent' || policy === 'teardown';
	}
	if (policy === 'billed') return isRejected(reply) && opensInMs !== undefined;
	return policy !== 'ifUnsent' && TRANSIENT_STATUSES.has(reply.status);
}

/** The service says that it did not begin with the work. */
function isRejected({ status }: Answer): boolean {
	return status === 429 || status === 503;
}

/** Milliseconds until the moment that a `Retry-After` header names (seconds or an HTTP date), or undefined when it names none. */
export function parseRetryAfter(header: string | undefined): number | undefined {
	if (header === undefined || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
