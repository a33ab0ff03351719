import { describe, expect, it } from 'vitest';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { distinctEnd, knownEntries, lastOf } from '../../nodes/CaasLogsTrigger/known.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { knownOf, lines, ticks } from './log-search-fixture.mts';

/** A list of one-letter digests. */
const list = (letters: string) => [...letters];

describe('the known entries', () => {
	it.each([0, 1, WINDOW, WINDOW + 1, WINDOW + 4])(
		'are the last ones of %d, and those before lead to them',
		(count) => {
			const { position } = knownOf(lines(count), 7);
			const { digests, lead, ...rest } = knownEntries(position);
			expect([...lead, ...digests]).toEqual(lines(count));
			expect(digests).toHaveLength(Math.min(count, WINDOW));
			expect(rest).toMatchObject({ position, isLast: false });
		},
	);

	it.each([
		['', true],
		['a', true],
		['aa', true],
		['ab', false],
		['aba', false],
		['abab', false],
		['ababa', false],
		['aaaaa', true],
		['aabaa', false],
		['abababab', false],
		['ababababa', false],
		// Eight that come again are no coincidence
		['ababababab', true],
		['abcdefgxabcdefg', false],
		['abcdefghxabcdefgh', true],
		['xabcdefghabcdefgh', false],
	])('%j repeat themselves: %j', (letters, isRepetitive) => {
		expect(knownOf(list(letters)).isRepetitive).toBe(isRepetitive);
	});

	it.each([
		['aaabbbccc', false],
		['aaabbbcccd', true],
	])('%j are varied: %j', (letters, isVaried) => {
		expect(knownOf(list(letters)).isVaried).toBe(isVaried);
	});
});

describe('as few of the last entries as tell their place', () => {
	it.each<[string, number | undefined]>([
		['', undefined],
		['a', undefined],
		['ab', 1],
		['aa', undefined],
		['aab', 1],
		['abb', undefined],
		['bab', 2],
		['bcbab', 2],
		['abcabdab', 3],
		// Those that end as they begin may be shifted
		['bacaba', 4],
		['abcdefzyabcdef', 7],
		['abcdefgzyabcdefg', undefined],
		['abababab', undefined],
	])('of %j are %j', (letters, size) => {
		expect(distinctEnd(knownOf(list(letters)).position)).toBe(size);
	});

	it.each<[string, string, number, number | undefined]>([
		['ab', 'cdef', 2, 1],
		['ab', 'cdea', 2, 2],
		['eab', 'cdea', 3, 3],
		['aaaaaaaa', 'bca', 40, 2],
		// Those with which the log begins are the known ones
		['abcd', 'abcd', 0, 1],
		['abcd', 'bcd', 1, 1],
	])('of a log that begins with %j and ends with %j are %j', (first, letters, before, size) => {
		const { position } = knownOf(list(letters), before, list(first));
		expect(distinctEnd(position)).toBe(size);
	});
});

describe('the last of them alone', () => {
	const before = (count: number) => ({ ...BEGINNING, entries: 100 - count });
	const lastFew = (letters: string, room = Infinity) =>
		lastOf(knownOf(list(letters), 50).position, before, room);

	it.each<[string, number, string, boolean]>([
		['abcd', Infinity, 'd', false],
		['abab', Infinity, 'b', true],
		['bab', Infinity, 'ab', false],
		['bab', 3, 'ab', false],
		['bab', 2, 'b', true],
		['abcd', 2, 'd', false],
		['abcd', 1, 'd', false],
		['a', Infinity, 'a', false],
		['a', 1, 'a', false],
		['aa', Infinity, 'a', true],
	])('of %j, in answers of at most %j: %j, which may be elsewhere %j', (all, ...expected) => {
		const [room, letters, isRepetitive] = expected;
		const { position } = knownOf(list(all), 50);
		const known = list(letters);
		expect(lastFew(all, room)).toEqual({
			position: { ...position, known, from: before(known.length) },
			digests: known,
			lead: [],
			isRepetitive,
			isVaried: all === 'abcd',
			closings: [],
			isLast: true,
		});
	});

	it('are none where the offset before them is not known', () => {
		const { position } = knownOf(ticks(3));
		expect(lastOf(position, () => undefined, Infinity)).toBeUndefined();
	});
});
