import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { duration, isPage, ownWords, type Problem } from '../shared/http/errors';
import { refusalIn, saysError } from '../shared/http/refusal';
import type { Answer, Head } from '../shared/http/reply';
import { replyError, type RequestContext } from '../shared/http/request';
import { parseAnswer } from '../shared/json';
import { withKnown } from '../shared/operation/context';
import type { SseEvent } from '../shared/stream/sseDecoder';
import { CompletionAccumulator } from './accumulator';
import { bodyChunks, type BodyEnd } from './bodyChunks';
import { BodyDecoder, linesOf } from './bodyDecoder';
import { choicesOf } from './choice';
import { parsePartialJson } from './partialJson';
import type { ToolNames } from './toolCallDeltas';

/** Far above any completion: 200,000 tokens in chunks of 300 bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of a body that is no completion, what an error carries. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** A chunk of a stream: an object of the form `chat.completion.chunk` (beyond-the-spec.md section 5 "Streaming"). */
export type Chunk = Record<string, unknown>;

/** What a body is read with. */
export interface Reading {
	/** Whether a stream was asked for. Without one, a JSON object is the completion, whatever its end, unless it has an error. */
	isStream: boolean;
	/** The number of choices that it must complete. */
	count: number;
	/** Of the tools that the model may call. */
	toolNames: ToolNames;
	/** For the whole response, in milliseconds. */
	deadlineMs: number;
	/** Without data, in milliseconds. */
	idleMs: number;
}

/** What follows after a piece of the body: undefined for the next piece. */
type Verdict = { problem?: Problem } | undefined;

/**
 * Reads the body of a completion, whether it was asked for as a stream or not: a service may send a stream where none was asked
 * for, and JSON in place of one. What came before the body breaks off is kept.
 */
export class CompletionReader {
	private readonly accumulator: CompletionAccumulator;
	private readonly decoder = new BodyDecoder();
	/** The body, until something of a completion is found in it. */
	private readonly unread: Uint8Array[] = [];
	private bytes = 0;
	private chunks = 0;
	/** Whether the body is one JSON object, and not a part of a stream. */
	private isWhole = false;

	constructor(
		private readonly context: RequestContext,
		private readonly answer: Answer & { head: Head },
		private readonly reading: Reading,
	) {
		this.accumulator = new CompletionAccumulator(reading.toolNames);
	}

	/** The completion so far. */
	completion(): IDataObject {
		return this.accumulator.completion();
	}

	/** For an error, what came so far: the completion, or the text of a body that is none. */
	partial(): IDataObject | string {
		const text = this.chunks > 0 ? '' : this.text();
		return text.trim() === '' ? this.completion() : text;
	}

	/**
	 * Yields each chunk as it arrives; closes the body in the end.
	 * @returns what went wrong where the completion is not whole
	 * @throws where the execution is cancelled, and for a body that is no completion at all
	 */
	async *read(): AsyncGenerator<Chunk, Problem | undefined> {
		const { context, answer, reading, decoder } = this;
		const limits = { ...reading, maxBytes: MAX_BODY_BYTES };
		const chunks = bodyChunks(context, answer.head, limits);
		try {
			for (;;) {
				const next = await chunks.next();
				if (next.done) return yield* this.end(next.value);
				this.keep(next.value);
				const verdict = yield* this.take(decoder.push(next.value));
				if (verdict) return verdict.problem;
			}
		} finally {
			await chunks.return('end');
		}
	}

	private keep(bytes: Uint8Array): void {
		this.bytes += bytes.byteLength;
		if (this.chunks > 0) this.unread.length = 0;
		else if (this.bytes <= MAX_UNREAD_BYTES) this.unread.push(bytes);
	}

	private text(): string {
		return this.context.account.redact(Buffer.concat(this.unread).toString('utf8'));
	}

	/** @param isOver whether the body has ended: what is no JSON is the rest of something then */
	private *take(events: SseEvent[], isOver = false): Generator<Chunk, Verdict> {
		const { context, answer, accumulator, reading } = this;
		for (const { type, data: sent } of events.flatMap(linesOf)) {
			const data = context.account.redact(sent);
			if (data.trim() === '[DONE]')
				return accumulator.isComplete(reading.count, true)
					? {}
					: { problem: endedEarly(UNFINISHED) };
			const chunk = parseAnswer(data);
			if (!this.decoder.isJson && isNote(type, chunk)) continue;
			// What is whole is paid for, whatever went wrong after it
			if (isErrorEvent(type) || (isError(chunk) && !this.isAnswer(chunk))) {
				if (isRecord(chunk) && choicesOf(chunk).length > 0) yield* this.add(chunk);
				return accumulator.isComplete(reading.count, false, true)
					? {}
					: { problem: reported(data) };
			}
			if (isRecord(chunk)) {
				yield* this.add(chunk);
				continue;
			}
			if (isKeepAlive(type, data)) continue;
			// After a chunk, what came is paid for and must be in the error
			if (this.chunks === 0 && isPage(answer.contentType, data))
				throw replyError(context, { ...answer, text: data });
			if (!isOver && !accumulator.isComplete(reading.count))
				return { problem: endedEarly('the service sent a chunk that is not a JSON object') };
		}
		return undefined;
	}

