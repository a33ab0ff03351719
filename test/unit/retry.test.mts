import { describe, expect, it } from 'vitest';
import {
	LONGEST_RETRY_AFTER_MS,
	retryAfterMs,
	verdict,
	type Failure,
	type RetryRow,
} from '../../nodes/shared/http/retry.ts';

const ROWS: RetryRow[] = ['read', 'generate', 'destroy', 'once'];
const PASSING = [408, 425, 429, 500, 502, 503, 504];
const FINAL = [301, 400, 401, 402, 403, 404, 409, 413, 422, 501];

const again = (row: RetryRow, failure: Failure, tries = 1) =>
	verdict(row, failure, tries, 0.5).again;
const answered = (status: number, retryAfter?: string): Failure => ({
	kind: 'answered',
	status,
	retryAfter,
});

describe('retry table (design section 5): may it be sent again?', () => {
	for (const row of ROWS) {
		it(`${row}: a request that never left is tried again`, () =>
			expect(again(row, { kind: 'unsent' })).toBe(true));
		it(`${row}: what would fail in the same way again is not`, () =>
			expect(again(row, { kind: 'unsent', permanent: true })).toBe(false));
		for (const status of FINAL) {
			it(`${row}: ${status} is final`, () => {
				expect(again(row, answered(status))).toBe(false);
				expect(again(row, answered(status, '1'))).toBe(false);
			});
		}
	}

	for (const row of ['read', 'destroy'] as const) {
		it(`${row}: a lost answer is tried again`, () =>
			expect(again(row, { kind: 'lost' })).toBe(true));
		for (const status of PASSING)
			it(`${row}: ${status} is tried again`, () => expect(again(row, answered(status))).toBe(true));
	}

	it('generate: a lost answer is final, its tokens are billed', () => {
		expect(again('generate', { kind: 'lost' })).toBe(false);
		expect(again('generate', { kind: 'lost', status: 429, retryAfter: '1' })).toBe(false);
	});
	it('never: not even a request that never left', () =>
		expect(again('never', { kind: 'unsent' })).toBe(false));
	for (const status of PASSING) {
		const named = status === 429 || status === 503;
		it(`generate: ${status} without Retry-After is final`, () =>
			expect(again('generate', answered(status))).toBe(false));
		it(`generate: ${status} with Retry-After is ${named ? 'tried again' : 'final'}`, () =>
			expect(again('generate', answered(status, '2'))).toBe(named));
	}

	it('once: a lost answer is final, someone has to look first', () =>
		expect(again('once', { kind: 'lost' })).toBe(false));
	for (const status of PASSING) {
		it(`once: ${status} is final, with and without Retry-After`, () => {
			expect(again('once', answered(status))).toBe(false);
			expect(again('once', answered(status, '1'))).toBe(false);
		});
	}
});

describe('retry table: how often', () => {
	const tries = { read: 3, generate: 3, destroy: 5, once: 3, never: 1 };
	for (const row of ROWS) {
		it(`${row} is sent ${tries[row]} times at most`, () => {
			expect(again(row, { kind: 'unsent' }, tries[row] - 1)).toBe(true);
			expect(again(row, { kind: 'unsent' }, tries[row])).toBe(false);
		});
	}
});

describe('retry table: how long to wait', () => {
	const delayMs = (failure: Failure, tries: number, random: number) => {
		const next = verdict('destroy', failure, tries, random);
		return next.again ? next.delayMs : undefined;
	};

	it('0.5 s doubled each time, with jitter from a half to the whole', () => {
		expect([1, 2, 3, 4].map((tries) => delayMs({ kind: 'unsent' }, tries, 0))).toEqual([
			250, 500, 1_000, 2_000,
		]);
		expect([1, 2, 3, 4].map((tries) => delayMs({ kind: 'unsent' }, tries, 1))).toEqual([
			500, 1_000, 2_000, 4_000,
		]);
	});
	it('obeys Retry-After in seconds', () => expect(delayMs(answered(429, '7'), 1, 0.5)).toBe(7_000));
	it('obeys a Retry-After of 0', () => expect(delayMs(answered(503, '0'), 1, 0.5)).toBe(0));
	it('obeys Retry-After as a date', () => {
		const inTen = new Date(Date.now() + 10_000).toUTCString();
		expect(delayMs(answered(503, inTen), 1, 0.5)).toBeGreaterThan(8_000);
		expect(delayMs(answered(503, inTen), 1, 0.5)).toBeLessThanOrEqual(10_000);
	});
	it('waits for exactly 60 s, and gives up at once above that for every row and says when it opens', () => {
		expect(delayMs(answered(429, '60'), 1, 0.5)).toBe(LONGEST_RETRY_AFTER_MS);
		for (const row of ROWS)
			expect(verdict(row, answered(429, '61'), 1, 0.5)).toEqual({
				again: false,
				opensInMs: 61_000,
			});
	});
});

describe('retryAfterMs', () => {
	it.each([[undefined], [''], ['  '], ['soon'], ['-5']])('%j names no time', (header) =>
		expect(retryAfterMs(header)).toBeUndefined(),
	);
	it('a date that has passed is now', () =>
		expect(retryAfterMs('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0));
});
