import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IHttpRequestMethods, NodeApiError } from 'n8n-workflow';
import type { Account, N8nFunctions } from './credentials';
import { answerProblem, apiError, isPage, ownWords, type Problem } from './errors';
import { refusalAlone, refusalIn } from './refusal';
import { readBytes } from './body';
import { noteClock, retryAfterOf } from './clock';
import { exchange, header } from './exchange';
import { parseAnswer } from '../json';
import {
	parseRetryAfter,
	decideRetry,
	limitReset,
	type RetryLimits,
	type RetryPolicy,
} from './retry';
import { delay } from '../time';
import { fillPath } from './url';
import { isRecord } from '../guards';
import { type Answer, type Reply, isSuccess } from './reply';

/** What a request needs besides its own row of the specification. */
export interface RequestContext {
	functions: N8nFunctions;
	account: Account;
	/** Ends the request and every wait at once. */
	signal?: AbortSignal;
	itemIndex?: number;
}

export type QueryValue = string | number | boolean | Array<string | number>;

/** One row of the specification's endpoint tables. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Template such as `/v1/{segment}/things/{thing_id}`; values are encoded as path segments. */
	path: string;
	params?: Record<string, string>;
	/** Unset values are not sent; of an array the key is repeated. */
	query?: Record<string, QueryValue | undefined>;
	/** Sent as JSON. */
	body?: IDataObject | IDataObject[];
	/** A body other than JSON, sent as it is: a form with a file, say. */
	payload?: Payload;
	/** The answer is a file of up to this size; its bytes are kept and its text is left empty. */
	largestFileBytes?: number;
	/** Most that is read of any other answer; default 16 MiB. */
	largestTextBytes?: number;
	/** Beside the usual ones. */
	headers?: Record<string, string>;
	retry: RetryPolicy;
	/** Beside the policy. */
	retryLimits?: RetryLimits;
	/** The whole answer must be here in this time, in milliseconds; default 60 s. */
	deadlineMs?: number;
	/** The time is for the head of the answer: its body, a stream, has no end of its own. */
	isEndless?: boolean;
	/** The head of the answer must be here in this time, where it is shorter. */
	headMs?: number;
	/** The body of a successful answer is left unread, in {@link Answer.head}: an event stream, say. */
	keepsBody?: boolean;
}

/** A request body with its content type. */
export interface Payload {
	contentType: string;
	bytes: Buffer;
}

const DEADLINE_MS = 60_000;

/** Beside the errors, since all that they hold is shown. */
const transientErrors = new WeakSet<Error>();

/**
 * Sends one request by the retry table and returns the parsed JSON of the answer, or its text where it is none.
 * @param noIn finds the refusal in an answer; what changes something takes one for a no that has more beside it, too
 * @throws one readable error, also for a web page, and for a 2xx that says nothing but no
 */
export async function request(
	context: RequestContext,
	spec: ApiRequest,
	noIn = refusalAlone,
): Promise<unknown> {
	const reply = await send(context, spec);
	if (reply.kind !== 'answer' || !isSuccess(reply.status)) throw replyError(context, reply);
	if (isPage(reply.contentType, reply.text)) throw replyError(context, reply);
	const data = parseAnswer(reply.text);
	if (noIn(data) !== undefined) throw replyError(context, reply);
	return data ?? reply.text;
}

/** As {@link request}, for the endpoints that answer with a JSON object; anything else is an error that shows the beginning. */
export async function requestObject(
	context: RequestContext,
	spec: ApiRequest,
): Promise<IDataObject> {
	return objectOf(context, await send(context, spec));
}

/** The JSON object of a successful outcome, or the error; a bare array, where it may be one, as the `data` of an object. */
export function objectOf(context: RequestContext, reply: Reply, mayBeBare = false): IDataObject {
	if (reply.kind !== 'answer' || !isSuccess(reply.status)) throw replyError(context, reply);
	const data = parseAnswer(reply.text);
	if (isRecord(data) && refusalAlone(data) === undefined) return data as IDataObject;
	if (mayBeBare && Array.isArray(data)) return { data: data as IDataObject[] };
	throw replyError(context, reply);
}

/** What is wrong with a 2xx that is of no use. */
function uselessProblem(reply: Answer): Problem {
	const refusal = refusalIn(parseAnswer(reply.text));
	if (refusal !== undefined)
		return {
			message: `The service answered ${reply.status}, but says no: ${refusal}`,
			description: 'Check the values of the fields above against the message.',
		};
	const words = ownWords(reply.contentType, reply.text).slice(0, 200);
	return {
		message:
			words === ''
				? 'The response is empty; a JSON object was expected'
				: `The response is not a JSON object: ${words}`,
		description:
			'Check the Base URL in the credential: this may be another service or a login page.',
	};
}

