import { describe, expect, it } from 'vitest';
import { Cursor, MARGIN, WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { Newest } from '../../nodes/CaasLogsTrigger/newest.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import { BYTES, lines } from './log-search-fixture.mts';

const KEPT = WINDOW + MARGIN;
const page = { isPageFull: true, next: 'last' } as const;
const mayBePage = { isPageFull: false, next: 'last' } as const;
const end = { isPageFull: false, next: 'window' } as const;

function take(newest: Newest, texts: string[]): void {
	for (const text of texts) newest.take(entryOf(text, BYTES));
}

function finish(newest: Newest, offset = BEGINNING): { wanted: string[]; cursor: Cursor } {
	const cursor = new Cursor({ offset, from: offset, known: [] }, 'entries');
	return { wanted: newest.finish(cursor).map(({ data }) => data), cursor };
}

describe('the newest lines', () => {
	it.each([
		[0, 5, []],
		[2, 5, ['line 3', 'line 4']],
		[5, 5, lines(5)],
		[9, 5, lines(5)],
		[2, 100, ['line 98', 'line 99']],
	])('%d of %d', (wanted, count, expected) => {
		const newest = new Newest(wanted);
		take(newest, lines(count));
		const { cursor, ...shown } = finish(newest);
		expect(shown.wanted).toEqual(expected);
		expect(cursor.entries).toBe(count - expected.length);
		expect(cursor.bytes).toBe((count - expected.length) * BYTES);
	});

	it('are told by those before them, as many as are compared', () => {
		const known = (count: number) => {
			const newest = new Newest(3);
			take(newest, lines(count));
			return finish(newest).cursor.position();
		};
		expect(known(3 + KEPT).known).toHaveLength(KEPT);
		expect(known(3 + KEPT + 50)).toMatchObject({ from: { entries: 50 } });
		expect(known(3 + KEPT + 50).known).toHaveLength(KEPT);
		expect(known(3).known).toEqual([]);
	});

	it('of a log that is read from elsewhere', () => {
		const offset = { entries: 70, bytes: 700, lastEventId: '' };
		const newest = new Newest(1, offset);
		take(newest, lines(KEPT + 10));
		const { cursor } = finish(newest, offset);
		expect([cursor.entries, cursor.bytes]).toEqual([70 + KEPT + 9, 700 + (KEPT + 9) * BYTES]);
	});
});

describe('where the service ends its answers', () => {
	it('the next one tells, unless the first has nothing', () => {
		const newest = new Newest(0);
		expect(newest.hasEnded).toBe(false);
		expect(newest.goesOn(3, end)).toBe(true);
		expect(newest.hasEnded).toBe(true);
		expect(newest.goesOn(3, end)).toBe(false);
		expect(new Newest(0).goesOn(0, end)).toBe(false);
	});

	it('it does so after each full page, and after one of known lines that is as long as the first', () => {
		const newest = new Newest(0);
		newest.goesOn(7, end);
		expect(newest.goesOn(7, mayBePage)).toBe(true);
		expect(newest.goesOn(8, mayBePage)).toBe(true);
		expect(newest.goesOn(6, mayBePage)).toBe(false);
		expect(newest.goesOn(2, page)).toBe(true);
		expect(newest.goesOn(7, end)).toBe(false);
	});

	it('what follows an answer that was no page is wanted as well', () => {
		const newest = new Newest(1);
		take(newest, lines(KEPT + 20));
		newest.goesOn(KEPT + 20, end);
		take(newest, lines(50, 0, 'new'));
		newest.goesOn(KEPT, end);
		expect(finish(newest).wanted).toEqual([`line ${KEPT + 19}`, ...lines(50, 0, 'new')]);
	});

	it('what follows a page is as old as the page', () => {
		const newest = new Newest(1);
		take(newest, lines(40));
		newest.goesOn(40, end);
		take(newest, lines(4, 40));
		newest.goesOn(40, page);
		take(newest, lines(39, 44));
		newest.goesOn(40, page);
		take(newest, lines(2, 83));
		newest.goesOn(3, end);
		const { wanted, cursor } = finish(newest);
		expect(wanted).toEqual(['line 84']);
		expect(cursor.entries).toBe(84);
	});
});
