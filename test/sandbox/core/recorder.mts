import type { FastifyRequest } from 'fastify';
import type { Fault } from '../faults.mts';
import { splitTarget } from './http.mts';
import type { Query } from './http.mts';

/** One request as it arrived, and its outcome. */
export interface RecordedRequest {
	method: string;
	/** As sent: still encoded, without the query. */
	path: string;
	query: Query;
	headers: Record<string, string | string[] | undefined>;
	/** Parsed when it is JSON, otherwise the text; undefined when there is none or it was not read. */
	body: unknown;
	/** Time of arrival on the sandbox clock. */
	at: number;
	/** Status of the answer; absent when none was sent. */
	status?: number;
	fault?: Fault;
	/** Account of the key that was accepted; absent when none was. */
	account?: string;
}

/** Records every request in order of arrival. */
export class Recorder {
	readonly requests: RecordedRequest[] = [];
	private readonly entries = new WeakMap<FastifyRequest, RecordedRequest>();

	/** @param onRequest called for each request, as soon as it is recorded */
	constructor(private readonly onRequest: (request: RecordedRequest) => void = () => undefined) {}

	open(request: FastifyRequest, at: number): RecordedRequest {
		const entry: RecordedRequest = {
			method: request.method,
			...splitTarget(request.raw.url ?? ''),
			headers: { ...request.headers },
			body: undefined,
			at,
		};
		this.requests.push(entry);
		this.entries.set(request, entry);
		this.onRequest(entry);
		return entry;
	}

	body(request: FastifyRequest): void {
		const entry = this.entries.get(request);
		if (entry && Buffer.isBuffer(request.body))
			entry.body = readable(request.body.toString('utf8'));
	}

	account(request: FastifyRequest, name: string): void {
		const entry = this.entries.get(request);
		if (entry) entry.account = name;
	}

	/** Records the status of an answer, unless the client has disconnected. */
	answered(request: FastifyRequest, status: number): void {
		const entry = this.entries.get(request);
		if (entry && !request.raw.socket.destroyed) entry.status = status;
	}
}

function readable(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text === '' ? undefined : text;
	}
}
