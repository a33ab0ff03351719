import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestService } from '../../engine/server.mts';

export type Json = Record<string, unknown>;

/** A request as it came. */
export interface Call {
	/** Method and path without the prefix, such as `GET /documents/a`. */
	line: string;
	/** The last segment of the path. */
	id: string;
	query: URLSearchParams;
	body: Json;
	text: string;
	/** Which one of its line it is, from 0. */
	nth: number;
}

/** What a service sends; `pieces` is a stream, and `isCut` loses the connection. */
export interface Said {
	status?: number;
	body?: unknown;
	pieces?: string[];
	type?: string;
	isCut?: boolean;
}

export const NOT_FOUND: Said = {
	status: 404,
	body: { message: 'Not found', error_type: 'R2RException' },
};

/** A service of the contract whose answers a test writes. */
export class Service extends TestService {
	readonly calls: Call[] = [];
	answer: (call: Call) => Said = () => NOT_FOUND;

	begin(): void {
		this.calls.length = 0;
		this.answer = () => NOT_FOUND;
	}

	/** The requests whose line begins so. */
	sent(line: string): Call[] {
		return this.calls.filter((call) => call.line.startsWith(line));
	}

	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { pathname, searchParams: query } = new URL(request.url ?? '', this.url);
		const path = pathname.replace(/^\/api\/(?:rag\/v3|v1)/, '');
		const line = `${request.method} ${path}`;
		const text = Buffer.concat(chunks).toString();
		const isJson = request.headers['content-type']?.includes('json') === true;
		const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Json;
		const nth = this.calls.filter((call) => call.line === line).length;
		const call = { line, id: path.split('/').at(-1) ?? '', query, body, text, nth };
		this.calls.push(call);
		response.on('error', () => undefined);
		await send(response, this.answer(call));
	}
}

async function send(response: ServerResponse, said: Said): Promise<void> {
	const { status = 200, body, pieces, isCut } = said;
	const type = said.type ?? (pieces ? 'text/event-stream' : 'application/json');
	if (isCut === true && !pieces) return void response.socket?.destroy();
	response.writeHead(status, { 'content-type': type });
	if (!pieces) return void response.end(typeof body === 'string' ? body : JSON.stringify(body));
	response.socket?.setNoDelay(true);
	for (const piece of pieces) {
		response.write(piece);
		await sleep(1);
	}
	if (isCut === true) return void response.socket?.destroy();
	response.end();
}

export function event(data: unknown): string {
	return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

export const DONE = event('[DONE]');

/** A chunk of a chat, as an event. */
export function chunk(delta: Json, finishReason: string | null = null): string {
	return event({
		id: 'c1',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: finishReason }],
	});
}

/** A completion with one choice. */
export function completion(message: Json, choice: Json = {}, top: Json = {}): Said {
	return {
		body: {
			id: 'c1',
			object: 'chat.completion',
			created: 1,
			model: 'm',
			choices: [
				{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice },
			],
			usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
			...top,
		},
	};
}
