import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { duration, isPage, ownWords, type Problem } from '../shared/http/errors';
import type { Account } from '../shared/http/credentials';
import type { Answer, Head, Reply } from '../shared/http/reply';
import {
	replyError,
	requestObject,
	send,
	type ApiRequest,
	type RequestContext,
} from '../shared/http/request';
import { parseJson } from '../shared/json';
import { contextError } from '../shared/operation/context';
import { ByteReader, type ReadResult } from '../shared/stream/byteReader';
import type { SseEvent } from '../shared/stream/sseDecoder';
import { now } from '../shared/time';
import { CompletionAccumulator } from './accumulator';
import { BodyDecoder } from './bodyDecoder';
import { choicesOf, faultOf, messageOf, readMessage } from './choice';
import { API } from './paths';
import { DEFAULT_LIMITS, type RequestLimits } from './requestLimits';

/** Far above any completion: 200,000 tokens in chunks of 300 bytes. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** Characters of an incomplete response in the description of the error, whose details contain all of it. */
const MAX_PARTIAL_CHARACTERS = 2_000;

/** A chunk of a stream: an object of the form `chat.completion.chunk` (beyond-the-spec.md section 5 "Streaming"). */
type Chunk = Record<string, unknown>;

/** Accounts whose service has refused `stream_options`. */
const withoutUsage = new WeakSet<Account>();

/**
 * `POST /api/v1/chat/completions` without a stream (intelligence-api.md "Chat completions").
 * @param body fields of the request
 * @returns the completion as the service sent it, with at least one choice; {@link requireUsable} says whether it is of use
 * @throws the error of the service, or one for a response without choices
 */
export async function createCompletion(
	context: RequestContext,
	body: IDataObject,
	limits: RequestLimits = DEFAULT_LIMITS,
): Promise<IDataObject> {
	// Services refuse options of a stream where there is none
	const request = completionRequest({ ...body, stream_options: undefined }, limits);
	return requireChoices(context, await requestObject(context, request));
}

/**
 * The same as a stream: yields each chunk as it arrives, and returns what {@link createCompletion} would have returned.
 * Whoever stops early must call the generator's `return`, which closes the connection.
 * @throws also an error for a stream that ended early, which carries what arrived as `partial`: an incomplete response must
 * not look like a complete one
 */
export async function* streamCompletion(
	context: RequestContext,
	body: IDataObject,
	limits: RequestLimits = DEFAULT_LIMITS,
): AsyncGenerator<Chunk, IDataObject> {
	const reply = await openCompletion(context, body, limits);
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	const accumulator = new CompletionAccumulator();
	const count = typeof body.n === 'number' ? body.n : 1;
	const problem = yield* readChunks(context, { ...reply, head: reply.head }, accumulator, {
		...limits,
		count,
	});
	const completion = accumulator.completion();
	if (problem) throw partialError(context, problem, completion);
	return requireChoices(context, completion);
}

/**
 * The completion, if each of its choices is of use.
 * @param body fields of the request
 * @throws an error that carries it as `partial`, and says what to do: a refusal, a cut-off tool call or nothing at all must not
 * look like a response
 */
export function requireUsable(
	context: RequestContext,
	completion: IDataObject,
	body: IDataObject,
): IDataObject {
	for (const choice of choicesOf(completion)) {
		const problem = faultOf(choice, body);
		if (problem) throw partialError(context, problem, completion);
	}
	return completion;
}

function completionRequest(
	body: IDataObject,
	{ deadlineMs, retryLimits }: RequestLimits,
): ApiRequest {
	const path = `${API}/chat/completions`;
	return { method: 'POST', path, body, retry: 'billed', retryLimits, deadlineMs };
}

/** Asks for a stream that ends with its usage, and without that where the service refuses it. */
async function openCompletion(
	context: RequestContext,
	body: IDataObject,
	limits: RequestLimits,
): Promise<Reply> {
	const asksUsage = !('stream_options' in body) && !withoutUsage.has(context.account);
	const open = async (more: IDataObject) =>
		await send(context, {
			...completionRequest({ ...body, stream: true, ...more }, limits),
			keepsBody: true,
		});
	const reply = await open(asksUsage ? { stream_options: { include_usage: true } } : {});
	const isRefused = reply.kind === 'answer' && [400, 422].includes(reply.status);
	if (!asksUsage || !isRefused || !/stream.?options|include.?usage/i.test(reply.text)) return reply;
	withoutUsage.add(context.account);
	return await open({});
}

function requireChoices(context: RequestContext, completion: IDataObject): IDataObject {
	if (choicesOf(completion).length > 0) return completion;
	const words = ownWords('application/json', JSON.stringify(completion));
	const message = `The response contains no choices${words === '' ? '' : `: ${words}`}`;
	const description = 'Check the Base URL in the credential: this may be another service.';
	throw contextError(context, { message, description }, { partial: completion });
}

