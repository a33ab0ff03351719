import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	Cursor,
	digestOf,
	MARGIN,
	WINDOW,
	type Position,
} from '../../nodes/CaasLogsTrigger/cursor.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';

const KEPT = WINDOW + MARGIN;
const START: Position = { offset: BEGINNING, from: BEGINNING, known: [] };

/** The entry of a log whose service gives each entry its number as its ID. */
function entry(number: number, more: Partial<StreamEvent> = {}): StreamEvent {
	const data = `line ${number}`;
	return {
		data,
		type: 'message',
		lastEventId: String(number),
		hasOwnId: true,
		bytes: data.length + 1,
		truncated: false,
		...more,
	};
}

function read(count: number, cursor = new Cursor(START, 'entries'), from = 0): Cursor {
	for (let number = from; number < from + count; number++) cursor.advance(entry(number));
	return cursor;
}

describe('a position', () => {
	it.each([0, 1, KEPT - 1, KEPT, KEPT + 1, 3 * KEPT])(
		'after %d entries has the digests of the last of them, and the offset before the first of those',
		(count) => {
			const { offset, known, from } = read(count).position();
			const first = Math.max(0, count - KEPT);
			expect(offset.entries).toBe(count);
			expect(from.entries).toBe(first);
			expect(known).toEqual(
				Array.from({ length: count - first }, (_, index) =>
					digestOf(entry(first + index), 'entries'),
				),
			);
		},
	);

	it('continues in another cursor as if it was the same one', () => {
		fc.assert(
			fc.property(fc.nat(80), fc.nat(80), (before, after) => {
				const cursor = read(before);
				const other = new Cursor(cursor.position(), 'entries');
				expect(other.position().known).toEqual(cursor.position().known);
				expect(read(after, other, before).position().offset).toEqual(
					read(after, cursor, before).position().offset,
				);
				expect(other.position().known).toEqual(cursor.position().known);
				expect(other.position().from.entries).toBe(cursor.position().from.entries);
			}),
		);
	});

	it('keeps from where a start offset is requested, until an entry is known', () => {
		const offset = { entries: 15, bytes: 0, lastEventId: '' };
		const cursor = new Cursor({ offset, from: BEGINNING, known: [] }, 'entries');
		expect(cursor.position()).toEqual({ offset, from: BEGINNING, known: [] });
		cursor.advance(entry(15));
		expect(cursor.position().from).toEqual(offset);
	});

	it('with event IDs begins after an entry that has one', () => {
		const cursor = new Cursor(START, 'eventId');
		cursor.advance(entry(0, { hasOwnId: false, lastEventId: '' }));
		cursor.advance(entry(1));
		cursor.advance(entry(2));
		expect(cursor.position()).toMatchObject({
			offset: { entries: 3, lastEventId: '2' },
			from: { entries: 2, lastEventId: '1' },
			known: [digestOf(entry(2), 'eventId')],
		});
	});

	it('is corrected when the service shows how many entries are before it', () => {
		const cursor = read(50);
		cursor.correct({ entries: 45, bytes: 300 });
		const { offset, from, known } = cursor.position();
		expect([offset.entries, offset.bytes, from.entries]).toEqual([45, 300, 45 - KEPT]);
		expect(known).toHaveLength(KEPT);
		// The service has dropped older ones: no offset is below zero
		cursor.correct({ entries: 5, bytes: 50 });
		expect(cursor.position().from).toMatchObject({ entries: 0, bytes: 0 });
	});

	it('knows nothing of a log before it began again', () => {
		const cursor = read(40);
		cursor.restart(BEGINNING);
		expect(cursor.position()).toEqual(START);
		expect(cursor.before(1)).toBeUndefined();
	});
});

describe('a digest', () => {
	it('depends on the ID only where the service resumes at IDs', () => {
		const other = entry(1, { lastEventId: 'other' });
		expect(digestOf(other, 'entries')).toBe(digestOf(entry(1), 'entries'));
		expect(digestOf(other, 'eventId')).not.toBe(digestOf(entry(1), 'eventId'));
	});

	it('of a truncated line does not depend on how much of it was kept', () => {
		const cut = (length: number) => entry(1, { data: 'x'.repeat(length), truncated: true });
		expect(digestOf(cut(1_024), 'entries')).toBe(digestOf(cut(2_000), 'entries'));
	});

	it.each([
		['entries', 'eventId'],
		['eventId', 'bytes'],
	] as const)('with the unit %s, is the one that is known from the unit %s', (unit, before) => {
		const { offset, from } = read(20).position();
		const known = [digestOf(entry(18), before), digestOf(entry(19), before)];
		const first = [digestOf(entry(0), before)];
		const cursor = new Cursor({ offset, from, known, first }, unit);
		const isFormer = (number: number) =>
			cursor.digestOf(entry(number)) === digestOf(entry(number), before);
		expect([0, 18, 19].map(isFormer)).toEqual([true, true, true]);
		expect(cursor.digestOf(entry(17))).toBe(digestOf(entry(17), unit));
		// From now on it is known by its own
		cursor.restart(BEGINNING);
		cursor.advance(entry(19));
		expect(cursor.digestOf(entry(19))).toBe(digestOf(entry(19), unit));
	});

	it('of a truncated line may be that of its first 256 characters, if that was saved before', () => {
		const cut = (line: string) => entry(1, { data: line.repeat(2_000), truncated: true });
		const known = [digestOf(entry(1, { data: 'x'.repeat(256) }), 'none')];
		const cursor = new Cursor({ ...START, known }, 'none');
		expect(cursor.digestOf(cut('x'))).toBe(known[0]);
		expect(cursor.digestOf({ ...cut('x'), hasOwnId: false })).toBe(known[0]);
		expect(cursor.digestOf(cut('y'))).toBe(digestOf(cut('y'), 'none'));
		const whole = entry(1, { data: 'x'.repeat(2_000), hasOwnId: false });
		expect(cursor.digestOf(whole)).toBe(digestOf(whole, 'none'));
	});
});

describe('the offset of the output', () => {
	it.each([
		['entries', 2, entry(2)],
		['none', 2, entry(2)],
		['bytes', 14, entry(2)],
		['eventId', '2', entry(2)],
		['eventId', null, entry(2, { hasOwnId: false })],
	] as const)('in %s: %j', (unit, offset, event) => {
		expect(read(2, new Cursor(START, unit)).outputOffset(event)).toBe(offset);
	});
});
