import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import type { Account, N8nFunctions } from './credentials';
import { TRANSIENT_STATUSES } from './retry';
import { deadline, firstAbort } from '../time';
import { isRecord } from '../guards';
import type { ByteStream, Head, NoAnswer } from './reply';

/** One HTTP exchange, as the request helper and the stream helper both need it. */
export interface ExchangeRequest {
	method: IHttpRequestMethods;
	url: string;
	query?: IDataObject;
	headers?: Record<string, string>;
	/** A Buffer, unlike a stream or a form object, can be sent again after an OAuth2 refresh. */
	body?: string | Buffer;
	/** Ends the exchange, up to the head of the answer and beyond. */
	signal?: AbortSignal;
	/** Time for the whole exchange in milliseconds. */
	deadlineMs: number;
	/** The time is for the head of the answer: its body, a stream, has no end of its own. */
	isEndless?: boolean;
	/** Time for the head of the answer, where it is shorter. */
	headMs?: number;
}

/**
 * Sends one request through n8n's own helper (proxy, SSRF policy, credential, OAuth2 refresh) and returns the head of the answer.
 * The body is always a stream: n8n's helper has no size limit, its `timeout` is no deadline, and in execute contexts it
 * replaces our abort signal, so only a reader of ours can enforce both.
 */
export async function exchange(
	functions: N8nFunctions,
	account: Account,
	request: ExchangeRequest,
): Promise<Head | NoAnswer> {
	const deadlineSignal = deadline(request.deadlineMs);
	const controller = new AbortController();
	const abort = () => controller.abort();
	const headMs = Math.min(request.headMs ?? Infinity, request.deadlineMs);
	const headSignal = headMs < request.deadlineMs ? deadline(headMs) : undefined;
	const signals = [request.signal, deadlineSignal, headSignal].filter((one) => one !== undefined);
	signals.forEach((signal) => signal.addEventListener('abort', abort));
	const options: IHttpRequestOptions = {
		method: request.method,
		url: request.url,
		qs: request.query,
		arrayFormat: 'repeat',
		headers: { Accept: 'application/json', ...account.headers, ...request.headers },
		body: request.body,
		encoding: 'stream',
		returnFullResponse: true,
		// n8n forwards key headers to the host of a redirect
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		// an OAuth2 token is refreshed only when n8n sees the 401 itself
		ignoreHttpStatusErrors: account.isOAuth2 ? { ignore: true, except: [401] } : true,
		allowedDomains: account.allowedDomains,
		timeout: request.isEndless ? 0 : request.deadlineMs,
		abortSignal: controller.signal,
	};
	try {
		const answering = sign(functions, account, options, controller.signal).then(
			(response) => toHead(response, controller),
			(error: unknown) => headOfRejection(error, controller) ?? noAnswer(error, account),
		);
		const result = await Promise.race([answering, firstAbort([controller.signal])]);
		if (!(result instanceof AbortSignal || controller.signal.aborted))
			return 'headers' in result ? { ...result, deadlineSignal } : result;
		// Given up on: a late answer must not keep its socket
		void answering.then((late) => 'headers' in late && late.body.destroy());
		if (request.signal?.aborted) return { kind: 'cancelled' };
		return { kind: 'lost', reason: `No response within ${headMs / 1000} seconds` };
	} finally {
		signals.forEach((signal) => signal.removeEventListener('abort', abort));
	}
}

async function sign(
	functions: N8nFunctions,
	account: Account,
	options: IHttpRequestOptions,
	signal: AbortSignal,
): Promise<unknown> {
	const cancellable = withCancelSignal(functions, signal);
	const { httpRequest, httpRequestWithAuthentication } = functions.helpers;
	return account.isPublic
		? await httpRequest.call(cancellable, options)
		: await httpRequestWithAuthentication.call(cancellable, account.credentialType, options);
}

/** A header of an answer as text; names are lower case. */
export function header(head: Head, name: string): string | undefined {
	const value = head.headers[name];
	return typeof value === 'string' ? value : undefined;
}

/** n8n replaces a request's `abortSignal` by the execution's cancel signal: for this request that one is ours. */
function withCancelSignal(functions: N8nFunctions, signal: AbortSignal): N8nFunctions {
	return Object.create(functions, {
		getExecutionCancelSignal: { value: () => signal },
	}) as N8nFunctions;
}

function toHead(response: unknown, controller: AbortController): Head {
	const { statusCode, headers, body } = response as {
		statusCode: number;
		headers: Record<string, unknown>;
		body: ClientStream;
	};
	return { status: statusCode, headers, body: destroyable(body, controller) };
}

