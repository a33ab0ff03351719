/** What goes wrong with one request. The first fault that matches and has times left applies. */
export interface Fault {
	/** Absent: any request. A string is the whole path or its end, an expression is tried on the whole path. */
	match?: { method?: string; path?: string | RegExp };
	/** How many requests it applies to; default 1, Infinity allowed. */
	times?: number;
	/** Lets this many matching requests pass first. */
	skip?: number;
	/** Waits before the request is executed, on the sandbox clock when it is manual, in real time otherwise. With `afterWork`: executes it first, then waits. */
	delayMs?: number;
	/** Destroys the socket before the request is read, or after it was executed, so that the answer is lost. */
	drop?: 'before' | 'after';
	/** Answers this instead of executing the request. */
	status?: number;
	body?: unknown;
	rawBody?: string;
	contentType?: string;
	/** Alone: added to the real answer. */
	headers?: Record<string, string>;
	/** Executes the request first, then does what the fault says. */
	afterWork?: boolean;
	/** With `afterWork`: only a 2xx is answered so; a refusal of the service stays as it is. */
	keepsRefusals?: boolean;
	/** Executes the request and answers its 2xx without a body; other statuses stay as they are. */
	emptyBody?: boolean;
	/** Sends the correct content-length, then only this many bytes of the answer, then a reset. */
	cutBodyAt?: number;
	/** Sends the answer in pieces, in real time. */
	slowBytes?: { chunk: number; everyMs: number };
	/** Accepts the request and never answers, until the client disconnects, `reset()` or `close()`. The request is not executed, unless `afterWork`. */
	hang?: boolean;
}

export interface FaultBoard {
	add(fault: Fault): void;
	/** As `add`, before all that were added earlier. */
	addFirst(fault: Fault): void;
	clear(): void;
	/** How many faults have times left. */
	pending(): number;
	/** The faults that were applied, in order; one entry per request. */
	used(): Fault[];
}

interface Entry {
	fault: Fault;
	skip: number;
	left: number;
}

const entryOf = (fault: Fault): Entry => ({
	fault,
	skip: fault.skip ?? 0,
	left: fault.times ?? 1,
});

/** The faults that wait for their requests. */
export class Board implements FaultBoard {
	private entries: Entry[] = [];
	private met: Fault[] = [];

	add(fault: Fault): void {
		this.entries.push(entryOf(fault));
	}

	addFirst(fault: Fault): void {
		this.entries.unshift(entryOf(fault));
	}

	clear(): void {
		this.entries = [];
		this.met = [];
	}

	pending(): number {
		return this.entries.filter(({ left }) => left > 0).length;
	}

	used(): Fault[] {
		return [...this.met];
	}

	/** The fault that applies to this request; counts it as used. */
	take(method: string, path: string): Fault | undefined {
		for (const entry of this.entries) {
			if (entry.left <= 0 || !matches(entry.fault, method, path)) continue;
			if (entry.skip > 0) {
				entry.skip--;
				continue;
			}
			entry.left--;
			this.met.push(entry.fault);
			return entry.fault;
		}
		return undefined;
	}
}

function matches({ match }: Fault, method: string, path: string): boolean {
	if (match?.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match?.path === undefined) return true;
	// search() and not test(): an expression with the g flag keeps its position between calls
	return typeof match.path === 'string' ? path.endsWith(match.path) : path.search(match.path) >= 0;
}

/** The response of a fault. */
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
