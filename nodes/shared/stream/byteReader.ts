import type { ByteStream } from '../http/exchange';
import { deadline, now } from '../time';

/** What came next from a stream. */
export type Got =
	| { kind: 'chunk'; bytes: Uint8Array }
	/** The service ended the body as it should. */
	| { kind: 'end' }
	/** The connection broke. */
	| { kind: 'broken' }
	/** The given time came first; the chunk that is awaited is not lost. */
	| { kind: 'late' }
	/** The signal aborted. */
	| { kind: 'closed' };

/** A longer wait is made of several, so that what is left behind of it is gone soon. */
const LONGEST_TIMER_MS = 30_000;

/**
 * Reads a body chunk by chunk, each wait bounded by a time and by a signal. Nothing is read ahead, so a reader that does
 * not ask lets the socket fill up and the service wait. However many chunks come, only a timer that is sooner than all
 * that are armed is armed anew: there is no way to take one back.
 */
export class ByteReader {
	private readonly iterator: AsyncIterator<Uint8Array>;
	private got?: Got;
	private isPulling = false;
	private readonly timers = new Set<number>();
	/** Timers hold only this, not the reader with its body. */
	private readonly waiter = { wake: (): void => undefined };
	private readonly onAbort = () => this.waiter.wake();

	constructor(
		private readonly body: ByteStream,
		private readonly signal?: AbortSignal,
	) {
		this.iterator = body[Symbol.asyncIterator]();
		signal?.addEventListener('abort', this.onAbort);
	}

	/** @param until time in milliseconds since 1970 at which to stop waiting */
	async next(until = Infinity): Promise<Got> {
		if (!this.isPulling) void this.pull();
		for (;;) {
			const { got } = this;
			if (this.signal?.aborted) return { kind: 'closed' };
			if (got) {
				this.got = undefined;
				this.isPulling = false;
				return got;
			}
			if (now() >= until) return { kind: 'late' };
			this.arm(until);
			await new Promise<void>((resolve) => {
				this.waiter.wake = resolve;
			});
		}
	}

	destroy(): void {
		this.signal?.removeEventListener('abort', this.onAbort);
		this.waiter.wake = () => undefined;
		this.body.destroy();
	}

	private async pull(): Promise<void> {
		this.isPulling = true;
		try {
			const { done, value } = await this.iterator.next();
			this.got = done ? { kind: 'end' } : { kind: 'chunk', bytes: value };
		} catch {
			this.got = { kind: 'broken' };
		}
		this.waiter.wake();
	}

	private arm(until: number): void {
		if (until === Infinity) return;
		const at = Math.min(until, now() + LONGEST_TIMER_MS);
		const { timers, waiter } = this;
		if ([...timers].some((armed) => armed <= at)) return;
		timers.add(at);
		deadline(Math.max(1, Math.ceil(at - now()))).addEventListener('abort', () => {
			timers.delete(at);
			waiter.wake();
		});
	}
}
