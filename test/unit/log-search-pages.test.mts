import { describe, expect, it } from 'vitest';
import type { Habit } from '../../nodes/CaasLogsTrigger/decide.ts';
import type { KnownEntries } from '../../nodes/CaasLogsTrigger/known.ts';
import {
	answerOf,
	BEFORE,
	BYTES,
	equal,
	FIRST,
	knownOf,
	last,
	lines,
	searchOf,
	ticks,
	varied,
	type Came,
} from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const start = BEFORE;
const beginning = { requested: 'beginning', start: 0 } as const;
const broken = { ending: 'broken', start } as const;

describe('an answer can be a page of the known log', () => {
	it.each<[string, KnownEntries, Came, boolean, boolean]>([
		['with known lines alone', varied, { lines: lines(2), start }, true, true],
		['with one, but it may be of another log', varied, { lines: lines(1), start }, true, false],
		['not with others', varied, { lines: ['x', 'y'], start }, false, false],
		[
			'not with others alone before the known ones',
			varied,
			{ lines: ['x'], start: 99 },
			false,
			false,
		],
		[
			'with those before, as many as from the offset',
			varied,
			{ lines: ['x', ...lines(2)], start: 99 },
			true,
			true,
		],
		[
			'with one more, of a service that counts from one',
			varied,
			{ lines: ['x', ...lines(2)], start: 100 },
			true,
			true,
		],
		['not with two more', varied, { lines: ['x', 'y', ...lines(2)], start: 100 }, false, false],
		['not with none', varied, { start }, false, false],
		['not from the beginning', varied, { ...beginning, lines: lines(2) }, false, false],
		['of equal lines, but that is never certain', equal, { lines: ticks(5), start }, true, false],
	])('%s', (_, known, came, isPage, isCertain) => {
		const search = searchOf(known, [came]);
		expect([search.isPage, search.isCertainPage(search.answer)]).toEqual([isPage, isCertain]);
	});

	it('with lines of which nothing is known, where the offset is so far before the known ones', () => {
		const { position } = varied;
		const from = { ...position.from, entries: 98 };
		const led = { ...varied, position: { ...position, from } };
		const isCertain = (count: number) => {
			const search = searchOf(led, [{ lines: lines(count, 0, 'x'), start: 98 }]);
			return search.isCertainPage(search.answer);
		};
		expect([0, 1, 2, 3].map(isCertain)).toEqual([false, true, true, false]);
	});
});

describe('the store of the service is behind', () => {
	const page: Came = { lines: lines(2), start, ending: 'silent' };
	const log: Came = { ...beginning, lines: [...FIRST, 'e'], ending: 'silent' };

	it.each<[string, Came[], boolean]>([
		['where a page is all from the offset on, in the known log', [page, log], true],
		['in whatever order', [log, page], true],
		['not before its beginning has come', [page], false],
		['nor where another log begins', [page, { ...log, lines: lines(5, 0, 'x') }], false],
		['nor where other lines have come since', [page, log, { ...page, lines: ['x', 'y'] }], false],
		['nor where the page was lost', [log, { ...page, ending: 'broken' }], false],
	])('%s', (_, came, is) => {
		expect(searchOf(varied, came).isBehindhand).toBe(is);
	});

	it('not where the page itself is from the beginning', () => {
		const short = knownOf([...FIRST, 'e', 'f'], 0, FIRST);
		expect(searchOf(short, [{ ...log, requested: 'window' }]).isBehindhand).toBe(false);
	});
});

