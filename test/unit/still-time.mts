import type { NodeApiError } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { elapsed } from '../../nodes/shared/time.ts';

/** The clock stands still in the tests of a file, until they set it. */
export function useStillClock(): void {
	beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
	afterAll(() => void vi.useRealTimers());
}

/** The clock of the package stands still, and its timers with it, until {@link pass}. */
export function useStillTime(): void {
	beforeEach(() => {
		vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });
		vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), ms);
			return controller.signal;
		});
		// Another test has set the wall clock further: this is where it is set back
		elapsed();
	});
	afterEach(() => {
		vi.restoreAllMocks();
		vi.useRealTimers();
	});
}

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
