import { elapsed, now } from '../time';
import type { Answer, Reply } from './reply';

/**
 * How a call is sent again. Each policy says how many tries there are and after which replies.
 *
 * `idempotent` GET, search, and a write that changes nothing more when it is repeated: anything transient is tried again.
 * `billed`     chat, answers, embeddings: tokens are billed, so only a refusal that costs nothing (429, or 503 that names its
 *              end), or a request that never left; 502, 503 and 504 where {@link RetryLimits} says so.
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

/** What a person has set for the calls of one item. */
export interface RetryLimits {
	/** In place of the number of the policy. */
	tries?: number;
	/** Whether 502, 503 and 504 are tried again although the tokens may be billed. */
	retriesServerErrors?: boolean;
	/** When, by `elapsed`, a call that has no answer is given up. */
	endsAt?: number;
}

/**
 * Decides what follows a call: a success and a cancelled one are final.
 * @param tries how often the call was sent so far, 1 or more
 * @param random a number from 0 up to 1: the jitter, so that many clients do not come back at the same moment
 */
export function decideRetry(
	policy: RetryPolicy,
	reply: Reply,
	tries: number,
	random: number,
	{ tries: most = TRIES[policy], retriesServerErrors = false, endsAt = Infinity }: RetryLimits = {},
): RetryDecision {
	if (reply.kind !== 'answer' && elapsed() >= endsAt) return { again: false };
	const opensInMs = reply.kind === 'answer' ? parseRetryAfter(reply.retryAfter) : undefined;
	if ((opensInMs ?? 0) > LONGEST_RETRY_AFTER_MS) return { again: false, opensInMs };
	const isWorthwhile =
		(retriesServerErrors && reply.kind === 'answer' && isGatewayError(reply)) ||
		isRetryable(policy, reply, opensInMs);
	if (tries >= most || !isWorthwhile) return { again: false, opensInMs };
	const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
	// A service that names no time at all, or one that is over, is given some all the same
	const backOffMs = Math.round(ceiling * (0.5 + random / 2));
	return { again: true, delayMs: Math.max(opensInMs ?? 0, backOffMs) };
}

function isRetryable(policy: RetryPolicy, reply: Reply, opensInMs: number | undefined): boolean {
	if (reply.kind === 'cancelled') return false;
	if (reply.kind !== 'answer') {
		if (reply.permanent) return false;
		return reply.kind === 'unsent' || policy === 'idempotent' || policy === 'teardown';
	}
	if (policy === 'billed')
		return reply.status === 429 || (reply.status === 503 && opensInMs !== undefined);
	return policy !== 'ifUnsent' && TRANSIENT_STATUSES.has(reply.status);
}

function isGatewayError({ status }: Answer): boolean {
	return status >= 502 && status <= 504;
}

/** Milliseconds until the moment that a `Retry-After` header names (seconds or an HTTP date), or undefined when it names none. */
export function parseRetryAfter(header: string | undefined): number | undefined {
	if (header === undefined || header.trim() === '') return undefined;
	// Of a header that was sent twice, one is enough
	const seconds = Number(/^\s*[\d.]+(?=\s*,)/.exec(header)?.[0] ?? header);
	if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
	const span = parseSpan(header.trim());
	if (span !== undefined) return Math.ceil(span);
	// JavaScript takes "5, 5" and "12 apples" for dates too
	const date = /^\s*(?:[a-z]{3}|\d{4}-)/i.test(header) ? Date.parse(header) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/** Units of a span, and how many milliseconds each has. */
const UNITS: ReadonlyArray<[RegExp, number]> = [
	[/^(?:m(?:illi)?s(?:ecs?|econds?)?|milli)$/i, 1],
	[/^s(?:ecs?|econds?)?$/i, 1_000],
	[/^m(?:ins?|inutes?)?$/i, 60_000],
	[/^h(?:rs?|ours?)?$/i, 3_600_000],
	[/^d(?:ays?)?$/i, 86_400_000],
];

/** Above it, a number of seconds is a time since 1970, and above its thousandfold one in milliseconds. */
const EARLIEST_EPOCH_S = 1_000_000_000;

/**
 * When a language model service that refused a request accepts the next one, in the form of `Retry-After`; undefined where
 * nothing says it. These services name it in `retry-after-ms`, in `x-ratelimit-reset-*` (seconds, `6m0s`, a time) or in words.
 * Of several limits those that are used up count; where none says so, the one that resets first, since a refusal costs nothing.
 * @param headers of the answer, with names in lower case
 */
export function limitReset(headers: Record<string, unknown>, text: string): string | undefined {
	const ms = Number(headers['retry-after-ms'] ?? NaN);
	if (ms >= 0) return String(ms / 1_000);
	const after = headers['retry-after'];
	// One that names no time, such as `-1`, must not hide the limit that does
	if (typeof after === 'string' && parseRetryAfter(after) !== undefined) return after;
	const resets = Object.entries(headers).flatMap(([name, value]) => {
		const inMs = /ratelimit.*reset/.test(name) ? parseReset(String(value)) : undefined;
		const left = headers[name.replace('reset', 'remaining')];
		return inMs === undefined ? [] : [{ inMs, isUsedUp: left !== undefined && Number(left) <= 0 }];
	});
	const usedUp = resets.filter(({ isUsedUp }) => isUsedUp).map(({ inMs }) => inMs);
	const [, words] =
		/(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+ ?)+)/i.exec(text) ?? [];
	const inMs =
		usedUp.length > 0
			? Math.max(...usedUp)
			: resets.length > 0
				? Math.min(...resets.map((reset) => reset.inMs))
				: words && parseSpan(words);
	return typeof inMs === 'number' ? String(inMs / 1_000) : undefined;
}

/** Milliseconds until a reset: after a span, after a number of seconds, or at a time. */
function parseReset(value: string): number | undefined {
	const number = Number(value);
	if (!(number >= EARLIEST_EPOCH_S)) return parseSpan(value) ?? parseRetryAfter(value);
	return Math.max(0, number * (number < EARLIEST_EPOCH_S * 1_000 ? 1_000 : 1) - now());
}

/** `1s`, `6m0s`, `120ms`, `20 seconds` in milliseconds; undefined where a unit is none of time. */
function parseSpan(text: string): number | undefined {
	if (!/^(?:\d+(?:\.\d+)? ?[a-z]+ ?)+$/i.test(text)) return undefined;
	let sum = 0;
	for (const [, amount, name = ''] of text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi)) {
		const [, unitMs] = UNITS.find(([names]) => names.test(name)) ?? [];
		if (unitMs === undefined) return undefined;
		sum += Number(amount) * unitMs;
	}
	return sum;
}
