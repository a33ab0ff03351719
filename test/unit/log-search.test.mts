import { describe, expect, it } from 'vitest';
import { MAX_CHARACTERS } from '../../nodes/CaasLogsTrigger/answer.ts';
import type { Habit } from '../../nodes/CaasLogsTrigger/decide.ts';
import type { KnownEntries } from '../../nodes/CaasLogsTrigger/known.ts';
import { MAX_ANSWERS, Search } from '../../nodes/CaasLogsTrigger/search.ts';
import { BEGINNING, type OffsetSettings } from '../../nodes/marketplace/log/request.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import {
	answerOf,
	BEFORE,
	BYTES,
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
const equal = knownOf(ticks(10), BEFORE, FIRST);
const beginning = { requested: 'beginning', start: 0 } as const;

describe('the offset that is requested', () => {
	const entriesOf = (
		known: KnownEntries,
		came: Came[] = [],
		habit: Partial<Habit> = {},
		unit: OffsetSettings['offsetUnit'] = 'entries',
	) => searchOf(known, came, { habit, unit }).offsetOf('window');
	const at = (entries: number) => ({ entries, bytes: BEFORE * BYTES, lastEventId: '' });

	it('is the beginning, or one that no log reaches', () => {
		const search = searchOf(varied, []);
		expect(search.offsetOf('beginning')).toEqual(BEGINNING);
		const { entries, bytes } = search.offsetOf('beyond');
		expect([entries, bytes]).toEqual([1_000_000_110, 1_000_001_100]);
	});

	it('is some entries before the known ones, where those could not be anywhere', () => {
		expect(entriesOf(varied)).toEqual(at(96));
		expect(entriesOf(knownOf(lines(10), 2)).entries).toBe(0);
		expect(entriesOf(equal)).toEqual(at(100));
		expect(entriesOf(last)).toEqual(at(109));
		expect(entriesOf(varied, [], { showsNewOnly: true })).toEqual(at(100));
		expect(entriesOf(varied, [{ ending: 'broken' }, {}])).toEqual(at(100));
		expect(entriesOf(varied, [{ ending: 'ended' }, {}])).toEqual(at(96));
		expect(entriesOf(varied, [], {}, 'bytes')).toEqual(at(100));
		expect(entriesOf(varied, [], {}, 'none')).toEqual(BEGINNING);
	});

	it('leaves out what leads to the known entries', () => {
		expect(entriesOf(knownOf(lines(36), BEFORE)).entries).toBe(100);
		expect(entriesOf(knownOf(lines(36), BEFORE), [], { showsNewOnly: true }).entries).toBe(104);
	});

	it('is no further than the entries that the service still has', () => {
		const { position } = varied;
		const few = { ...position, offset: at(12), from: at(8) };
		expect(entriesOf({ ...varied, position: few }, [], { showsNewOnly: true }).entries).toBe(2);
		const fewer = { ...position, offset: at(5), from: at(3) };
		expect(entriesOf({ ...varied, position: fewer }, [], { showsNewOnly: true }).entries).toBe(0);
	});
});

it('an answer is compared with the number of entries that were read', () => {
	const search = (count: number) => searchOf(varied, [{ lines: lines(count) }]);
	const of = (count: number) => {
		const { count: read, missing, isLong, isEmpty, isExhausted } = search(count);
		return [read, missing, isLong, isEmpty, isExhausted];
	};
	expect(of(0)).toEqual([110, 110, false, true, false]);
	expect(of(109)).toEqual([110, 1, false, false, false]);
	expect(of(110)).toEqual([110, 0, true, false, false]);
	expect(of(1_110)).toEqual([110, -1_000, true, false, false]);
	expect(of(1_111)[4]).toBe(true);
	const former = knownOf(lines(10), 150);
	const exhausted = (count: number) =>
		searchOf(varied, [{ lines: lines(count) }], { former }).isExhausted;
	expect([1_160, 1_161].map(exhausted)).toEqual([false, true]);
});

it('a place is further on than from its offset, where entries are counted', () => {
	const isBehind = (count: number, unit: OffsetSettings['offsetUnit']) =>
		searchOf(varied, [], { unit }).isBehind({ count, bytes: 0 });
	expect([isBehind(15, 'entries'), isBehind(16, 'entries')]).toEqual([false, true]);
	expect(isBehind(16, 'bytes')).toBe(false);
});

