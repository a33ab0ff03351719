import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { packageTime } from '../../engine/time.mts';
import { Traffic } from '../../engine/traffic.mts';

/** Turns of the event loop without traffic after which nothing is on its way. */
const QUIET_TURNS = 30;

interface Wait {
	at: number;
	fire: () => void;
	/** Whether nobody waits for it any more. */
	isIdle?: () => boolean;
}

/** The clock of a world: waits jump, and the wall clock may be set while they run, as an administrator or NTP does. */
export class Clock {
	/** Milliseconds since the start; nothing sets it back. */
	elapsed = 0;
	/** What the wall clock shows at that start. */
	wall = Date.UTC(2026, 0, 1);
	private readonly waits = new Set<Wait>();
	private readonly time = packageTime();
	private readonly real = { ...this.time };
	private readonly traffic = new Traffic(() => this.held);

	/** Requests that the service holds. */
	held = 0;
	/** Until then, in real time, threads of their own may be at work: decompression. */
	busyUntil = 0;

	constructor() {
		this.time.now = () => this.wall + this.elapsed;
		this.time.elapsed = () => this.elapsed;
		this.time.deadline = (ms) => {
			const controller = new AbortController();
			const isIdle = () => getEventListeners(controller.signal, 'abort').length === 0;
			this.after(ms, () => controller.abort(), isIdle);
			return controller.signal;
		};
		this.time.delay = async (ms, signal) => {
			if (ms <= 0 || signal?.aborted) return;
			await new Promise<void>((resolve) => {
				const over = () => {
					this.waits.delete(wait);
					signal?.removeEventListener('abort', over);
					resolve();
				};
				const wait = this.after(ms, over);
				signal?.addEventListener('abort', over);
			});
		};
	}

	restore(): void {
		this.traffic.unwatch();
		Object.assign(this.time, this.real);
	}

	after(ms: number, fire: () => void, isIdle?: () => boolean): Wait {
		const wait = { at: this.elapsed + Math.max(0, ms), fire, isIdle };
		this.waits.add(wait);
		return wait;
	}

	async pass(ms: number): Promise<void> {
		const end = this.elapsed + ms;
		for (;;) {
			await this.settle();
			if (!this.step(end)) break;
		}
		this.elapsed = end;
		await this.settle();
	}

	/** Lets time pass until a piece of work is done. */
	async during<T>(work: Promise<T>, limitMs = 120_000): Promise<T> {
		const end = this.elapsed + limitMs;
		let isDone = false;
		const done = () => void (isDone = true);
		work.then(done, done);
		for (;;) {
			await this.settle();
			if (isDone) return await work;
			if (!this.step(end)) throw new Error(`Not done after ${limitMs / 1000} s of the clock`);
		}
	}

	async settle(): Promise<void> {
		let seen = '';
		for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
			await setImmediate();
			const { count, isOnItsWay } = this.traffic;
			if (count !== seen || isOnItsWay || Date.now() < this.busyUntil) quiet = 0;
			seen = count;
		}
	}

	private step(end: number): boolean {
		let next: number = Infinity;
		for (const { at, isIdle } of this.waits) if (at < next && !isIdle?.()) next = at;
		if (next > end) return false;
		this.elapsed = Math.max(this.elapsed, next);
		for (const wait of [...this.waits]) {
			if (wait.at > this.elapsed) continue;
			this.waits.delete(wait);
			wait.fire();
		}
		return true;
	}
}
