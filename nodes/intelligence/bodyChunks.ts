import type { Head } from '../shared/http/reply';
import { replyError, type RequestContext } from '../shared/http/request';
import { ByteReader } from '../shared/stream/byteReader';
import { elapsed } from '../shared/time';

/** What bounds the body of an answer that a model writes. */
export interface BodyLimits {
	/** For the whole body, in milliseconds. */
	deadlineMs: number;
	/** Without data, in milliseconds. */
	idleMs: number;
	maxBytes: number;
}

/** How a body ended: as announced, with its connection, after a silence, at the deadline, or because it is too large. */
export type BodyEnd = 'end' | 'broken' | 'idle' | 'late' | 'tooLarge';

/**
 * Yields the bytes of an answer that a model writes, as they arrive; closes its connection in the end.
 * @param limits the silence may be made shorter while the body is read
 * @throws where the execution is cancelled
 */
export async function* bodyChunks(
	context: RequestContext,
	{ body, deadlineSignal }: Head,
	limits: BodyLimits,
): AsyncGenerator<Uint8Array, BodyEnd> {
	const reader = new ByteReader(body, context.signal, deadlineSignal);
	const endsAt = elapsed() + limits.deadlineMs;
	let bytes = 0;
	try {
		while (bytes <= limits.maxBytes) {
			const read = await reader.next(Math.min(endsAt, elapsed() + limits.idleMs));
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			if (read.kind === 'late') return elapsed() >= endsAt ? 'late' : 'idle';
			if (read.kind === 'closed') return 'late';
			if (read.kind !== 'chunk') return read.kind;
			bytes += read.bytes.byteLength;
			yield read.bytes;
		}
		return 'tooLarge';
	} finally {
		reader.destroy();
	}
}
