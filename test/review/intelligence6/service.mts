import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestService } from '../../engine/server.mts';

export type Json = Record<string, unknown>;

/** A request as it came. */
export interface Call {
	line: string;
	query: URLSearchParams;
	body: Json;
	/** Which one of its line it is, from 0. */
	nth: number;
}

/** What a service sends: a status, a body in pieces, and how the connection ends. */
export interface Said {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
	pieces?: Array<string | Buffer>;
	/** The connection is lost after the pieces, or without an answer. */
	isCut?: boolean;
	/** Real milliseconds before it. */
	lateMs?: number;
}

/** A service of the contract whose answers a test writes. */
export class Service extends TestService {
	readonly calls: Call[] = [];
	answer: (call: Call) => Said = () => ({ status: 404, body: { detail: 'Not found' } });
	/** Requests under way, and the most at a time. */
	open = 0;
	most = 0;

	begin(): void {
		this.calls.length = 0;
		this.most = 0;
	}

	/** The requests of a line, such as `POST /embeddings`. */
	sent(line: string): Call[] {
		return this.calls.filter((call) => call.line === line);
	}

	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { pathname, searchParams } = new URL(request.url ?? '', this.url);
		const line = `${request.method} ${pathname.replace(/^\/api\/(?:rag\/v3|v1)/, '')}`;
		const text = Buffer.concat(chunks).toString();
		const isJson = request.headers['content-type']?.includes('json') === true;
		const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Json;
		const call = { line, query: searchParams, body, nth: this.sent(line).length };
		this.calls.push(call);
		this.most = Math.max(this.most, ++this.open);
		response.on('error', () => undefined);
		response.on('close', () => this.open--);
		await this.send(response, this.answer(call));
	}

	private async send(response: ServerResponse, said: Said): Promise<void> {
		const { status = 200, headers, body, pieces, isCut, lateMs } = said;
		if (lateMs !== undefined) await sleep(lateMs);
		if (pieces === undefined) {
			if (isCut === true) return void response.socket?.destroy();
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			return void response.end(typeof body === 'string' ? body : JSON.stringify(body));
		}
		response.socket?.setNoDelay(true);
		response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
		for (const piece of pieces) {
			response.write(piece);
			await sleep(1);
		}
		if (isCut === true) return void response.socket?.destroy();
		response.end();
	}
}

export function event(data: unknown, type?: string): string {
	const text = typeof data === 'string' ? data : JSON.stringify(data);
	return `${type === undefined ? '' : `event: ${type}\n`}data: ${text}\n\n`;
}

export const DONE = event('[DONE]');

/** A chunk of a chat, as an event. */
export function chunk(delta: Json, choice: Json = {}, top: Json = {}): string {
	return event({
		id: 'c1',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: null, ...choice }],
		...top,
	});
}

export const STOP = chunk({}, { finish_reason: 'stop' });
