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
	/** What a further page brings: where it was requested from, what is new, and whether another one is needed. */
	const further = (page: string[]) => {
		const before = pages.count;
		const offset = pages.next();
		add(page);
		const goesOn = pages.end(true);
		return { offset, goesOn, lines: taken.slice(before) };
	};
	return { pages, taken, add, further };
}

const NOTHING = { goesOn: false, lines: [] };
const ONCE_MORE = { goesOn: true, lines: [] };
const FAR = 1_000_000;

describe('the pages of a log', () => {
	it('begin with what the first one brings', () => {
		const { pages, taken } = pagesOf(lines(1, 20));
		expect(taken).toEqual(lines(1, 20));
		expect(pages.count).toBe(20);
		expect(pages.end(true)).toBe(true);
		expect(pages.end(false)).toBe(false);
		expect(pagesOf([]).pages.end(true)).toBe(false);
		expect(pages.isLast(entry('line 20'))).toBe(true);
		expect(pages.isLast(entry('line 19'))).toBe(false);
	});

	it.each([
		['at the offset', 11],
		['one entry before it', 10],
		['one entry behind it', 12],
	])('go on where the next begins %s', (_, first) => {
		const { further } = pagesOf(lines(1, 20));
		expect(further(lines(first, 30))).toEqual({ offset: 10, goesOn: true, lines: lines(21, 30) });
		expect(further(lines(first + 10, 33))).toEqual({
			offset: 20,
			goesOn: true,
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

	it('end where all that comes is known, from nearer to the end too', () => {
		const { pages, further } = pagesOf(lines(1, 20));
		expect(further(lines(11, 20))).toEqual({ offset: 10, ...ONCE_MORE });
		expect(further(lines(18, 20))).toEqual({ offset: 17, ...NOTHING });
		expect(pages.isPartial).toBe(false);
	});

	it('go on where an answer that is limited in size has only what is known', () => {
		const { further } = pagesOf(lines(1, 20));
		expect(further(lines(11, 20))).toEqual({ offset: 10, ...ONCE_MORE });
		const nearer = { offset: 17, goesOn: true, lines: lines(21, 27) };
		expect(further(lines(18, 27))).toEqual(nearer);
		expect(further(lines(18, 27))).toEqual({ offset: 17, ...ONCE_MORE });
	});

	it('go on where one of them is empty, as a gateway has answered', () => {
		const { further } = pagesOf(lines(1, 20));
		expect(further([])).toEqual({ offset: 10, ...ONCE_MORE });
		expect(further(lines(11, 30))).toEqual({ offset: 10, goesOn: true, lines: lines(21, 30) });
		expect(further([])).toEqual({ offset: 20, ...ONCE_MORE });
		expect(further([])).toEqual({ offset: 20, ...NOTHING });
	});

	it.each([
		['one line', ['tick']],
		['two lines', ['ping', 'pong']],
		['equal lines', Array<string>(20).fill('tick')],
	])('of %s that come again are whole where they come from any offset', (_, page) => {
		const ignoring = pagesOf(page);
		expect(ignoring.further(page)).toMatchObject(ONCE_MORE);
		expect(ignoring.further(page)).toEqual({ offset: page.length + FAR, ...NOTHING });
		expect(ignoring.pages.isPartial).toBe(false);
		for (const far of [[], ['another']]) {
			const honouring = pagesOf(page);
			honouring.further(page);
			expect(honouring.further(far)).toMatchObject(NOTHING);
			expect(honouring.pages.isPartial).toBe(true);
		}
	});

	it('are whole where the IDs of the events differ on each connection', () => {
		const pages = new Pages(() => true);
		const add = (connection: string) =>
			lines(1, 20).every((line) =>
				pages.add(entry(line, { hasOwnId: true, lastEventId: connection + line })),
			);
		add('a');
		pages.next();
		add('b');
		expect(pages.end(false)).toBe(true);
		expect(pages.next()).toBe(20 + FAR);
		expect(pages.isWithin).toBe(false);
		add('c');
		expect(pages.end(false)).toBe(false);
		expect(pages.isPartial).toBe(false);
	});

	it.each([
		['at the offset', 3],
		['one entry before it', 2],
		['one entry behind it', 4],
	])('overlap so that a page of five entries, from %s on, has new ones', (_, first) => {
		const { further } = pagesOf(lines(1, 5));
		const page = lines(first, first + 4);
		const fresh = lines(6, first + 4);
		expect(further(page)).toEqual({ offset: 2, goesOn: true, lines: fresh });
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
		['ends', 20, [11, 20], false, ONCE_MORE],
		['ends, counted from one', 20, [10, 20], false, ONCE_MORE],
		['ends after a few entries', 3, [3, 3], false, ONCE_MORE],
		['begins again, as the offset is ignored', 3, [1, 3], false],
		['begins again, and has grown', 3, [1, 5], false],
		['shows nothing', 3, [4, 3], false, ONCE_MORE],
	] as Array<[string, number, [number, number], boolean, object?]>)(
		'are known to be a part where the log %s',
		(_, size, [from, to], isPartial, told = NOTHING) => {
			const { pages, further } = pagesOf(lines(1, size));
			expect(further(lines(from, to))).toMatchObject(told);
			expect(pages.isPartial).toBe(isPartial);
		},
	);

	it('may be a part where equal lines do not show whether the offset is ignored', () => {
		const ticks = Array<string>(20).fill('tick');
		const { pages, further } = pagesOf(ticks);
		expect(further(ticks.slice(0, 10))).toMatchObject(ONCE_MORE);
		expect(pages.isPartial).toBe(false);
		// The fourth may be new, or the service may count from one
		expect(further(ticks.slice(0, 4))).toMatchObject(ONCE_MORE);
		expect(pages.isPartial).toBe(true);
	});

	it('bring nothing where equal lines do not show how they overlap', () => {
		const { further } = pagesOf([...lines(1, 5), ...Array<string>(15).fill('tick')]);
		expect(further(Array<string>(15).fill('tick'))).toMatchObject(NOTHING);
		const two = pagesOf([...lines(1, 4), ...Array<string[]>(8).fill(['tick', 'tock']).flat()]);
		// A shift of none fits, and no other
		const page = [...Array<string[]>(5).fill(['tick', 'tock']).flat(), 'new'];
		expect(two.further(page)).toMatchObject({ goesOn: true, lines: ['new'] });
	});

	it('bring nothing that begins as the log does: a service may ignore the offset', () => {
		const repeated = [...lines(1, 10), ...lines(1, 10)];
		const { further } = pagesOf(repeated);
		expect(further(lines(1, 10))).toMatchObject(ONCE_MORE);
		expect(pagesOf(repeated).further([...lines(1, 10), 'new'])).toMatchObject({
			goesOn: true,
			lines: ['new'],
		});
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
		expect(pages.end(true)).toBe(false);
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
