import { describe, expect, it } from 'vitest';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { answerOf, BYTES, knownOf, lines, ticks, type Came } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const placeAt = (count: number) => ({ count, bytes: count * BYTES });

describe('the place after all known entries', () => {
	const known = knownOf(lines(6), 100);

	it.each<[string, string[], number | undefined]>([
		['is where they end', lines(6), 6],
		['is behind others, too', ['a', 'b', ...lines(6)], 8],
		['is the first one', [...lines(6), 'a', ...lines(6)], 6],
		['is not where one is missing', [...lines(3), ...lines(2, 4)], undefined],
		['is not before the last one', lines(5), undefined],
		['is none while nothing has come', [], undefined],
		['is not after the last one alone', ['a', 'b', 'c', 'd', 'e', 'line 5'], undefined],
	])('%s', (_, came, count) => {
		const { fullPlace, isPlaceHere } = answerOf({ lines: came, delayMs: 5_000 }, known);
		expect(fullPlace).toEqual(count === undefined ? undefined : placeAt(count));
		expect(isPlaceHere).toBe(count !== undefined);
	});

	it('was there before another entry came', () => {
		const answer = answerOf({ lines: [...lines(6), 'a'] }, known);
		expect(answer.isPlaceHere).toBe(false);
		expect(answer.fullPlace).toEqual(placeAt(6));
	});

	it('is that in the log before this one, too', () => {
		const answer = answerOf({ lines: ['a', ...lines(6), 'b'] }, knownOf(['x', 'y']), known);
		expect(answer.formerPlace).toEqual(placeAt(7));
		expect(answer.fullPlace).toBeUndefined();
		expect(answerOf({ lines: lines(6) }, undefined, known).formerPlace).toEqual(placeAt(6));
		const twice = answerOf({ lines: [...lines(6), ...lines(6)] }, knownOf(['x']), known);
		expect(twice.formerPlace).toEqual(placeAt(6));
	});
});

describe('the place in a log that repeats itself', () => {
	const BEFORE = 70;
	const known = knownOf(ticks(WINDOW - 2), BEFORE);
	const all = BEFORE + WINDOW - 2;

	it.each<[string, Came, boolean]>([
		['is where as many came as soon as it opened', { delayMs: 900 }, true],
		['is not where they came later', { delayMs: 901 }, false],
		['is where they came at one go', { lines: ticks(3), gapMs: 250 }, true],
		['is not where they took longer', { lines: ticks(3), gapMs: 251 }, false],
		['is not where there are fewer', { lines: ticks(WINDOW - 3) }, false],
		['is where as many as were ever read came late', { lines: ticks(all), delayMs: 901 }, true],
		['is not where one less came late', { lines: ticks(all - 1), delayMs: 901 }, false],
		[
			'nor where they came from an offset',
			{ lines: ticks(all), delayMs: 901, start: 1, requested: 'window' },
			false,
		],
	])('%s', (_, came, isFound) => {
		const few = knownOf(ticks(3), BEFORE);
		const answer = answerOf(
			{ lines: ticks(WINDOW - 2), ...came },
			came.gapMs === undefined ? known : few,
		);
		expect(answer.fullPlace !== undefined).toBe(isFound);
	});

	it('of a few lines is not shown by as many that come late', () => {
		const few = knownOf(ticks(3));
		const shown = (count: number) =>
			answerOf({ lines: ticks(count), delayMs: 901 }, few).fullPlace !== undefined;
		expect([3, 7, 8].map(shown)).toEqual([false, false, true]);
	});
});

