import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { TestService } from '../../engine/server.mts';

export type Fields = Record<string, unknown>;

/** A request that has arrived. */
export interface Received {
	method: string;
	/** Below the prefix of its API: `/documents/d1`. */
	path: string;
	query: URLSearchParams;
	/** The JSON that was sent; of anything else nothing. */
	json: Fields;
	/** The body as it was sent. */
	text: string;
	authorization: string;
}

/** What the service answers: JSON, or the bytes of a body as they are. */
export interface Response {
	status?: number;
	json?: unknown;
	bytes?: Buffer[];
	headers?: Record<string, string>;
	/** Whether the connection is lost before the body has ended, or before any answer if there is no body. */
	isLost?: boolean;
}

export const ABSENT: Response = { status: 404, json: { message: 'Not found', error_type: 'E' } };

/** A service of the contract; each test says what it answers. */
export class IntelligenceService extends TestService {
	readonly received: Received[] = [];
	respond: (request: Received) => Response = () => ABSENT;

	begin(): void {
		this.received.length = 0;
		this.respond = () => ABSENT;
	}

	/** How many requests there were with this method, on a path that begins so. */
	count(method: string, start: string): number {
		const fits = (one: Received) => one.method === method && one.path.startsWith(start);
		return this.received.filter(fits).length;
	}

	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		const text = Buffer.concat(parts).toString();
		const url = new URL(request.url ?? '/', this.url);
		const isJson = text !== '' && request.headers['content-type']?.includes('json') === true;
		const received: Received = {
			method: request.method ?? '',
			path: url.pathname.replace(/^\/api\/(?:rag\/v3|v1)(?=\/)/, ''),
			query: url.searchParams,
			json: (isJson ? JSON.parse(text) : {}) as Fields,
			text,
			authorization: request.headers.authorization ?? '',
		};
		this.received.push(received);
		response.on('error', () => undefined);
		await answer(response, this.respond(received));
	}
}

async function answer(response: ServerResponse, said: Response): Promise<void> {
	const { status = 200, json, bytes, headers = {}, isLost = false } = said;
	if (isLost && !bytes) {
		response.socket?.destroy();
		return;
	}
	const type = bytes ? 'text/event-stream' : 'application/json';
	response.writeHead(status, { 'content-type': type, ...headers });
	for (const part of bytes ?? []) {
		response.write(part);
		await setImmediate();
	}
	if (isLost) {
		await setImmediate();
		response.socket?.destroy();
		return;
	}
	response.end(bytes ? undefined : json === undefined ? '' : JSON.stringify(json));
}

/** The pages of a list, by the offset and limit that are asked for. */
export function page(all: Fields[], { query }: Received, size = 1_000): Response {
	const offset = Number(query.get('offset') ?? 0);
	const limit = Math.min(size, Number(query.get('limit') ?? 100));
	return { json: { results: all.slice(offset, offset + limit), total_entries: all.length } };
}
