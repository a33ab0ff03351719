import type { Account } from '../http/credentials';
import type { ByteStream, Reply } from '../http/reply';
import { send, type ApiRequest, type RequestContext } from '../http/request';
import type { RetryPolicy } from '../http/retry';
import { elapsed } from '../time';
import { ByteReader } from './byteReader';
import { DocumentDetector } from './document';
import type { StreamEvent } from './event';
import type { StreamFormat } from './format';
import { LogDecoder, type LogDecoderOptions } from './logDecoder';
import { SseDecoder, type SseEvent } from './sseDecoder';
import { WEB_PAGE_REASON } from './webPage';

/** A stream whose head was a 2xx and whose body is unread. The receiver must destroy the body in the end. */
export interface OpenStream {
	kind: 'open';
	body: ByteStream;
	/** The format by the content type; `auto` where that leaves it open. */
	format: StreamFormat;
	/** Empty where there is none. */
	contentType: string;
	/** The account that opened it. Each connection reads the credential again, since a person may have corrected it. */
	account: Account;
}

/** A request whose answer is a stream. */
export type StreamRequest = Omit<ApiRequest, 'retry' | 'deadlineMs' | 'isEndless' | 'keepsBody'> & {
	/** How opening it is retried; default `never`. */
	retry?: RetryPolicy;
	/** Deadline of the answer's head in milliseconds; the body of a stream has none. */
	headMs?: number;
};

export const HEAD_DEADLINE_MS = 30_000;
/** Types of events that are no lines of the log. */
const KEEP_ALIVE = /^(?:ping|heartbeat|keep-?alive)$/i;

/**
 * Sends a request and returns as soon as the head of the answer is there. A stream has no limit of time or size, so its
 * reader needs both.
 * @returns the open stream; or the reply where it is no 2xx, is a web page, or did not come
 */
export async function openStream(
	context: RequestContext,
	{ headMs = HEAD_DEADLINE_MS, ...spec }: StreamRequest,
): Promise<OpenStream | Reply> {
	const headers = { Accept: 'text/event-stream', ...spec.headers };
	const reply = await send(context, {
		retry: 'never',
		...spec,
		headers,
		deadlineMs: headMs,
		isEndless: true,
		keepsBody: true,
	});
	if (reply.kind !== 'answer' || !reply.head) return reply;
	const { head } = reply;
	if (/^text\/html\b/i.test(reply.contentType)) {
		head.body.destroy();
		return {
			kind: 'lost',
			reason: WEB_PAGE_REASON,
			status: reply.status,
		};
	}
	return {
		kind: 'open',
		body: head.body,
		format: formatOf(reply.contentType),
		contentType: reply.contentType,
		account: context.account,
	};
}

/** Plain text and JSON lines are never an event stream. Bare lines may come under any other type (beyond-the-spec.md section 2). */
function formatOf(contentType: string): StreamFormat {
	return /^(?:text\/plain|application\/(?:json|x-ndjson|jsonl))\b/i.test(contentType.trim())
		? 'lines'
		: 'auto';
}

/**
 * A decoder for the log that a stream brings. The format in the options comes first, then the content type, then the content.
 * @returns also what its entries go through on their way to the sink: they may be no log
 */
export function decoderFor(
	{ format, contentType, account }: OpenStream,
	options: LogDecoderOptions,
	sink: (event: Readonly<StreamEvent>) => void,
): { decoder: LogDecoder; document: DocumentDetector } {
	const isSet = options.format !== undefined && options.format !== 'auto';
	const document = new DocumentDetector(contentType, sink);
	const decoder = new LogDecoder(
		{
			...options,
			...(!isSet && { format }),
			mayBeWebPage: contentType === '',
			redact: account.redact,
		},
		(event) => {
			if (!KEEP_ALIVE.test(event.type)) document.take(event);
		},
	);
	return { decoder, document };
}

/** When to stop reading a stream, in milliseconds. */
export interface Bounds {
	/** Total time, from the head of the answer on. */
	longestMs: number;
	/** Time without an entry, or data that may be one: a comment that keeps the connection alive is none. */
	quietMs: number;
	/** When to stop by `elapsed`, but not before a moment after the head. */
	endsAt?: number;
}

/** What to do about an error that is sent as a log. */
const NO_LOG =
	'The service, or a gateway in front of it, sent this with a status of success. Check the credential, or try again later.';
/** Time after a late head in which what the service has comes. */
const LEAST_MS = 1_000;

/** How to read a log stream. */
export interface StreamOptions extends LogDecoderOptions {
	/** Is called where the service has ended the stream. */
	onEnd?(): void;
	/** Is called where a chunk leaves data pending: only silence shows whether it is complete. */
	onPending?(): void;
	/** Whether an entry was in the log before. */
	isKnown?(event: Readonly<StreamEvent>): boolean;
}

/**
 * Reads a log stream until it ends, until a bound is reached, or until `take` returns false.
 * @param bounds read before each chunk, so `take` may change them
 * @param take gets each entry
 * @returns undefined at the end; otherwise why there was no stream, or why it was lost
 */
export async function readStream(
	context: RequestContext,
	spec: StreamRequest,
	bounds: Bounds,
	take: (event: Readonly<StreamEvent>) => boolean,
	options: StreamOptions,
): Promise<Reply | undefined> {
	const opened = await openStream(context, spec);
	if (opened.kind !== 'open') return opened;
	const reader = new ByteReader(opened.body, context.signal);
	const startedAt = elapsed();
	let lastEntryAt = startedAt;
	let isEnough = false;
	const { decoder, document } = decoderFor(opened, options, (event) => {
		lastEntryAt = elapsed();
		isEnough ||= !take(event);
	});
	const { endsAt = Infinity } = bounds;
	const latest = Math.max(endsAt, startedAt + LEAST_MS);
	try {
		for (;;) {
			const until = Math.min(latest, startedAt + bounds.longestMs);
			const result = await reader.next(Math.min(until, lastEntryAt + bounds.quietMs));
			if (result.kind === 'chunk') {
				decoder.push(result.bytes);
				if (decoder.hasPendingLines) {
					lastEntryAt = elapsed();
					options.onPending?.();
				}
			}
			if (decoder.isWebPage) return { kind: 'lost', reason: WEB_PAGE_REASON };
			if (result.kind === 'closed') return { kind: 'cancelled' };
			const isLate = elapsed() >= Math.min(until, lastEntryAt + bounds.quietMs);
			const isOver = result.kind === 'end' || result.kind === 'broken';
			// What is complete counts, also where no blank line followed
			if (result.kind === 'end') {
				const isKnown = (event: StreamEvent) => options.isKnown?.(event) ?? false;
				document.end(
					() => decoder.showPending(true),
					isKnown,
					() => true,
				);
				if (document.refusal) return { kind: 'lost', reason: document.refusal, advice: NO_LOG };
			} else if (isLate || isOver) {
				decoder.showPending(false);
				document.release();
			}
			if (result.kind === 'broken')
				return { kind: 'lost', reason: 'The connection was lost while reading the stream' };
			if (result.kind === 'end' && !isEnough) options.onEnd?.();
			if (isEnough || isLate || isOver) return undefined;
		}
	} finally {
		reader.destroy();
	}
}

/** The events of a body in the event-stream format, as soon as each is complete. Rejects if the body does. */
export async function* eventsOf(
	body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<SseEvent> {
	const decoder = new SseDecoder();
	for await (const bytes of body) yield* decoder.push(bytes);
}
