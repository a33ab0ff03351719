import { describe, expect, it, vi } from 'vitest';
import {
	MAX_CHARACTERS,
	MAX_ENTRIES,
	type Ending,
	type Next,
} from '../../nodes/CaasLogsTrigger/answer.ts';
import { Behind, isAlone, isPageKnown } from '../../nodes/CaasLogsTrigger/behind.ts';
import type { OffsetSettings } from '../../nodes/marketplace/log/request.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import { answerOf, BEFORE, FIRST, knownOf, last, lines, type Came } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const KNOWN = ['w', 'x', 'y', 'z'];

/** What has come from behind the known entries. */
function behindOf(came: string[], first: string[] | undefined = FIRST): Behind {
	const behind = new Behind(knownOf(KNOWN, BEFORE, first).position);
	for (const line of came) behind.take(entryOf(line, 1), line);
	return behind;
}

const texts = ({ events }: Behind) => events.map(({ data }) => data);

describe('behind the last known entry', () => {
	const ENDINGS = ['ended', 'silent', 'offsetRefused'] as const;

	it.each<[string, string[], Next]>([
		['nothing is', [], 'window'],
		['the next line may be new', ['n'], 'last'],
		['the last line may come again', ['z'], 'nothing'],
		['the last lines may', ['x', 'y', 'z'], 'nothing'],
		['all known lines do', KNOWN, 'window'],
		['they do with others before and after them', ['v', ...KNOWN, 'n'], 'window'],
		['a line that is known, but not the last, does not', ['y'], 'last'],
		['the last line and a new one do not', ['z', 'n'], 'last'],
		['the first line of the log may', ['a'], 'nothing'],
		['the whole log may', [...FIRST, 'n'], 'nothing'],
		['a log that begins otherwise does not', ['a', 'n'], 'last'],
	])('%s', (_, came, next) => {
		for (const ending of ENDINGS) expect(behindOf(came).next(ending)).toBe(next);
		for (const ending of ['broken', 'refused'] as const)
			expect(behindOf(came).next(ending)).toBe('window');
		expect(texts(behindOf(came))).toEqual(came);
	});

	it('a line does not come again where the beginning of the log is not known', () => {
		expect(behindOf(['a'], []).next('ended')).toBe('last');
	});

	it.each<[string, string[], Ending, Next]>([
		['comes: what came may be new', [], 'ended', 'last'],
		['comes in a minute', [], 'silent', 'last'],
		['may come', [], 'offsetRefused', 'last'],
		['else is there: that was it', ['z'], 'ended', 'window'],
		['else is there, before others', ['z', 'n'], 'ended', 'window'],
		['else is there, but a line that came since', ['n'], 'ended', 'window'],
		['came before it was lost', [], 'broken', 'window'],
		['was told', [], 'refused', 'window'],
	])('where nothing can be, nothing %s', (_, came, ending, next) => {
		const behind = behindOf(['z']);
		behind.next('ended');
		expect(behind.silenceMs).toBe(60_000);
		for (const line of came) behind.take(entryOf(line, 1), line);
		if (came.length > 0) expect(behind.silenceMs).toBe(1_000);
		expect(behind.next(ending)).toBe(next);
		expect(texts(behind)).toEqual(['z']);
	});

	it('gives entries as they came', () => {
		const behind = behindOf([]);
		const event = entryOf('n', 1);
		behind.take(event, 'n');
		event.data = 'changed';
		expect(texts(behind)).toEqual(['n']);
	});

	it.each([
		['fewer entries than are kept', lines(MAX_ENTRIES - 1), MAX_ENTRIES - 1, 1_000],
		['as many', lines(MAX_ENTRIES), MAX_ENTRIES, 0],
		['more', lines(MAX_ENTRIES + 2), MAX_ENTRIES, 0],
		['less text than is kept', ['n', 'n'.repeat(MAX_CHARACTERS - 2)], 2, 1_000],
		['as much', ['n'.repeat(MAX_CHARACTERS)], 1, 0],
		['more', ['n'.repeat(MAX_CHARACTERS), 'm'], 1, 0],
	])('%s: the first ones are held, and further ones not waited for', (_, came, held, silenceMs) => {
		const behind = behindOf(came);
		expect(texts(behind)).toEqual(came.slice(0, held));
		expect(behind.silenceMs).toBe(silenceMs);
	});

	it('silence shows after a minute that nothing comes, and after a second that all has come', () => {
		expect(behindOf([]).silenceMs).toBe(60_000);
		const behind = behindOf(['n']);
		vi.advanceTimersByTime(3_000);
		behind.take(entryOf('m', 1), 'm');
		expect(behind.silenceMs).toBe(1_000);
		vi.advanceTimersByTime(1);
		expect(behind.silenceMs).toBe(0);
	});
});

