import { setImmediate } from 'node:timers/promises';
import { packageTime } from '../../engine/time.mts';
import { Traffic } from '../../engine/traffic.mts';

const QUIET_TURNS = 40;

/** A clock for the package and the service, which goes on to the next wait as soon as nothing is on its way between them. */
export class ClockD {
	at = Date.UTC(2026, 2, 3, 4, 5, 6);
	/** Requests that the service answers later. */
	held = 0;
	private readonly waits = new Set<{ at: number; end: () => void }>();
	private readonly time = packageTime();
	private readonly real = { ...this.time };
	private readonly traffic = new Traffic(() => this.held);

	constructor() {
		this.time.now = () => this.at;
		this.time.elapsed = () => this.at;
		this.time.delay = async (ms, signal) => await this.wait(ms, signal);
		this.time.deadline = (ms) => {
			const controller = new AbortController();
			this.waits.add({ at: this.at + ms, end: () => controller.abort() });
			return controller.signal;
		};
	}

	restore(): void {
		this.traffic.unwatch();
		Object.assign(this.time, this.real);
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const end = () => {
				this.waits.delete(wait);
				signal?.removeEventListener('abort', end);
				resolve();
			};
			const wait = { at: this.at + ms, end };
			this.waits.add(wait);
			signal?.addEventListener('abort', end);
		});
	}

	/** Lets time pass. */
	async pass(ms: number): Promise<void> {
		const end = this.at + ms;
		for (;;) {
			await this.settle();
			if (!this.step(end)) break;
		}
		this.at = Math.max(this.at, end);
		await this.settle();
	}

	/** Lets time pass until the work is done. */
	async during<T>(work: Promise<T>, limitMs = 120_000): Promise<T> {
		const end = this.at + limitMs;
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		for (;;) {
			await this.settle();
			if (isDone) return await work;
			if (!this.step(end)) throw new Error(`Not done after ${limitMs} ms of the clock`);
		}
	}

	/** Lets time pass until the condition holds; returns whether it does. */
	async until(condition: () => boolean, limitMs: number): Promise<boolean> {
		const end = this.at + limitMs;
		await this.settle();
		while (!condition() && this.at < end) await this.pass(250);
		return condition();
	}

	/** Resolves when nothing moves. */
	async settle(): Promise<void> {
		let seen = '';
		for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
			await setImmediate();
			const { count, isOnItsWay } = this.traffic;
			if (count !== seen || isOnItsWay) quiet = 0;
			seen = count;
		}
	}

	/** Goes on to the next wait that ends until then; returns whether there is one. */
	private step(end: number): boolean {
		const next = Math.min(...[...this.waits].map(({ at }) => at));
		if (next > end) return false;
		this.at = Math.max(this.at, next);
		for (const wait of this.waits) {
			if (wait.at > this.at) continue;
			this.waits.delete(wait);
			wait.end();
		}
		return true;
	}
}