describe('known lines may still come', () => {
	const ended = { lines: ['x'], ending: 'ended' } satisfies Came;
	const silent = { lines: ['x'], ending: 'silent' } satisfies Came;
	const page = { lines: lines(2), start } satisfies Came;

	it.each<[string, Came[], Came, boolean]>([
		['where the service ends its answers, and this one is a page', [ended], page, true],
		['not where it does not', [silent], page, false],
		['nor at first', [], page, false],
		['not where the answer is no page', [ended], { lines: ['x', 'y'], start }, false],
		['not from the beginning', [ended], { ...page, ...beginning }, false],
		['where two have ended and nothing has come', [ended, ended], { start }, true],
		['not if that is from the beginning', [ended, ended], beginning, false],
		['not after one', [silent, ended], { start }, false],
		['not where the last one has not', [ended, silent], { start }, false],
		['where only the one before this page has', [silent, ended], page, true],
	])('%s', (_, before, came, mayBe) => {
		const history = before.map((one) => answerOf(one));
		expect(searchOf(varied, [came], { history }).mayBePage).toBe(mayBe);
	});
});

it('more of an answer is waited for while nothing has come', () => {
	const { patience } = searchOf(varied, [{ start }]);
	expect(patience).toEqual({ quietMs: 3_000, isExpected: true, longestMs: 10_000 });
});

describe('a request was lost', () => {
	const many = (came: Came, count: number) => Array.from({ length: count }, () => came);
	const isLost = (...came: Came[]) => searchOf(varied, came).isLostTooOften;

	it('from the known lines twice: the beginning shows more', () => {
		expect(isLost(broken)).toBe(false);
		expect(isLost(broken, broken)).toBe(true);
		expect(isLost({ ...broken, ending: 'ended' }, broken)).toBe(false);
		expect(isLost({ ...broken, ...beginning }, broken)).toBe(false);
	});

	it('from the beginning five times, in which it has shown something', () => {
		const lost = { ...beginning, ending: 'broken', lines: ['x'] } satisfies Came;
		expect(isLost(...many(lost, 4))).toBe(false);
		expect(isLost(...many(lost, 5))).toBe(true);
		expect(isLost(...many({ ...lost, lines: [] }, 6))).toBe(false);
		expect(isLost(broken, ...many(lost, 4))).toBe(false);
		expect(isLost({ ...lost, ending: 'ended' }, ...many(lost, 4))).toBe(false);
	});

	it('in another search, which counts for nothing', () => {
		const search = searchOf(varied, [broken]);
		search.answers.unshift(answerOf(broken, equal));
		expect(search.isLostTooOften).toBe(false);
	});
});

