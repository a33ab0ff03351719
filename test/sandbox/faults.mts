/** What goes wrong with one request. The first fault of the board that matches and has times left is taken. */
export interface Fault {
	/** Absent: any request. A string is the whole path or its end, an expression is tried on the whole path. */
	match?: { method?: string; path?: string | RegExp };
	/** How many requests it meets; default 1, Infinity allowed. */
	times?: number;
	/** Lets this many matching requests pass first. */
	skip?: number;
	/** Waits before the work, on the sandbox clock when it is manual, in real time otherwise. With `afterWork`: works first, then waits. */
	delayMs?: number;
	/** Destroys the socket before reading the request, or after doing the work, so that the answer is lost. */
	drop?: 'before' | 'after';
	/** Answers this instead of doing the work. */
	status?: number;
	body?: unknown;
	rawBody?: string;
	contentType?: string;
	/** Alone: added to the real answer. */
	headers?: Record<string, string>;
	/** Does the work first, and then what the fault says. */
	afterWork?: boolean;
	/** Does the work and answers its 2xx without a body; other statuses stay as they are. */
	emptyBody?: boolean;
	/** Sends the correct content-length, then only this many bytes of the answer, then a reset. */
	cutBodyAt?: number;
	/** Sends the answer in pieces, in real time. */
	slowBytes?: { chunk: number; everyMs: number };
	/** Accepts the request and never answers, until the client goes away, `reset()` or `close()`. No work is done, unless `afterWork`. */
	hang?: boolean;
}

export interface FaultBoard {
	add(fault: Fault): void;
	clear(): void;
	/** How many faults have times left. */
	pending(): number;
	/** The faults that requests met, in order; one entry for each request. */
	used(): Fault[];
}

interface Posted {
	fault: Fault;
	skip: number;
	left: number;
}

/** The board that the server takes from. */
export class Board implements FaultBoard {
	private posted: Posted[] = [];
	private met: Fault[] = [];

	add(fault: Fault): void {
		this.posted.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 });
	}

	clear(): void {
		this.posted = [];
		this.met = [];
	}

	pending(): number {
		return this.posted.filter(({ left }) => left > 0).length;
	}

	used(): Fault[] {
		return [...this.met];
	}

	/** The fault that meets this request; counts it as used. */
	take(method: string, path: string): Fault | undefined {
		for (const posted of this.posted) {
			if (posted.left <= 0 || !matches(posted.fault, method, path)) continue;
			if (posted.skip > 0) {
				posted.skip--;
				continue;
			}
			posted.left--;
			this.met.push(posted.fault);
			return posted.fault;
		}
		return undefined;
	}
}

function matches({ match }: Fault, method: string, path: string): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match?.path === undefined) return true;
	// search() and not test(): an expression with the g flag would remember where it stopped
	return typeof match.path === 'string' ? path.endsWith(match.path) : path.search(match.path) >= 0;
}

/** The answer part of a fault. */
export type ErrorForm = Pick<Fault, 'status' | 'body' | 'rawBody' | 'contentType' | 'headers'>;

/** Each error form of beyond-the-spec.md section 7 (and an HTML page, as proxies send), for a status: `faults.add({...errorForms.html(502)})`. */
export const errorForms = {
	plainText: (status = 500, rawBody = 'Internal Server Error'): ErrorForm => ({
		status,
		rawBody,
		contentType: 'text/plain; charset=utf-8',
	}),
	empty: (status = 500): ErrorForm => ({ status, rawBody: '' }),
	detailString: (status = 400, detail = 'The request was refused'): ErrorForm => ({
		status,
		body: { detail },
	}),
	detailList: (
		status = 422,
		detail: readonly { loc: readonly (string | number)[]; msg: string; type: string }[] = [
			{
				loc: ['body', 'location_ids'],
				msg: 'only a single location is supported',
				type: 'too_long',
			},
			{ loc: ['body', 'gpus_per_vm'], msg: 'must be at most 8', type: 'less_than_equal' },
		],
	): ErrorForm => ({ status, body: { detail } }),
	detailMessage: (status = 400, message = 'The request was refused'): ErrorForm => ({
		status,
		body: { detail: { message } },
	}),
	messageAndType: (
		status = 400,
		message = 'The request was refused',
		errorType = 'BadRequest',
	): ErrorForm => ({
		status,
		body: { message, error_type: errorType },
	}),
	errorObject: (
		status = 400,
		message = 'The request was refused',
		type = 'invalid_request_error',
		code: string | null = null,
	): ErrorForm => ({
		status,
		body: { error: { message, type, code } },
	}),
	html: (status = 502, title = 'Bad Gateway'): ErrorForm => ({
		status,
		rawBody: `<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>`,
		contentType: 'text/html',
	}),
	tooManyRequests: (
		retryAfter: string | number = 1,
		detail = 'Rate limit exceeded',
	): ErrorForm => ({
		status: 429,
		body: { detail },
		headers: { 'retry-after': String(retryAfter) },
	}),
} as const;
