import { describe, expect, it, vi } from 'vitest';
import { ByteReader, type ReadResult } from '../../nodes/shared/stream/byteReader.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import type { ByteStream } from '../../nodes/shared/http/reply.ts';

/** A body whose chunks come when they are given. */
class Body implements ByteStream {
	pulls = 0;
	isDestroyed = false;
	private answer?: (result: IteratorResult<Uint8Array>) => void;
	private refuse?: (error: Error) => void;

	[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
		return {
			next: async () => {
				this.pulls++;
				return await new Promise((resolve, reject) => {
					this.answer = resolve;
					this.refuse = reject;
				});
			},
		};
	}

	give(text: string): void {
		this.answer?.({ done: false, value: Buffer.from(text) });
	}

	end(): void {
		this.answer?.({ done: true, value: undefined });
	}

	breakOff(): void {
		this.refuse?.(new Error('broken'));
	}

	destroy(): void {
		this.isDestroyed = true;
	}
}

const shown = (got: ReadResult) =>
	got.kind === 'chunk' ? Buffer.from(got.bytes).toString() : got.kind;
const soon = () => elapsed() + 5;

describe('a body, chunk by chunk', () => {
	it('gives its chunks and its end', async () => {
		const body = new Body();
		const reader = new ByteReader(body);
		const first = reader.next();
		body.give('one');
		expect(shown(await first)).toBe('one');
		const last = reader.next();
		body.end();
		expect(shown(await last)).toBe('end');
	});

	it('sets few timers for many short waits within a long one', async () => {
		const armed = vi.spyOn(AbortSignal, 'timeout');
		const reader = new ByteReader(new Body());
		for (let round = 0; round < 20; round++) {
			expect(shown(await reader.next(soon()))).toBe('late');
			const long = reader.next(elapsed() + 300_000 + round);
			await Promise.race([long, new Promise(setImmediate)]);
			if (round === 19) break;
			// The long wait goes on inside; only a short one ends it
			void long;
		}
		const long = armed.mock.calls.filter(([ms]) => ms > 1_000);
		expect(long.length).toBeLessThanOrEqual(1);
		expect(Math.max(...armed.mock.calls.map(([ms]) => ms))).toBeLessThanOrEqual(30_000);
		reader.destroy();
		vi.restoreAllMocks();
	});

	it('is not read ahead', async () => {
		const body = new Body();
		const reader = new ByteReader(body);
		expect(body.pulls).toBe(0);
		const first = reader.next();
		body.give('one');
		await first;
		expect(body.pulls).toBe(1);
	});

	it('may break', async () => {
		const body = new Body();
		const next = new ByteReader(body).next();
		body.breakOff();
		expect(shown(await next)).toBe('broken');
	});

	it('that is late loses nothing', async () => {
		const body = new Body();
		const reader = new ByteReader(body);
		expect(shown(await reader.next(soon()))).toBe('late');
		expect(shown(await reader.next(elapsed() - 1))).toBe('late');
		expect(body.pulls).toBe(1);
		const next = reader.next(elapsed() + 60_000);
		body.give('late one');
		expect(shown(await next)).toBe('late one');
	});

	it('that came earlier is there at once, after the time is over too', async () => {
		const body = new Body();
		const reader = new ByteReader(body);
		await reader.next(soon());
		body.give('one');
		await new Promise(setImmediate);
		expect(shown(await reader.next(elapsed() - 1))).toBe('one');
	});

	it('accepts a shorter time after a longer one', async () => {
		const body = new Body();
		const reader = new ByteReader(body);
		const first = reader.next(elapsed() + 60_000);
		body.give('one');
		await first;
		expect(shown(await reader.next(soon()))).toBe('late');
		expect(shown(await reader.next(soon()))).toBe('late');
	});

	it('ends when the signal aborts, whatever has come', async () => {
		const body = new Body();
		const stop = new AbortController();
		const reader = new ByteReader(body, stop.signal);
		const next = reader.next();
		stop.abort();
		expect(shown(await next)).toBe('closed');
		body.give('one');
		await new Promise(setImmediate);
		expect(shown(await reader.next())).toBe('closed');
	});

	it('is destroyed with its reader, which then ignores the signal', () => {
		const body = new Body();
		const listeners = new Set<unknown>();
		const signal = {
			aborted: false,
			addEventListener: (_: string, listener: unknown) => listeners.add(listener),
			removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
		} as unknown as AbortSignal;
		const reader = new ByteReader(body, signal);
		expect(listeners.size).toBe(1);
		reader.destroy();
		expect(body.isDestroyed).toBe(true);
		expect(listeners.size).toBe(0);
	});
});
