import type { ByteStream } from './http';
import { deadline, now } from './time';

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

/**
 * Reads a body chunk by chunk, each wait bounded by a time and by a signal. Nothing is read ahead, so a reader that does
 * not ask lets the socket fill up and the service wait. However many chunks come, at most one timer is armed.
 */
export class ByteReader {
	private readonly iterator: AsyncIterator<Uint8Array>;
	private got?: Got;
	private isPulling = false;
	private timerAt = Infinity;
	private wake: () => void = () => undefined;
	private readonly onAbort = () => this.wake();

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
				this.wake = resolve;
			});
		}
	}

	destroy(): void {
		this.signal?.removeEventListener('abort', this.onAbort);
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
		this.wake();
	}

	private arm(until: number): void {
		if (until >= this.timerAt) return;
		this.timerAt = until;
		deadline(Math.max(1, Math.ceil(until - now()))).addEventListener('abort', () => {
			this.timerAt = Infinity;
			this.wake();
		});
	}
}