describe('the answer begins where the log begins', () => {
	const window = { lines: FIRST, start } satisfies Came;
	const fromBeginning = { ...beginning, lines: FIRST } satisfies Came;

	it.each<[string, KnownEntries, Came[], Partial<Habit>, boolean]>([
		['at a service that ignores the offset', varied, [{ start }], { offset: 'beginning' }, true],
		['where it begins as the log although it is of an offset', varied, [window], {}, true],
		['not where the service honours the offset', varied, [window], { offset: 'honoured' }, false],
		['not where the log repeats itself', equal, [window], {}, false],
		['not of other lines', varied, [{ lines: lines(4), start }], {}, false],
		['not where none was from there', knownOf(lines(10), BEFORE), [window, window], {}, false],
		['where both answers are the same', varied, [window, fromBeginning], {}, true],
		['where one of them is', varied, [window, { lines: ['x'], start }, fromBeginning], {}, true],
		['not where they are not', varied, [{ lines: lines(4), start }, fromBeginning], {}, false],
		['not where both were from there', varied, [fromBeginning, fromBeginning], {}, false],
		[
			'not where one was from close to it',
			varied,
			[{ ...window, start: 4 }, fromBeginning],
			{},
			false,
		],
		['where that was further', varied, [{ ...window, start: 5 }, fromBeginning], {}, true],
		['not of the same in equal lines', equal, [window, fromBeginning], {}, false],
		['not from far beyond', varied, [{ ...window, requested: 'beyond' }, fromBeginning], {}, false],
	])('%s', (_, known, came, habit, shows) => {
		expect(searchOf(known, came, { habit }).showsBeginning).toBe(shows);
	});

	it('and the offset is ignored where the log has entries behind it', () => {
		const hasIgnored = (count: number, from: number, known = varied) => {
			const log = [...FIRST, ...lines(count - FIRST.length, 0, 'more')];
			const answer = { ...beginning, lines: log };
			return searchOf(known, [{ lines: log, start: from }, answer]).hasIgnored;
		};
		expect([hasIgnored(20, 19), hasIgnored(20, 20), hasIgnored(20, 90)]).toEqual([
			true,
			false,
			false,
		]);
		expect(hasIgnored(20, 4)).toBe(false);
		expect(hasIgnored(20, 19, equal)).toBe(false);
	});

	it('and was shown before', () => {
		const wasShown = (...came: Came[]) => searchOf(varied, came).wasShown;
		expect(wasShown({ start })).toBe(false);
		expect(wasShown({ start, ending: 'broken' })).toBe(true);
		expect(wasShown(window, fromBeginning)).toBe(true);
		const long = [...FIRST, ...lines(4_997, 0, 'long')];
		expect(wasShown(window, { ...beginning, lines: long.slice(1) })).toBe(false);
		expect(wasShown(window, { ...beginning, lines: long.slice(0, -1) })).toBe(true);
		expect(wasShown(window, { ...beginning, lines: long })).toBe(false);
		expect(wasShown(fromBeginning, { start })).toBe(true);
		expect(wasShown({ ...fromBeginning, ending: 'broken' }, { start })).toBe(false);
		expect(wasShown(beginning, { start })).toBe(false);
		expect(wasShown(window, { start })).toBe(false);
	});
});

describe('only the number of entries tells which are new', () => {
	const came = { lines: ticks(10), start };

	it.each<[string, KnownEntries, Came, OffsetSettings['offsetUnit'], Habit['offset'], boolean]>([
		['where lines are equal', equal, came, 'entries', 'unknown', true],
		['also with bytes', equal, came, 'bytes', 'unknown', true],
		['not with IDs', equal, came, 'eventId', 'unknown', false],
		['nor without an offset', equal, came, 'none', 'unknown', false],
		['also where the offset is ignored', equal, came, 'entries', 'beginning', true],
		['not where it is honoured', equal, came, 'entries', 'honoured', false],
		['not from the beginning', equal, { ...came, ...beginning }, 'entries', 'unknown', false],
		['not where they differ', varied, { lines: lines(10), start }, 'entries', 'unknown', false],
		[
			'but where the answer begins as the log, with the known lines behind',
			varied,
			{ lines: [...FIRST, ...lines(10)], start },
			'entries',
			'unknown',
			true,
		],
		[
			'not where those are further on',
			varied,
			{ lines: [...FIRST, 'x', 'y', ...lines(10)], start },
			'entries',
			'unknown',
			false,
		],
		['not before they came', varied, { lines: FIRST, start }, 'entries', 'unknown', false],
	])('%s', (_, known, one, unit, offset, isCounted) => {
		expect(searchOf(known, [one], { unit, habit: { offset } }).isCounted).toBe(isCounted);
	});

	it('not where as many came as were read', () => {
		const known = knownOf(lines(10), 4, FIRST);
		const shown = (count: number) => {
			const log = knownOf(lines(10), 4 + count, FIRST);
			return searchOf(log, [{ lines: [...FIRST, ...lines(10)], start: 5 }]).isUncertain;
		};
		expect(known.position.offset.entries).toBe(14);
		expect([shown(0), shown(1)]).toEqual([false, true]);
	});

	it.each<[Habit['offset'], boolean]>([
		['unknown', false],
		['honoured', false],
		['beginning', true],
		['last', true],
	])('an offset that is %s is ignored: %j', (offset, isIgnored) => {
		expect(searchOf(varied, [], { habit: { offset } }).isIgnored).toBe(isIgnored);
	});
});

