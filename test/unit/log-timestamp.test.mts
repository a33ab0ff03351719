import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timestampOf } from '../../nodes/marketplace/log/timestamp.ts';

const NONE: undefined = undefined;

const CASES: Array<[line: string, time: string | undefined]> = [
	['2026-11-22 10:00:00.123 -03 [7] LOG:  up', '2026-11-22T13:00:00.123Z'],
	['2026-11-22 10:00:00 -03-04 up', '2026-11-22T10:00:00.000Z'],
	['2026-11-22 10:00:00 -15 items removed', '2026-11-22T10:00:00.000Z'],
	['2026-11-22 10:00:00+14 up', '2026-11-21T20:00:00.000Z'],
	['Sun Nov 22 10:00:00 UTC 2026 up', '2026-11-22T10:00:00.000Z'],
	['2026-11-22T10:00:00Z x', '2026-11-22T10:00:00.000Z'],
	['2026-11-22T10:00:00.123456789Z x', '2026-11-22T10:00:00.123Z'],
	['2026-11-22T10:00:00.5+05:30 x', '2026-11-22T04:30:00.500Z'],
	['2026-11-22T23:00:00-0800 x', '2026-11-23T07:00:00.000Z'],
	['2026-11-22 10:00:00.123456+00:00 [error] x', '2026-11-22T10:00:00.123Z'],
	['2026-11-22 10:00:00-05 x', '2026-11-22T15:00:00.000Z'],
	['2026-11-22T10:00 x', '2026-11-22T10:00:00.000Z'],
	['2026-11-22 10:00:00,123 [main] ERROR x', '2026-11-22T10:00:00.123Z'],
	['[2026-11-22 10:00:00,123: ERROR/MainProcess] x', '2026-11-22T10:00:00.123Z'],
	['[2026-11-22 10:00:00 +0100] [7] [INFO] x', '2026-11-22T09:00:00.000Z'],
	['2026-11-22 10:00:00.123 UTC [1] FATAL:  x', '2026-11-22T10:00:00.123Z'],
	['2026/11/22 10:00:00 [error] 7#7: x', '2026-11-22T10:00:00.000Z'],
	['INFO:     2026-11-22 10:00:00 x', '2026-11-22T10:00:00.000Z'],
	['<165>1 2026-11-22T10:00:00.003Z host app', '2026-11-22T10:00:00.003Z'],
	['time="2026-11-22T10:00:00+01:00" level=error', '2026-11-22T09:00:00.000Z'],
	['\u001b[2m2026-11-22T10:00:00.000001Z\u001b[0m INFO x', '2026-11-22T10:00:00.000Z'],
	['10.0.0.1 - - [22/Nov/2026:10:00:00 +0200] "GET /"', '2026-11-22T08:00:00.000Z'],
	['22-Nov-2026 10:00:00.123 SEVERE [main] x', '2026-11-22T10:00:00.123Z'],
	['1:M 2 Nov 2026 10:00:00.123 # x', '2026-11-02T10:00:00.123Z'],
	['Sun, 22 Nov 2026 10:00:00 GMT x', '2026-11-22T10:00:00.000Z'],
	['[Sun Nov 22 10:00:00.123456 2026] [core:error] x', '2026-11-22T10:00:00.123Z'],
	['Mon Nov  2 10:00:00 2026 x', '2026-11-02T10:00:00.000Z'],
	['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
	[`${'x'.repeat(62)} 2026-11-22T10:00:00+01:00`, '2026-11-22T09:00:00.000Z'],
	// JSON
	['{"time":1763805600123}', '2025-11-22T10:00:00.123Z'],
	['{"ts":1763805600.123}', '2025-11-22T10:00:00.123Z'],
	['{"ts":1763805600}', '2025-11-22T10:00:00.000Z'],
	['{"timestamp":"1763805600"}', '2025-11-22T10:00:00.000Z'],
	['{"ts":1763805600123456}', '2025-11-22T10:00:00.123Z'],
	['{"ts":1763805600123456789}', '2025-11-22T10:00:00.123Z'],
	['{"@timestamp":"2026-11-22T10:00:00.123Z"}', '2026-11-22T10:00:00.123Z'],
	['{"asctime":"2026-11-22 10:00:00,123"}', '2026-11-22T10:00:00.123Z'],
	['{"time":"soon","ts":"2026-11-22T10:00:00Z"}', '2026-11-22T10:00:00.000Z'],
	['{"created_at":"2026-11-22T10:00:00Z"}', NONE],
	['{"time":7}', NONE],
	['{"time":-1763805600}', NONE],
	['{"time":1e21}', NONE],
	['{"time":{"$date":"2026-11-22T10:00:00Z"}}', NONE],
	// Incomplete, impossible or something else
	['Nov 22 10:00:00 host app: x', NONE],
	['E1122 10:00:00.000000 1 x.go:1] y', NONE],
	['10:00:00.123 [main] WARN x', NONE],
	['2026-11-22 x', NONE],
	['11/22/2026 10:00:00 x', NONE],
	['2026-11-22 10:00:00 PM x', NONE],
	['2026-11-22, 10:00:00 p.m. x', NONE],
	['2026-11-22 10:00:00\u202fa.\u00a0m. x', NONE],
	['2026-11-22 10:00:00am x', NONE],
	['2026-11-22 10:00:00 pm2 is up', '2026-11-22T10:00:00.000Z'],
	['2026-11-22 10:00:00 +5:30 x', NONE],
	['2026-11-22T10:00:00-8:00 x', NONE],
	['2026-11-22 10:00:00.123 CET [1] LOG:  x', NONE],
	['2026-02-29T10:00:00Z x', NONE],
	['2026-13-01T10:00:00Z x', NONE],
	['2026-11-31 10:00:00 x', NONE],
	['2026-00-10 10:00:00 x', NONE],
	['2026-11-22T24:00:00Z x', NONE],
	['2026-11-22T10:60:00Z x', NONE],
	['2026-11-22T10:00:00+24:00 x', NONE],
	['0050-11-22T10:00:00Z x', NONE],
	['31/Apr/2026:10:00:00 +0000', NONE],
	['12026-11-22T10:00:00Z', NONE],
	[`${'x'.repeat(64)} 2026-11-22T10:00:00Z`, NONE],
	['', NONE],
];

describe('the time of a line', () => {
	it.each(CASES)('%s', (line, time) => {
		expect(timestampOf(line)).toBe(time);
	});

	it('is taken from the JSON that a caller has', () => {
		expect(timestampOf('x', { ts: 1763805600 })).toBe('2025-11-22T10:00:00.000Z');
	});

	const dates = fc.date({
		min: new Date('1974-01-01T00:00:00Z'),
		max: new Date('2200-01-01T00:00:00Z'),
		noInvalidDate: true,
	});

	it('is the one that was written', () => {
		fc.assert(
			fc.property(dates, fc.integer({ min: -720, max: 720 }), (date, offset) => {
				const iso = date.toISOString();
				const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
				const minutes = Math.abs(offset);
				const two = (value: number) => String(value).padStart(2, '0');
				const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
				const [, day, month, year, clock] = date.toUTCString().split(' ');
				expect(timestampOf(`${iso} x`)).toBe(iso);
				expect(timestampOf(`[${local.replace('T', ' ').replace('.', ',')} ${zone}] x`)).toBe(iso);
				expect(timestampOf(`- - [${day}/${month}/${year}:${clock} +0000]`)).toBe(
					`${iso.slice(0, 19)}.000Z`,
				);
				for (const count of [date.getTime(), date.getTime() * 1_000, date.getTime() / 1_000])
					if (date.getTime() >= 1e11) expect(timestampOf(JSON.stringify({ ts: count }))).toBe(iso);
			}),
		);
	});

	it('is a time or nothing, whatever the line', () => {
		const part = fc.constantFrom(
			'2026',
			'-',
			'/',
			'11',
			'22',
			'T',
			' ',
			':',
			'10',
			'.5',
			'Z',
			'+01',
			'Nov',
		);
		const json = fc.double().map((ts) => JSON.stringify({ ts }));
		const line = fc.oneof(
			fc.array(part).map((parts) => parts.join('')),
			fc.string(),
			json,
		);
		fc.assert(
			fc.property(line, (text) => {
				const time = timestampOf(text);
				if (time !== undefined) expect(new Date(time).toISOString()).toBe(time);
			}),
		);
	});

	it.each(['2', '2026-', '2026-11-22T', '2026-11-22T10:00:00.', 'Nov ', ' ', '22 '])(
		'of a megabyte of %j, only the start is read',
		(unit) => {
			const line = unit.repeat(Math.ceil(1_000_000 / unit.length));
			expect(timestampOf(line)).toBe(timestampOf(line.slice(0, 1_000)));
		},
	);
});