describe('the place after some known entries, with which an answer begins', () => {
	const known = knownOf(lines(10), 100);

	it.each<[string, string[], number | undefined]>([
		['is after the last four', lines(4, 6), 4],
		['is not after three', lines(3, 7), undefined],
		['is after nine', lines(9, 1), 9],
		['is that after all, where all came', lines(10), undefined],
		['is not within them', lines(4, 5), undefined],
		['is not behind another line', ['a', ...lines(4, 6)], undefined],
		['is not shown by other lines', ['a', 'b', 'c', 'line 9'], undefined],
	])('%s', (_, came, count) => {
		const answer = answerOf({ lines: came }, known);
		expect(answer.partialPlace).toEqual(count === undefined ? undefined : placeAt(count));
	});

	it('is the first of several', () => {
		const end = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'];
		const answer = answerOf({ lines: end }, knownOf([...lines(10), ...end], 100));
		expect(answer.partialPlace).toEqual(placeAt(4));
	});

	it('needs four that differ', () => {
		const end = (last: string[]) =>
			answerOf({ lines: last }, knownOf([...lines(10), ...last], 100)).partialPlace;
		expect(end(['a', 'b', 'b', 'c'])).toBeUndefined();
		expect(end(['a', 'b', 'b', 'c', 'd'])).toEqual(placeAt(5));
	});

	it('is none in a log that repeats itself', () => {
		const repeated = knownOf(Array.from({ length: 30 }, (_, index) => `line ${index % 5}`));
		expect(answerOf({ lines: lines(5) }, repeated).partialPlace).toBeUndefined();
	});

	it('counts, unless the log or the known entries may begin there: then all of them must come', () => {
		const end = lines(4, 6);
		const place = (came: string[], first?: string[]) =>
			answerOf({ lines: came, start: 100 }, knownOf(lines(10), 100, first)).place;
		expect(place(end)).toEqual(placeAt(4));
		expect(place(end, end)).toBeUndefined();
		expect(place(end, ['a', ...end])).toEqual(placeAt(4));
		const twice = [...end, ...lines(10)];
		expect(place(twice)).toEqual(placeAt(4));
		expect(place(twice, end)).toEqual(placeAt(14));
		expect(place(lines(10), end)).toEqual(placeAt(10));
		const before = answerOf({ lines: end, start: 90 }, knownOf(lines(10), 100));
		expect(before.partialPlace).toEqual(placeAt(4));
		expect(before.place).toBeUndefined();
	});
});

describe('an answer may begin', () => {
	const first = ['a', 'b', 'c', 'd', 'e'];
	const known = knownOf(lines(10), 100, first);

	it.each<[string[], boolean, boolean]>([
		[[], true, false],
		[['a', 'b', 'c', 'd'], true, false],
		[first, true, true],
		[[...first, 'f'], true, true],
		[['b', 'c', 'd', 'e', 'f'], false, false],
		[['a', 'b', 'c', 'd', 'x'], false, false],
	])('as the log: %j may %j, does %j', (came, may, does) => {
		const answer = answerOf({ lines: came, start: 200, requested: 'beginning' }, known);
		expect([answer.mayBePast, answer.beginsAsLog]).toEqual([may, does]);
	});

	it.each([
		['more than three lines are known of its beginning', ['a', 'b', 'c'], false],
		['four are', ['a', 'b', 'c', 'd'], true],
		['they differ', ['a', 'a', 'a', 'a'], false],
		['one of them does', ['a', 'a', 'a', 'b'], true],
	])('as the log, if %s', (_, beginning, begins) => {
		const answer = answerOf({ lines: beginning }, knownOf(lines(10), 100, beginning));
		expect(answer.beginsAsLog).toBe(begins);
	});

	it('as the log where nothing is known of that, never', () => {
		expect(answerOf({ lines: first }).beginsAsLog).toBe(false);
		expect(answerOf({ lines: first }, knownOf(lines(10), 100)).beginsAsLog).toBe(false);
	});

	it('as the log although it was requested from far behind: the offset is ignored', () => {
		const shows = (start: number, came: string[]) =>
			answerOf({ lines: came, start }, known).showsIgnored;
		expect([shows(4, first), shows(5, first), shows(5, ['a'])]).toEqual([false, true, false]);
	});

	it.each<[string, Came, boolean]>([
		['with the known entries', { start: 100, lines: lines(2) }, true],
		['with one before them', { start: 100, lines: ['x', ...lines(2)] }, true],
		['with no more', { start: 100, lines: ['x', 'y', ...lines(2)] }, false],
		['with those from the offset on', { start: 98, lines: ['x', 'y', 'z', ...lines(1)] }, true],
		['with no more from there', { start: 98, lines: ['w', 'x', 'y', 'z', 'line 0'] }, false],
		['with one, from beyond', { start: 105, lines: ['x', ...lines(2)] }, true],
		['with others', { start: 100, lines: ['x', 'y'] }, false],
		['from the beginning', { requested: 'beginning', lines: lines(2) }, false],
	])('with known entries: %s', (_, came, may) => {
		expect(answerOf(came, knownOf(lines(10), 100)).mayBePast).toBe(may);
	});

	it('with known entries only where some are known', () => {
		expect(answerOf({ lines: lines(2) }).mayBePast).toBe(false);
	});
});

