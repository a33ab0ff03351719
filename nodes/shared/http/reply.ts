export type ByteStream = AsyncIterable<Uint8Array> & { destroy(): void };

/** The head of an answer; its body waits to be read or destroyed. */
export interface Head {
	status: number;
	headers: Record<string, unknown>;
	body: ByteStream;
	/** Aborts when the time for the exchange is over. */
	deadlineSignal?: AbortSignal;
}

/** A whole answer of the service, with any status. */
export interface Answer {
	kind: 'answer';
	status: number;
	contentType: string;
	text: string;
	retryAfter?: string;
	/** Set where an earlier try of the request had another end: it may have been done by that one. */
	isToRetry?: true;
	/** In place of the text, where a file was asked for. */
	file?: { bytes: Buffer; disposition: string };
	/** In place of the text, where the body was to be kept. Whoever takes it must destroy the body in the end. */
	head?: Head;
}

/** Why there is no answer. */
export type NoAnswer =
	| {
			/** `unsent`: nothing left this machine. `lost`: the service may have received the request and done the work. */
			kind: 'unsent' | 'lost';
			reason: string;
			/** What to do about it, where the default advice does not fit. */
			advice?: string;
			/** It would fail in the same way again: a certificate, a domain that is not allowed, an answer that is too large. */
			permanent?: boolean;
			/** Set when at least the head of an answer came. */
			status?: number;
	  }
	| { kind: 'cancelled' };

/** How a request ended. */
export type Reply = Answer | NoAnswer;

/** Whether a status says that the request was accepted. */
export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}
