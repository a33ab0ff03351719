import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { TestClock } from '../sandbox/index.mts';
import { waitOn } from '../sandbox/core/clock.mts';
import { packageTime, WALL_AHEAD_MS } from './time.mts';
import { Traffic } from './traffic.mts';

/** Turns of the event loop without any traffic after which nothing is on its way any more. */
const QUIET_TURNS = 40;
/** Longest real time in milliseconds, and fewest turns in it, for traffic that the virtual time waits for: a machine may stand still. */
const LONGEST_TRAFFIC_MS = 60_000;
const LONGEST_TRAFFIC_TURNS = 20_000;

/**
 * Package and sandbox on one clock that jumps from one wait to the next as soon as nothing moves between their sockets: an hour
 * of pauses takes seconds, and what happens at once happens at the same instant. Unlike `useSandboxTime`, where each wait moves
 * the clock, several waits run side by side, as in real time.
 */
export class VirtualTime {
	private readonly time = packageTime();
	private readonly real = { ...this.time };
	private readonly traffic: Traffic;
	private readonly deadlines = new Map<AbortController, number>();

	/**
	 * @param held how many requests the service holds until the clock moves
	 * @param isBusy whether other connections of the service than those of HTTP are: SSH
	 */
	constructor(
		private readonly clock: TestClock,
		held = () => 0,
		private readonly isBusy = () => false,
	) {
		this.traffic = new Traffic(held);
		this.time.now = () => clock.now();
		this.time.elapsed = () => clock.now() - WALL_AHEAD_MS;
		this.time.deadline = (ms) => {
			const controller = new AbortController();
			this.deadlines.set(controller, clock.now() + ms);
			return controller.signal;
		};
		this.time.delay = async (ms, signal) => await this.wait(ms, signal);
	}

	/** Gives the package its own clock back. */
	restore(): void {
		this.traffic.unwatch();
		Object.assign(this.time, this.real);
	}

	/** Lets so many milliseconds pass. */
	async pass(ms: number): Promise<void> {
		await this.during(this.wait(ms), Infinity);
	}

	/** Lets time pass until the condition holds, in steps; returns whether it holds in the end. */
	async until(condition: () => boolean, limitMs: number, stepMs = 500): Promise<boolean> {
		const end = this.clock.now() + limitMs;
		await this.settle();
		while (!condition() && this.clock.now() < end) await this.pass(stepMs);
		return condition();
	}

	/**
	 * Lets time pass until a piece of work is done.
	 * @throws when it is not done after `limitMs`
	 */
	async during<T>(work: Promise<T>, limitMs: number): Promise<T> {
		const end = this.clock.now() + limitMs;
		let isDone = false;
		const done = () => {
			isDone = true;
		};
		work.then(done, done);
		for (;;) {
			await this.settle();
			if (isDone) return await work;
			const next = Math.min(this.clock.next(), this.nextDeadline());
			if (next > end || next === Infinity)
				throw new Error(`Not done after ${limitMs / 1_000} s of the clock`);
			this.clock.advance(Math.max(0, next - this.clock.now()));
			for (const [controller, at] of this.deadlines) {
				if (at > this.clock.now()) continue;
				this.deadlines.delete(controller);
				controller.abort();
			}
		}
	}

	/** Resolves when nothing is on its way between the sockets of this process. */
	async settle(): Promise<void> {
		const limit = performance.now() + LONGEST_TRAFFIC_MS;
		let seen = '';
		let turn = 0;
		const isInTime = () => turn < LONGEST_TRAFFIC_TURNS || performance.now() < limit;
		for (let quiet = 0; quiet < QUIET_TURNS && isInTime(); quiet++) {
			await setImmediate();
			turn++;
			const { count, isOnItsWay } = this.traffic;
			if (count !== seen || isOnItsWay || this.isBusy()) quiet = 0;
			seen = count;
		}
	}

	/** When the next one is over of those that somebody still waits for: most outlive the request that they were for. */
	private nextDeadline(): number {
		let next = Infinity;
		for (const [{ signal }, at] of this.deadlines)
			if (at < next && getEventListeners(signal, 'abort').length > 0) next = at;
		return next;
	}

	private async wait(ms: number, signal = new AbortController().signal): Promise<void> {
		await waitOn(this.clock, ms, signal);
	}
}