it.each<[string, string[], Next]>([
	['the beginning is: that was it', ['a'], 'window'],
	['more of it is', ['a', 'b'], 'window'],
	['another line is: what came may be new', ['z'], 'last'],
	['nothing is', [], 'last'],
])('where a line with which the log begins came, and where nothing can be, %s', (_, came, next) => {
	const behind = behindOf(['a']);
	expect(behind.next('ended')).toBe('nothing');
	for (const line of came) behind.take(entryOf(line, 1), line);
	expect(behind.next('ended')).toBe(next);
});

describe('the last known entry', () => {
	const one = (came: Came, more: object = {}, known = last) =>
		Object.assign(answerOf({ lines: ['line 9'], ending: 'ended', ...came }, known), {
			foundAt: 1,
			...more,
		});

	it('is alone in an answer, so that more may be on another page', () => {
		expect(isAlone(one({}))).toBe(true);
	});

	it.each([
		['where more has come', one({ lines: ['line 9', 'more'] })],
		['where something was new', one({}, { brought: 1 })],
		['where it was not found', one({}, { foundAt: undefined })],
		['where all known entries were requested', one({}, {}, knownOf(['line 9']))],
		['where nothing is known', answerOf({ ending: 'ended' })],
		['where the answer goes on', one({ ending: 'silent' })],
		['where it was lost', one({ ending: 'broken' })],
	])('is not %s', (_, answer) => {
		expect(isAlone(answer)).toBe(false);
	});
});

describe('a page from behind the last known entry', () => {
	const { position } = knownOf(lines(10), BEFORE, FIRST);
	const window = answerOf({ lines: lines(3), start: BEFORE }, knownOf(lines(10), BEFORE, FIRST));
	const isKnown = (
		{ history = [window], at = position, start = BEFORE + 9, line = 'a' } = {},
		unit: OffsetSettings['offsetUnit'] = 'entries',
	) => isPageKnown([...history, answerOf({ lines: [line], start }, last)], at, unit);

	it.each(['entries', 'bytes', 'eventId'] as const)(
		'is known where the offset counts %s',
		(unit) => {
			expect(isKnown({}, unit)).toBe(true);
		},
	);

	it('is known from a line on with which the log does not begin', () => {
		expect(isKnown({ line: 'line 9', history: [] })).toBe(true);
		expect(isKnown({ line: 'line 9', history: [] }, 'none')).toBe(false);
	});

	it('is also known at the first line of a log, where no other offset can be tried', () => {
		expect(isKnown({ start: 0, history: [] })).toBe(true);
	});

	it.each([
		['without an offset', isKnown({}, 'none')],
		['where the beginning of the log is not known', isKnown({ at: knownOf(lines(10)).position })],
		['where nothing shows that the offset is honoured', isKnown({ history: [] })],
		[
			'where only another search has brought others',
			isKnown({ history: [answerOf({ lines: ['line 8'] }, last)] }),
		],
		[
			'where only the beginning of the log has',
			isKnown({
				history: [answerOf({ lines: ['b'], requested: 'beginning' }, knownOf(lines(10)))],
			}),
		],
	])('is not %s', (_, is) => {
		expect(is).toBe(false);
	});
});