/** The 401 that n8n throws after an OAuth2 refresh did not help: the response is inside. */
function headOfRejection(error: unknown, controller: AbortController): Head | undefined {
	const response = causes(error)
		.map((cause) => cause.response)
		.find(isRecord);
	if (!response || typeof response.status !== 'number' || !isStream(response.data))
		return undefined;
	return {
		status: response.status,
		headers: isRecord(response.headers) ? response.headers : {},
		body: destroyable(response.data, controller),
	};
}

type ClientStream = ByteStream & { on(event: 'error', listener: () => void): unknown };

function isStream(value: unknown): value is ClientStream {
	return (
		isRecord(value) &&
		typeof value.destroy === 'function' &&
		typeof value.on === 'function' &&
		Symbol.asyncIterator in value
	);
}

/**
 * A body that ends at once when it is destroyed. The client's own stream is made of a generator, and destroying that waits
 * for the next bytes, which a silent service never sends: only the end of the request closes the socket.
 */
function destroyable(body: ClientStream, controller: AbortController): ByteStream {
	// The client reports the end of the request as an error of the stream, and an unhandled one ends n8n
	body.on('error', () => undefined);
	return {
		[Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
		destroy() {
			controller.abort();
			body.destroy();
		},
	};
}

const UNREACHABLE = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENETDOWN',
]);
/** Of the errors of TLS only these are certain to come before the request: an alert may come at any time. */
const CERTIFICATE =
	/^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_(WRONG_VERSION|\w*PROTOCOL|PACKET_LENGTH))/;

/** Refusals of a token server after which it may be asked again; of an answer with such a code n8n tells the code alone. */
const TRANSIENT_CODES = new Set([
	'temporarily_unavailable',
	'server_error',
	'slow_down',
	'too_many_requests',
]);

/** Sorts what n8n's helper threw. Whatever is not known to have happened before sending counts as lost. */
function noAnswer(error: unknown, account: Account): NoAnswer {
	const chain = causes(error);
	const host = `${new URL(account.baseUrl).host}${account.isOAuth2 ? ' or its token server' : ''}`;
	const codes = chain.map((cause) => cause.code).filter((code) => typeof code === 'string');
	const calls = chain.map(({ syscall }) => syscall);
	const connecting = calls.includes('connect') || calls.includes('getaddrinfo');
	// A network that goes away under an open connection has the same codes
	const connected = calls.includes('read') || calls.includes('write');
	const unreachable =
		codes.find((code) => UNREACHABLE.has(code)) ??
		(connecting ? (codes[0] ?? 'no connection') : undefined);
	if (unreachable && !connected)
		return { kind: 'unsent', reason: `The service at ${host} cannot be reached (${unreachable})` };
	const certificate = codes.find((code) => CERTIFICATE.test(code));
	if (certificate)
		return {
			kind: 'unsent',
			reason: `The certificate of ${host} is not accepted (${certificate})`,
			permanent: true,
		};
	if (codes.includes('ERR_CANCELED')) return { kind: 'cancelled' };
	// Of the service every status is an answer: only a token server's refusal comes as an error
	// n8n's OAuth2 client makes an error of its own of a status below 500, and of an answer that it cannot read
	const statuses = chain.map(({ response, code, status }) =>
		isRecord(response) ? response.status : code === 'ESTATUS' ? status : undefined,
	);
	const refusal = statuses.find(
		(status): status is number => typeof status === 'number' && status >= 300,
	);
	if (refusal !== undefined) {
		const advice = 'Check the Access Token URL, the client and the scope in the credential.';
		return {
			kind: 'unsent',
			reason: `The token server of the credential answered with status ${refusal}`,
			advice,
			permanent: !TRANSIENT_STATUSES.has(refusal),
		};
	}
	if (chain.some((cause) => cause.isAxiosError === true)) {
		return {
			kind: 'lost',
			reason: `The connection to ${host} was lost before a response arrived (${codes[0] ?? 'unknown'})`,
		};
	}
	// n8n refused before sending: a credential that is not connected, a domain or an address that is not allowed
	const [first] = chain;
	const words =
		typeof first?.message === 'string' ? first.message : 'The request could not be sent';
	const advice =
		typeof first?.description === 'string' ? account.redact(first.description) : undefined;
	const isPassing = chain.some(
		({ body }) => isRecord(body) && TRANSIENT_CODES.has(String(body.error)),
	);
	return { kind: 'unsent', reason: account.redact(words), advice, permanent: !isPassing };
}

function causes(error: unknown): Array<Record<string, unknown>> {
	const chain: Array<Record<string, unknown>> = [];
	for (let cause = error; isRecord(cause) && chain.length < 6; cause = cause.cause)
		chain.push(cause);
	return chain;
}
