import { setImmediate } from 'node:timers/promises';
import { packageTime } from '../../engine/time.mts';
import { Traffic } from '../../engine/traffic.mts';

/** Turns of the event loop without traffic after which everybody waits for the clock. */
const QUIET_TURNS = 30;

interface Waiter {
	at: number;
	wake: () => void;
}

/** One clock for the package and the service: it jumps to the next wait when nothing moves between them. */
export class Clock {
	/** How many answers the service holds back until the clock moves. */
	held = 0;
	private time = Date.parse('2026-11-20T08:00:00Z');
	private readonly waiters = new Set<Waiter>();
	private readonly package = packageTime();
	private readonly real = { ...this.package };
	private readonly traffic = new Traffic(() => this.held);

	/** @param longestHours after which work that has not ended is given up */
	constructor(private readonly longestHours = 4) {
		this.package.now = () => this.time;
		this.package.elapsed = () => this.time;
		this.package.delay = async (ms, signal) => await this.wait(ms, signal);
		this.package.deadline = (ms) => {
			const controller = new AbortController();
			void this.wait(ms).then(() => controller.abort());
			return controller.signal;
		};
	}

	now(): number {
		return this.time;
	}

	/** Waits for the clock, or for the end of the signal. */
	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const wake = () => {
				this.waiters.delete(waiter);
				signal?.removeEventListener('abort', wake);
				resolve();
			};
			const waiter = { at: this.time + ms, wake };
			this.waiters.add(waiter);
			signal?.addEventListener('abort', wake);
		});
	}

	/** Lets time go by until the work is done. */
	async during<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		const end = this.time + this.longestHours * 3_600_000;
		for (;;) {
			await this.settle(() => isDone);
			if (isDone) return await work;
			const [next] = [...this.waiters].sort((a, b) => a.at - b.at);
			if (!next || next.at > end) throw new Error('The work does not end');
			this.pass(next.at - this.time);
		}
	}

	/** Lets so much time pass at once. */
	pass(ms: number): void {
		this.time += ms;
		for (const waiter of this.waiters) {
			if (waiter.at <= this.time) waiter.wake();
		}
	}

	restore(): void {
		this.traffic.unwatch();
		Object.assign(this.package, this.real);
	}

	/** What moves beside the traffic: a text that changes with it, and whether something is on its way. */
	protected beside(): { moved: string; isBusy: boolean } {
		return { moved: '', isBusy: false };
	}

	private async settle(isDone: () => boolean): Promise<void> {
		let seen = '';
		for (let quiet = 0; quiet < QUIET_TURNS && !isDone(); quiet++) {
			await setImmediate();
			const { count, isOnItsWay } = this.traffic;
			const { moved, isBusy } = this.beside();
			const now = `${count} ${moved}`;
			if (now !== seen || isOnItsWay || isBusy) quiet = 0;
			seen = now;
		}
	}
}
