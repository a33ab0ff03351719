import type { ByteStream } from '../http/reply';
import { deadline, elapsed } from '../time';

/** The result of one read. */
export type ReadResult =
	| { kind: 'chunk'; bytes: Uint8Array }
	/** The body ended as announced. */
	| { kind: 'end' }
	/** The connection was lost. */
	| { kind: 'broken' }
	/** The time limit came first. The chunk is not lost: the next read returns it. */
	| { kind: 'late' }
	/** A signal aborted. */
	| { kind: 'closed' };

/** A longer wait uses several timers: one that is no longer needed cannot be cancelled and must not live long. */
const LONGEST_TIMER_MS = 30_000;

/**
 * Reads a body chunk by chunk; a time limit and signals bound each wait. Nothing is read ahead: a slow consumer fills
 * the socket and so slows the service down (back-pressure). A timer is started only if it fires before all running ones,
 * since none can be cancelled.
 */
export class ByteReader {
	private readonly iterator: AsyncIterator<Uint8Array>;
	private result?: ReadResult;
	private isPulling = false;
	private readonly timers = new Set<number>();
	/** All that a running timer references, so that it does not keep the reader and its body in memory. */
	private readonly waiter = { wake: (): void => undefined };
	private readonly onAbort = () => this.waiter.wake();
	private readonly signals: AbortSignal[];

	/** @param signals each of them ends the reading; a combined one may be collected as garbage before it fires */
	constructor(
		private readonly body: ByteStream,
		...signals: Array<AbortSignal | undefined>
	) {
		this.iterator = body[Symbol.asyncIterator]();
		this.signals = signals.filter((signal) => signal !== undefined);
		for (const signal of this.signals) signal.addEventListener('abort', this.onAbort);
	}

	/**
	 * Reads the next chunk. Call it again only after the promise has resolved; it never rejects.
	 * @param until when to stop waiting, by `elapsed`
	 */
	async next(until = Infinity): Promise<ReadResult> {
		if (!this.isPulling) void this.pull();
		for (;;) {
			const { result } = this;
			if (this.signals.some(({ aborted }) => aborted)) return { kind: 'closed' };
			if (result) {
				this.result = undefined;
				this.isPulling = false;
				return result;
			}
			if (elapsed() >= until) return { kind: 'late' };
			this.startTimer(until);
			await new Promise<void>((resolve) => {
				this.waiter.wake = resolve;
			});
		}
	}

	/** Closes the connection and releases the listeners. */
	destroy(): void {
		for (const signal of this.signals) signal.removeEventListener('abort', this.onAbort);
		this.waiter.wake = () => undefined;
		this.body.destroy();
	}

	private async pull(): Promise<void> {
		this.isPulling = true;
		try {
			const { done, value } = await this.iterator.next();
			this.result = done ? { kind: 'end' } : { kind: 'chunk', bytes: value };
		} catch {
			this.result = { kind: 'broken' };
		}
		this.waiter.wake();
	}

	private startTimer(until: number): void {
		if (until === Infinity) return;
		const at = Math.min(until, elapsed() + LONGEST_TIMER_MS);
		const { timers, waiter } = this;
		if ([...timers].some((running) => running <= at)) return;
		timers.add(at);
		deadline(Math.max(1, Math.ceil(at - elapsed()))).addEventListener('abort', () => {
			timers.delete(at);
			waiter.wake();
		});
	}
}
