import { describe, expect, it, vi } from 'vitest';
import { MAX_CHARACTERS, MAX_ENTRIES } from '../../nodes/CaasLogsTrigger/answer.ts';
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
	it.each<[string, string[], boolean]>([
		['nothing is new where nothing comes', [], false],
		['the next line is new', ['n'], true],
		['the last line is not', ['z'], false],
		['the last lines are not', ['x', 'y', 'z'], false],
		['all known lines are not', KNOWN, false],
		['a line that is known, but not the last, is', ['y'], true],
		['the last line and a new one are', ['z', 'n'], true],
		['more lines than are known are', ['v', ...KNOWN], true],
		['the first line of the log is not', ['a'], false],
		['nor is the whole log', [...FIRST, 'n'], false],
		['but a log that begins otherwise is', ['a', 'n'], true],
	])('%s', (_, came, isNew) => {
		const behind = behindOf(came);
		expect(behind.count).toBe(isNew ? came.length : 0);
		expect(texts(behind)).toEqual(isNew ? came : []);
	});

	it('a line is new where the beginning of the log is not known', () => {
		expect(texts(behindOf(['a'], []))).toEqual(['a']);
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

describe('the last known entry', () => {
	const one = (came: Came, more: object = {}, known = last) =>
		Object.assign(answerOf({ lines: ['line 9'], ending: 'ended', ...came }, known), {
			wasFound: true,
			...more,
		});

	it('is alone in an answer, so that more may be on another page', () => {
		expect(isAlone(one({}))).toBe(true);
	});

	it.each([
		['where more has come', one({ lines: ['line 9', 'more'] })],
		['where something was new', one({}, { brought: 1 })],
		['where it was not found', one({}, { wasFound: false })],
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
		{ history = [window], at = position, start = BEFORE + 9 } = {},
		unit: OffsetSettings['offsetUnit'] = 'entries',
	) => isPageKnown([...history, answerOf({ lines: ['line 9'], start }, last)], at, unit);

	it.each(['entries', 'bytes', 'eventId'] as const)(
		'is known where the offset counts %s',
		(unit) => {
			expect(isKnown({}, unit)).toBe(true);
		},
	);

	it('is also known at the first line of a log, where no other offset can be tried', () => {
		expect(isKnown({ start: 0, history: [] })).toBe(true);
	});

	it.each([
		['without an offset', isKnown({}, 'none')],
		['where the beginning of the log is not known', isKnown({ at: knownOf(lines(10)).position })],
		['where nothing shows that the offset is honoured', isKnown({ history: [] })],
		[
			'where another offset has brought the same',
			isKnown({ history: [answerOf({ lines: ['line 9'] }, knownOf(lines(10), BEFORE))] }),
		],
		[
			'where only another search has brought others',
			isKnown({ history: [answerOf({ lines: ['line 8'] }, last)] }),
		],
		[
			'where only the beginning of the log has',
			isKnown({
				history: [answerOf({ lines: ['a'], requested: 'beginning' }, knownOf(lines(10)))],
			}),
		],
	])('is not %s', (_, is) => {
		expect(is).toBe(false);
	});
});
