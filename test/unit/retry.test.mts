import { describe, expect, it, vi } from 'vitest';
import {
	limitReset,
	LONGEST_RETRY_AFTER_MS,
	parseRetryAfter,
	decideRetry,
	type RetryPolicy,
} from '../../nodes/shared/http/retry.ts';
import type { NoAnswer, Reply } from '../../nodes/shared/http/reply.ts';
import { elapsed } from '../../nodes/shared/time.ts';

type Failure = Exclude<Reply, { kind: 'cancelled' }>;

const POLICIES: RetryPolicy[] = ['idempotent', 'billed', 'teardown', 'ifUnsent'];
const TRANSIENT = [408, 425, 429, 500, 502, 503, 504];
const FINAL = [301, 400, 401, 402, 403, 404, 409, 413, 422, 501];

const again = (policy: RetryPolicy, failure: Failure, tries = 1) =>
	decideRetry(policy, failure, tries, 0.5).again;
const answered = (status: number, retryAfter?: string): Failure => ({
	kind: 'answer',
	status,
	contentType: '',
	text: '',
	retryAfter,
});
const none = (kind: 'unsent' | 'lost', more: object = {}): Failure =>
	({
		kind,
		reason: 'no answer',
		...more,
	}) satisfies NoAnswer;

describe('retry table (design section 5): may it be sent again?', () => {
	for (const policy of POLICIES) {
		it(`${policy}: a request that never left is tried again`, () =>
			expect(again(policy, none('unsent'))).toBe(true));
		it(`${policy}: what would fail in the same way again is not`, () =>
			expect(again(policy, none('unsent', { permanent: true }))).toBe(false));
		for (const status of FINAL) {
			it(`${policy}: ${status} is final`, () => {
				expect(again(policy, answered(status))).toBe(false);
				expect(again(policy, answered(status, '1'))).toBe(false);
			});
		}
	}

	for (const policy of ['idempotent', 'teardown'] as const) {
		it(`${policy}: a lost answer is tried again`, () =>
			expect(again(policy, none('lost'))).toBe(true));
		for (const status of TRANSIENT)
			it(`${policy}: ${status} is tried again`, () =>
				expect(again(policy, answered(status))).toBe(true));
	}

	it('billed: a lost answer is final, its tokens are billed', () => {
		expect(again('billed', none('lost'))).toBe(false);
		expect(again('billed', none('lost', { status: 429 }))).toBe(false);
	});
	it('a call that was cancelled is final, and so is a success', () => {
		for (const policy of ['idempotent', 'teardown', 'billed', 'ifUnsent'] as const) {
			expect(decideRetry(policy, { kind: 'cancelled' }, 1, 0)).toEqual({ again: false });
			expect(decideRetry(policy, answered(200), 1, 0).again).toBe(false);
		}
	});
	it('never: not even a request that never left', () =>
		expect(again('never', none('unsent'))).toBe(false));
	for (const status of TRANSIENT) {
		const named = status === 429 || status === 503;
		it(`billed: ${status} without Retry-After is ${status === 429 ? 'tried again' : 'final'}`, () =>
			expect(again('billed', answered(status))).toBe(status === 429));
		it(`billed: ${status} where server errors are tried again`, () =>
			expect(
				decideRetry('billed', answered(status), 1, 0.5, { retriesServerErrors: true }).again,
			).toBe([429, 502, 503, 504].includes(status)));
		it(`billed: ${status} with Retry-After is ${named ? 'tried again' : 'final'}`, () =>
			expect(again('billed', answered(status, '2'))).toBe(named));
	}

	it('billed: an answer whose body broke is final, also where server errors are tried again', () =>
		expect(
			decideRetry('billed', none('lost', { status: 503 }), 1, 0.5, { retriesServerErrors: true }),
		).toEqual({ again: false }));

	it('ifUnsent: a lost answer is final, the outcome has to be looked up first', () =>
		expect(again('ifUnsent', none('lost'))).toBe(false));
	for (const status of TRANSIENT) {
		it(`ifUnsent: ${status} is final, with and without Retry-After`, () => {
			expect(again('ifUnsent', answered(status))).toBe(false);
			expect(again('ifUnsent', answered(status, '1'))).toBe(false);
		});
	}
});

