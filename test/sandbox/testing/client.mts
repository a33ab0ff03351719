import { Agent, FormData, request } from 'undici';
import type { Sandbox } from '../index.mts';

export interface Answer {
	status: number;
	type: string;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	/** The body parsed as JSON; undefined when it is not JSON. */
	json: unknown;
}

export interface Call {
	method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Sent as JSON. */
	body?: unknown;
	/** Sent unchanged. */
	raw?: string | Buffer | FormData;
	headers?: Record<string, string>;
	signal?: AbortSignal;
}

/** A reference client over real sockets, independent of the sandbox's code and of the package. */
export class Client {
	/**
	 * An idle connection is closed long before the service does so, after the 72 seconds that it names and that undici
	 * follows without a maximum: a test that keeps the process busy at that moment had its next request reset.
	 */
	readonly agent = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

	constructor(
		private readonly base: string,
		private readonly headers: Record<string, string> = {},
	) {}

	async call(
		path: string,
		{ method = 'GET', body, raw, headers, signal }: Call = {},
	): Promise<Answer> {
		const answer = await request(this.base + path, {
			method,
			headers: {
				...(body !== undefined && { 'content-type': 'application/json' }),
				...this.headers,
				...headers,
			},
			body: body === undefined ? raw : JSON.stringify(body),
			dispatcher: this.agent,
			signal,
		});
		const text = await answer.body.text();
		return {
			status: answer.statusCode,
			type: String(answer.headers['content-type'] ?? ''),
			headers: answer.headers,
			text,
			json: asJson(text),
		};
	}

	get(path: string): Promise<Answer> {
		return this.call(path);
	}

	post(path: string, body: unknown): Promise<Answer> {
		return this.call(path, { method: 'POST', body });
	}

	delete(path: string): Promise<Answer> {
		return this.call(path, { method: 'DELETE' });
	}

	close(): Promise<void> {
		return this.agent.destroy();
	}
}

function asJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A client of VMaaS or CaaS, with the right key. */
export function cloud(sandbox: Sandbox, part: 'vmaas' | 'caas'): Client {
	return new Client(`${sandbox.url}/enterprise/v1/svc-cloud/${part}`, {
		'x-api-key': sandbox.keys.apiKey,
	});
}

/** The value at a path of a JSON value; undefined where the path does not exist. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
	return path.reduce<unknown>(
		(inner, key) =>
			typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
		value,
	);
}

/** The entries of a list in a JSON value; throws when there is none. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
	const list = at(value, ...path);
	if (!Array.isArray(list)) throw new Error(`no list at ${path.join('.')}`);
	return list;
}

/** The violations of a 422, as `loc: type`. */
export function violations(answer: Answer): string[] {
	return listAt(answer.json, 'detail').map(
		(entry) => `${listAt(entry, 'loc').join('.')}: ${String(at(entry, 'type'))}`,
	);
}
