import { describe, expect, it } from 'vitest';
import {
	Beginning,
	leaveOut,
	StartOffset,
	type LeftOut,
} from '../../nodes/CaasLogsTrigger/beginning.ts';
import { Cursor, digestOf, type Position } from '../../nodes/CaasLogsTrigger/cursor.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { BEGINNING, type OffsetSettings } from '../../nodes/marketplace/log/request.ts';
import { entryOf, type StreamEvent } from '../../nodes/shared/stream/event.ts';

const LOG = { deploymentId: 'd', containerId: 'c', stream: 'stdout' } as const;
const FURTHER = { entries: 1, bytes: 0, lastEventId: '' };

function beginning(offsetUnit: OffsetSettings['offsetUnit'] = 'entries'): Beginning {
	// Nothing else of the settings is read without a request
	return new Beginning(LOG, { offsetParameter: 'offset', offsetUnit } as Settings);
}

const withId = (lastEventId: string): StreamEvent => ({
	...entryOf('a', 2),
	lastEventId,
	hasOwnId: true,
});

describe('the offset 0', () => {
	it('is sent until the service refuses it, and again once it is to be used', () => {
		const one = beginning();
		const unit = (offset = BEGINNING) => one.settingsFor(offset).offsetUnit;
		expect(unit()).toBe('entries');
		expect(one.omitOffset(BEGINNING)).toBe(true);
		expect([unit(), unit(FURTHER)]).toEqual(['none', 'entries']);
		expect(one.settingsFor(BEGINNING).offsetParameter).toBe('offset');
		one.useOffset();
		expect(unit()).toBe('entries');
		expect(one.omitOffset(BEGINNING)).toBe(true);
	});

	it('is omitted once: a request without it had none', () => {
		const one = beginning();
		expect([one.omitOffset(BEGINNING), one.omitOffset(BEGINNING)]).toEqual([true, false]);
		expect(one.settingsFor(BEGINNING).offsetUnit).toBe('none');
	});

	it('is not what a service refuses that was asked for another one, or for none', () => {
		const one = beginning();
		expect(one.omitOffset(FURTHER)).toBe(false);
		expect(one.settingsFor(BEGINNING).offsetUnit).toBe('entries');
		expect(beginning('none').omitOffset(BEGINNING)).toBe(false);
		expect(beginning('bytes').omitOffset(BEGINNING)).toBe(true);
	});
});

describe('entries may be missing before the first one', () => {
	it.each<[string, StreamEvent, boolean]>([
		['that has the ID 1', withId('1'), true],
		['that has the ID 0', withId('0'), false],
		['whose ID is no number', withId('a1'), false],
		['that has no ID of its own', { ...withId('1'), hasOwnId: false }, false],
	])('%s', (_, event, isInDoubt) => {
		const one = beginning();
		expect(one.isInDoubt).toBe(false);
		expect(one.look(event, BEGINNING)).toBe(isInDoubt);
		expect(one.isInDoubt).toBe(isInDoubt);
	});

	it('if it came from the offset 0, counted in entries', () => {
		expect(beginning().look(withId('1'), FURTHER)).toBe(false);
		expect(beginning('bytes').look(withId('1'), BEGINNING)).toBe(false);
		expect(beginning('eventId').look(withId('1'), BEGINNING)).toBe(false);
	});

	it('and is told by that one alone', () => {
		const certain = beginning();
		expect([certain.look(withId('0'), BEGINNING), certain.look(withId('1'), BEGINNING)]).toEqual([
			false,
			false,
		]);
		const doubtful = beginning();
		expect(doubtful.look(withId('1'), BEGINNING)).toBe(true);
		expect(doubtful.look(withId('0'), BEGINNING)).toBe(true);
		// An entry without an ID tells nothing, so the next one counts
		const later = beginning();
		later.look(entryOf('a', 2), BEGINNING);
		expect(later.look(withId('1'), BEGINNING)).toBe(true);
	});
});

