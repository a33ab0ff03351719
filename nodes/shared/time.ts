/**
 * The package's only clocks. Restricted globals leave `AbortSignal.timeout` as the one timer; tests put a clock of
 * their own in place of these functions.
 */

/** Milliseconds since 1970. */
export function now(): number {
	return Date.now();
}

/**
 * Milliseconds of a clock that nobody sets, to compare with each other alone: what lasts must neither end nor go on because the wall
 * clock is set. They count from what the wall clock showed when the process began, so that what an execution has kept of them
 * still means something after a restart.
 */
export function elapsed(): number {
	return Math.floor(performance.timeOrigin + performance.now());
}

/** A signal that aborts after `ms` milliseconds, to bound something that has no end of its own. */
export function deadline(ms: number): AbortSignal {
	return AbortSignal.timeout(ms);
}

/** Waits `ms` milliseconds, or until `signal` aborts, whichever comes first; never throws. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0 && !signal?.aborted; left -= LONGEST_TIMER_MS) {
		await firstAbort([AbortSignal.timeout(Math.min(left, LONGEST_TIMER_MS)), signal]);
	}
}

/** 25 days: a timer that is set to more fires at once, and a wait in a loop would be no wait at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves when the first of the signals aborts, with that signal. Listeners go on each signal by hand:
 * a combined `AbortSignal.any` may be collected as garbage before it fires.
 */
export async function firstAbort(signals: Array<AbortSignal | undefined>): Promise<AbortSignal> {
	const present = signals.filter((signal) => signal !== undefined);
	return await new Promise((resolve) => {
		const listeners = present.map((signal) => () => finish(signal));
		const finish = (signal: AbortSignal) => {
			present.forEach((other, index) => other.removeEventListener('abort', listeners[index]!));
			resolve(signal);
		};
		present.forEach((signal, index) => signal.addEventListener('abort', listeners[index]!));
		const aborted = present.find((signal) => signal.aborted);
		if (aborted) finish(aborted);
	});
}