/** An error that carries the completion, with the beginning of its text in the description. */
function partialError(context: RequestContext, problem: Problem, completion: IDataObject): Error {
	const texts = choicesOf(completion).map((choice) => readMessage(messageOf(choice)).text);
	const text = texts.filter(Boolean).join('\n').slice(0, MAX_PARTIAL_CHARACTERS);
	const description = `${problem.description}${text === '' ? '' : `\nThe response starts with: ${text}`}`;
	return contextError(context, { ...problem, description }, { partial: completion });
}

/**
 * Reads the stream into the accumulator and yields its chunks; closes it in the end.
 * @param limits with the number of choices that the stream must complete
 * @returns what went wrong where the stream is not complete
 */
async function* readChunks(
	context: RequestContext,
	answer: Answer & { head: Head },
	accumulator: CompletionAccumulator,
	{ count, deadlineMs, idleMs }: RequestLimits & { count: number },
): AsyncGenerator<Chunk, Problem | undefined> {
	const signals = [context.signal, answer.head.deadlineSignal].filter((one) => one !== undefined);
	const reader = new ByteReader(answer.head.body, AbortSignal.any(signals));
	const decoder = new BodyDecoder();
	const endsAt = now() + deadlineMs;
	let bytes = 0;
	try {
		for (;;) {
			const read = await reader.next(Math.min(endsAt, now() + idleMs));
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			const isOver = read.kind !== 'chunk';
			const events = isOver ? decoder.end() : decoder.push(read.bytes);
			for (const { type, data: sent } of events.flatMap(linesOf)) {
				const data = context.account.redact(sent);
				if (data.trim() === '[DONE]')
					return accumulator.isComplete(count, true) ? undefined : endedEarly(UNFINISHED);
				const chunk = parseJson(data);
				if (type === 'error' || isError(chunk)) {
					const words = ownWords('application/json', data);
					return endedEarly(
						words === '' ? 'the service reports an error' : `the service reports: ${words}`,
					);
				}
				if (isPage(answer.contentType, data)) throw replyError(context, { ...answer, text: data });
				if (isRecord(chunk) && (chunk.choices || !chunk.type)) yield accumulator.add(chunk);
				else if (!isRecord(chunk) && !isOver && !isKeepAlive(type, data))
					return endedEarly('the service sent a chunk that is not a JSON object');
			}
			bytes += isOver ? 0 : read.bytes.byteLength;
			if (bytes > MAX_STREAM_BYTES)
				return endedEarly(`it is larger than ${MAX_STREAM_BYTES / 1024 / 1024} MiB`);
			// Some services send [DONE] after an incomplete response, others never send it: the finish reasons count
			if (isOver && accumulator.isComplete(count)) return undefined;
			if (isOver)
				return endedEarly(
					reasonOf(
						read,
						read.kind === 'closed' || now() >= endsAt ? deadlineMs : undefined,
						idleMs,
					),
				);
		}
	} finally {
		reader.destroy();
	}
}

/** Some services leave out the empty line between events: each line of data is one then. */
function linesOf(event: SseEvent): SseEvent[] {
	const isJoined = /^\s*\{.*\n/.test(event.data) && parseJson(event.data) === undefined;
	return isJoined ? event.data.split('\n').map((data) => ({ ...event, data })) : [event];
}

const UNFINISHED = 'the stream ended without a finish reason';

/** Why a stream is over. */
function reasonOf({ kind }: ReadResult, deadlineMs: number | undefined, idleMs: number): string {
	if (kind === 'broken') return 'the connection was lost';
	if (kind === 'end') return UNFINISHED;
	return deadlineMs === undefined
		? `nothing arrived for ${duration(idleMs)} (Idle Timeout)`
		: `it took longer than ${duration(deadlineMs)} (Timeout)`;
}

/** What keeps a connection open and says nothing: empty data, or words in an event that is no chunk. */
function isKeepAlive(type: string, data: string): boolean {
	return type !== 'message' || /^\s*(?:null|ping|pong|keep-?alive|heartbeat)?\s*$/i.test(data);
}

/** The forms of an error in place of a chunk (beyond-the-spec.md section 7). A message of another type says that the service is alive. */
function isError(chunk: unknown): boolean {
	if (!isRecord(chunk)) return false;
	const isOther =
		Boolean(chunk.type) && !/error/i.test(`${String(chunk.type)}${String(chunk.object)}`);
	return Boolean(chunk.error || (!chunk.choices && !isOther && (chunk.detail || chunk.message)));
}

function endedEarly(reason: string): Problem {
	return {
		message: `The response ended early: ${reason}`,
		description:
			'The error details contain what arrived, under partial. Run the item again for a complete response. This one may be billed.',
	};
}
