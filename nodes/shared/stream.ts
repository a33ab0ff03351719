import type { Account } from './auth';
import { ByteReader } from './bytes';
import { Decoder, type DecoderOptions, type StreamEvent } from './decoder';
import type { ByteStream } from './http';
import { send, type Api, type ApiRequest, type Outcome } from './request';
import { deadline, now } from './time';

/** A stream whose head has come with a 2xx; its body waits to be read. Whoever has it must destroy the body in the end. */
export interface OpenStream {
	kind: 'open';
	body: ByteStream;
	/** The account that opened it, read anew for each connection: a credential may have been mended meanwhile. */
	account: Account;
}

/** One row of the endpoint tables whose answer is a stream. */
export type StreamRequest = Omit<ApiRequest, 'retry' | 'deadlineMs' | 'keepsBody'>;

/** The head of the answer must be here in this time; after that a stream has no end of its own. */
const HEAD_DEADLINE_MS = 30_000;

/**
 * The streaming twin of `request`: sends once and returns at the head of the answer. An answer that is no 2xx is read
 * whole and returned as everywhere else; there is no limit of time or size on a stream, so its reader needs both.
 */
export async function openStream(api: Api, spec: StreamRequest): Promise<OpenStream | Outcome> {
	const tooLate = deadline(HEAD_DEADLINE_MS);
	const ender = new AbortController();
	const end = () => ender.abort();
	const enders = [tooLate, api.signal].filter((signal) => signal !== undefined);
	enders.forEach((signal) => signal.addEventListener('abort', end));
	try {
		if (api.signal?.aborted) return { kind: 'cancelled' };
		const headers = { Accept: 'text/event-stream', ...spec.headers };
		const outcome = await send({ ...api, signal: ender.signal }, { ...spec, headers, retry: 'never', deadlineMs: 0, keepsBody: true });
		if (outcome.kind === 'answer' && outcome.head) return { kind: 'open', body: outcome.head.body, account: api.account };
		if (outcome.kind !== 'cancelled' || api.signal?.aborted) return outcome;
		return { kind: 'lost', reason: `No answer came within ${HEAD_DEADLINE_MS / 1000} seconds` };
	} finally {
		enders.forEach((signal) => signal.removeEventListener('abort', end));
	}
}

/** How much of a stream to read, and how long to wait for it. */
export interface Glance {
	limit: number;
	/** Stop at this time, in milliseconds since 1970. */
	until: number;
	/** Stop when so long nothing came. */
	quietMs: number;
}

/** The first events of a stream: what is there now, without following it; or the outcome where there is no stream. */
export async function readEvents(api: Api, spec: StreamRequest, glance: Glance, options: DecoderOptions): Promise<StreamEvent[] | Outcome> {
	const opened = await openStream(api, spec);
	if (opened.kind !== 'open') return opened;
	const reader = new ByteReader(opened.body, api.signal);
	const decoder = new Decoder(options);
	const events: StreamEvent[] = [];
	try {
		while (events.length < glance.limit) {
			const got = await reader.next(Math.min(glance.until, now() + glance.quietMs));
			if (got.kind === 'chunk') decoder.push(got.bytes, events);
			else if (got.kind === 'end') decoder.end(events);
			if (got.kind === 'closed') return { kind: 'cancelled' };
			if (got.kind === 'broken' && events.length === 0) return { kind: 'lost', reason: 'The connection broke in the middle of the stream' };
			if (got.kind !== 'chunk') break;
		}
		return events.slice(0, glance.limit);
	} finally {
		reader.destroy();
	}
}
