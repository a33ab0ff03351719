import { describe, expect, it } from 'vitest';
import { Pages } from '../../nodes/marketplace/log/pages.ts';
import { entry } from './log-parts.mts';

const lines = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

/** Pages of a log, the first of which has brought these lines; no more than `most` are wanted. */
function pagesOf(first: string[], most = Infinity) {
	const taken: string[] = [];
	const pages = new Pages(({ data }) => taken.push(data) < most);
	/** Takes lines until no more are wanted; tells after each whether more are. */
	const add = (page: string[]) => {
		const wanted: boolean[] = [];
		for (const line of page) {
			wanted.push(pages.add(entry(line)));
			if (!wanted.at(-1)) break;
		}
		return wanted;
	};
	add(first);
	/** What a further page brings: where it was requested from, what is new, and whether it said so. */
	const further = (page: string[]) => {
		const before = pages.count;
		const offset = pages.next();
		add(page);
		const isNew = pages.end(before);
		return { offset, isNew, lines: taken.slice(before) };
	};
	return { pages, taken, add, further };
}

const NOTHING = { isNew: false, lines: [] };

describe('the pages of a log', () => {
	it('begin with what the first one brings', () => {
		const { pages, taken } = pagesOf(lines(1, 20));
		expect(taken).toEqual(lines(1, 20));
		expect(pages.count).toBe(20);
		expect(pages.end(0)).toBe(true);
		expect(pages.end(20)).toBe(false);
		expect(pages.isLast(entry('line 20'))).toBe(true);
		expect(pages.isLast(entry('line 19'))).toBe(false);
	});

	it.each([
		['at the offset', 11],
		['one entry before it', 10],
		['one entry behind it', 12],
	])('go on where the next begins %s', (_, first) => {
		const { further } = pagesOf(lines(1, 20));
		expect(further(lines(first, 30))).toEqual({ offset: 10, isNew: true, lines: lines(21, 30) });
		expect(further(lines(first + 10, 33))).toEqual({
			offset: 20,
			isNew: true,
			lines: lines(31, 33),
		});
	});

	it.each([
		['two entries before the offset', 9],
		['two entries behind it', 13],
		['where the log begins', 1],
	])('bring nothing where the next begins %s', (_, first) => {
		const { further } = pagesOf(lines(1, 20));
		expect(further(lines(first, 40))).toEqual({ offset: 10, ...NOTHING });
	});

	it('bring nothing where all that comes is known', () => {
		const { further } = pagesOf(lines(1, 20));
		expect(further(lines(11, 20))).toEqual({ offset: 10, ...NOTHING });
	});

	it.each([
		['at the offset', 3],
		['one entry before it', 2],
		['one entry behind it', 4],
	])('overlap so that a page of five entries, from %s on, has new ones', (_, first) => {
		const { further } = pagesOf(lines(1, 5));
		const page = lines(first, first + 4);
		const fresh = lines(6, first + 4);
		expect(further(page)).toEqual({ offset: 2, isNew: true, lines: fresh });
	});

	it.each([
		[4, 2],
		[3, 2],
		[2, 2],
		[1, 1],
	])('of %i entries are followed from the entry %i on', (size, offset) => {
		expect(pagesOf(lines(1, size)).pages.next()).toBe(offset);
	});

	it.each([
		['goes on and cannot be joined', 2, [3, 4], true],
		['goes on in pages of one entry', 1, [2, 2], true],
		['goes on in pages of three', 3, [3, 5], true],
		['goes on in shorter pages', 30, [21, 28], true],
		['goes on elsewhere', 20, [41, 60], true],
		['ends', 20, [11, 20], false],
		['ends, counted from one', 20, [10, 20], false],
		['ends after a few entries', 3, [3, 3], false],
		['begins again, as the offset is ignored', 3, [1, 3], false],
		['begins again, and has grown', 3, [1, 5], false],
		['begins again, in one entry', 1, [1, 1], false],
		['shows nothing', 3, [4, 3], false],
	] as Array<[string, number, [number, number], boolean]>)(
		'are known to be a part where the log %s',
		(_, size, [from, to], isPartial) => {
			const { pages, further } = pagesOf(lines(1, size));
			expect(further(lines(from, to))).toMatchObject(NOTHING);
			expect(pages.isPartial).toBe(isPartial);
		},
	);

	it('may be a part where equal lines do not show whether the offset is ignored', () => {
		const ticks = Array<string>(20).fill('tick');
		const { pages, further } = pagesOf(ticks);
		expect(further(ticks.slice(0, 10))).toMatchObject(NOTHING);
		expect(pages.isPartial).toBe(false);
		// The eleventh may be new, or the service may count from one
		expect(further(ticks.slice(0, 11))).toMatchObject(NOTHING);
		expect(pages.isPartial).toBe(true);
		expect(further(ticks)).toMatchObject(NOTHING);
		expect(pages.isPartial).toBe(true);
	});

	it('bring nothing where equal lines do not show how they overlap', () => {
		const { further } = pagesOf([...lines(1, 5), ...Array<string>(15).fill('tick')]);
		expect(further(Array<string>(15).fill('tick'))).toMatchObject(NOTHING);
		const two = pagesOf([...lines(1, 4), ...Array<string[]>(8).fill(['tick', 'tock']).flat()]);
		// A shift of none fits, and no other
		const page = [...Array<string[]>(5).fill(['tick', 'tock']).flat(), 'new'];
		expect(two.further(page)).toMatchObject({ isNew: true, lines: ['new'] });
	});

	it('bring nothing that begins as the log does: a service may ignore the offset', () => {
		const repeated = [...lines(1, 10), ...lines(1, 10)];
		const { further } = pagesOf(repeated);
		expect(further(lines(1, 10))).toMatchObject(NOTHING);
		expect(further([...lines(1, 10), 'new'])).toMatchObject({ isNew: true, lines: ['new'] });
	});

	it('tell as soon as a page cannot be joined that no more of it is wanted', () => {
		const { pages, add } = pagesOf(lines(1, 20));
		pages.next();
		expect(add(lines(41, 52))).toEqual([...Array<boolean>(11).fill(true), false]);
	});

	it('take no more than is wanted', () => {
		const { pages, add, taken } = pagesOf(lines(1, 20), 22);
		pages.next();
		expect(add(lines(11, 22)).at(-1)).toBe(false);
		expect(taken).toEqual(lines(1, 22));
		expect(pages.end(20)).toBe(false);
	});

	it('tell entries of one text apart by their IDs', () => {
		const taken: string[] = [];
		const pages = new Pages(({ lastEventId }) => taken.push(lastEventId) > 0);
		const add = (from: number, to: number) => {
			for (let id = from; id <= to; id++)
				pages.add(entry('tick', { hasOwnId: true, lastEventId: String(id) }));
		};
		add(1, 20);
		pages.next();
		add(11, 25);
		expect(taken.slice(20)).toEqual(['21', '22', '23', '24', '25']);
	});
});
