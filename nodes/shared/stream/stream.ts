import type { Account } from '../http/credentials';
import { ByteReader } from './byteReader';
import { Decoder, type DecoderOptions, type StreamEvent } from './decoder';
import { header, type ByteStream } from '../http/exchange';
import { send, type RequestContext, type ApiRequest } from '../http/request';
import type { RetryPolicy } from '../http/retry';
import type { StreamFormat } from './format';
import { now } from '../time';
import type { Reply } from '../http/reply';

/** A stream whose head has come with a 2xx; its body waits to be read. Whoever has it must destroy the body in the end. */
export interface OpenStream {
	kind: 'open';
	body: ByteStream;
	/** How the content type says that the entries stand on the wire; `auto` where it leaves that open. */
	format: StreamFormat;
	/** The account that opened it, read anew for each connection: a credential may have been mended meanwhile. */
	account: Account;
}

/** One row of the endpoint tables whose answer is a stream. */
export type StreamRequest = Omit<ApiRequest, 'retry' | 'deadlineMs' | 'isEndless' | 'keepsBody'> & {
	/** How often it is opened; default `never` again. */
	retry?: RetryPolicy;
};

/** The head of the answer must be here in this time; after that a stream has no end of its own. */
const HEAD_DEADLINE_MS = 30_000;

/**
 * The streaming twin of `request`: sends and returns at the head of the answer. An answer that is no 2xx is read
 * whole and returned as everywhere else; there is no limit of time or size on a stream, so its reader needs both.
 */
export async function openStream(
	context: RequestContext,
	spec: StreamRequest,
): Promise<OpenStream | Reply> {
	const headers = { Accept: 'text/event-stream', ...spec.headers };
	const reply = await send(context, {
		retry: 'never',
		...spec,
		headers,
		deadlineMs: HEAD_DEADLINE_MS,
		isEndless: true,
		keepsBody: true,
	});
	if (reply.kind !== 'answer' || !reply.head) return reply;
	const { head } = reply;
	if (/^text\/html\b/i.test(reply.contentType)) {
		head.body.destroy();
		return {
			kind: 'lost',
			reason: 'The service answered with a web page instead of a stream',
			status: reply.status,
		};
	}
	return {
		kind: 'open',
		body: head.body,
		format: formatOf(header(head, 'content-type')),
		account: context.account,
	};
}

/** Plain text and JSON lines are no event stream. Under the type of one bare lines may come, too (beyond-the-spec.md section 2). */
function formatOf(contentType = ''): StreamFormat {
	return /^(?:text\/plain|application\/(?:json|x-ndjson|jsonl))\b/i.test(contentType.trim())
		? 'lines'
		: 'auto';
}

/** A decoder for the body of a stream; where the form of its entries is not set by hand the content type and the first bytes tell it. */
export function decoderFor(
	{ format, account }: OpenStream,
	options: DecoderOptions,
	sink: (event: Readonly<StreamEvent>) => void,
): Decoder {
	const isSet = options.format !== undefined && options.format !== 'auto';
	return new Decoder({ ...options, ...(!isSet && { format }), redact: account.redact }, sink);
}

/** When to stop reading a stream. */
export interface Bounds {
	/** Time for reading in milliseconds, from the head of the answer on. */
	longestMs: number;
	/** When so long nothing came. */
	quietMs: number;
}

/**
 * Reads a stream until it ends, until a bound is reached, or until `take` returns false.
 * @returns the outcome where there is no stream, or where it broke
 */
export async function readStream(
	context: RequestContext,
	spec: StreamRequest,
	bounds: Bounds,
	take: (event: Readonly<StreamEvent>) => boolean,
	options: DecoderOptions,
): Promise<Reply | undefined> {
	const opened = await openStream(context, spec);
	if (opened.kind !== 'open') return opened;
	const reader = new ByteReader(opened.body, context.signal);
	const begun = now();
	let isEnough = false;
	const decoder = decoderFor(opened, options, (event) => {
		isEnough ||= !take(event);
	});
	try {
		for (;;) {
			const got = await reader.next(Math.min(begun + bounds.longestMs, now() + bounds.quietMs));
			if (got.kind === 'chunk') decoder.push(got.bytes);
			const isLate = got.kind === 'late' || now() >= begun + bounds.longestMs;
			if (isLate || got.kind === 'end') decoder.readLineWise();
			if (got.kind === 'end') decoder.end();
			if (got.kind === 'closed') return { kind: 'cancelled' };
			if (got.kind === 'broken')
				return { kind: 'lost', reason: 'The connection was lost while reading the stream' };
			if (isEnough || isLate || got.kind === 'end') return undefined;
		}
	} finally {
		reader.destroy();
	}
}

/** An event may hold a whole answer; the reader of a body has a limit of its own. */
const LARGEST_EVENT = 16 * 1024 * 1024;

/** Type and data of an event. */
export type TextEvent = Pick<StreamEvent, 'type' | 'data'>;

/** The events of a body in the event-stream format, as they are completed. */
export async function* eventsOf(
	body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<TextEvent> {
	const ready: TextEvent[] = [];
	const decoder = new Decoder({ format: 'sse', largestEntry: LARGEST_EVENT }, ({ type, data }) =>
		ready.push({ type, data }),
	);
	for await (const bytes of body) {
		decoder.push(bytes);
		yield* ready.splice(0);
	}
}
