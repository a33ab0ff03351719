import { describe, expect, it } from 'vitest';
import { Cursor, MARGIN, WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { Newest } from '../../nodes/CaasLogsTrigger/newest.ts';
import { patienceOf } from '../../nodes/CaasLogsTrigger/patience.ts';
import type { Search } from '../../nodes/CaasLogsTrigger/search.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { entry } from './log-parts.mts';

interface Searched {
	answer?: object;
	earlier?: object[];
	isPage?: boolean;
	mayBePage?: boolean;
	showsBeginning?: boolean;
	missing?: number;
	count?: number;
}

/** A search whose answer has brought some entries of the log, and where nothing says that more will come. */
const searchOf = ({ answer, earlier = [], isPage = false, ...more }: Searched) => {
	const present = { count: 20, isFromBeginning: false, ...answer };
	return {
		answer: present,
		answers: [...earlier, present],
		mayBePage: false,
		showsBeginning: false,
		missing: 0,
		count: 100,
		isCertainPage: () => isPage,
		...more,
	} as unknown as Search;
};

describe('a reader waits for more of an answer', () => {
	const known = { count: 3, bytes: 30 };

	it.each<[string, Searched, { quietMs: number; isExpected: boolean; longestMs?: number }]>([
		['that may have all', {}, { quietMs: 500, isExpected: false }],
		['without an entry', { answer: { count: 0 } }, { quietMs: 3_000, isExpected: false }],
		['of a few, all there', { answer: { count: 8 } }, { quietMs: 500, isExpected: false }],
		['of a few', { answer: { count: 8 }, missing: 1 }, { quietMs: 3_000, isExpected: true }],
		['of more', { answer: { count: 9 }, missing: 1 }, { quietMs: 500, isExpected: false }],
		['of all', { answer: { isFromBeginning: true } }, { quietMs: 500, isExpected: false }],
		[
			'from the beginning',
			{ answer: { isFromBeginning: true }, missing: 1 },
			{ quietMs: 3_000, isExpected: true },
		],
		[
			'from the beginning that is empty',
			{ answer: { isFromBeginning: true, count: 0 } },
			{ quietMs: 10_000, isExpected: false },
		],
		['that is a page', { isPage: true }, { quietMs: 10_000, isExpected: true }],
		[
			'that is a page with the place',
			{ isPage: true, answer: { place: known } },
			{ quietMs: 500, isExpected: false },
		],
		[
			'that is a page with the place in a former log',
			{ isPage: true, answer: { formerPlace: known } },
			{ quietMs: 500, isExpected: false },
		],
		[
			'before the place',
			{ showsBeginning: true, missing: 1 },
			{ quietMs: 10_000, isExpected: true },
		],
		['after it', { showsBeginning: true }, { quietMs: 500, isExpected: false }],
		['that may be a page', { mayBePage: true }, { quietMs: 10_000, isExpected: false }],
		[
			'of a service that ends its answers, and has not ended this page',
			{ mayBePage: true, isPage: true },
			{ quietMs: 60_000, isExpected: true, longestMs: 120_000 },
		],
	])('%s', (_, searched, patience) => {
		expect(patienceOf(searchOf(searched))).toEqual({ longestMs: 10_000, ...patience });
	});

	it.each([
		['twice as long as all of it once took', {}, 0, 12_000],
		['no more than a minute', { delayMs: 31_000 }, 0, 60_000],
		['not for what has begun to come', {}, 1, 3_000],
		['not where only a part was late', { place: { count: 99 } }, 0, 10_000],
		['not where nothing was found in it', { place: undefined }, 0, 10_000],
		['not where it was no whole log', { isFromBeginning: false }, 0, 10_000],
	])('%s', (_, more, count, quietMs) => {
		const late = { isFromBeginning: true, place: { count: 100 }, delayMs: 6_000, ...more };
		const answer = { isFromBeginning: true, count };
		const patience = patienceOf(searchOf({ earlier: [late], answer, missing: 1 }));
		expect(patience.quietMs).toBe(quietMs);
	});

	it('not for what its own entries say of their lateness', () => {
		const answer = { isFromBeginning: true, count: 0, place: { count: 100 }, delayMs: 50_000 };
		expect(patienceOf(searchOf({ answer })).longestMs).toBe(10_000);
	});
});

describe('the newest lines', () => {
	const read = (lines: number, count: number) => {
		const newest = new Newest(lines);
		for (let index = 0; index < count; index++)
			newest.take(entry(`line ${index}`, { bytes: 10, lastEventId: `${index}`, hasOwnId: true }));
		const cursor = new Cursor({ offset: BEGINNING, from: BEGINNING, known: [] }, 'entries');
		return { wanted: newest.finish(cursor).map(({ data }) => data), cursor };
	};

	it.each([
		[0, 5, []],
		[2, 5, ['line 3', 'line 4']],
		[5, 5, ['line 0', 'line 1', 'line 2', 'line 3', 'line 4']],
		[7, 2, ['line 0', 'line 1']],
		[1, 200, ['line 199']],
	])('%d of %d are delivered, and the others are counted', (lines, count, wanted) => {
		const { wanted: delivered, cursor } = read(lines, count);
		expect(delivered).toEqual(wanted);
		const { offset, known } = cursor.position();
		const before = count - wanted.length;
		expect(offset).toEqual({
			entries: before,
			bytes: before * 10,
			lastEventId: before === 0 ? '' : String(before - 1),
		});
		expect(known).toHaveLength(Math.min(before, WINDOW + MARGIN));
	});
});
