import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords, type Problem } from '../shared/http/errors';
import { readText } from '../shared/http/body';
import type { Answer, Head } from '../shared/http/reply';
import {
	objectOf,
	replyError,
	requestObject,
	send,
	type ApiRequest,
	type RequestContext,
} from '../shared/http/request';
import { parseJson } from '../shared/json';
import { contextError } from '../shared/operation/context';
import { eventsOf } from '../shared/stream/stream';
import { CompletionAccumulator } from './accumulator';
import { API, GENERATION_DEADLINE_MS } from './paths';

/** Far above any completion: 200,000 tokens in chunks of 300 bytes. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** Characters of an incomplete response in the description of the error, whose details contain all of it. */
const MAX_PARTIAL_CHARACTERS = 2_000;

/** A chunk of a stream: an object of the form `chat.completion.chunk` (beyond-the-spec.md section 5 "Streaming"). */
type Chunk = Record<string, unknown>;

/**
 * `POST /api/v1/chat/completions` without a stream (intelligence-api.md "Chat completions").
 * @param body fields of the request
 * @returns the completion as the service sent it, with at least one choice
 * @throws the error of the service, or one for a response without choices
 */
export async function createCompletion(
	context: RequestContext,
	body: IDataObject,
): Promise<IDataObject> {
	// Services refuse options of a stream where there is none
	const request = completionRequest({ ...body, stream_options: undefined });
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
): AsyncGenerator<Chunk, IDataObject> {
	const request = { ...completionRequest({ ...body, stream: true }), keepsBody: true };
	const reply = await send(context, request);
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	if (/json|html/i.test(reply.contentType)) {
		const completion = requireChoices(context, await readUnstreamed(context, reply, reply.head));
		yield asChunk(completion);
		return completion;
	}
	const accumulator = new CompletionAccumulator();
	const count = typeof body.n === 'number' ? body.n : 1;
	const problem = yield* readChunks(context, reply.head, accumulator, count);
	const completion = accumulator.completion();
	if (!problem) return requireChoices(context, completion);
	const text = textOf(completion).slice(0, MAX_PARTIAL_CHARACTERS);
	const description =
		text === '' ? problem.description : `${problem.description}\nThe response starts with: ${text}`;
	throw contextError(context, { ...problem, description }, { partial: completion });
}

function completionRequest(body: IDataObject): ApiRequest {
	return {
		method: 'POST',
		path: `${API}/chat/completions`,
		body,
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	};
}

/** A service that does not stream a model responds with plain JSON. A web page is an error. */
async function readUnstreamed(
	context: RequestContext,
	answer: Answer,
	head: Head,
): Promise<IDataObject> {
	const read = await readText(head, context.signal);
	if ('problem' in read)
		throw replyError(context, { kind: 'lost', reason: read.problem, status: answer.status });
	return objectOf(context, { ...answer, text: context.account.redact(read.text) });
}

/** A completion as a single chunk, for those who read chunks alone. */
function asChunk({ choices, ...rest }: IDataObject): Chunk {
	const deltas = (choices as unknown[])
		.filter(isRecord)
		.map(({ message, ...choice }) => ({ ...choice, delta: message }));
	return { ...rest, choices: deltas };
}

function requireChoices(context: RequestContext, completion: IDataObject): IDataObject {
	if (Array.isArray(completion.choices) && completion.choices.some(isRecord)) return completion;
	const words = ownWords('application/json', JSON.stringify(completion));
	const message = `The response contains no choices${words === '' ? '' : `: ${words}`}`;
	const description = 'Check the Base URL in the credential: this may be another service.';
	throw contextError(context, { message, description }, { partial: completion });
}

/** The contents of all choices that are text, one a line. */
function textOf({ choices }: IDataObject): string {
	const contents = (Array.isArray(choices) ? choices : []).map((choice) =>
		isRecord(choice) && isRecord(choice.message) ? choice.message.content : '',
	);
	return contents.filter((content) => typeof content === 'string' && content !== '').join('\n');
}

/**
 * Reads the stream into the accumulator and yields its chunks; closes it in the end.
 * @param count number of choices that the stream must complete
 * @returns what went wrong where the stream is not complete
 */
async function* readChunks(
	context: RequestContext,
	{ body, deadlineSignal }: Head,
	accumulator: CompletionAccumulator,
	count: number,
): AsyncGenerator<Chunk, Problem | undefined> {
	const signals = [context.signal, deadlineSignal].filter((signal) => signal !== undefined);
	const close = () => body.destroy();
	signals.forEach((signal) => signal.addEventListener('abort', close));
	let isDone = false;
	try {
		if (signals.some((signal) => signal.aborted)) close();
		for await (const event of eventsOf(limited(body))) {
			const data = context.account.redact(event.data);
			isDone = data.trim() === '[DONE]';
			if (isDone) break;
			const chunk = parseJson(data);
			if (event.type === 'error' || isError(chunk)) {
				const words = ownWords('application/json', data);
				return endedEarly(
					words === '' ? 'the service reports an error' : `the service reports: ${words}`,
				);
			}
			if (!isRecord(chunk)) return endedEarly('the service sent a chunk that is not a JSON object');
			accumulator.add(chunk);
			yield chunk;
		}
		// Some services send [DONE] after an incomplete response, others never send it: the finish reasons count
		if (accumulator.isComplete(count, isDone)) return undefined;
		return endedEarly('the stream ended without a finish reason');
	} catch (error) {
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		if (deadlineSignal?.aborted)
			return endedEarly(`it took longer than ${GENERATION_DEADLINE_MS / 60_000} minutes`);
		if (error instanceof TooLarge) return endedEarly(error.message);
		return accumulator.isComplete(count) ? undefined : endedEarly('the connection was lost');
	} finally {
		signals.forEach((signal) => signal.removeEventListener('abort', close));
		close();
	}
}

/** The forms of an error in place of a chunk (beyond-the-spec.md section 7). */
function isError(chunk: unknown): boolean {
	return (
		isRecord(chunk) && Boolean(chunk.error || (!chunk.choices && (chunk.detail || chunk.message)))
	);
}

class TooLarge extends Error {}

async function* limited(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.byteLength;
		if (bytes > MAX_STREAM_BYTES)
			throw new TooLarge(`it is larger than ${MAX_STREAM_BYTES / 1024 / 1024} MiB`);
		yield chunk;
	}
}

function endedEarly(reason: string): Problem {
	return {
		message: `The response ended early: ${reason}`,
		description:
			'The error details contain what arrived, under partial. Run the item again for a complete response. This one may be billed.',
	};
}
