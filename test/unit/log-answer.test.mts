import { describe, expect, it } from 'vitest';
import { Answer, MAX_CHARACTERS, type Ending } from '../../nodes/CaasLogsTrigger/answer.ts';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { answerOf, BYTES, knownOf, lines, ticks } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const MOST_ENTRIES = 5_000;
const MOST_FIRST = 2 * WINDOW + 8;

describe('what an answer keeps', () => {
	it('is how many entries came, their bytes and text, and when the first of them did', () => {
		const answer = answerOf({ lines: ['a', 'bc', 'def'], delayMs: 40, gapMs: 10 });
		expect(answer).toMatchObject({
			count: 3,
			bytes: 3 * BYTES,
			characters: 6,
			delayMs: 40,
			foundAt: undefined,
		});
		expect(answer.end).toEqual({ count: 3, bytes: 3 * BYTES });
		expect(answer.first).toEqual(['a', 'bc', 'def']);
	});

	it('says nothing of a delay before the connection was open, or before an entry came', () => {
		const answer = new Answer('window', 0);
		expect(answer.delayMs).toBe(Infinity);
		answer.add(entryOf('a', 1), 'a', elapsed());
		expect(answer.delayMs).toBe(Infinity);
		expect(answer.isPrompt).toBe(false);
	});

	it('is an entry as it was when it came', () => {
		const answer = answerOf({});
		const event = entryOf('a', 1);
		answer.add(event, 'a', 0);
		event.data = 'b';
		expect(answer.after({ count: 0, bytes: 0 })).toEqual([entryOf('a', 1)]);
	});

	it('has a limit of entries, from which on the oldest are dropped', () => {
		const answer = answerOf({ lines: lines(MOST_ENTRIES) });
		expect(answer.hasDropped).toBe(false);
		expect(answer.entries).toHaveLength(MOST_ENTRIES);
		const { characters } = answer;
		answer.add(entryOf('line more', 1), 'more', 0);
		expect(answer.hasDropped).toBe(true);
		expect(answer.entries).toHaveLength(MOST_ENTRIES);
		expect(answer.entries[0]?.digest).toBe('line 1');
		expect(answer.characters).toBe(characters - 'line 0'.length + 'line more'.length);
	});

	it('has a limit of text, but always as many entries as are known', () => {
		const answer = answerOf({});
		const add = (length: number) => answer.add(entryOf('x'.repeat(length), 1), 'x', 0);
		const size = MAX_CHARACTERS / (2 * WINDOW);
		for (let count = 0; count < 2 * WINDOW; count++) add(size);
		expect(answer.characters).toBe(MAX_CHARACTERS);
		expect(answer.hasDropped).toBe(false);
		add(1);
		expect(answer.entries).toHaveLength(2 * WINDOW);
		expect(answer.characters).toBe(MAX_CHARACTERS - size + 1);
		add(MAX_CHARACTERS);
		expect(answer.entries).toHaveLength(WINDOW);
		expect(answer.count).toBe(2 * WINDOW + 2);
	});

	it('is the beginning of a long one', () => {
		for (const count of [MOST_FIRST, MOST_FIRST + 1])
			expect(answerOf({ lines: lines(count) }).first).toEqual(lines(MOST_FIRST));
	});

	it('is gone once it is released, but for what it shows', () => {
		const answer = answerOf({ lines: lines(5) }, knownOf(lines(5)));
		answer.release();
		expect(answer).toMatchObject({ entries: [], characters: 0, count: 5, first: lines(5) });
		expect(answer.fullPlace).toEqual({ count: 5, bytes: 5 * BYTES });
	});
});

describe('the entries after a place', () => {
	const answer = answerOf({ lines: ['a', 'b', 'c'] });
	const textsAfter = (count: number) =>
		answer.after({ count, bytes: 0 }).map((event) => event.data);

	it.each<[number, string[]]>([
		[0, ['a', 'b', 'c']],
		[2, ['c']],
		[3, []],
		[4, []],
	])('%d are %j', (count, texts) => {
		expect(textsAfter(count)).toEqual(texts);
	});

	it('and the place after so many entries', () => {
		expect(answer.placeAfter(0)).toEqual({ count: 0, bytes: 0 });
		expect(answer.placeAfter(2)).toEqual({ count: 2, bytes: 2 * BYTES });
	});
});

