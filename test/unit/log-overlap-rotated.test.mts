import { describe, expect, it } from 'vitest';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { OverlapReader, type Visit } from './log-overlap-reader.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

/** A connection that gets all that the service has, and then nothing. */
const VISIT: Visit = { write: 0, live: 0, ends: false };
const PAGE = ['<html>', 'Bad gateway', '</html>'];

/** A reader that has read a log of so many lines. */
function read(count: number) {
	const reader = new OverlapReader((number) => `line ${number}`);
	reader.visit({ ...VISIT, write: count });
	const lines = [...reader.log];
	/** These lines take the place of the log. */
	const replace = (...log: string[]) => {
		reader.log.splice(0, Infinity, ...log);
		reader.visit(VISIT);
	};
	return { reader, lines, replace };
}

describe('a log that takes the place of another one', () => {
	it('and comes again on the next connection is the past of a service that shows it', () => {
		const { reader, lines, replace } = read(50);
		replace('a', 'b', 'c', 'd', 'e');
		expect(reader.requested).toEqual([0, 14, 0, 0]);
		expect(reader.delivered).toEqual([...lines, 'a', 'b', 'c', 'd', 'e']);
		expect(reader.otherLogs).toEqual([50]);
		expect(reader.overlap.showsNewOnly).toBe(false);
	});

	it('and has equal lines alone may be two times what is new at a service that shows nothing else', () => {
		const reader = new OverlapReader(() => 'tick');
		reader.visit({ ...VISIT, write: 50 });
		reader.log.splice(0, Infinity, 'tick', 'tick');
		reader.visit(VISIT);
		expect(reader.requested.slice(-2)).toEqual([0, 0]);
		expect(reader.delivered).toHaveLength(50 + 2 * 2);
		expect(reader.overlap.showsNewOnly).toBe(true);
	});
});

describe('a log that is back', () => {
	it('goes on where it was read', () => {
		const { reader, lines, replace } = read(50);
		replace(...PAGE);
		replace(...lines, 'new');
		expect(reader.delivered).toEqual([...lines, ...PAGE, 'new']);
		// Before the first line of the page, and before that of the log behind it
		expect(reader.otherLogs).toEqual([50, 53]);
		expect(reader.cursor.entries).toBe(51);
		expect(reader.requested).toEqual([0, 14, 0, 0, 0]);
		reader.log.push('newer');
		reader.visit(VISIT);
		expect(reader.delivered.slice(53)).toEqual(['new', 'newer']);
	});

	it.each([
		[WINDOW, false],
		[WINDOW + 1, true],
	])('after %d lines is the same one: %s', (count, isSame) => {
		const { reader, lines, replace } = read(count);
		replace(...PAGE);
		replace(...lines, 'new');
		expect(reader.delivered).toEqual([...lines, ...PAGE, ...(isSame ? [] : lines), 'new']);
	});

	it('is the longest one of those that were there meanwhile', () => {
		const { reader, lines, replace } = read(100);
		const other = Array.from({ length: 40 }, (_, index) => `another line ${index}`);
		replace(...other);
		replace(...PAGE);
		replace(...lines, 'new');
		expect(reader.delivered).toEqual([...lines, ...other, ...PAGE, 'new']);
	});
});