describe('retry table: how often', () => {
	const tries = { idempotent: 3, billed: 3, teardown: 5, ifUnsent: 3, never: 1 };
	for (const policy of POLICIES) {
		it(`${policy} is sent ${tries[policy]} times at most`, () => {
			expect(again(policy, none('unsent'), tries[policy] - 1)).toBe(true);
			expect(again(policy, none('unsent'), tries[policy])).toBe(false);
		});
	}
});

describe('retry table: a call with an end', () => {
	/** At an end that is so many milliseconds ahead. */
	const at = (leftMs: number, failure: Failure) => {
		vi.spyOn(Date, 'now').mockReturnValue(Date.now());
		const next = decideRetry('idempotent', failure, 1, 0.5, { endsAt: elapsed() + leftMs });
		vi.restoreAllMocks();
		return next;
	};

	it('is sent again before it', () => expect(at(1, none('lost')).again).toBe(true));
	it.each([0, -1])('is given up at it where there is no answer: %i ms left', (leftMs) => {
		expect(at(leftMs, none('lost'))).toEqual({ again: false });
		expect(at(leftMs, none('unsent'))).toEqual({ again: false });
	});
	it('is sent again after it where the service answers that it is busy', () =>
		expect(at(-1, answered(503)).again).toBe(true));
});

describe('retry table: how long to wait', () => {
	const delayMs = (failure: Failure, tries: number, random: number) => {
		const next = decideRetry('teardown', failure, tries, random);
		return next.again ? next.delayMs : undefined;
	};

	it('0.5 s doubled each time, with jitter from a half to the whole', () => {
		expect([1, 2, 3, 4].map((tries) => delayMs(none('unsent'), tries, 0))).toEqual([
			250, 500, 1_000, 2_000,
		]);
		expect([1, 2, 3, 4].map((tries) => delayMs(none('unsent'), tries, 1))).toEqual([
			500, 1_000, 2_000, 4_000,
		]);
	});
	it('obeys Retry-After in seconds', () => expect(delayMs(answered(429, '7'), 1, 0.5)).toBe(7_000));
	it('waits its back-off after a Retry-After of 0', () =>
		expect(delayMs(answered(503, '0'), 1, 0.5)).toBe(375));
	it('obeys Retry-After as a date', () => {
		const inTen = new Date(Date.now() + 10_000).toUTCString();
		expect(delayMs(answered(503, inTen), 1, 0.5)).toBeGreaterThan(8_000);
		expect(delayMs(answered(503, inTen), 1, 0.5)).toBeLessThanOrEqual(10_000);
	});
	it('waits for exactly 60 s, and gives up at once above that for every policy and says when it opens', () => {
		expect(delayMs(answered(429, '60'), 1, 0.5)).toBe(LONGEST_RETRY_AFTER_MS);
		for (const policy of POLICIES)
			expect(decideRetry(policy, answered(429, '61'), 1, 0.5)).toEqual({
				again: false,
				opensInMs: 61_000,
			});
	});
});

describe('parseRetryAfter', () => {
	it.each([[undefined], [''], ['  '], ['soon'], ['-5']])('%j names no time', (header) =>
		expect(parseRetryAfter(header)).toBeUndefined(),
	);
	it.each([
		['12 apples'],
		['5 weeks'],
		['1s 2 apples'],
		['x 3, 5'],
		['1 5, 2'],
		['-5, 3'],
		['12-'],
	])('%j names no time either', (header) => expect(parseRetryAfter(header)).toBeUndefined());
	it.each([
		['0', 0],
		['3', 3_000],
		[' 12 ', 12_000],
		['1.5', 1_500],
		['0.0001', 1],
		['12, 5', 12_000],
		['  12 , 5', 12_000],
		['0, 0', 0],
		['3s', 3_000],
		['40 ms', 40],
		['40 msec', 40],
		['40 milli', 40],
		['40 millis', 40],
		['40 milliseconds', 40],
		[' 2 seconds ', 2_000],
		['1 min 30 secs', 90_000],
		['2 hrs', 7_200_000],
		['1 day', 86_400_000],
	])('%j is so many milliseconds', (header, ms) => expect(parseRetryAfter(header)).toBe(ms));
	it.each(['Thu, 01 Jan 1970 00:00:00 GMT', '  Thu, 01 Jan 1970 00:00:00 GMT', '1970-01-01'])(
		'%j, a date that has passed, is now',
		(header) => expect(parseRetryAfter(header)).toBe(0),
	);
	it('a date to come is in as much time', () => {
		const ms = parseRetryAfter(new Date(Date.now() + 60_000).toUTCString()) ?? 0;
		expect(ms).toBeGreaterThan(50_000);
		expect(ms).toBeLessThanOrEqual(60_000);
	});
});

