/** The sandbox's time, in milliseconds since the epoch. Everything in the service that changes by itself follows it. */
export interface Clock {
	now(): number;
	advance(ms: number): void;
}

/** A clock that only a test moves, which knows what waits on it. */
export interface TestClock extends Clock {
	/** When the next wait on it is over; Infinity where nothing waits. */
	next(): number;
}

interface Waiter {
	at: number;
	wake(): void;
}

/** A clock that a test moves, so that the test of a three-hour deployment takes no time. */
class ManualClock implements TestClock {
	private readonly waiters = new Set<Waiter>();

	constructor(private time: number) {}

	now(): number {
		return this.time;
	}

	advance(ms: number): void {
		if (!(ms >= 0)) throw new RangeError('the clock cannot go back');
		this.time += ms;
		const due = [...this.waiters]
			.filter((waiter) => waiter.at <= this.time)
			.sort((a, b) => a.at - b.at);
		for (const waiter of due) waiter.wake();
	}

	next(): number {
		let next = Infinity;
		for (const { at } of this.waiters) next = Math.min(next, at);
		return next;
	}

	/** Resolves when `advance` reaches the time, or when the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const wake = () => {
				this.waiters.delete(waiter);
				signal.removeEventListener('abort', wake);
				resolve();
			};
			const waiter: Waiter = { at: this.time + ms, wake };
			this.waiters.add(waiter);
			signal.addEventListener('abort', wake);
		});
	}
}

/** A clock that moves only by `advance()`. */
export function manualClock(startIso = '2026-01-01T00:00:00.000Z'): TestClock {
	const start = Date.parse(startIso);
	if (Number.isNaN(start)) throw new RangeError(`not a date: ${startIso}`);
	return new ManualClock(start);
}

/** Real time, `speed` times as fast; `advance()` jumps ahead. */
export function systemClock(speed = 1): Clock {
	if (!(speed > 0)) throw new RangeError('speed must be above 0');
	const start = Date.now();
	let offset = 0;
	return {
		now: () => Math.round(start + (Date.now() - start) * speed + offset),
		advance: (ms) => {
			if (!(ms >= 0)) throw new RangeError('the clock cannot go back');
			offset += ms;
		},
	};
}

/**
 * Waits on the clock when it is manual, in real time otherwise: a delay is network time, and a client's timeout runs in
 * real time too. Ends early, without an error, when the signal is aborted.
 */
export function waitOn(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	if (signal.aborted || ms <= 0) return Promise.resolve();
	return clock instanceof ManualClock ? clock.wait(ms, signal) : realWait(ms, signal);
}

/** Waits in real time; ends early, without an error, when the signal is aborted. */
export function realWait(ms: number, signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((resolve) => {
		const wake = () => {
			clearTimeout(timer);
			signal.removeEventListener('abort', wake);
			resolve();
		};
		const timer = setTimeout(wake, ms);
		signal.addEventListener('abort', wake);
	});
}
