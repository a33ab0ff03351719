import { describe, expect, it } from 'vitest';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { OverlapReader, START } from './log-overlap-reader.mts';
import { entry } from './log-parts.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

/** A reader of a log of 50 lines, which has lost its connection. */
function lost(): OverlapReader {
	const reader = new OverlapReader((number) => `line ${number}`);
	reader.visit({ write: 50, live: 0, ends: false });
	return reader;
}

describe('a place that is searched', () => {
	it('has a last known line, until it is found', () => {
		const { overlap, log } = lost();
		const isLastKnown = () => log.map((line) => overlap.isLastKnown(entry(line))).lastIndexOf(true);
		expect([overlap.isFound, isLastKnown()]).toEqual([true, -1]);
		const { entries } = overlap.begin();
		overlap.opened();
		expect([overlap.isFound, isLastKnown()]).toEqual([false, 49]);
		for (const line of log.slice(entries)) overlap.take(entry(line));
		expect([overlap.isFound, isLastKnown()]).toEqual([true, -1]);
	});

	it('is searched from the beginning at once where the offset is refused, but not again and again', () => {
		const { overlap } = lost();
		expect(overlap.begin().entries).toBe(50 - 36);
		expect(overlap.refused(true)).toBe(true);
		expect(overlap.begin()).toEqual(BEGINNING);
		expect(overlap.refused(true)).toBe(false);
	});

	it('is searched at the same offset where something else is refused', () => {
		const { overlap } = lost();
		overlap.begin();
		expect(overlap.refused(false)).toBe(false);
		expect(overlap.begin().entries).toBe(50 - 36);
	});

	it('is none where nothing is known', () => {
		const { overlap } = new OverlapReader((number) => `line ${number}`);
		expect(overlap.begin()).toEqual(BEGINNING);
		expect([overlap.isFound, overlap.searching, overlap.showsNewOnly]).toEqual([
			true,
			undefined,
			false,
		]);
		overlap.opened();
		expect(overlap.end('ended')).toBe('complete');
		// Nothing is held
		overlap.release();
	});
});

it('pages bring new lines after an answer that was too late', () => {
	const reader = lost();
	const { overlap, log, delivered } = reader;
	const PAGE = 10;
	const LATE = 2;
	for (let connection = 1; connection <= 8; connection++) {
		const { entries } = overlap.begin();
		overlap.opened();
		const isLate = connection === LATE;
		for (const line of isLate ? [] : log.slice(entries, entries + PAGE))
			if (overlap.isFound) reader.deliver([entry(line)]);
			else overlap.take(entry(line));
		overlap.end(isLate ? 'silent' : 'ended');
		if (connection === LATE) log.push('line 50', 'line 51');
	}
	expect(delivered).toEqual(log);
});

describe('the first entries of the log are needed', () => {
	const offset = { entries: 15, bytes: 0, lastEventId: '' };

	it.each([
		['with a start offset', { offset, from: offset, known: [] }, 'entries', true],
		['not from the beginning', START, 'entries', false],
		['not where a place is known', { offset, from: offset, known: ['abc'] }, 'entries', false],
		['not where bytes are counted', { offset, from: offset, known: [] }, 'bytes', false],
	] as const)('%s', (_, position, unit, isNeeded) => {
		const known = [...position.known];
		const { overlap } = new OverlapReader(String, undefined, { ...position, known }, unit);
		expect(overlap.needsBeginning).toBe(isNeeded);
	});

	it('to leave out as many lines as are before the offset, where the service ignores it', () => {
		const reader = new OverlapReader(String, () => 0, { offset, from: offset, known: [] });
		const first = Array.from({ length: 4 }, (_, index) => entry(String(index)));
		reader.overlap.begin();
		reader.overlap.startAt(first);
		expect(reader.overlap.isFound).toBe(false);
		for (let line = 0; line < 17; line++)
			if (!reader.overlap.isFound) reader.overlap.take(entry(String(line)));
			else reader.delivered.push(String(line));
		expect(reader.delivered).toEqual(['15', '16']);
	});
});