describe('limitReset', () => {
	const inOneMinute = Math.round(Date.now() / 1_000) + 60;
	it.each<[string, Record<string, unknown>, number | undefined]>([
		['nothing', {}, undefined],
		['Retry-After', { 'retry-after': '3', 'x-ratelimit-reset-requests': '9s' }, 3],
		['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
		['no milliseconds', { 'retry-after-ms': '0', 'retry-after': '2' }, 0],
		['a limit beside a Retry-After of none', { 'retry-after': '-1', 'x-ratelimit-reset': '5' }, 5],
		['a limit beside a Retry-After of no text', { 'retry-after': 3, 'x-ratelimit-reset': '5' }, 5],
		['seconds', { 'x-ratelimit-reset': '5' }, 5],
		['seconds of the draft', { 'ratelimit-reset': '7' }, 7],
		['a span', { 'x-ratelimit-reset-requests': '1s' }, 1],
		['a span of minutes', { 'x-ratelimit-reset-tokens': '6m0s' }, 360],
		['a span of milliseconds', { 'x-ratelimit-reset-tokens': '120ms' }, 0.12],
		['a span with a fraction', { 'x-ratelimit-reset-tokens': '1h0m2.5s' }, 3_602.5],
		['a date that has passed', { 'anthropic-ratelimit-tokens-reset': '2020-01-01T00:00:00Z' }, 0],
		['what resets first', { 'x-ratelimit-reset-a': '2s', 'x-ratelimit-reset-b': '6m0s' }, 2],
		[
			'what is used up',
			{
				'x-ratelimit-remaining-a': '12',
				'x-ratelimit-reset-a': '2s',
				'x-ratelimit-remaining-b': '0',
				'x-ratelimit-reset-b': '9s',
			},
			9,
		],
		[
			'what is used up, though the other resets later',
			{
				'x-ratelimit-remaining-a': '12',
				'x-ratelimit-reset-a': '9s',
				'x-ratelimit-remaining-b': '0',
				'x-ratelimit-reset-b': '2s',
			},
			2,
		],
		[
			'the last of those that are used up',
			{
				'x-ratelimit-remaining-a': '0',
				'x-ratelimit-reset-a': '2s',
				'x-ratelimit-remaining-b': '0',
				'x-ratelimit-reset-b': '9s',
			},
			9,
		],
		['no time', { 'x-ratelimit-reset': 'soon' }, undefined],
		['words before a time', { 'x-ratelimit-reset': 'about 5s' }, undefined],
	])('%s', (_, headers, seconds) =>
		expect(limitReset(headers, '')).toBe(seconds === undefined ? undefined : String(seconds)),
	);
	it('a time since 1970, in seconds and milliseconds', () => {
		for (const time of [inOneMinute, inOneMinute * 1_000]) {
			const left = Number(limitReset({ 'x-ratelimit-reset': String(time) }, ''));
			expect(left).toBeGreaterThan(50);
			expect(left).toBeLessThanOrEqual(61);
		}
	});
	it.each([
		['Please try again in 1.8s. Visit the page.', '1.8'],
		['Retry after 20 seconds', '20'],
		['try again in 6m0s', '360'],
		['try again in 1 minute 30 seconds', '90'],
		['Try again in 30 milliseconds', '0.03'],
		['Try again in 2 weeks', undefined],
		['Try again later', undefined],
	])('words: %s', (words, seconds) => expect(limitReset({}, words)).toBe(seconds));
});
