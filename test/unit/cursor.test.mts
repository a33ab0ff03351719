import { describe, expect, it } from 'vitest';
import { Checkpoint } from '../../nodes/CaasLogsTrigger/checkpoint.ts';
import { Cursor } from '../../nodes/CaasLogsTrigger/cursor.ts';
import type { StreamEvent } from '../../nodes/shared/decoder.ts';

const event = (data: string, more: Partial<StreamEvent> = {}): StreamEvent => ({ type: '', data, id: '', hasOwnId: false, truncated: false, bytes: data.length + 1, ...more });

/** A log that was followed up to its end, at a service that sends it from its beginning each time. */
function followed(...events: StreamEvent[]): { cursor: Cursor; checkpoint: Checkpoint } {
	const checkpoint = new Checkpoint();
	const cursor = new Cursor(checkpoint, 'none');
	cursor.connected(true);
	for (const one of events) expect(cursor.next(one)).toBe('new');
	cursor.connected(false);
	return { cursor, checkpoint };
}

describe('a log that is sent again', () => {
	it('is known, up to where it was', () => {
		const { cursor } = followed(event('one'), event('two'));
		expect([event('one'), event('two'), event('three')].map((one) => cursor.next(one))).toEqual(['known', 'known', 'new']);
		expect(cursor.mustReadAgain).toBe(false);
	});

	it.each([0, 1])('with a line beyond the cap, which is not cut in the same place each time, is no other log (line %d)', (place) => {
		const lines = (length: number) => [event('one'), event('two')].map((one, index) => (index === place ? event('x'.repeat(length), { truncated: true }) : one));
		const { cursor } = followed(...lines(1_024));
		expect(lines(1_018).map((one) => cursor.next(one))).toEqual(['known', 'known']);
		expect([cursor.mustReadAgain, cursor.isNewLog]).toEqual([false, false]);
	});
});

describe('a log that has begun anew', () => {
	it('with the same first entry, ID and all, is not taken for a repetition', () => {
		const entry = (id: number, data: string) => event(data, { id: String(id), hasOwnId: true });
		const { cursor } = followed(entry(0, 'banner'), entry(1, 'a1'));
		expect([entry(0, 'banner'), entry(1, 'b1')].map((one) => cursor.next(one))).toEqual(['known', 'known']);
		expect(cursor.mustReadAgain).toBe(true);
		cursor.connected(false);
		expect([entry(0, 'banner'), entry(1, 'b1')].map((one) => cursor.next(one))).toEqual(['new', 'new']);
	});

	it('is none where the service does not know the ID and begins at the beginning', () => {
		const entry = (id: number) => event(`line ${id}`, { id: String(id), hasOwnId: true });
		const cursor = new Cursor(new Checkpoint(), 'eventId');
		cursor.connected(true);
		const many = Array.from({ length: 20 }, (_, id) => entry(id));
		many.forEach((one) => cursor.next(one));
		cursor.connected(true);
		expect(new Set(many.map((one) => cursor.next(one)))).toEqual(new Set(['known']));
		expect(cursor.next(entry(20))).toBe('new');
	});

	it('is asked for from its beginning after a restart before its first batch is done, and not from an ID of the earlier one', () => {
		const entry = (name: string, id: number) => event(`${name}${id}`, { id: String(id), hasOwnId: true });
		const checkpoint = new Checkpoint();
		const cursor = new Cursor(checkpoint, 'eventId');
		cursor.connected(true);
		for (let id = 0; id < 500; id++) cursor.next(entry('a', id));
		checkpoint.done(checkpoint.begin(cursor.place));
		expect(cursor.meet(entry('b', 0))).toBe(true);
		cursor.connected(true);
		for (let id = 0; id < 5; id++) expect(cursor.next(entry('b', id))).toBe('new');
		checkpoint.begin(cursor.place);
		const loaded = Checkpoint.load(checkpoint.save()) ?? new Checkpoint();
		expect(new Cursor(loaded, 'eventId').requestFrom(true)).toEqual({ entries: 0, bytes: 0, id: '' });
		expect(loaded.flights).toMatchObject([{ from: { entries: 500, id: '' }, to: { entries: 505, id: '4' } }]);
	});

	it('is not proved by a connection that brings nothing', () => {
		const { cursor } = followed(event('one'), event('two'));
		expect(cursor.isShort).toBe(false);
		cursor.next(event('one'));
		expect(cursor.isShort).toBe(true);
		cursor.next(event('two'));
		expect(cursor.isShort).toBe(false);
	});

	it('has nothing of the earlier one in its first batch', () => {
		const { cursor, checkpoint } = followed(event('a1'), event('a2'), event('a3'));
		expect(cursor.next(event('b1'))).toBe('new');
		expect(cursor.isNewLog).toBe(true);
		const flight = checkpoint.begin(cursor.place);
		expect([checkpoint.base.entries, flight.from.entries, flight.to.entries]).toEqual([3, 3, 4]);
	});

	it('does not take back what was cut of the earlier one and waits', () => {
		const { cursor, checkpoint } = followed(event('a1'), event('a2'));
		const waiting = cursor.place;
		cursor.next(event('b1'));
		cursor.next(event('b2'));
		checkpoint.begin(cursor.place);
		const late = checkpoint.begin(waiting);
		expect([checkpoint.tip.entries, late.from.entries, late.to.entries]).toEqual([4, 2, 2]);
	});
});
