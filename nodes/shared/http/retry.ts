import { now } from '../time';

/**
 * The retry table. Each row says how often a call may be sent and after which failures it may be sent again.
 *
 * `read`     GET and search: nothing changes on the service, so anything that may pass is tried again.
 * `generate` chat, answers, embeddings: tokens are billed, so only a refusal that names its end, or a request that never left.
 * `destroy`  idempotent like a read, and a machine that stays up costs money: more patience.
 * `once`     deploy, extend, document create: only a request that never left. There is no idempotency key
 *            (compute-api.md "Deploy VMs"), so after that someone has to look first.
 * `never`    a stream that is followed: whoever follows it has a back-off of its own, for ever.
 */
export type RetryRow = 'read' | 'generate' | 'destroy' | 'once' | 'never';

/** What is known of a call that did not succeed. */
export interface Failure {
	/** `unsent`: nothing left this machine. `lost`: the service may have done the work. `answered`: it said no. */
	kind: 'unsent' | 'lost' | 'answered';
	status?: number;
	/** The answer's `Retry-After`, as sent. */
	retryAfter?: string;
	/** It would fail in the same way again: a certificate, a domain that is not allowed, an answer that is too large. */
	permanent?: boolean;
}

/** Send again after `delayMs`, or stop; `opensInMs` is set when the service named a time that is too far away to wait for. */
export type Verdict = { again: true; delayMs: number } | { again: false; opensInMs?: number };

const TRIES: Record<RetryRow, number> = { read: 3, generate: 3, destroy: 5, once: 3, never: 1 };
/** Statuses after which the same request may succeed. */
export const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A quota that opens later than this is reported, not waited for: an execution must not hang on an hourly limit. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Decides what follows a failed call.
 * @param tries how often the call was sent so far, 1 or more
 * @param random a number from 0 up to 1: the jitter, so that many clients do not come back at the same moment
 */
export function verdict(row: RetryRow, failure: Failure, tries: number, random: number): Verdict {
	const opensInMs = retryAfterMs(failure.retryAfter);
	if (opensInMs !== undefined && opensInMs > LONGEST_RETRY_AFTER_MS)
		return { again: false, opensInMs };
	if (failure.permanent || tries >= TRIES[row] || !mayPass(row, failure, opensInMs))
		return { again: false, opensInMs };
	const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
	return { again: true, delayMs: opensInMs ?? Math.round(ceiling * (0.5 + random / 2)) };
}

function mayPass(row: RetryRow, failure: Failure, opensInMs: number | undefined): boolean {
	if (failure.kind === 'unsent') return true;
	if (row === 'once') return false;
	const { status } = failure;
	if (row === 'generate') {
		return (
			failure.kind === 'answered' && (status === 429 || status === 503) && opensInMs !== undefined
		);
	}
	return failure.kind === 'lost' || (status !== undefined && PASSING_STATUSES.has(status));
}

/** Milliseconds until the moment that a `Retry-After` header names (seconds or an HTTP date), or undefined when it names none. */
export function retryAfterMs(header: string | undefined): number | undefined {
	if (header === undefined || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
