import { expect, it } from 'vitest';
import type { Ending } from '../../nodes/CaasLogsTrigger/answer.ts';
import { isComplete, wasBehindEmpty } from '../../nodes/CaasLogsTrigger/complete.ts';
import { answerOf, knownOf, last, lines, type Came } from './log-search-fixture.mts';
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
		Object.assign(answerOf({ lines: lines(10), ending: 'ended' }, known), { wasFound: true });
	const empty = one({ requested: 'behind', ending: 'ended' });
	expect(isComplete([found()])).toBe(false);
	expect(isComplete([found(), found(last)])).toBe(true);
	expect(isComplete([found(last), empty, found()])).toBe(true);
	expect(isComplete([found(last), empty, one({}, 1), found()])).toBe(false);
	expect(isComplete([empty])).toBe(true);
});