describe('when the first entry came', () => {
	const known = { varied: knownOf(lines(8)), equal: knownOf(ticks(8)) };

	it.each([
		[300, true, true],
		[301, false, true],
		[900, false, true],
		[901, false, false],
	])('after %d ms: at once %j, as soon as the connection was open %j', (delayMs, now, soon) => {
		const answer = answerOf({ lines: ['a'], delayMs });
		expect([answer.isImmediate, answer.isPrompt]).toEqual([now, soon]);
	});

	it.each([
		['lines that differ are of the past as late as the service has shown', 'varied', 1_500, true],
		['not later', 'varied', 1_501, false],
		['nor are equal ones', 'equal', 1_500, false],
		['but at once they are', 'equal', 900, true],
	] as const)('%s', (_, name, delayMs, isTimely) => {
		const answer = answerOf({ lines: ['a'], delayMs, lateMs: 1_500 }, known[name]);
		expect(answer.isTimely).toBe(isTimely);
	});

	it('and where nothing is known, a late answer shows nothing of the past', () => {
		expect(answerOf({ lines: ['a'], delayMs: 1_500, lateMs: 1_500 }).isTimely).toBe(false);
		const first = answerOf({ lines: ['a'], delayMs: 1_500 }, known.varied);
		expect(first.isTimely).toBe(false);
	});
});

describe('an answer is whole', () => {
	it.each<[Ending | undefined, boolean]>([
		['silent', true],
		['ended', true],
		['broken', false],
		['refused', false],
		['offsetRefused', false],
		['empty', false],
		[undefined, false],
	])('that is over with %s: %j', (ending, isWhole) => {
		expect(answerOf({ lines: ['a'], ending }).isWhole).toBe(isWhole);
		expect(answerOf({ ending }).isWhole).toBe(false);
	});
});

describe('two answers', () => {
	const other = answerOf({ lines: ['a', 'b', 'c', 'd', 'e', 'f'] });

	it.each<[string[], boolean]>([
		[[], true],
		[['a'], true],
		[['a', 'b', 'c'], true],
		[['a', 'b', 'x'], false],
		[['x', 'b'], false],
		[['a', 'b', 'c', 'd', 'e', 'f'], true],
		[['a', 'b', 'c', 'd', 'e', 'f', 'g'], false],
	])('%j is the beginning of the other one: %j', (own, isBeginning) => {
		expect(answerOf({ lines: own }).isBeginningOf(other)).toBe(isBeginning);
	});

	it.each<[string[], string[], boolean]>([
		[['a', 'b', 'c'], ['a', 'b', 'c'], false],
		[['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd'], true],
		[['a', 'b', 'c', 'x'], ['a', 'b', 'c', 'd'], false],
		[['a', 'a', 'a', 'a'], ['a', 'a', 'a', 'a'], false],
		[['a', 'a', 'a', 'b'], ['a', 'a', 'a', 'b'], true],
		// The shorter one decides how much is compared
		[['a', 'b', 'c', 'd', 'e'], ['a', 'b'], true],
		[['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd', 'e'], true],
		[['a', 'a', 'c', 'd'], ['a', 'a'], false],
	])('%j begins as %j does: %j', (own, others, isAlike) => {
		expect(answerOf({ lines: own }).isAlike(answerOf({ lines: others }))).toBe(isAlike);
	});
});

describe('a page of the known entries', () => {
	// Four more than are compared: they are the lead
	const known = knownOf(lines(WINDOW + 4), 100);

	it.each<[string, number, string[], number | undefined]>([
		['begins with the first of them', 0, lines(2, 4), 2],
		['is all of them', 0, lines(WINDOW, 4), WINDOW],
		['has nothing behind them', 0, [...lines(WINDOW, 4), 'x'], undefined],
		['begins no earlier without a margin', 0, lines(2, 3), undefined],
		['begins earlier by no more than the margin', 1, lines(2, 3), 2],
		['begins where the margin allows', 4, lines(3, 0), 3],
		['has unknown entries only before all that are known', 4, ['x', ...lines(2)], undefined],
		['may begin with unknown ones', 5, ['x', ...lines(2)], 2],
		['may have unknown ones alone', 5, ['x'], 0],
		['does not begin within them', 5, lines(2, 5), undefined],
		['has no other line', 5, ['line 4', 'x'], undefined],
		['has entries', 5, [], undefined],
	])('%s', (_, margin, came, size) => {
		expect(answerOf({ lines: came }, known).pageOf(margin)).toBe(size);
	});

	it('is not told where nothing is known, nor where entries have come late that repeat themselves', () => {
		expect(answerOf({ lines: ['a'] }).pageOf(5)).toBeUndefined();
		const equal = knownOf(ticks(20));
		expect(answerOf({ lines: ticks(5), delayMs: 900 }, equal).pageOf(0)).toBe(5);
		expect(answerOf({ lines: ticks(5), delayMs: 901 }, equal).pageOf(0)).toBeUndefined();
		const varied = knownOf(lines(20));
		expect(answerOf({ lines: lines(5), delayMs: 901 }, varied).pageOf(0)).toBe(5);
	});

	it('is not told of an answer whose beginning is all that is kept', () => {
		const came = [...lines(MOST_FIRST - 8, 0, 'other'), ...lines(8)];
		const short = knownOf(lines(12), 100);
		expect(answerOf({ lines: came }, short).pageOf(MOST_FIRST)).toBe(8);
		expect(answerOf({ lines: [...came, 'line 8'] }, short).pageOf(MOST_FIRST)).toBeUndefined();
	});
});
