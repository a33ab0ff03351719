import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Fault } from '../faults.mts';
import { realWait } from './clock.mts';

type Bytes = AsyncIterable<Buffer>;

/** What a handler answers: text, bytes, a stream or nothing. */
export type Payload = string | Buffer | Readable | null | undefined;

async function* bytesOf(payload: Payload): Bytes {
	if (payload instanceof Readable) for await (const piece of payload) yield toBuffer(piece);
	else yield toBuffer(payload ?? '');
}

const toBuffer = (piece: unknown): Buffer =>
	Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));

async function* inPieces(
	source: Bytes,
	{ chunk, everyMs }: NonNullable<Fault['slowBytes']>,
	signal: AbortSignal,
): Bytes {
	for await (const bytes of source) {
		for (let from = 0; from < bytes.length; from += chunk) {
			yield bytes.subarray(from, from + chunk);
			await realWait(everyMs, signal);
			if (signal.aborted) return;
		}
	}
}

/**
 * Sends an answer slowly, truncated, or both. It bypasses the framework, which does not let a body end before its
 * content-length. A truncated body ends in a reset (RST), as after a crash, never in a clean end.
 */
export async function sendShaped(
	reply: FastifyReply,
	payload: Payload,
	fault: Fault,
	signal: AbortSignal,
): Promise<void> {
	const { raw } = reply;
	reply.hijack();
	if (!(payload instanceof Readable))
		reply.header('content-length', Buffer.byteLength(payload ?? ''));
	raw.writeHead(reply.statusCode, headersOf(reply));
	raw.flushHeaders();
	let left = fault.cutBodyAt ?? Infinity;
	const source = fault.slowBytes
		? inPieces(bytesOf(payload), fault.slowBytes, signal)
		: bytesOf(payload);
	for await (const bytes of source) {
		const piece = bytes.subarray(0, left);
		if (raw.destroyed) return;
		if (piece.length > 0 && !raw.write(piece))
			await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
		left -= piece.length;
		if (left <= 0) break;
	}
	if (fault.cutBodyAt === undefined) raw.end();
	else await reset(reply, signal);
}

const TURNS_BEFORE_RESET = 20;

/**
 * Waits, then resets: the client must have received the bytes before, or it drops what it has not read yet. Several short
 * waits and not a long one, since a client in this process reads between two timers, and a busy machine delays both.
 */
async function reset({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
	for (let turn = 0; turn < TURNS_BEFORE_RESET; turn++) await realWait(1, signal);
	raw.socket?.resetAndDestroy();
}

function headersOf(reply: FastifyReply): Record<string, string | string[]> {
	const headers: Record<string, string | string[]> = {};
	for (const [name, value] of Object.entries(reply.getHeaders())) {
		if (value !== undefined) headers[name] = Array.isArray(value) ? value : String(value);
	}
	return headers;
}
