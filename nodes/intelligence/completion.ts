import type { IDataObject } from 'n8n-workflow';
import { apiError, ownWords, type Problem } from '../shared/http/errors';
import { readText } from '../shared/http/body';
import { type Head } from '../shared/http/exchange';
import { parseJson } from '../shared/json';
import {
	replyError,
	objectOf,
	requestObject,
	send,
	type RequestContext,
	type ApiRequest,
} from '../shared/http/request';
import { eventsOf } from '../shared/stream/stream';
import { Assembly } from './assembly';
import { API, GENERATION_DEADLINE_MS } from './paths';
import { isRecord } from '../shared/guards';
import { withKnown } from '../shared/operation/context';
import type { Answer } from '../shared/http/reply';

/** Far above any answer: a chunk of 300 bytes for each of 200,000 tokens. */
const LARGEST_STREAM_BYTES = 64 * 1024 * 1024;
/** Longest piece of a broken answer in an error's description; all of it stands in the error's details. */
const LONGEST_PARTIAL = 2_000;

/** `POST /api/v1/chat/completions` (intelligence-api.md "Chat completions"), the answer in one piece. */
export async function complete(context: RequestContext, body: IDataObject): Promise<IDataObject> {
	// Services refuse options of a stream where there is none
	const completion = await requestObject(context, spec({ ...body, stream_options: undefined }));
	return checked(context, completion);
}

/**
 * The same, read as it comes: yields the chunks, and returns what {@link complete} would have brought.
 * A stream that breaks off ends in an error that holds all that came: half an answer must not look like a whole one.
 */
export async function* streamed(
	context: RequestContext,
	body: IDataObject,
): AsyncGenerator<Record<string, unknown>, IDataObject> {
	const reply = await send(context, { ...spec({ ...body, stream: true }), keepsBody: true });
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	if (/json|html/i.test(reply.contentType)) {
		const whole = checked(context, await unstreamed(context, reply, reply.head));
		yield asChunk(whole);
		return whole;
	}
	const assembly = new Assembly();
	const count = typeof body.n === 'number' ? body.n : 1;
	const problem = yield* receive(context, reply.head, assembly, count);
	const completion = assembly.completion();
	if (!problem) return checked(context, completion);
	const text = textOf(completion);
	const description =
		text === ''
			? problem.description
			: `${problem.description}\nIt begins: ${text.slice(0, LONGEST_PARTIAL)}`;
	throw withKnown(
		apiError(context.functions.getNode(), { ...problem, description }, context.itemIndex),
		{
			partial: completion,
		},
	);
}

/** What the choices of a completion say, as far as it is text. */
function textOf({ choices }: IDataObject): string {
	const messages = (Array.isArray(choices) ? choices : []).map((choice) =>
		isRecord(choice) && isRecord(choice.message) ? choice.message.content : '',
	);
	return messages.filter((content) => typeof content === 'string' && content !== '').join('\n');
}

function spec(body: IDataObject): ApiRequest {
	return {
		method: 'POST',
		path: `${API}/chat/completions`,
		body,
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	};
}

/** A service that does not stream this model answers with plain JSON; a web page is none. */
async function unstreamed(
	context: RequestContext,
	answer: Answer,
	head: Head,
): Promise<IDataObject> {
	const read = await readText(head, context.signal);
	if ('problem' in read)
		throw replyError(context, { kind: 'lost', reason: read.problem, status: answer.status });
	return objectOf(context, { ...answer, text: context.account.redact(read.text) });
}

/** Who listens to the chunks would miss what came in one piece. */
function asChunk({ choices, ...rest }: IDataObject): Record<string, unknown> {
	const pieces = (choices as unknown[])
		.filter(isRecord)
		.map(({ message, ...choice }) => ({ ...choice, delta: message }));
	return { ...rest, choices: pieces };
}

function checked(context: RequestContext, completion: IDataObject): IDataObject {
	if (Array.isArray(completion.choices) && completion.choices.some(isRecord)) return completion;
	const words = ownWords('application/json', JSON.stringify(completion));
	throw withKnown(
		apiError(
			context.functions.getNode(),
			{
				message: `The answer holds no choices${words === '' ? '' : `: ${words}`}`,
				description: 'Check the Base URL in the credential: this may be another service.',
			},
			context.itemIndex,
		),
		{ partial: completion },
	);
}

/** Reads the stream into the assembly and yields its chunks; the problem where it did not come to its end. */
async function* receive(
	context: RequestContext,
	head: Head,
	assembly: Assembly,
	count: number,
): AsyncGenerator<Record<string, unknown>, Problem | undefined> {
	const { body, deadlineSignal: overdue } = head;
	const destroy = () => body.destroy();
	let isDone = false;
	const enders = [context.signal, overdue].filter((ender) => ender !== undefined);
	enders.forEach((ender) => ender.addEventListener('abort', destroy));
	try {
		if (enders.some((ender) => ender.aborted)) destroy();
		for await (const event of eventsOf(capped(body))) {
			const data = context.account.redact(event.data);
			isDone = data.trim() === '[DONE]';
			if (isDone) break;
			const chunk = parseJson(data);
			if (event.type === 'error' || isError(chunk))
				return brokenOff(
					`The service reports: ${ownWords('application/json', data) || 'an error'}`,
				);
			if (!isRecord(chunk)) return brokenOff('The service sent a piece that is no JSON object');
			assembly.add(chunk);
			yield chunk;
		}
		// [DONE] comes after half an answer too, and a missing one is nothing: what counts is that every choice has its end
		return assembly.isWhole(count, isDone)
			? undefined
			: brokenOff('The stream ended in the middle');
	} catch (error) {
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		if (overdue?.aborted)
			return brokenOff(`The answer was not whole after ${GENERATION_DEADLINE_MS / 60_000} minutes`);
		if (error instanceof TooLarge) return brokenOff(error.message);
		return assembly.isWhole(count) ? undefined : brokenOff('The connection broke');
	} finally {
		enders.forEach((ender) => ender.removeEventListener('abort', destroy));
		destroy();
	}
}

/** The forms of an error (beyond-the-spec.md section 7) in place of a chunk. */
function isError(chunk: unknown): boolean {
	return (
		isRecord(chunk) && Boolean(chunk.error || (!chunk.choices && (chunk.detail || chunk.message)))
	);
}

class TooLarge extends Error {}

async function* capped(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.byteLength;
		if (bytes > LARGEST_STREAM_BYTES)
			throw new TooLarge(`The stream is larger than ${LARGEST_STREAM_BYTES / 1024 / 1024} MiB`);
		yield chunk;
	}
}

function brokenOff(reason: string): Problem {
	return {
		message: `The answer broke off: ${reason}`,
		description:
			'What came is in the details of the error, under partial. Run the item again for a whole answer; this one may be billed.',
	};
}
