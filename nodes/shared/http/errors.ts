import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { parseJson } from '../json';
import { isRecord } from '../guards';

/** Longest piece of a service's own words in a message; an HTML page or a stack trace must not fill the screen. */
const LONGEST_WORDS = 1_000;

/** Where an HTML page's title is looked for. */
const HTML_HEAD = 10_000;
/** Error bodies nest two levels deep at most (beyond-the-spec.md section 7); a hostile one may nest ten thousand. */
const DEEPEST_WORDS = 4;

/** The errors that n8n knows: those of a service and those found before anything was sent. */
export type NodeError = NodeApiError | NodeOperationError;

/** What went wrong, in the form that {@link apiError} turns into n8n's error. */
export interface Problem {
	message: string;
	/** How to get unstuck. */
	description?: string;
	/** The HTTP status, or n8n's code for a connection that failed. */
	status?: number;
}

/**
 * Builds n8n's error exactly once: a NodeApiError that is wrapped again keeps its first message and loses the item.
 * It carries no cause: the HTTP client's own error holds the request's headers, and with them the key.
 */
export function apiError(node: INode, problem: Problem, itemIndex?: number): NodeApiError {
	const error = new NodeApiError(
		node,
		{},
		{
			message: problem.message,
			description: problem.description,
			httpCode: problem.status?.toString(),
			itemIndex,
		},
	);
	// n8n replaces a whole message that happens to hold an errno word, such as the EPERM in "superpermissive"
	error.message = problem.message;
	return error;
}

/** An error that stops before anything is sent, with exactly this message. */
export function operationError(
	node: INode,
	message: string,
	options: { itemIndex?: number; description?: string } = {},
): NodeOperationError {
	const error = new NodeOperationError(node, message, options);
	// n8n replaces a whole message that happens to hold an errno word, such as the EEXIST in "useExisting"
	error.message = message;
	return error;
}

/**
 * The problem that an answer with an error status reports: the service's own words first, what to do about it below.
 * Statuses and bodies beyond 404 and 422 are not shown in the specifications; every form of beyond-the-spec.md section 7 is read.
 * @param opensInMs time until the service accepts requests again, when it said so
 * @param serviceAdvice what to do after a status, where the service has better advice than the general one
 */
export function answerProblem(
	status: number,
	contentType: string,
	text: string,
	opensInMs?: number,
	serviceAdvice: Readonly<Record<number, string>> = {},
): Problem {
	const { title, advice } = STATUS[status] ?? (status >= 500 ? SERVER_FAULT : CLIENT_FAULT);
	const own = ownWords(contentType, text);
	// The device 404 is the plain text "Not found" (compute-api.md "Errors")
	const words = own === title ? '' : own;
	const message =
		status === 422 && words !== ''
			? words
			: words === ''
				? `${title} (${status})`
				: `${title} (${status}): ${words}`;
	const when = opensInMs === undefined ? '' : ` Retry after ${duration(opensInMs)}.`;
	return { message, description: `${serviceAdvice[status] ?? advice}${when}`, status };
}

interface StatusText {
	title: string;
	advice: string;
}

const CLIENT_FAULT: StatusText = {
	title: 'Request rejected',
	advice: 'Check the values of the fields above against the message.',
};
const SERVER_FAULT: StatusText = {
	title: 'Server error',
	advice:
		'The problem is on the side of the service. Try again later, or turn on Retry On Fail in the node settings.',
};
const REDIRECT: StatusText = {
	title: 'The service redirects to another address',
	advice:
		'Redirects are not followed, so that no key reaches another host. Set the Base URL in the credential to the final address.',
};
const STATUS: Record<number, StatusText> = {
	301: REDIRECT,
	302: REDIRECT,
	303: REDIRECT,
	307: REDIRECT,
	308: REDIRECT,
	401: {
		title: 'Authentication failed',
		advice: 'Check the key or token in the credential, and that it belongs to this Base URL.',
	},
	402: {
		title: 'Payment required',
		advice: 'Check the plan and the credits of the account.',
	},
	403: {
		title: 'Permission denied',
		advice: 'Check that the key or token has permission for this part of the service.',
	},
	404: {
		title: 'Not found',
		advice: 'Check the ID. For every ID, also check the Base URL in the credential.',
	},
	409: {
		title: 'Conflict',
		advice:
			'Something with this name or content may already exist, it may be sold out, or its current state may not allow this.',
	},
	413: {
		title: 'Request too large',
		advice: 'Send a smaller file or fewer entries.',
	},
	422: {
		title: 'Validation failed',
		advice: 'Correct the fields that are named, then execute the node again.',
	},
	429: {
		title: 'Rate limit or quota exceeded',
		advice: 'Wait, or send fewer requests.',
	},
};

/** The service's own words in an error body, as one line of plain text; empty when it has none. */
export function ownWords(contentType: string, text: string): string {
	const trimmed = text.trim();
	if (trimmed === '') return '';
	if (isPage(contentType, trimmed)) return shorten(htmlTitle(trimmed.slice(0, HTML_HEAD)));
	const json = parseJson(trimmed);
	return shorten(json === undefined ? trimmed : wordsOf(json));
}

/** A web page, of a proxy or a login: never an answer of the API. */
export function isPage(contentType: string, text: string): boolean {
	if (/^\s*<(!doctype|html)/i.test(text)) return true;
	return /html/i.test(contentType) && text.trim() !== '' && parseJson(text) === undefined;
}

function wordsOf(value: unknown, depth = 0): string {
	if (typeof value === 'string') return value;
	if (depth > DEEPEST_WORDS) return '';
	if (Array.isArray(value)) {
		return value
			.map((entry) => validationEntry(entry, depth + 1))
			.filter(Boolean)
			.join('; ');
	}
	if (!isRecord(value)) return value === null ? '' : String(value);
	for (const key of ['detail', 'message', 'error', 'msg', 'error_description']) {
		const words = wordsOf(value[key] ?? null, depth + 1);
		if (words !== '') return words;
	}
	return '';
}

/** `{loc: ["body", "gpus_per_vm"], msg: "must be at most 8"}` reads `gpus_per_vm: must be at most 8` (compute-api.md "Validation error body"). */
function validationEntry(entry: unknown, depth: number): string {
	if (!isRecord(entry)) return wordsOf(entry, depth);
	const loc = Array.isArray(entry.loc) ? entry.loc.map(String) : [];
	const field = (
		['body', 'query', 'path', 'header'].includes(loc[0] ?? '') && loc.length > 1
			? loc.slice(1)
			: loc
	).join('.');
	const words = typeof entry.msg === 'string' ? entry.msg : wordsOf(entry, depth);
	return field === '' ? words : `${field}: ${words}`;
}

function htmlTitle(html: string): string {
	const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim();
	return `an HTML page${title ? ` titled "${title}"` : ''} instead of JSON`;
}

function shorten(words: string): string {
	const line = words.replace(/\s+/g, ' ').trim();
	return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}

/** A time span for people: `45 seconds`, `12 minutes`, `3 hours`. */
export function duration(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	const [amount, unit] =
		seconds < 120
			? [seconds, 'second']
			: seconds < 7_200
				? [Math.ceil(seconds / 60), 'minute']
				: [Math.ceil(seconds / 3_600), 'hour'];
	return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
