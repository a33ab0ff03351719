import { expect, it } from 'vitest';
import { delay } from '../../nodes/shared/time.ts';

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
