import { setImmediate } from 'node:timers/promises';
import { packageTime } from '../../engine/time.mts';

/** The package's clock: a wait is over at once, a deadline when the service is silent for that long. */
export class JumpingClock {
	readonly waits: number[] = [];
	private readonly time = packageTime();
	private readonly real = { ...this.time };
	private readonly deadlines = new Map<AbortController, number>();
	private ahead = 0;
	private silence = 0;

	constructor() {
		this.time.now = () => Date.now() + this.ahead;
		this.time.elapsed = () => this.time.now();
		this.time.delay = async (ms) => {
			this.waits.push(ms);
			this.ahead += ms;
			await setImmediate();
		};
		this.time.deadline = (ms) => {
			const controller = new AbortController();
			this.deadlines.set(controller, this.silence + ms);
			return controller.signal;
		};
	}

	now(): number {
		return this.time.now();
	}

	/** The service says nothing for so long. */
	beSilent(ms: number): void {
		this.ahead += ms;
		this.silence += ms;
		for (const [controller, at] of this.deadlines) {
			if (at > this.silence) continue;
			this.deadlines.delete(controller);
			controller.abort();
		}
	}

	restore(): void {
		Object.assign(this.time, this.real);
	}
}
