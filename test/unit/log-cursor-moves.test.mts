import { describe, expect, it } from 'vitest';
import {
	Cursor,
	digestOf,
	FIRST,
	leadOf,
	MARGIN,
	WINDOW,
	type Position,
} from '../../nodes/CaasLogsTrigger/cursor.ts';
import {
	BEGINNING,
	type LogOffset,
	type OffsetSettings,
} from '../../nodes/marketplace/log/request.ts';
import { entryOf, type StreamEvent } from '../../nodes/shared/stream/event.ts';

const START: Position = { offset: BEGINNING, from: BEGINNING, known: [] };
const BYTES = 10;

/** The entry of so many, with its number as its ID. */
const entry = (number: number, more: Partial<StreamEvent> = {}): StreamEvent => ({
	...entryOf(`line ${number}`, BYTES),
	lastEventId: `${number}`,
	hasOwnId: true,
	...more,
});

/** The offset before the entry with this number. */
const at = (number: number): LogOffset => ({
	entries: number,
	bytes: number * BYTES,
	lastEventId: number > 0 ? `${number - 1}` : '',
});

const digests = (count: number, first = 0) =>
	Array.from({ length: count }, (_, index) => digestOf(entry(first + index), 'entries'));

function read(
	count: number,
	unit: OffsetSettings['offsetUnit'] = 'entries',
	position = START,
): Cursor {
	const cursor = new Cursor(position, unit);
	const { entries } = position.offset;
	for (let number = entries; number < entries + count; number++) cursor.advance(entry(number));
	return cursor;
}

describe('the last entries that are known', () => {
	it.each([
		['entries', WINDOW + MARGIN],
		['bytes', WINDOW],
		['none', WINDOW],
	] as const)('with %s are at most %d', (unit, most) => {
		expect(read(most, unit).position().known).toHaveLength(most);
		const { known, from, offset } = read(most + 1, unit).position();
		expect(known).toEqual(digests(most, 1));
		expect([from, offset]).toEqual([at(1), at(most + 1)]);
	});

	it('have their offsets', () => {
		const cursor = read(5);
		expect([1, 5, 6].map((count) => cursor.before(count))).toEqual([at(4), at(0), undefined]);
		expect(cursor.before(2)).not.toBe(cursor.before(2));
	});

	it('have an ID only where the service gave one', () => {
		const cursor = read(2);
		cursor.advance(entry(2, { hasOwnId: false, lastEventId: 'other' }));
		expect(cursor.position().offset).toEqual({ entries: 3, bytes: 30, lastEventId: '1' });
	});

	it.each<[OffsetSettings['offsetUnit'], LogOffset | undefined]>([
		['bytes', at(4)],
		['eventId', at(4)],
		['entries', undefined],
		['none', undefined],
	])('with %s, have an offset before the last one: %j', (unit, last) => {
		expect(read(5, unit).position().last).toEqual(last);
		expect(new Cursor(START, unit).position().last).toBeUndefined();
	});

	it('with the first ID that the service gave, are requested from behind it', () => {
		const { known, from, offset } = read(1, 'eventId').position();
		expect([known, from, offset]).toEqual([[], at(1), at(1)]);
	});

	it('with IDs that no service gave are all known', () => {
		const cursor = new Cursor(START, 'eventId');
		for (const number of [0, 1, 2]) cursor.advance(entry(number, { hasOwnId: false }));
		expect(cursor.position().known).toHaveLength(3);
	});
});

describe('the first entries of a log', () => {
	it.each([0, 1, FIRST - 1, FIRST, FIRST + 1])('are remembered, of %d', (count) => {
		const { first } = read(count).position();
		expect(first).toEqual(count === 0 ? undefined : digests(Math.min(count, FIRST)));
	});

	it('are gone where reading begins elsewhere, and are not those that follow', () => {
		const cursor = read(3);
		cursor.restart(at(2));
		cursor.advance(entry(2));
		expect(cursor.position().first).toBeUndefined();
		cursor.restart(BEGINNING);
		cursor.advance(entry(0));
		expect(cursor.position().first).toEqual(digests(1));
	});

	it('stay those of the position that is loaded', () => {
		const position = read(5).position();
		const cursor = read(5, 'entries', position);
		expect(cursor.position().first).toEqual(digests(FIRST));
		expect(position.first).toEqual(digests(5));
		expect(cursor.position().first).not.toBe(cursor.position().first);
	});
});

describe('entries that were none of the log', () => {
	it.each<[number, number]>([
		[5, 0],
		[5, 1],
		[5, 4],
		[FIRST + 1, 1],
		[FIRST + 1, 2],
		[WINDOW + MARGIN + 1, 3],
		[WINDOW + MARGIN, 3],
		[40 + WINDOW, 4],
	])('of %d the last %d, are forgotten', (count, lines) => {
		const cursor = read(count);
		cursor.forget(lines);
		const { known, from, offset, first } = cursor.position();
		const left = count - lines;
		const oldest = Math.max(0, count - WINDOW - MARGIN);
		expect(offset).toEqual(at(left));
		expect(known).toEqual(digests(left - oldest, oldest));
		expect(from).toEqual(at(oldest));
		expect(first).toEqual(digests(Math.min(left, FIRST)));
		// The next ones take their places
		cursor.advance(entry(left));
		expect(cursor.position().known).toEqual(digests(left + 1 - oldest, oldest));
		expect(cursor.position().first).toEqual(digests(Math.min(left + 1, FIRST)));
	});
});

