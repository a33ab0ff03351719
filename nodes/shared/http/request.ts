import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IHttpRequestMethods, NodeApiError } from 'n8n-workflow';
import type { Account, Context } from './credentials';
import { answerProblem, apiError, isPage, ownWords, type Problem } from './errors';
import { exchange, header, readBytes, type Head } from './exchange';
import { parseJson } from '../json';
import { retryAfterMs, verdict, type Failure, type RetryRow } from './retry';
import { delay } from '../time';
import { fillPath } from './url';
import { isRecord } from '../operation/parameters';

/** What a request needs besides its own row of the specification. */
export interface Api {
	ctx: Context;
	account: Account;
	/** Ends the request and every wait at once. */
	signal?: AbortSignal;
	itemIndex?: number;
}

export type QueryValue = string | number | boolean | Array<string | number>;

/** One row of the specification's endpoint tables. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Template such as `/v1/{service}-explorer/devices/{device_id}/details`; values are encoded as path segments. */
	path: string;
	params?: Record<string, string>;
	/** Unset values are not sent; of an array the key is repeated. */
	query?: Record<string, QueryValue | undefined>;
	/** Sent as JSON. */
	body?: IDataObject;
	/** A body other than JSON, sent as it is: a form with a file, say. */
	payload?: Payload;
	/** The answer is a file of up to this size; its bytes are kept and its text is left empty. */
	largestFileBytes?: number;
	/** Most that is read of any other answer; default 16 MiB. */
	largestTextBytes?: number;
	/** Beside the usual ones. */
	headers?: Record<string, string>;
	retry: RetryRow;
	/** The whole answer must be here in this time, in milliseconds; default 60 s. */
	deadlineMs?: number;
	/** The time is for the head of the answer: its body, a stream, has no end of its own. */
	isEndless?: boolean;
	/** The body of a successful answer is left unread, in {@link Answer.head}: an event stream, say. */
	keepsBody?: boolean;
}

/** A whole answer, with any status. */
export interface Answer {
	kind: 'answer';
	status: number;
	contentType: string;
	text: string;
	retryAfter?: string;
	/** In place of the text, where a file was asked for. */
	file?: { bytes: Buffer; disposition?: string };
	/** In place of the text, where the body was to be kept. Whoever takes it must destroy the body in the end. */
	head?: Head;
}

/** A request body with its content type. */
export interface Payload {
	contentType: string;
	bytes: Buffer;
}

/** How a request ended. Only money operations look at more than the data: see {@link request}. */
export type Outcome =
	| Answer
	/** Nothing left this machine: the service cannot have done anything. */
	| { kind: 'unsent'; reason: string; advice?: string; permanent?: boolean }
	/** The service may have done the work; `status` is set when at least the head of an answer came. */
	| { kind: 'lost'; reason: string; status?: number; permanent?: boolean }
	| { kind: 'cancelled' };

const DEADLINE_MS = 60_000;

/** Beside the errors, since all that they hold is shown. */
const passing = new WeakSet<Error>();

/** Sends one request by the retry table and returns the parsed JSON of the answer (text where it is none, but no web page), or throws one readable error. */
export async function request(api: Api, spec: ApiRequest): Promise<unknown> {
	const outcome = await send(api, spec);
	if (outcome.kind !== 'answer' || !isSuccess(outcome.status)) throw failure(api, outcome);
	if (isPage(outcome.contentType, outcome.text)) throw failure(api, outcome);
	return parseJson(outcome.text) ?? outcome.text;
}

/** As {@link request}, for the endpoints that answer with a JSON object; anything else is an error that shows the beginning. */
export async function requestObject(api: Api, spec: ApiRequest): Promise<IDataObject> {
	return objectOf(api, await send(api, spec));
}

/** The JSON object of a successful outcome, or the error. */
export function objectOf(api: Api, outcome: Outcome): IDataObject {
	if (outcome.kind !== 'answer' || !isSuccess(outcome.status)) throw failure(api, outcome);
	const data = parseJson(outcome.text);
	if (isRecord(data)) return data as IDataObject;
	throw failure(api, outcome);
}

function notJson(outcome: Answer): Problem {
	const words = ownWords(outcome.contentType, outcome.text).slice(0, 200);
	return {
		message:
			words === ''
				? 'The answer is empty where a JSON object was expected'
				: `The answer is not a JSON object: ${words}`,
		description:
			'Check the Base URL in the credential: this may be another service or a login page.',
	};
}

