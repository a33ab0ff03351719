import type { NodeApiError } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { elapsed } from '../../nodes/shared/time.ts';

/** The clock stands still in the tests of a file, until they set it. */
export function useStillClock(): void {
	beforeAll(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
	afterAll(() => void vi.useRealTimers());
}

/** What a test has let pass is not taken back: what the package remembers would be of a time to come. */
let last = 0;

/** The clock of the package stands still, and its timers with it, until {@link pass}. */
export function useStillTime(): void {
	beforeEach(() => {
		const at = Math.max(Date.now(), last);
		vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'], now: at });
		vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), ms);
			return controller.signal;
		});
	});
	afterEach(() => {
		last = elapsed();
		vi.restoreAllMocks();
		vi.useRealTimers();
	});
}

/** Sets the wall clock by so many milliseconds, as NTP or an administrator does: no time passes. */
export function setWallClock(ms: number): void {
	vi.setSystemTime(Date.now() + ms);
}

/** How far a wall clock is set in tests, in milliseconds. */
export const JUMPS = [-46_800_000, 180_000, 46_800_000];

/** Lets so many milliseconds pass; with 0, only what is due goes on. */
export async function pass(ms = 0): Promise<void> {
	await vi.advanceTimersByTimeAsync(ms);
}

/** Lets time pass, a second at once, until a piece of work has ended. */
export async function ended<T>(
	work: Promise<T>,
): Promise<{ value?: T; error?: NodeApiError; seconds: number }> {
	let result: { value?: T; error?: NodeApiError } | undefined;
	void work.then(
		(value) => (result = { value }),
		(error: NodeApiError) => (result = { error }),
	);
	await pass();
	let seconds = 0;
	for (; !result && seconds < 1_000; seconds++) await pass(1_000);
	if (!result) throw new Error('It has not ended');
	return { ...result, seconds };
}