describe('answers before this one', () => {
	it('have shown only the beginning', () => {
		const isUnseen = (...came: Came[]) => searchOf(varied, came).isWindowUnseen;
		expect(isUnseen({ start }, beginning)).toBe(true);
		expect(isUnseen({ lines: ['x'], start }, beginning)).toBe(false);
		expect(isUnseen({ start }, { lines: ['x'], start }, beginning)).toBe(false);
		expect(isUnseen(beginning)).toBe(false);
		expect(isUnseen({ start })).toBe(false);
	});

	it('were for the last known lines alone', () => {
		const search = searchOf(varied, [{ start }]);
		expect(search.wasLastSearched).toBe(false);
		search.answers.unshift(answerOf({ start }));
		expect(search.wasLastSearched).toBe(false);
		search.answers.unshift(answerOf({ start, lines: ['x'] }, last));
		expect(search.wasLastSearched).toBe(true);
		expect(searchOf(last, [{ start }]).wasLastSearched).toBe(false);
	});

	it('have not shown the last known lines alone, which counts the third time', () => {
		const search = searchOf(varied, [{ start }]);
		for (const wasSearched of [false, false, true]) {
			search.answers.unshift(answerOf({ start, ending: 'ended' }, last));
			expect(search.wasLastSearched).toBe(wasSearched);
		}
	});

	it('have begun with a greeting, as this one does', () => {
		const known = knownOf(['x', ...FIRST]);
		const greeted = (name: string, more: Came = {}) => ({
			...beginning,
			lines: [name, ...FIRST],
			...more,
		});
		const place = (...came: Came[]) => searchOf(known, came).greetedPlace;
		expect(place(greeted('y'), greeted('z'))).toEqual({ count: 5, bytes: 5 * BYTES });
		expect(place(greeted('y'), { start, lines: ['z'] }, greeted('z'))).toBeDefined();
		expect(place(greeted('z'))).toBeUndefined();
		expect(place(greeted('y', { start: 1 }), greeted('z'))).toBeUndefined();
		expect(place(greeted('y'), greeted('z', { start: 1 }))).toBeUndefined();
		expect(place(greeted('y'), { ...beginning, lines: ['other'] }, greeted('z'))).toBeUndefined();
	});

	it.each<[string, Came, Partial<Habit>, boolean]>([
		['other lines do', { lines: ['x', 'y'], start }, {}, true],
		['none do not', { start }, {}, false],
		['a page of known lines does not', { lines: lines(2), start }, {}, false],
		['a late one does', { lines: lines(2), start, delayMs: 901 }, {}, true],
		[
			'one does where new lines alone were shown',
			{ lines: lines(2), start },
			{ showsNewOnly: true },
			true,
		],
		['one known line does, it may be of a new log', { lines: lines(1), start }, {}, true],
	])('show something: %s', (_, came, habit, hasBefore) => {
		expect(searchOf(varied, [came, {}], { habit }).hasBefore).toBe(hasBefore);
		expect(searchOf(varied, [came], { habit }).hasBefore).toBe(false);
	});

	describe('show nothing, if they were lost before they came to the place', () => {
		const lost = { ...beginning, lines: [...FIRST, 'e'], ending: 'broken' } satisfies Came;
		const page = { lines: lines(2), start } satisfies Came;

		it.each<[string, Came[], boolean]>([
			['and what came after shows the known log', [lost, page], false],
			['unless nothing does', [lost, { start }], true],
			['unless it came before', [page, lost, { start }], true],
			['also not at once', [lost, { start }, page], false],
			['unless they were whole', [{ ...lost, ending: 'ended' }, page], true],
			['unless they begin otherwise', [{ ...lost, lines: ['x', 'y'] }, page], true],
			[
				'unless they are as long as the log',
				[{ ...lost, lines: [...FIRST, ...lines(106, 0, 'x')] }, page],
				true,
			],
			[
				'if they are one shorter',
				[{ ...lost, lines: [...FIRST, ...lines(105, 0, 'x')] }, page],
				false,
			],
			[
				'unless they have shown the place',
				[{ ...lost, lines: [...FIRST, ...lines(10)] }, page],
				true,
			],
		])('%s', (_, came, hasBefore) => {
			expect(searchOf(varied, came).hasBefore).toBe(hasBefore);
		});

		it('and an earlier one began in the same way, at a service that ignores the offset', () => {
			const known = knownOf(lines(10), BEFORE);
			const hasBefore = (offset: Habit['offset'], before: string[]) =>
				searchOf(known, [{ ...lost, lines: ['p', 'q'] }, {}], {
					habit: { offset },
					history: [answerOf({ lines: before })],
				}).hasBefore;
			expect(hasBefore('beginning', ['p', 'q', 'r'])).toBe(false);
			expect(hasBefore('beginning', ['p', 'x', 'r'])).toBe(true);
			expect(hasBefore('last', ['p', 'q', 'r'])).toBe(true);
		});
	});

	it('and this one are joined to what the log has shown', () => {
		const came = [
			{ lines: ['x', 'y'], start },
			{ lines: lines(2), start },
			{ lines: ['z'], start },
		];
		const texts = (known: KnownEntries) => {
			const { before, now, isRepeated } = searchOf(known, came).shown;
			return [before.map(({ digest }) => digest), now.map(({ digest }) => digest), isRepeated];
		};
		expect(texts(varied)).toEqual([['x', 'y'], ['z'], false]);
		const again = searchOf(equal, [{ lines: ticks(2) }, { lines: ticks(3) }]).shown;
		expect([again.before.length, again.now.length, again.isRepeated]).toEqual([2, 3, false]);
	});
});