/** What is wanted of these lines: the list for each call, undefined where it is left out. */
function wantedOf(leftOut: LeftOut, texts: string[]): Array<string[] | undefined> {
	return texts.map((text) => leftOut.take(entryOf(text, 2))?.map(({ data }) => data));
}

it.each<[number, Array<string[] | undefined>]>([
	[1, [[]]],
	[2, [undefined, []]],
	[3, [undefined, undefined, []]],
])('%d entries are left out', (count, wanted) => {
	const texts = Array.from({ length: count }, () => 'a');
	const cursor = new Cursor({ offset: FURTHER, from: FURTHER, known: [] }, 'entries');
	expect(wantedOf(leaveOut(count, cursor), texts)).toEqual(wanted);
	// The place is recognized by them
	expect(cursor.position()).toMatchObject({
		offset: { entries: count, bytes: 2 * count },
		known: texts.map((text) => digestOf(entryOf(text, 2), 'entries')),
	});
});

it('those that are left out begin at an offset', () => {
	const cursor = new Cursor({ offset: FURTHER, from: FURTHER, known: [] }, 'entries');
	wantedOf(leaveOut(1, cursor, FURTHER), ['a']);
	expect(cursor.entries).toBe(FURTHER.entries + 1);
});

describe('the first entries of a log are read before an offset is tried', () => {
	it.each<[string, Partial<Position>, OffsetSettings['offsetUnit'], boolean]>([
		['where it is beyond the beginning', {}, 'entries', true],
		['not at the beginning', { from: BEGINNING }, 'entries', false],
		['not where entries are known', { known: ['a'] }, 'entries', false],
		['not where none are counted', {}, 'bytes', false],
	])('%s', (_, more, unit, isNeeded) => {
		const position = { offset: FURTHER, from: FURTHER, known: [], ...more };
		expect(StartOffset.isNeeded(position, unit)).toBe(isNeeded);
	});
});

describe('reading from an offset', () => {
	const startAt = (entries: number, first: string[]) => {
		const offset = { entries, bytes: 0, lastEventId: '' };
		const events = first.map((text) => entryOf(text, 2));
		const cursor = new Cursor({ offset, from: offset, known: [] }, 'entries');
		return { cursor, leftOut: new StartOffset(cursor, 'entries', events) };
	};

	it.each<[string, number, string[], string[], string[]]>([
		['other lines come: it is honoured', 9, ['a', 'b'], ['c'], ['c']],
		['lines come as at the beginning, then others', 9, ['a', 'b'], ['a', 'c'], ['a', 'c']],
		['the beginning comes: it is ignored', 4, ['a', 'b'], ['a', 'b', 'c', 'd'], []],
		['the beginning is longer than it', 2, ['a', 'b', 'c'], ['a', 'b', 'c'], ['c']],
		['the beginning is as long', 2, ['a', 'b'], ['a', 'b'], []],
		['the beginning is one shorter', 3, ['a', 'b'], ['a', 'b', 'c'], []],
		['the first lines are equal: in doubt it is honoured', 9, ['a', 'a'], ['a'], ['a']],
		['they are not known', 9, [], ['a'], ['a']],
	])('%s', (_, offset, first, came, wanted) => {
		const none = came.slice(1).map(() => undefined);
		const { cursor, leftOut } = startAt(offset, first);
		expect(wantedOf(leftOut, came)).toEqual([...none, wanted]);
		expect(cursor.entries).toBe(offset);
		const isIgnored = came.length - wanted.length === offset;
		expect(cursor.position().known).toHaveLength(isIgnored ? offset : 0);
	});

	it('gives entries as they came', () => {
		const { leftOut } = startAt(9, ['a', 'b']);
		const event = entryOf('a', 2);
		leftOut.take(event);
		event.data = 'x';
		expect(leftOut.take(entryOf('c', 2))?.map(({ data }) => data)).toEqual(['a', 'c']);
	});
});