describe('a place that is shown by less', () => {
	const known = knownOf(lines(WINDOW), 100);

	it.each([1, 2, 3, 4])('is before %d lines with which a service ends connections', (closing) => {
		const came = lines(WINDOW - closing);
		expect(answerOf({ lines: came }, known).loosePlace).toBeUndefined();
		const place = { ...placeAt(came.length), closing };
		expect(answerOf({ lines: [...came, 'x'] }, known).loosePlace).toEqual(place);
	});

	it('is not before more of them, nor where few are known, nor at the start of a log', () => {
		const shown = (count: number, closing: number, before: number) =>
			answerOf({ lines: [...lines(count - closing), 'x'] }, knownOf(lines(count), before))
				.loosePlace;
		expect(shown(WINDOW, 5, 100)).toBeUndefined();
		expect(shown(WINDOW - 1, 1, 100)).toBeUndefined();
		expect(shown(WINDOW, 1, 0)).toBeUndefined();
		expect(shown(WINDOW, 1, 1)).toBeDefined();
	});

	it('is not before closing lines in a log that repeats itself', () => {
		const equal = knownOf(ticks(WINDOW), 100);
		expect(answerOf({ lines: [...ticks(WINDOW - 1), 'x'] }, equal).loosePlace).toBeUndefined();
	});

	it('is not before closing lines without which the others stand at several places', () => {
		const closed = knownOf([...ticks(WINDOW - 1), 'bye'], 100);
		expect(closed.isRepetitive).toBe(false);
		expect(answerOf({ lines: [...ticks(WINDOW), 'x'] }, closed).loosePlace).toBeUndefined();
	});

	it('is after the known entries in another order', () => {
		const swapped = ['line 1', 'line 0', ...lines(WINDOW - 2, 2)];
		const place = (came: string[], of = known) => answerOf({ lines: came }, of).reorderedPlace;
		expect(place(['x', ...swapped, 'y'])).toEqual(placeAt(WINDOW + 1));
		expect(place([...swapped, ...swapped])).toEqual(placeAt(WINDOW));
		expect(place(swapped.slice(1))).toBeUndefined();
		expect(place([...swapped.slice(1), 'x'])).toBeUndefined();
		expect(place([...swapped.slice(0, 20), 'x', ...swapped.slice(20)])).toBeUndefined();
		const few = knownOf(lines(WINDOW - 1), 100);
		expect(place(['x', ...swapped.slice(0, -1)], few)).toBeUndefined();
		const answer = answerOf({ lines: [...swapped, 'x'] }, known);
		expect(answer.loosePlace).toEqual(placeAt(WINDOW));
	});

	it('in another order is none where some of the lines are equal', () => {
		const twice = [...lines(WINDOW - 1), 'line 3'];
		const came = [...lines(WINDOW - 2), 'line 3', ...lines(1, WINDOW - 2)];
		const place = (one: string[]) => answerOf({ lines: one }, knownOf(twice, 100)).reorderedPlace;
		expect(place(came)).toBeUndefined();
		expect(place([...came.slice(0, WINDOW - 2), 'line 30', 'x'])).toBeUndefined();
	});

	it('is after some known entries, unless the log begins with them', () => {
		const end = lines(4, WINDOW - 4);
		expect(answerOf({ lines: end }, known).loosePlace).toEqual(placeAt(4));
		const first = knownOf(lines(WINDOW), 100, end);
		expect(answerOf({ lines: end }, first).loosePlace).toBeUndefined();
	});
});
