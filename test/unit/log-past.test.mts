import { describe, expect, it } from 'vitest';
import type { Habit } from '../../nodes/CaasLogsTrigger/decide.ts';
import { isNew, isOfPast, latePlace } from '../../nodes/CaasLogsTrigger/past.ts';
import {
	BEFORE,
	BYTES,
	knownOf,
	lines,
	searchOf,
	ticks,
	type Came,
} from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const known = knownOf(lines(10), BEFORE);
const start = BEFORE;
const newOnly: Partial<Habit> = { showsNewOnly: true };

describe('known lines that come are those of before', () => {
	const place = { count: 10, bytes: 10 * BYTES };

	it.each<[string, number, Partial<Habit>, boolean]>([
		['at once', 300, {}, true],
		['not later', 301, {}, false],
		['not even at once, of a service that has shown new lines only', 300, newOnly, false],
	])('%s', (_, delayMs, habit, isPast) => {
		const search = searchOf(known, [{ lines: lines(10), start, delayMs }], { habit });
		expect(isOfPast(search, place)).toBe(isPast);
	});

	it('at any time in a log that repeats itself', () => {
		const came = { lines: ticks(10), delayMs: 5_000, start };
		const search = searchOf(knownOf(ticks(10), BEFORE), [came], { habit: newOnly });
		expect(isOfPast(search, place)).toBe(true);
	});

	it.each([
		[10, 9, false],
		[10, 10, true],
		[20, 15, false],
		[20, 16, true],
	])('of %d, if %d come once more: %j', (all, count, isPast) => {
		const came = { lines: lines(all), start, delayMs: 901 };
		const search = searchOf(knownOf(lines(all), BEFORE), [came, came]);
		expect(isOfPast(search, { count, bytes: 0 })).toBe(isPast);
	});

	it.each<[string, number, string[], boolean]>([
		['soon', 900, lines(10), true],
		['not late', 901, lines(10), false],
		['late with a line that is not known', 901, [...lines(10), 'x'], true],
		['not with others that are', 901, [...lines(10), 'line 3'], false],
		['not with one before them', 901, ['x', ...lines(10)], false],
		['not with one before them and a known one', 901, ['x', ...lines(10), 'line 3'], false],
		['with both', 901, [...lines(10), 'line 3', 'x'], true],
		['not without a place', 901, ['x', 'y'], false],
	])('once more %s, where the service has shown new lines only', (_, delayMs, came, isPast) => {
		const first = { lines: lines(10), start, delayMs: 901 };
		const again = { lines: came, start, delayMs };
		const search = searchOf(known, [first, again], { habit: newOnly });
		expect(isOfPast(search, place)).toBe(isPast);
	});
});

describe('what has come is certainly new', () => {
	it.each<[string, Came, Partial<Habit>, boolean]>([
		['late lines, where the service has shown new ones only', { lines: ['x', 'y'] }, newOnly, true],
		['not elsewhere', { lines: ['x', 'y'] }, {}, false],
		['not soon', { lines: ['x', 'y'], delayMs: 900 }, newOnly, false],
		['not before anything came', {}, newOnly, false],
		['nor where nothing came', { ending: 'silent' }, newOnly, false],
		['not while they may begin with the known ones', { lines: lines(2) }, newOnly, false],
		['but when no others follow', { lines: lines(2), ending: 'silent' }, newOnly, true],
		['not if all came again', { lines: [...lines(10), 'x'], ending: 'silent' }, newOnly, false],
		['all alone show nothing', { lines: lines(10), ending: 'silent' }, newOnly, true],
		['others before them', { lines: ['x', 'y'], ending: 'ended' }, newOnly, true],
	])('%s', (_, came, habit, expected) => {
		const search = searchOf(known, [{ start, delayMs: 901, ...came }], { habit });
		expect(isNew(search)).toBe(expected);
	});
});

describe('the place after the last known entry, at a slow service', () => {
	const first = ['a', 'b', 'c', 'd'];
	const equal = knownOf(['tick'], BEFORE, first);
	const past: Partial<Habit> = { showsPast: true };
	const came = ['x', 'tick', 'y', 'tick'];

	it.each<[string, Came, Partial<Habit>, number | undefined]>([
		['is after the first that is equal', {}, past, 2],
		['is none where the service has not shown the past', {}, {}, undefined],
		['is none where it has shown new lines only', {}, { ...past, ...newOnly }, undefined],
		['is none where that came late', { delayMs: 901 }, past, undefined],
		['is none where no equal one came', { lines: ['x', 'y'] }, past, undefined],
		['is none where nothing came', { lines: [] }, past, undefined],
		['is none where the log begins there', { lines: [...first, 'tick'] }, past, undefined],
		['is there where it may', { lines: [...first, 'tick'], start: 4 }, past, 5],
		['is none where entries were dropped', { lines: ['tick', ...lines(5_000)] }, past, undefined],
		['is there where none were', { lines: ['tick', ...lines(4_999)] }, past, 1],
	])('%s', (_, more, habit, count) => {
		const search = searchOf(equal, [{ lines: came, start, delayMs: 900, ...more }], { habit });
		const expected = count === undefined ? undefined : { count, bytes: count * BYTES };
		expect(latePlace(search)).toEqual(expected);
	});

	it('is none in a log that does not repeat itself', () => {
		const search = searchOf(known, [{ lines: lines(10), start }], { habit: past });
		expect(latePlace(search)).toBeUndefined();
	});
});
