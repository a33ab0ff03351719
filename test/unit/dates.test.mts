import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { dateText, hasZone, momentOf, timeOf, utcTime } from '../../nodes/shared/dates.ts';

// What `{{ $now }}` is: n8n's own copy
const require = createRequire(createRequire(import.meta.url).resolve('n8n-workflow'));
const { DateTime } = require('luxon') as {
	DateTime: { fromMillis(ms: number, options: { zone: string }): unknown };
};

const NOON = Date.UTC(2026, 10, 22, 12);

describe('a time of the service', () => {
	it.each<[unknown, number | undefined]>([
		['2026-11-22T12:00:00Z', NOON],
		['2026-11-22 12:00:00Z', NOON],
		['2026-11-22t12:00:00z', NOON],
		['2026-11-22T14:00:00+02:00', NOON],
		['2026-11-22T14:00:00+0200', NOON],
		['2026-11-22T12:00Z', NOON],
		['2026-11-22T12:00:00,5Z', NOON + 500],
		// Without a zone it is UTC
		['2026-11-22T12:00:00', NOON],
		[' 2026-11-22 12:00 ', NOON],
		['2026-11-22T12:00:00.250', NOON + 250],
		// Seconds and milliseconds since 1970
		[NOON, NOON],
		[NOON / 1000, NOON],
		[String(NOON / 1000), NOON],
		[1e9, 1e12],
		[1e9 - 1, undefined],
		[1e10, undefined],
		[1e10 - 1, 1e13 - 1000],
		[1e12 - 1, undefined],
		[1e12, 1e12],
		[1e13 - 1, 1e13 - 1],
		[1e13, undefined],
		[' 2026-11-22T12:00:00Z\n', NOON],
		// What is not set
		['0001-01-01T00:00:00Z', undefined],
		['1970-01-01T00:00:00Z', undefined],
		['1973-03-03T09:46:39.999Z', undefined],
		['1973-03-03T09:46:40Z', 1e11],
		// No moment, or one of two
		['2026-11-22', undefined],
		['+012026-11-22T12:00:00Z', undefined],
		['at 2026-11-22 12:00', undefined],
		['2026-11-22T12:00:00Z, or later', undefined],
		[['2026-11-22T12:00:00'], undefined],
		['11/12/2026', undefined],
		['2026-13-22T12:00:00Z', undefined],
		['', undefined],
		[null, undefined],
		[true, undefined],
	])('%j', (time, moment) => expect(timeOf(time)).toBe(moment));

	it.each<[unknown, boolean]>([
		['2026-11-22T12:00:00Z', true],
		['2026-11-22T12:00:00-05:00', true],
		[NOON, true],
		['2026-11-22T12:00:00', false],
		[' 2026-11-22 12:00 ', false],
	])('%j says of itself when it is: %s', (time, isCertain) => {
		expect(hasZone(time)).toBe(isCertain);
	});

	it('may be long ago where a person has entered it', () => {
		expect(momentOf('1970-01-01T00:00:00Z')).toBe(0);
		expect(momentOf('1873-03-03 00:00')).toBe(Date.UTC(1873, 2, 3));
		expect(momentOf('yesterday')).toBeUndefined();
	});

	it('gets the zone that it lacks', () => {
		expect(utcTime('2026-11-22 12:00')).toBe('2026-11-22T12:00Z');
		expect(utcTime('2026-11-22T12:00:00.5')).toBe('2026-11-22T12:00:00.5Z');
		expect(utcTime('2026-11-22T12:00:00Z')).toBeUndefined();
		expect(utcTime(NOON)).toBeUndefined();
		expect(utcTime(['2026-11-22 12:00'])).toBeUndefined();
		expect(utcTime('at 2026-11-22 12:00')).toBeUndefined();
		expect(utcTime('2026-11-22 12:00 in Rome')).toBeUndefined();
	});
});

describe('what an expression gives', () => {
	it('is text where it is a time', () => {
		expect(dateText(new Date(NOON))).toBe('2026-11-22T12:00:00.000Z');
		expect(dateText(DateTime.fromMillis(NOON, { zone: 'utc' }))).toBe('2026-11-22T12:00:00.000Z');
	});

	it.each([[new Date(NaN)], ['2026'], [5], [null], [undefined], [{ toISO: 'x' }]])(
		'is %j as it is',
		(value) => {
			expect(dateText(value)).toBe(value);
		},
	);
});
