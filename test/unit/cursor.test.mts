import { describe, expect, it } from 'vitest';
import { Checkpoint } from '../../nodes/CaasLogsTrigger/checkpoint.ts';
import { Cursor } from '../../nodes/CaasLogsTrigger/cursor.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';

const event = (data: string, more: Partial<StreamEvent> = {}): StreamEvent => ({
	type: '',
	data,
	lastEventId: '',
	hasOwnId: false,
	truncated: false,
	bytes: data.length + 1,
	...more,
});

/** A log that was followed up to its end, at a service that sends it from its beginning each time. */
function followed(...events: StreamEvent[]): { cursor: Cursor; checkpoint: Checkpoint } {
	const checkpoint = new Checkpoint();
	const cursor = new Cursor(checkpoint, 'none');
	cursor.onConnected(true);
	for (const one of events) expect(cursor.next(one)).toBe('new');
	cursor.onConnected(false);
	return { cursor, checkpoint };
}

describe('a repeated log', () => {
	it('is skipped up to the committed offset', () => {
		const { cursor } = followed(event('one'), event('two'));
		expect([event('one'), event('two'), event('three')].map((one) => cursor.next(one))).toEqual([
			'known',
			'known',
			'new',
		]);
		expect(cursor.mustReread).toBe(false);
	});

	it.each([0, 1])(
		'with a line above the limit, cut at another place, is no rotation (line %d)',
		(place) => {
			const lines = (length: number) =>
				[event('one'), event('two')].map((one, index) =>
					index === place ? event('x'.repeat(length), { truncated: true }) : one,
				);
			const { cursor } = followed(...lines(1_024));
			expect(lines(1_018).map((one) => cursor.next(one))).toEqual(['known', 'known']);
			expect([cursor.mustReread, cursor.hasRotated]).toEqual([false, false]);
		},
	);
});

describe('an entry of a later connection', () => {
	const id = (number: number) => ({ lastEventId: String(number), hasOwnId: true });

	it('is compared with the last one that was new', () => {
		const cursor = new Cursor(new Checkpoint(), 'none');
		cursor.onConnected(true);
		for (const data of ['one', 'two']) expect(cursor.next(event(data))).toBe('new');
		for (const last of ['two', 'other']) {
			cursor.onConnected(false);
			expect(['one', last].map((data) => cursor.next(event(data)))).toEqual(['known', 'known']);
			expect(cursor.mustReread).toBe(last === 'other');
		}
	});

	it('skips entries with known IDs only until the first new one', () => {
		const cursor = new Cursor(new Checkpoint(), 'none');
		cursor.onConnected(true);
		for (const number of [0, 1, 2]) cursor.next(event(`line ${number}`, id(number)));
		cursor.onConnected(true);
		expect([1, 2, 3, 1].map((number) => cursor.next(event(`line ${number}`, id(number))))).toEqual([
			'known',
			'known',
			'new',
			'new',
		]);
		cursor.onConnected(false);
		expect(
			[0, 1, 2, 3, 1].map((number) => cursor.next(event(`line ${number}`, id(number)))),
		).toEqual(['known', 'known', 'known', 'known', 'known']);
		expect(cursor.mustReread).toBe(false);
	});

	it('keeps an entry without an ID, though the next one is known', () => {
		const cursor = new Cursor(new Checkpoint(), 'eventId');
		const connect = (...entries: Array<number | string>) => {
			cursor.onConnected(true);
			return entries.map((entry) =>
				cursor.next(typeof entry === 'number' ? event(`line ${entry}`, id(entry)) : event(entry)),
			);
		};
		connect(1, 'x', 2, 'x', 3);
		expect(connect(2, 'x', 3)).toEqual(['known', 'new', 'known']);
		expect(new Set(connect(1, 'x', 2, 'x', 3, 'x'))).toEqual(new Set(['known']));
		expect(cursor.mustReread).toBe(false);
	});
});

describe('a log that has rotated', () => {
	it('with the same first entry, ID and all, is not taken for a repetition', () => {
		const entry = (id: number, data: string) =>
			event(data, { lastEventId: String(id), hasOwnId: true });
		const { cursor } = followed(entry(0, 'banner'), entry(1, 'a1'));
		expect([entry(0, 'banner'), entry(1, 'b1')].map((one) => cursor.next(one))).toEqual([
			'known',
			'known',
		]);
		expect(cursor.mustReread).toBe(true);
		cursor.onConnected(false);
		expect([entry(0, 'banner'), entry(1, 'b1')].map((one) => cursor.next(one))).toEqual([
			'new',
			'new',
		]);
	});

	it('is none where the service does not know the ID and begins at the beginning', () => {
		const entry = (id: number) => event(`line ${id}`, { lastEventId: String(id), hasOwnId: true });
		const cursor = new Cursor(new Checkpoint(), 'eventId');
		cursor.onConnected(true);
		const many = Array.from({ length: 20 }, (_, id) => entry(id));
		many.forEach((one) => cursor.next(one));
		cursor.onConnected(true);
		expect(new Set(many.map((one) => cursor.next(one)))).toEqual(new Set(['known']));
		expect(cursor.next(entry(20))).toBe('new');
	});

	it('after a restart before its first batch is done, the new log is read from its start', () => {
		const entry = (name: string, id: number) =>
			event(`${name}${id}`, { lastEventId: String(id), hasOwnId: true });
		const checkpoint = new Checkpoint();
		const cursor = new Cursor(checkpoint, 'eventId');
		cursor.onConnected(true);
		for (let id = 0; id < 500; id++) cursor.next(entry('a', id));
		checkpoint.commit(checkpoint.beginBatch(cursor.readOffset));
		expect(cursor.detectRotation(entry('b', 0))).toBe(true);
		cursor.onConnected(true);
		for (let id = 0; id < 5; id++) expect(cursor.next(entry('b', id))).toBe('new');
		checkpoint.beginBatch(cursor.readOffset);
		const loaded = Checkpoint.load(checkpoint.save()) ?? new Checkpoint();
		expect(new Cursor(loaded, 'eventId').requestOffset(true)).toEqual({
			entries: 0,
			bytes: 0,
			lastEventId: '',
		});
		expect(loaded.inFlight).toMatchObject([
			{ from: { entries: 500, lastEventId: '' }, to: { entries: 505, lastEventId: '4' } },
		]);
	});

	it('is not detected on a connection without entries', () => {
		const { cursor } = followed(event('one'), event('two'));
		expect(cursor.isShorterThanRead).toBe(false);
		cursor.next(event('one'));
		expect(cursor.isShorterThanRead).toBe(true);
		cursor.next(event('two'));
		expect(cursor.isShorterThanRead).toBe(false);
	});

	it('the first batch of the new log holds nothing of the old one', () => {
		const { cursor, checkpoint } = followed(event('a1'), event('a2'), event('a3'));
		expect(cursor.next(event('b1'))).toBe('new');
		expect(cursor.hasRotated).toBe(true);
		const batch = checkpoint.beginBatch(cursor.readOffset);
		expect([checkpoint.logStart.entries, batch.from.entries, batch.to.entries]).toEqual([3, 3, 4]);
	});

	it('does not take back a batch of the earlier one that waits', () => {
		const { cursor, checkpoint } = followed(event('a1'), event('a2'));
		const waiting = cursor.readOffset;
		cursor.next(event('b1'));
		cursor.next(event('b2'));
		checkpoint.beginBatch(cursor.readOffset);
		const late = checkpoint.beginBatch(waiting);
		expect([checkpoint.dispatchedOffset.entries, late.from.entries, late.to.entries]).toEqual([
			4, 2, 2,
		]);
	});
});
