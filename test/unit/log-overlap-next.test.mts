import { describe, expect, it } from 'vitest';
import type { Ending } from '../../nodes/CaasLogsTrigger/answer.ts';
import { digestOf, FIRST, MARGIN, WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { OverlapReader } from './log-overlap-reader.mts';
import { entry } from './log-parts.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const COUNT = 50;
/** The first of the known lines, the first of them and some before, and the last one. */
const KNOWN = COUNT - WINDOW;
const FROM = KNOWN - MARGIN;
const LAST = COUNT - 1;

const numbered = (number: number) => `line ${number}`;
const lines = (first: number, end: number) =>
	Array.from({ length: end - first }, (_, index) => numbered(first + index));

/** A reader of a log of 50 lines, which has lost its connection. */
function lost(line = numbered): OverlapReader {
	const reader = new OverlapReader(line);
	reader.visit({ write: COUNT, live: 0, ends: false });
	return reader;
}

describe('after a connection, the log is requested', () => {
	it.each<[string, string[], Ending, number]>([
		['from its last line, if it has ended with nothing new', lines(FROM, COUNT), 'ended', LAST],
		['from its last line, if it was lost with nothing new', lines(FROM, COUNT), 'broken', LAST],
		['from the known lines, if it goes on', lines(FROM, COUNT), 'silent', FROM],
		['from its last line, if it has brought new ones', lines(FROM, COUNT + 2), 'ended', LAST + 2],
		['from the known lines, if it was lost with new ones', lines(FROM, 52), 'broken', FROM + 2],
		['from exactly the known lines, if it was lost before the first one', [], 'broken', KNOWN],
		['from the known lines, if the offset was ignored', lines(0, COUNT), 'ended', FROM],
		['from its last line, if it was a page of known lines', lines(FROM, 30), 'ended', LAST],
	])('%s', (_, came, ending, next) => {
		const reader = lost();
		reader.answer(came, ending);
		reader.answer([], 'silent');
		expect(reader.requested).toEqual([0, FROM, next]);
	});

	it('from behind its last line, if that has brought nothing new, and from the known lines again', () => {
		const reader = lost();
		const came = [lines(FROM, COUNT), lines(LAST, COUNT), [], lines(FROM, COUNT)];
		const results = came.map((one) => reader.answer(one, 'ended'));
		expect(reader.requested).toEqual([0, FROM, LAST, COUNT, FROM]);
		// Only what is behind that line shows that no page has ended before the new ones
		expect(results).toEqual(['known', 'known', 'complete', 'complete']);
		expect(reader.delivered).toEqual(reader.log);
	});

	it('from its last line again, if something was behind it, which is delivered if that line is there', () => {
		const reader = lost();
		const last = [numbered(LAST)];
		const came = [lines(FROM, FROM + 1), last, ['new 1'], last, ['new 2'], ['new 1'], []];
		const delivered = came.map((one) => {
			reader.answer(one, 'ended');
			return reader.delivered.length - COUNT;
		});
		expect(delivered).toEqual([0, 0, 0, 1, 1, 2, 2]);
		reader.answer([], 'silent');
		const behind = [COUNT, LAST, COUNT + 1, COUNT, COUNT + 2];
		expect(reader.requested).toEqual([0, FROM, LAST, ...behind, FROM + 2]);
	});

	it.each<[string, string[], Ending]>([
		['another line is there: the log is another one', ['other'], 'ended'],
		['more follows it, which is as new', [numbered(LAST), 'new 1', 'new 2'], 'ended'],
		['it was lost', [numbered(LAST)], 'broken'],
		['it was refused', [], 'refused'],
	])('from behind its last line once more, if %s', (_, came, ending) => {
		const reader = lost();
		reader.answer(lines(FROM, FROM + 1), 'ended');
		reader.answer([numbered(LAST)], 'ended');
		reader.answer(['new 1'], 'ended');
		expect(reader.overlap.hasMore).toBe(true);
		reader.answer(came, ending);
		// What it has brought itself may be a page
		expect(reader.overlap.hasMore).toBe(came.length > 1);
		expect(reader.delivered.slice(COUNT)).toEqual(came.slice(1));
	});

	it.each<[string, string[], number, string[]]>([
		['nothing comes there: those were new', [], LAST, [numbered(LAST)]],
		['something comes there: those were of before', [numbered(LAST)], FROM, []],
	])(
		'from where nothing can be, if known lines came behind the last one; if %s',
		(_, came, next, brought) => {
			const reader = lost();
			reader.answer(lines(FROM, FROM + 1), 'ended');
			for (const one of [[numbered(LAST)], [numbered(LAST)], came, [numbered(LAST)]])
				reader.answer(one, 'ended');
			expect(reader.requested).toEqual([0, FROM, LAST, COUNT, COUNT + 1e9, next]);
			expect(reader.delivered.slice(COUNT)).toEqual(brought);
		},
	);

	it.each<[string, string[], Ending]>([
		['nothing is there', [], 'ended'],
		['it is silent', [], 'silent'],
		['it is lost', ['new 1'], 'broken'],
		['it is refused', [], 'offsetRefused'],
	])('from the known lines, if behind the last one %s', (_, came, ending) => {
		const reader = lost();
		reader.answer(lines(FROM, FROM + 1), 'ended');
		reader.answer([numbered(LAST)], 'ended');
		reader.answer(came, ending);
		reader.answer([], 'silent');
		expect(reader.requested).toEqual([0, FROM, LAST, COUNT, FROM]);
		expect(reader.delivered).toHaveLength(COUNT);
	});

	it('from its last line after a page of known lines, behind which the new ones come', () => {
		const reader = lost();
		expect(reader.answer(lines(FROM, 30), 'ended')).toBe('known');
		reader.answer(lines(LAST, 52), 'ended');
		expect(reader.requested).toEqual([0, FROM, LAST]);
		expect(reader.delivered).toEqual(lines(0, 52));
	});

	it('from where equal lines begin, if they go on', () => {
		const reader = lost(() => 'tick');
		for (let connection = 0; connection < 2; connection++)
			reader.answer(reader.log.slice(KNOWN), 'silent');
		expect(reader.requested).toEqual([0, KNOWN, KNOWN]);
		expect(reader.delivered).toHaveLength(COUNT);
	});
});

it('a log of which nothing comes any more may be a slow one: it is waited for', () => {
	const reader = new OverlapReader(numbered);
	reader.visit({ write: 3, live: 0, ends: false });
	expect(reader.answer([], 'silent')).toBe('known');
	expect([reader.overlap.isFound, reader.overlap.searching]).toEqual([false, undefined]);
	for (const line of lines(0, 4)) reader.receive(line);
	expect(reader.overlap.isFound).toBe(true);
	expect(reader.delivered).toEqual(lines(0, 4));
});

describe('how many lines are before the place', () => {
	it('is known from an answer that begins where the log does: old ones may be gone', () => {
		const reader = new OverlapReader(numbered);
		reader.visit({ write: 20, live: 0, ends: false });
		const { bytes } = reader.cursor;
		reader.answer(lines(2, 20), 'silent');
		expect([reader.cursor.entries, reader.cursor.bytes]).toEqual([18, bytes - 14]);
		expect(reader.delivered).toEqual(lines(0, 20));
	});

	it('is known from all of the log, if the service ignores the offset', () => {
		const digests = lines(0, COUNT).map((line) => digestOf(entry(line), 'entries'));
		const reader = new OverlapReader(numbered, undefined, {
			offset: { ...BEGINNING, entries: 60 },
			from: { ...BEGINNING, entries: 60 - WINDOW - MARGIN },
			known: digests.slice(-WINDOW - MARGIN),
			first: digests.slice(0, FIRST),
		});
		reader.answer(lines(0, COUNT), 'silent');
		expect(reader.requested).toEqual([24]);
		expect([reader.cursor.entries, reader.delivered]).toEqual([COUNT, []]);
	});

	it('is not counted anew in an answer from within the log', () => {
		const reader = lost();
		reader.answer(lines(FROM, COUNT + 1), 'silent');
		expect(reader.cursor.entries).toBe(COUNT + 1);
	});
});

it('known lines of a log that repeats itself may come twice as late as others once came', () => {
	const reader = lost((number) => (number < COUNT ? numbered(number) : `tick ${number % 4}`));
	// Those that are late are believed once they have come again
	for (const result of ['searching', 'known'])
		expect(reader.answer(lines(FROM, COUNT), 'silent', 3_000)).toBe(result);
	reader.answer(lines(FROM, COUNT), 'silent');
	reader.write(40);
	for (const line of reader.log.slice(COUNT)) reader.receive(line);
	expect(reader.answer(reader.log.slice(-WINDOW), 'silent', 6_000)).toBe('known');
	expect(reader.delivered).toEqual(reader.log);
});
