import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords, type Problem } from '../shared/http/errors';
import type { Account } from '../shared/http/credentials';
import { redactedIn } from '../shared/http/redact';
import type { Reply } from '../shared/http/reply';
import { replyError, send, type ApiRequest, type RequestContext } from '../shared/http/request';
import { contextError } from '../shared/operation/context';
import { choicesOf, faultOf, messageOf, readMessage } from './choice';
import { CompletionReader, type Chunk } from './completionReader';
import { withOneChoice } from './oneChoice';
import { API } from './paths';
import { DEFAULT_LIMITS, type RequestLimits } from './requestLimits';

/** Characters of an incomplete response in the description of the error, whose details contain all of it. */
const MAX_PARTIAL_CHARACTERS = 2_000;

/** Accounts whose service has refused `stream_options`. */
const withoutUsage = new WeakSet<Account>();

/**
 * `POST /api/v1/chat/completions` without a stream (intelligence-api.md "Chat completions").
 * @param body fields of the request
 * @returns the completion as the service sent it, with at least one choice; {@link requireUsable} says whether it is of use
 * @throws the error of the service, one for a response without choices, or one for a response that ended early, which carries
 * what arrived as `partial`: an incomplete response must not look like a complete one, and is billed
 */
export async function createCompletion(
	context: RequestContext,
	body: IDataObject,
	limits: RequestLimits = DEFAULT_LIMITS,
): Promise<IDataObject> {
	// Services refuse options of a stream where there is none
	const request = completionRequest({ ...body, stream_options: undefined }, limits);
	const reply = await send(context, { ...request, keepsBody: true });
	// All of it comes after a silence
	const chunks = readReply(context, reply, body, { ...limits, idleMs: limits.deadlineMs });
	for (;;) {
		const next = await chunks.next();
		if (next.done) return next.value;
	}
}

/**
 * The same as a stream: yields each chunk as it arrives, and returns what {@link createCompletion} would have returned.
 * Whoever stops early must call the generator's `return`, which closes the connection.
 * @throws the errors of {@link createCompletion}
 */
export async function* streamCompletion(
	context: RequestContext,
	body: IDataObject,
	limits: RequestLimits = DEFAULT_LIMITS,
): AsyncGenerator<Chunk, IDataObject> {
	const reply = await openCompletion(context, body, limits);
	return yield* readReply(context, reply, { ...body, stream: true }, limits);
}

async function* readReply(
	context: RequestContext,
	reply: Reply,
	body: IDataObject,
	{ deadlineMs, idleMs }: RequestLimits,
): AsyncGenerator<Chunk, IDataObject> {
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	const count = typeof body.n === 'number' ? body.n : 1;
	const reader = new CompletionReader(
		context,
		{ ...reply, head: reply.head },
		{
			isStream: body.stream === true,
			count,
			toolNames: new Set([body.tools ?? []].flat().filter(isRecord).map(toolName)),
			deadlineMs,
			idleMs,
		},
	);
	const problem = yield* reader.read();
	if (problem) throw partialError(context, problem, reader.partial());
	const completion = requireChoices(context, redactedIn(context.account, reader.completion()));
	return count > 1 ? completion : withOneChoice(completion);
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
		const problem = faultOf(choice, body, completion.error);
		if (problem) throw partialError(context, problem, completion);
	}
	return completion;
}

/** The error of a completion that has neither text nor tool calls, for an agent: it takes nothing else. */
export function unreadable(context: RequestContext, completion: IDataObject): Error {
	return partialError(
		context,
		{
			message: 'The response has no text that an AI agent can read',
			description:
				'The error details contain the response, under partial. Choose another model. This response may be billed.',
		},
		completion,
	);
}

function toolName({ function: called }: Record<string, unknown>): string {
	return isRecord(called) ? String(called.name) : '';
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
			headMs: limits.idleMs,
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
function partialError(
	context: RequestContext,
	problem: Problem,
	partial: IDataObject | string,
): Error {
	const text =
		typeof partial === 'string'
			? partial
			: choicesOf(partial)
					.map((choice) => readMessage(messageOf(choice)).text)
					.filter(Boolean)
					.join('\n');
	const start = context.account.redact(text).slice(0, MAX_PARTIAL_CHARACTERS);
	const description = `${problem.description}${start === '' ? '' : `\nThe response starts with: ${start}`}`;
	return contextError(
		context,
		{ ...problem, description },
		{ partial: redactedIn(context.account, partial) },
	);
}
