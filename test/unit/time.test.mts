import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { delay } from '../../nodes/shared/time.ts';

it.each([2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, Infinity])(
	'a wait of %d ms is one: a timer of Node would be over at once, or throw',
	async (ms) => {
		const stop = new AbortController();
		let isOver = false;
		const waiting = delay(ms, stop.signal).then(() => (isOver = true));
		// A timer with more than it takes is over after a millisecond
		await pause(20);
		expect(isOver).toBe(false);
		stop.abort();
		await waiting;
	},
);
