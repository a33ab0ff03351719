import { describe, expect, it } from 'vitest';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { greetedPlace } from '../../nodes/CaasLogsTrigger/greeting.ts';
import { answerOf, BYTES, knownOf, lines, type Came } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const placeAt = (count: number) => ({ count, bytes: count * BYTES });

describe('in another log, where the known lines came again', () => {
	const own = (count: number) => lines(count, 0, 'own');
	const first = lines(8);
	const all = knownOf(lines(WINDOW, 8), 8, first);
	const log = [...first, ...lines(WINDOW, 8)];

	it.each([1, 4, 12])('there is no place behind %d lines that the known one has not', (count) => {
		const answer = answerOf({ lines: [...own(count), ...log] }, all);
		expect([answer.place, answer.loosePlace]).toEqual([undefined, undefined]);
	});

	it('there is none before closing lines, nor after lines in another order', () => {
		const swapped = [...log.slice(0, -2), ...log.slice(-2).reverse()];
		expect(answerOf({ lines: [...own(1), ...swapped] }, all).loosePlace).toBeUndefined();
		expect(
			answerOf({ lines: [...own(1), ...log.slice(0, -1), 'x'] }, all).loosePlace,
		).toBeUndefined();
	});

	it('there may be one where older lines are gone, or the log is longer than was counted', () => {
		const late = [...first, ...own(3), ...lines(WINDOW, 8)];
		expect(answerOf({ lines: late }, all).place).toEqual(placeAt(late.length));
		const kept = [...own(8), ...lines(WINDOW, 8)];
		expect(answerOf({ lines: kept }, all).place).toEqual(placeAt(kept.length));
		const unknown = knownOf(lines(WINDOW, 8), 8);
		expect(answerOf({ lines: [...own(1), ...log] }, unknown).place).toEqual(placeAt(41));
	});
});

describe('the place in answers with a greeting of the service', () => {
	const LOG = ['a', 'b', 'c', 'd'];
	const greeted = (own: string[], log = LOG) => [...own, ...log];
	const place = (now: Came, before: Came, known: string[], more = 0) =>
		greetedPlace(answerOf(now, knownOf(known, more)), answerOf(before));

	it.each([1, 2, 3, 4])('of %d lines is after the whole known log', (size) => {
		const own = (name: string) => [...lines(size - 1, 0, 'same'), name];
		expect(
			place(
				{ lines: [...greeted(own('x')), 'new'] },
				{ lines: greeted(own('y')) },
				greeted(own('z')),
			),
		).toEqual(placeAt(size + 4));
	});

	it.each<[string, Came, Came, string[]]>([
		['is longer', { lines: greeted(lines(5, 0, 'x')) }, { lines: greeted(lines(5, 0, 'y')) }, []],
		['comes again', { lines: greeted(['x']) }, { lines: greeted(['x']) }, greeted(['z'])],
		['is known', { lines: greeted(['z']) }, { lines: greeted(['y']) }, greeted(['z'])],
		['was known', { lines: greeted(['x']) }, { lines: greeted(['z']) }, greeted(['z'])],
		['has no log behind it', { lines: ['x'] }, { lines: ['y'], ending: 'silent' }, ['z']],
		['has another log behind it', { lines: ['x', 'b'] }, { lines: ['y'] }, ['z', 'a']],
		['had a shorter log behind it', { lines: greeted(['x']) }, { lines: ['y'] }, greeted(['z'])],
	])('is none where the greeting %s', (_, now, before, known) => {
		const all = known.length > 0 ? known : greeted(lines(5, 0, 'z'));
		expect(place(now, before, all)).toBeUndefined();
	});

	it('is none where only the end of the log is known', () => {
		const [now, before, known] = ['x', 'y', 'z'].map((own) => greeted([own])) as [
			string[],
			string[],
			string[],
		];
		expect(place({ lines: now }, { lines: before }, known)).toBeDefined();
		expect(place({ lines: now }, { lines: before }, known, 1)).toBeUndefined();
		expect(greetedPlace(answerOf({ lines: now }), answerOf({ lines: before }))).toBeUndefined();
	});

	it.each<[boolean, number, Came['ending']]>([
		[true, 900, 'silent'],
		[false, 901, 'silent'],
		[false, 900, 'ended'],
		[false, 900, 'broken'],
	])('of few lines is found: %j, after %d ms, where the answer before was %s', (is, ms, ending) => {
		const log = LOG.slice(1);
		const now = { lines: greeted(['x'], log), delayMs: ms };
		const found = place(now, { lines: greeted(['y'], log), ending }, greeted(['z'], log));
		expect(found).toEqual(is ? placeAt(4) : undefined);
	});
});
