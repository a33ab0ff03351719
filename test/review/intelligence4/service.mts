import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestService } from '../../engine/server.mts';

export type Json = Record<string, unknown>;

/** One request as it came. */
export interface Asked {
	line: string;
	query: URLSearchParams;
	text: string;
	json: Body;
}

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

/** What answers a request; `nth` counts the requests of its line from 0. */
export type Reply = (response: ServerResponse, asked: Asked, nth: number) => void | Promise<void>;

/** A body in one piece; a text is sent as it is. */
export function whole(body: unknown, status = 200, type = 'application/json'): Reply {
	return (response) => {
		response.writeHead(status, { 'content-type': type });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
}

/** A stream of events; `isCut` loses the connection after them. */
export function events(parts: string[], isCut = false): Reply {
	return (response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write(parts.join(''), () => (isCut ? response.socket?.destroy() : response.end()));
	};
}

export function event(data: unknown, type?: string): string {
	const text = typeof data === 'string' ? data : JSON.stringify(data);
	return `${type === undefined ? '' : `event: ${type}\n`}data: ${text}\n\n`;
}

export const DONE = event('[DONE]');

/** The connection ends without an answer. */
export const lost: Reply = (response) => void response.socket?.destroy();

/** A service that answers each line as it is told, and anything else with 404. */
export class Service extends TestService {
	asked: Asked[] = [];
	private rules: Array<[line: RegExp, reply: Reply]> = [];
	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		const { pathname, searchParams } = new URL(request.url ?? '', this.url);
		const line = `${request.method} ${decodeURIComponent(pathname)}`;
		const text = Buffer.concat(parts).toString();
		const isJson = request.headers['content-type']?.includes('json') ?? false;
		const json = JSON.parse(isJson && text ? text : '{}') as Body;
		const asked = { line, query: searchParams, text, json };
		const [rule, reply] = this.rules.find(([one]) => one.test(line)) ?? [];
		const nth = rule ? this.of(rule).length : 0;
		this.asked.push(asked);
		response.on('error', () => undefined);
		await (reply ?? whole({ detail: 'Not found' }, 404))(response, asked, nth);
	}

	begin(): void {
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