describe('a correction', () => {
	it('moves each of the known entries by as much, but not below zero', () => {
		const cursor = read(5);
		cursor.correct({ entries: 8, bytes: 75 });
		expect([1, 5].map((back) => cursor.before(back))).toEqual([
			{ ...at(4), entries: 7, bytes: 65 },
			{ ...at(0), entries: 3, bytes: 25 },
		]);
		cursor.correct({ entries: 2, bytes: 15 });
		expect([1, 2, 5].map((back) => cursor.before(back))).toEqual([
			{ ...at(4), entries: 1, bytes: 5 },
			{ ...at(3), entries: 0, bytes: 0 },
			{ ...at(0), entries: 0, bytes: 0 },
		]);
		expect([cursor.entries, cursor.bytes]).toEqual([2, 15]);
	});
});

describe('a position that is loaded', () => {
	const saved = (known: string[], more: Partial<Position> = {}): Position => ({
		offset: at(13),
		from: at(10),
		known,
		...more,
	});
	const before = (position: Position, unit: OffsetSettings['offsetUnit'], count: number) =>
		new Cursor(position, unit).before(count);

	it('counts the entries from the first known one', () => {
		const offsets = [3, 2, 1].map((back) => before(saved(['a', 'b', 'c']), 'entries', back));
		expect(offsets.map((offset) => offset?.entries)).toEqual([10, 11, 12]);
		expect(offsets.map((offset) => offset?.bytes)).toEqual([100, 100, 100]);
	});

	it('takes equal entries for equally long', () => {
		for (const unit of ['bytes', 'entries'] as const) {
			const offsets = [3, 2, 1].map((back) => before(saved(['a', 'a', 'a']), unit, back));
			expect(offsets.map((offset) => offset?.bytes)).toEqual([100, 110, 120]);
			expect(offsets.map((offset) => offset?.entries)).toEqual([10, 11, 12]);
		}
		const uneven = saved(['a', 'a', 'a'], { offset: { ...at(13), bytes: 125 } });
		expect([2, 1].map((back) => before(uneven, 'bytes', back)?.bytes)).toEqual([108, 117]);
	});

	it('requests others from the first of them, where entries are not counted', () => {
		const offsets = [3, 2, 1].map((back) => before(saved(['a', 'b', 'c']), 'bytes', back));
		expect(offsets).toEqual([at(10), at(10), at(10)]);
		const empty = saved(['a', 'a', 'a'], { offset: { ...at(13), bytes: 100 } });
		expect(before(empty, 'bytes', 1)?.entries).toBe(10);
	});

	it('has the offset before the last one, where that was saved', () => {
		const position = saved(['a', 'b', 'c'], { last: at(12) });
		expect([before(position, 'bytes', 1), before(position, 'bytes', 2)]).toEqual([at(12), at(10)]);
	});

	it('replaces another one', () => {
		const cursor = read(40);
		cursor.load(saved(['a', 'b', 'c']));
		const { known, offset, first } = cursor.position();
		expect([known, offset, first]).toEqual([['a', 'b', 'c'], at(13), undefined]);
	});

	it.each([
		[at(10), 0],
		[at(8), 2],
		[at(12), 0],
	])('may be requested from before the known entries: %j', (from, lead) => {
		expect(leadOf(saved(['a', 'b', 'c'], { from }))).toBe(lead);
	});
});

describe('a digest of a line', () => {
	it('is as it was saved: other versions know a place by it', () => {
		expect(digestOf(entryOf('line', 1), 'entries')).toBe('OKnB5y');
	});

	it('that was cut is that of its beginning; of a whole one it is that of all', () => {
		const digest = (length: number, truncated: boolean) =>
			digestOf({ ...entryOf('x'.repeat(length), 1), truncated }, 'entries');
		expect(digest(1_024, true)).toBe(digest(1_023, false));
		expect(digest(1_024, false)).not.toBe(digest(1_023, false));
		expect(digest(1_022, true)).not.toBe(digest(1_023, true));
	});

	it('depends on an ID of its own alone', () => {
		const digest = (lastEventId: string, hasOwnId: boolean) =>
			digestOf({ ...entryOf('x', 1), lastEventId, hasOwnId }, 'eventId');
		expect(digest('1', false)).toBe(digest('2', false));
		expect(digest('1', true)).not.toBe(digest('2', true));
	});

	it('takes the place of its text', () => {
		const cursor = read(3);
		cursor.releaseTexts();
		cursor.advance(entry(3));
		cursor.releaseTexts();
		expect(cursor.position().known).toEqual(digests(4));
		expect(cursor.position().known).toEqual(digests(4));
	});
});
