import { describe, expect, it } from 'vitest';
import { delay, elapsed, now } from '../../nodes/shared/time.ts';
import { JUMPS, pass, setWallClock, useStillTime } from './still-time.mts';

it.each([2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, Infinity])(
	'a wait of %d ms is not over at once, as a timer of Node would be',
	async (ms) => {
		const stop = new AbortController();
		let isOver = false;
		const waiting = delay(ms, stop.signal).then(() => (isOver = true));
		// A timer with more than it takes is over after a millisecond
		await delay(5);
		expect(isOver).toBe(false);
		stop.abort();
		await waiting;
	},
);

it('what has elapsed is counted in whole milliseconds, as timers are set, from about the wall clock', () => {
	expect(Number.isInteger(elapsed())).toBe(true);
	expect(Math.abs(elapsed() - now())).toBeLessThan(24 * 3_600_000);
});

describe('what has elapsed', () => {
	useStillTime();

	it.each(JUMPS)('goes on as before where the wall clock is set by %i ms', async (jumpMs) => {
		const [begun, wall] = [elapsed(), now()];
		await pass(1_000);
		setWallClock(jumpMs);
		expect(elapsed() - begun).toBe(1_000);
		await pass(1_000);
		expect(elapsed() - begun).toBe(2_000);
		expect(now() - wall).toBe(2_000 + jumpMs);
	});
});
