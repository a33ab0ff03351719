import { beforeEach, describe, expect, it, vi } from 'vitest';
import { noteClock, retryAfterOf } from '../../nodes/shared/http/clock.ts';
import type { Account } from '../../nodes/shared/http/credentials.ts';
import type { Head } from '../../nodes/shared/http/reply.ts';
import { useStillClock } from './still-time.mts';

const NOW = Date.UTC(2026, 5, 1, 12);
useStillClock();
beforeEach(() => void vi.setSystemTime(NOW));

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const date = (ms: number) => new Date(NOW + ms).toUTCString();
const answer = (headers: Head['headers']) => ({ status: 429, headers }) as Head;

describe('the clock of the service', () => {
	const aheadAfter = (headers: Head['headers'], before?: number) => {
		const account = { clockAheadMs: before } as Account;
		noteClock(account, answer(headers));
		return account.clockAheadMs;
	};

	it.each([
		['ahead', 90 * SECOND],
		['behind', -90 * SECOND],
		['an hour ahead', HOUR],
		['an hour behind', -HOUR],
	])('is %s', (_, ms) => expect(aheadAfter({ date: date(ms) })).toBe(ms));

	it.each([0, 9, 3_000])('is that of an answer and its age of %i s', (age) =>
		expect(aheadAfter({ date: date((5 - age) * SECOND), age: String(age) })).toBe(5 * SECOND),
	);

	it.each([
		['there is no date', {}],
		['the date is no date', { date: 'today' }],
		['it is more than an hour off', { date: date(HOUR + SECOND) }],
		['its age is none', { date: date(90 * SECOND), age: 'old' }],
		['its age is negative', { date: date(90 * SECOND), age: '-1' }],
	])('is as it was known where %s', (_, headers) => {
		expect(aheadAfter(headers, 5)).toBe(5);
		expect(aheadAfter(headers)).toBeUndefined();
	});
});

describe('Retry-After', () => {
	const after = (value: unknown, ms = 0) =>
		retryAfterOf(answer({ date: date(ms), 'retry-after': value }));

	it.each([
		['the same clock', 0],
		['a clock that is ahead', 600 * SECOND],
		['a clock that is behind', -600 * SECOND],
		['a clock that is a day ahead', 24 * HOUR],
		['a clock that is a day behind', -24 * HOUR],
	])('as a date of %s is in seconds', (_, ms) =>
		expect(after(date(ms + 30 * SECOND), ms)).toBe('30'),
	);

	it('as a date that is over is no time', () => expect(after(date(-30 * SECOND))).toBe('0'));

	it.each(['30', '0', 'soon', undefined])('is left as it is: %s', (value) =>
		expect(after(value)).toBe(value),
	);

	it('as a date is left where no clock is known', () => {
		const value = date(30 * SECOND);
		expect(retryAfterOf(answer({ 'retry-after': value }))).toBe(value);
	});
});
