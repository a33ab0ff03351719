import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Json = Record<string, unknown>;

/** Those fields of a request in JSON that the worlds look at. */
interface Body {
	/** Of embeddings. */
	input: string[];
	/** Of a chat. */
	messages: Array<{ content: string }>;
	/** Of a new conversation. */
	name: string;
	/** Of a message in a conversation. */
	role: string;
	content: string;
	parent_id?: string;
}

/** One request as it came. */
export interface Asked {
	line: string;
	query: URLSearchParams;
	text: string;
	json: Body;
}

/** What answers a request; `nth` counts the requests of its line from 0. */
export type Reply = (response: ServerResponse, asked: Asked, nth: number) => void | Promise<void>;

/** A body in one piece; a text is sent as it is. */
export function send(body: unknown, status = 200, type = 'application/json'): Reply {
	return (response) => {
		response.writeHead(status, { 'content-type': type });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
}

/** The connection ends without an answer. */
export const drop: Reply = (response) => void response.socket?.destroy();

/** An answer that depends on the request. */
export function by(choose: (asked: Asked, nth: number) => Reply): Reply {
	return (response, asked, nth) => choose(asked, nth)(response, asked, nth);
}

/** Pieces of bytes, each in a packet of its own; `end`: what becomes of the connection after them. */
export function pieces(
	parts: Array<string | Buffer>,
	end: 'end' | 'cut' | 'open' = 'end',
	type = 'text/event-stream',
): Reply {
	return async (response) => {
		response.socket?.setNoDelay(true);
		response.writeHead(200, { 'content-type': type });
		for (const part of parts) {
			response.write(part);
			await sleep(2);
		}
		if (end === 'end') response.end();
		if (end === 'cut') response.socket?.destroy();
	};
}

/** An event of a stream. */
export function sse(data: unknown, event?: string): string {
	const text = typeof data === 'string' ? data : JSON.stringify(data);
	return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

export const DONE = sse('[DONE]');

/** A chunk of a chat, with more fields of its choice and of its own. */
export function chunk(delta: Json, more: Json = {}, top: Json = {}): Json {
	return {
		id: 'c1',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: null, ...more }],
		...top,
	};
}

/** A word of an answer of the retrieval service. */
export function word(value: string): string {
	const content = [{ type: 'text', payload: { value, annotations: [] } }];
	return sse({ id: 'm', object: 'agent.message.delta', delta: { content } }, 'message');
}

/** A service that answers each line as it is told, and anything else with 404. */
export class World {
	asked: Asked[] = [];
	url = '';
	private rules: Array<[line: RegExp, reply: Reply]> = [];
	private readonly server = createServer((request, response) => {
		const parts: Buffer[] = [];
		response.on('error', () => undefined);
		request.on('data', (part: Buffer) => parts.push(part));
		request.on('end', () => {
			const { pathname, searchParams } = new URL(request.url ?? '', this.url);
			const line = `${request.method} ${decodeURIComponent(pathname)}`;
			const text = Buffer.concat(parts).toString();
			const isJson = request.headers['content-type']?.includes('json') ?? false;
			const json = JSON.parse(isJson && text ? text : '{}') as Body;
			const asked = { line, query: searchParams, text, json };
			const [rule, reply] = this.rules.find(([one]) => one.test(line)) ?? [];
			const nth = rule ? this.of(rule).length : 0;
			this.asked.push(asked);
			void (reply ?? send({ detail: 'Not found' }, 404))(response, asked, nth);
		});
	});

	async open(): Promise<void> {
		await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async close(): Promise<void> {
		const closed = new Promise((done) => this.server.close(done));
		this.server.closeAllConnections();
		await closed;
	}

	reset(): void {
		this.asked = [];
		this.rules = [];
	}

	/** The rule that was given last counts; of several replies the last one stays. */
	on(line: RegExp, ...replies: Reply[]): void {
		this.rules.unshift([
			line,
			(response, asked, nth) => replies[Math.min(nth, replies.length - 1)]?.(response, asked, nth),
		]);
	}

	of(line: RegExp): Asked[] {
		return this.asked.filter((one) => line.test(one.line));
	}
}
