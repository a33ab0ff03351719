import { expect, it } from 'vitest';
import type { Answer, Ending } from '../../nodes/CaasLogsTrigger/answer.ts';
import {
	isComplete,
	isFullPage,
	longestOf,
	mayBeKnownPage,
	wasBehindEmpty,
} from '../../nodes/CaasLogsTrigger/complete.ts';
import { answerOf, FIRST, knownOf, last, lines, type Came } from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const one = (came: Came, brought = 0) => Object.assign(answerOf(came), { brought });

it.each<[Ending | undefined, boolean]>([
	['ended', true],
	['silent', true],
	['offsetRefused', true],
	['refused', false],
	['broken', false],
	[undefined, false],
])('nothing is behind the last known entry when the answer was %s: %s', (ending, is) => {
	expect(wasBehindEmpty([one({ requested: 'behind', ending }), one({})])).toBe(is);
});

it('nothing is behind it as long as nothing new has come since', () => {
	const empty = one({ requested: 'behind', ending: 'ended' });
	expect(wasBehindEmpty([empty, one({}, 1)])).toBe(false);
	expect(wasBehindEmpty([one({}, 1), empty])).toBe(true);
	expect(wasBehindEmpty([one({ ending: 'ended' })])).toBe(false);
});

it('a log has nothing new where the known entries came, and before that nothing behind them', () => {
	const found = (known = knownOf(lines(10))) =>
		Object.assign(answerOf({ lines: lines(10), ending: 'ended' }, known), { foundAt: 10 });
	const empty = one({ requested: 'behind', ending: 'ended' });
	expect(isComplete([found()])).toBe(false);
	expect(isComplete([found(), found(last)])).toBe(true);
	expect(isComplete([found(last), empty, found()])).toBe(true);
	expect(isComplete([found(last), empty, one({}, 1), found()])).toBe(false);
	expect(isComplete([empty])).toBe(true);
});

const known = knownOf(lines(36), 100);
/** The known entries from the offset on, and so many new ones behind them. */
const page = (brought: number, more: Came & { foundAt?: number } = {}, of = known) => {
	const { foundAt = of.digests.length, ...came } = more;
	return Object.assign(answerOf({ ending: 'ended', ...came }, of), { foundAt, brought });
};

it.each<[string, Answer[], boolean]>([
	['it is as long as the one before', [page(4), page(4)], true],
	['as one before that', [page(4), page(0), page(4)], true],
	[
		'as one that was not compared with known entries',
		[one({ ending: 'ended' }, 36), page(4)],
		true,
	],
	[
		'as one of known entries alone',
		[answerOf({ lines: lines(5), ending: 'ended' }, known), page(4, {}, last)],
		true,
	],
	['the service counts from one', [page(4), page(3, { foundAt: 33 })], true],
	['it is the first', [page(4)], false],
	['it is shorter', [page(5), page(4)], false],
	['it is longer', [page(4), page(5)], false],
	['nothing in it is new', [page(0), page(0)], false],
	['the one before was lost', [page(4, { ending: 'broken' }), page(4)], false],
	['it was lost', [page(4), page(4, { ending: 'broken' })], false],
	['it goes on', [page(4), page(4, { ending: 'silent' })], false],
	[
		'it has the last lines of the log',
		[page(1, { foundAt: 99 }), page(62, { foundAt: 38 })],
		false,
	],
	['nothing is known', [one({ ending: 'ended' }, 4), one({ ending: 'ended' }, 4)], false],
	['the place is not in it', [page(4), Object.assign(page(36), { foundAt: undefined })], false],
])('whether a page is full where %s', (_, history, is) => {
	expect(isFullPage(history)).toBe(is);
});

it.each<[string, Answer, boolean]>([
	['it has ended', page(0), true],
	['it was lost', page(0, { ending: 'broken' }), true],
	['it goes on', page(0, { ending: 'silent' }), false],
	['something in it is new', page(1), false],
	['the place is not in it', Object.assign(page(0), { foundAt: undefined }), false],
	['the last one alone was requested', page(0, {}, last), false],
	[
		'it begins where the log begins',
		page(0, { start: 50, lines: FIRST }, knownOf(lines(10), 90, FIRST)),
		false,
	],
])('whether an answer may be a page of known entries alone, where %s', (_, answer, is) => {
	expect(mayBeKnownPage(answer)).toBe(is);
});

it('the longest answer is the one with most entries, known or new', () => {
	expect(longestOf([page(4), page(9), page(2)])).toBe(41);
	expect(longestOf([page(4), page(50, { ending: 'broken' })])).toBe(82);
	expect(longestOf([page(4), answerOf({ lines: lines(42), ending: 'ended' }, known)])).toBe(42);
	expect(longestOf([page(4, {}, last), page(0, {}, last)])).toBe(5);
});

it('what has come of another log counts once', () => {
	const rotated = Object.assign(answerOf({ lines: lines(20), ending: 'ended' }, known), {
		brought: 20,
	});
	expect(longestOf([rotated])).toBe(20);
	expect(longestOf([one({ ending: 'ended' }, 36)])).toBe(36);
});