	private *add(chunk: Chunk, isCut = false): Generator<Chunk> {
		if (!chunk.choices && chunk.type) return;
		this.isWhole = this.chunks++ === 0 && this.decoder.isJson && !hasDelta(chunk);
		yield this.accumulator.add(chunk, isCut);
	}

	/** The body is over: what is left of it may be cut. */
	private *end(bodyEnd: BodyEnd): Generator<Chunk, Problem | undefined> {
		const { context, answer, reading, accumulator } = this;
		const events = this.decoder.end().flatMap(linesOf);
		const last = events.at(-1);
		const cut = last && this.cutOff(last);
		const verdict = yield* this.take(cut ? events.slice(0, -1) : events, true);
		if (verdict) return verdict.problem;
		// Some services send [DONE] after an incomplete response, others never send it: the finish reasons count
		const isClosed = this.isWhole && bodyEnd === 'end';
		if (
			accumulator.isComplete(reading.count, isClosed, bodyEnd !== 'end') ||
			(isClosed && !reading.isStream && !saysError(this.completion().error))
		)
			return undefined;
		if (cut) yield* this.add(cut, true);
		if (this.chunks === 0 && bodyEnd === 'end' && !reading.isStream) {
			const partial = this.text();
			const error = replyError(context, { ...answer, text: partial });
			throw partial === '' ? error : withKnown(error, { partial });
		}
		const { error } = this.completion();
		if (saysError(error)) return reported(JSON.stringify({ error }));
		if (bodyEnd === 'end')
			return endedEarly(cut && this.decoder.isJson ? 'its JSON is cut off' : UNFINISHED);
		return endedEarly(REASONS[bodyEnd](reading));
	}

	/** What came of a chunk that the body ends within. An error is one, also where its words are cut off. */
	private cutOff({ type, data: sent }: SseEvent): Chunk | undefined {
		const data = this.context.account.redact(sent);
		const isWhole = isErrorEvent(type) || parseAnswer(data) !== undefined;
		return isWhole ? undefined : parsePartialJson(data);
	}

	/** Whether an object is a response in one piece: an `error` in it does not make it none. */
	private isAnswer(chunk: unknown): boolean {
		const isFirst = this.chunks === 0 && this.decoder.isJson && isRecord(chunk);
		return isFirst && !hasDelta(chunk) && (!this.reading.isStream || choicesOf(chunk).length > 0);
	}
}

function hasDelta(chunk: Chunk): boolean {
	return choicesOf(chunk).some(({ delta }) => Boolean(delta));
}

const UNFINISHED = 'the stream ended without a finish reason';

/** Why a body is over that has not ended. */
const REASONS: Record<Exclude<BodyEnd, 'end'>, (reading: Reading) => string> = {
	broken: () => 'the connection was lost',
	idle: ({ idleMs }) => `nothing arrived for ${duration(idleMs)} (Idle Timeout)`,
	late: ({ deadlineMs }) => `it took longer than ${duration(deadlineMs)} (Timeout)`,
	tooLarge: () => `it is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`,
};

/** Whether the name of an event says that it is an error, such as `failure`. */
function isErrorEvent(type: string): boolean {
	return /error|fail/i.test(type);
}

/** What keeps a connection open and says nothing: empty data, or words in an event that is no chunk. */
function isKeepAlive(type: string, data: string): boolean {
	return type !== 'message' || /^\s*(?:null|ping|pong|keep-?alive|heartbeat)?\s*$/i.test(data);
}

/** The forms of an error in place of a chunk (beyond-the-spec.md section 7). */
function isError(chunk: unknown): boolean {
	return isRecord(chunk) && (saysError(chunk.error) || hasWordsAlone(chunk));
}

function hasWordsAlone({ choices, detail, message }: Chunk): boolean {
	return !choices && (saysError(detail) || Boolean(message));
}

/** Whether words in place of a chunk say that the service is alive: by the name of the event, their type or their status. */
function isNote(event: string, chunk: unknown): boolean {
	if (!isRecord(chunk) || !hasWordsAlone(chunk)) return false;
	const { error, error_type: errorType, object, status, type } = chunk;
	if (isErrorEvent(event) || saysError(error) || saysError(errorType)) return false;
	const isOther = Boolean(type) && !/error/i.test(`${String(type)}${String(object)}`);
	const isState = typeof status === 'string' && refusalIn({ status }) === undefined;
	return event !== 'message' || isOther || isState;
}

function reported(data: string): Problem {
	const words = ownWords('application/json', data);
	return endedEarly(
		words === '' ? 'the service reports an error' : `the service reports: ${words}`,
	);
}

function endedEarly(reason: string): Problem {
	return {
		message: `The response ended early: ${reason}`,
		description:
			'The error details contain what arrived, under partial. Run the item again for a complete response. This one may be billed.',
	};
}