/** Sends one request by the retry table and returns how it ended; throws only for a request that could not be built. */
export async function send(api: Api, spec: ApiRequest): Promise<Outcome> {
	const url = `${api.account.baseUrl}${fillPath(api, spec.path, spec.params)}`;
	for (let tries = 1; ; tries++) {
		const outcome = await sendOnce(api, spec, url);
		if (outcome.kind === 'cancelled' || (outcome.kind === 'answer' && isSuccess(outcome.status)))
			return outcome;
		const next = verdict(spec.retry, failureOf(outcome), tries, Math.random());
		if (!next.again) return outcome;
		await delay(next.delayMs, api.signal);
		if (api.signal?.aborted) return { kind: 'cancelled' };
	}
}

/** n8n's error for an outcome that is no success, or for a success without the JSON object that it should hold. */
export function failure(api: Api, outcome: Outcome): NodeApiError | NodeOperationError {
	const node = api.ctx.getNode();
	if (outcome.kind === 'cancelled') {
		return new NodeOperationError(node, 'The execution was cancelled', {
			itemIndex: api.itemIndex,
		});
	}
	const error = apiError(node, problemOf(outcome, 'rag' in api.account.segments), api.itemIndex);
	if (verdict('read', failureOf(outcome), 1, 0).again) passing.add(error);
	return error;
}

/** Whether an error is one after which, by the retry table, the same read may succeed: for what waits longer than a request does. */
export function isPassing(error: Error): boolean {
	return passing.has(error);
}

/** @param isMetered the intelligence API draws on credits and quotas, compute does not */
function problemOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>, isMetered: boolean): Problem {
	if (outcome.kind === 'answer' && isSuccess(outcome.status)) return notJson(outcome);
	if (outcome.kind === 'answer') {
		return answerProblem(
			outcome.status,
			outcome.contentType,
			outcome.text,
			retryAfterMs(outcome.retryAfter),
			isMetered,
		);
	}
	const description =
		outcome.kind === 'unsent'
			? (outcome.advice ??
				'Nothing was sent. Check the Base URL in the credential and that the service can be reached from this n8n.')
			: 'The request may have reached the service, but its answer did not arrive whole.';
	return {
		message: outcome.reason,
		description,
		status: outcome.kind === 'lost' ? outcome.status : undefined,
	};
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

function failureOf(outcome: Exclude<Outcome, { kind: 'cancelled' }>): Failure {
	if (outcome.kind !== 'answer') return { kind: outcome.kind, permanent: outcome.permanent };
	return { kind: 'answered', status: outcome.status, retryAfter: outcome.retryAfter };
}

async function sendOnce(api: Api, spec: ApiRequest, url: string): Promise<Outcome> {
	if (api.signal?.aborted) return { kind: 'cancelled' };
	const head = await exchange(api.ctx, api.account, {
		method: spec.method,
		url,
		query: spec.query,
		body: spec.payload?.bytes ?? (spec.body && JSON.stringify(spec.body)),
		headers: headersOf(spec),
		signal: api.signal,
		deadlineMs: spec.deadlineMs ?? DEADLINE_MS,
		isEndless: spec.isEndless,
	});
	if ('kind' in head)
		return head.kind === 'cancelled' ? { kind: 'cancelled' } : { ...head, kind: head.kind };
	await api.account.learnSecrets?.();
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
	const read = await readBytes(head, api.signal, largest ?? spec.largestTextBytes);
	if ('problem' in read) {
		if (api.signal?.aborted) return { kind: 'cancelled' };
		return { kind: 'lost', reason: read.problem, status: head.status, permanent: read.tooLarge };
	}
	return {
		kind: 'answer',
		status: head.status,
		contentType: api.account.redact(header(head, 'content-type') ?? ''),
		retryAfter: header(head, 'retry-after'),
		...(largest === undefined
			? { text: api.account.redact(new TextDecoder().decode(read.bytes)) }
			: {
					text: '',
					file: {
						bytes: read.bytes,
						disposition: api.account.redact(header(head, 'content-disposition') ?? ''),
					},
				}),
	};
}

function headersOf({ body, payload, headers }: ApiRequest): Record<string, string> {
	const contentType = payload?.contentType ?? (body && 'application/json');
	return { ...(contentType && { 'Content-Type': contentType }), ...headers };
}