/** Sends one request by the retry table and returns how it ended; throws only for a request that could not be built. */
export async function send(context: RequestContext, spec: ApiRequest): Promise<Reply> {
	const url = `${context.account.baseUrl}${fillPath(context, spec.path, spec.params)}`;
	for (let tries = 1; ; tries++) {
		const reply = await attempt(context, spec, url);
		const next = decideRetry(spec.retry, reply, tries, Math.random(), spec.retryLimits);
		if (!next.again)
			return reply.kind === 'answer' && tries > 1 ? { ...reply, isToRetry: true } : reply;
		await delay(next.delayMs, context.signal);
	}
}

/** n8n's error for an outcome that is no success, or for a success without the JSON object that it should hold. */
export function replyError(
	context: RequestContext,
	reply: Reply,
): NodeApiError | NodeOperationError {
	const node = context.functions.getNode();
	if (reply.kind === 'cancelled') {
		return new NodeOperationError(node, 'The execution was cancelled', {
			itemIndex: context.itemIndex,
		});
	}
	const error = apiError(node, problemOf(reply, context.account), context.itemIndex);
	return decideRetry('idempotent', reply, 1, 0).again ? asTransient(error) : error;
}

/** Marks an error of its own as one after which the same read may succeed. */
export function asTransient<E extends Error>(error: E): E {
	transientErrors.add(error);
	return error;
}

/** Whether an error is one after which, by the retry table, the same read may succeed: for what waits longer than a request does. */
export function isTransient(error: Error): boolean {
	return transientErrors.has(error);
}

function problemOf(reply: Exclude<Reply, { kind: 'cancelled' }>, account: Account): Problem {
	if (reply.kind === 'answer' && isSuccess(reply.status)) return uselessProblem(reply);
	if (reply.kind === 'answer') {
		return answerProblem(
			reply.status,
			reply.contentType,
			reply.text,
			parseRetryAfter(reply.retryAfter),
			account.advice,
		);
	}
	const description =
		reply.advice ??
		(reply.kind === 'unsent'
			? 'Nothing was sent. Check the Base URL in the credential and that the service can be reached from this n8n.'
			: 'The request may have reached the service, but its response is incomplete.');
	return {
		message: reply.reason,
		description,
		status: reply.status,
	};
}

async function attempt(context: RequestContext, spec: ApiRequest, url: string): Promise<Reply> {
	if (context.signal?.aborted) return { kind: 'cancelled' };
	const head = await exchange(context.functions, context.account, {
		method: spec.method,
		url,
		query: spec.query,
		body: spec.payload?.bytes ?? (spec.body && JSON.stringify(spec.body)),
		headers: headersOf(spec),
		signal: context.signal,
		deadlineMs: spec.deadlineMs ?? DEADLINE_MS,
		isEndless: spec.isEndless,
		headMs: spec.headMs,
	});
	if ('kind' in head) return head;
	noteClock(context.account, head);
	await context.account.learnSecrets?.();
	if (spec.keepsBody && isSuccess(head.status)) {
		return {
			kind: 'answer',
			status: head.status,
			contentType: header(head, 'content-type') ?? '',
			text: '',
			head,
		};
	}
	const largest = isSuccess(head.status) ? spec.largestFileBytes : undefined;
	const read = await readBytes(head, context.signal, largest ?? spec.largestTextBytes);
	if ('problem' in read) {
		if (context.signal?.aborted) return { kind: 'cancelled' };
		return { kind: 'lost', reason: read.problem, status: head.status, permanent: read.tooLarge };
	}
	const text = largest === undefined ? new TextDecoder().decode(read.bytes) : '';
	const isLimited = spec.retry === 'billed' && head.status === 429;
	return {
		kind: 'answer',
		status: head.status,
		contentType: context.account.redact(header(head, 'content-type') ?? ''),
		retryAfter: isLimited ? limitReset(head.headers, text) : retryAfterOf(head),
		text: context.account.redact(text),
		...(largest !== undefined && {
			file: {
				bytes: read.bytes,
				disposition: context.account.redact(header(head, 'content-disposition') ?? ''),
			},
		}),
	};
}

function headersOf({ method, body, payload, headers }: ApiRequest): Record<string, string> {
	const contentType = payload?.contentType ?? (body && 'application/json');
	return {
		// A cache on the way takes an answer to a key of the service for everybody's, and what it has kept is not what is true now
		...(method === 'GET' && { 'Cache-Control': 'no-cache' }),
		...(contentType && { 'Content-Type': contentType }),
		...headers,
	};
}