describe('answers before the present one', () => {
	const found = { lines: lines(10), start } satisfies Came;

	it('have shown the place, which is to be confirmed', () => {
		const isConfirming = (known: KnownEntries, ...came: Came[]) =>
			searchOf(known, came).isConfirming;
		expect(isConfirming(varied, found)).toBe(false);
		expect(isConfirming(varied, found, {})).toBe(true);
		expect(isConfirming(varied, { lines: ['x'], start }, {})).toBe(false);
		expect(isConfirming(equal, { lines: ticks(10), start }, {})).toBe(false);
		// The end of the known lines where more may be before them
		const loose = { lines: lines(4, 6), start: 90 };
		expect(isConfirming(varied, loose, {})).toBe(true);
	});

	it('have shown equal lines alone', () => {
		const hasEqual = (known: KnownEntries, ...came: Came[]) => searchOf(known, came).hasEqualLines;
		expect(hasEqual(equal, { lines: ticks(3) }, { lines: ticks(2) })).toBe(true);
		expect(hasEqual(equal, { lines: ['tick', 'x'] }, { lines: ticks(2) })).toBe(false);
		expect(hasEqual(equal, { lines: ticks(2) }, { lines: ['x'] })).toBe(false);
		expect(hasEqual(varied, { lines: lines(3) })).toBe(false);
	});

	it('were whole: fewer of these entries were there', () => {
		const fresh = (before: Came, count: number) => {
			const history = [answerOf({ lines: ['x'], ending: 'silent' }), answerOf(before)];
			return searchOf(equal, [{ lines: ticks(count), ending: 'silent' }], { history }).fresh;
		};
		const whole = { lines: ticks(5), ending: 'ended' } satisfies Came;
		expect([4, 5, 7].map((count) => fresh(whole, count))).toEqual([undefined, 0, 2]);
		expect(fresh({ ...whole, ending: 'broken' }, 7)).toBe(6);
		expect(searchOf(equal, [{ lines: ticks(5) }]).fresh).toBeUndefined();
	});

	it('are kept up to a number, first of all those that show lines of the log', () => {
		const some = (count: number) =>
			Array.from({ length: count }, (_, index) => ({ lines: [`x ${index}`], start }));
		const kept = (came: Came[]) => searchOf(varied, came).answers.map(({ first }) => first[0]);
		const names = (count: number, from = 0) => lines(count, from, 'x');
		expect(kept(some(MAX_ANSWERS))).toEqual(names(MAX_ANSWERS));
		expect(kept(some(MAX_ANSWERS + 1))).toEqual(names(MAX_ANSWERS, 1));
		const all = some(MAX_ANSWERS);
		expect(kept([...all.slice(0, 1), { start }, ...all.slice(1)])).toEqual(names(MAX_ANSWERS));
	});

	it('keep together no more text than one', () => {
		const search = new Search(varied, searchOf(varied, []).habit, 'entries', []);
		const half = (more: number) => {
			const answer = answerOf({ start }, varied);
			answer.add(entryOf('x'.repeat(MAX_CHARACTERS / 2 + more), 1), 'x', 0);
			search.add(answer);
			return search.answers.map(({ entries }) => entries.length);
		};
		expect([half(0), half(0), half(1)]).toEqual([[1], [1, 1], [1, 1, 1]]);
		expect(half(0)).toEqual([0, 0, 1, 1]);
		expect(search.answers).toHaveLength(4);
	});
});
