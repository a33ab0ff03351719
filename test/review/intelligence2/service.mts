import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What the service was asked. */
export interface Heard {
	/** `POST /api/v1/chat/completions`. */
	line: string;
	query: URLSearchParams;
	headers: IncomingMessage['headers'];
	raw: Buffer;
	/** The JSON body; undefined for another one. */
	body: Fields | undefined;
}

export type Fields = Record<string, unknown>;
export type Answer = (response: ServerResponse, heard: Heard, nth: number) => void | Promise<void>;

/** An entry that is there. */
export function nthOf<T>(list: readonly T[], index: number): T {
	const one = list[index];
	if (one === undefined) throw new Error(`There is no entry ${index}`);
	return one;
}

/** An answer in one piece. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
	return (response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
}

/** An answer in pieces, each in a segment of its own; `cut` loses the connection after them. */
export function pieces(
	parts: Array<string | Buffer>,
	{ cut = false, headers = {} }: { cut?: boolean; headers?: Record<string, string> } = {},
): Answer {
	return async (response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
		response.socket?.setNoDelay(true);
		for (const part of parts) {
			response.write(part);
			await pause(1);
		}
		if (cut) response.socket?.destroy();
		else response.end();
	};
}

/** The connection ends without an answer. */
export const hangUp: Answer = (response) => void response.socket?.destroy();

/** The chunk of a streamed completion with one choice. */
export function chunk(delta: Fields, finish: string | null = null, more: Fields = {}): Fields {
	const choices = [{ index: 0, delta, finish_reason: finish }];
	return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more };
}

/** Events, as most services write them. */
export function events(data: unknown[], end = '\n\n'): string[] {
	return data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}${end}`);
}

/** A streamed completion of these deltas. */
export function stream(deltas: Fields[], finish = 'stop'): Answer {
	return pieces(events([...deltas.map((delta) => chunk(delta)), chunk({}, finish), '[DONE]']));
}

/** A whole completion. */
export function completion(message: Fields, finish: unknown = 'stop', more: Fields = {}): Fields {
	const whole = { role: 'assistant', content: null, ...message };
	return {
		id: 'c',
		object: 'chat.completion',
		created: 1,
		model: 'm',
		choices: [{ index: 0, message: whole, finish_reason: finish }],
		usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
		...more,
	};
}

/** A service of the contract's paths, which answers as a test says; what no test says is a 404. */
export class Scripted {
	readonly heard: Heard[] = [];
	/** The key of each request that came with the right one. */
	url = '';
	private scripts: Array<{ line: RegExp; answer: Answer }> = [];
	private readonly server = createServer((request, response) => void this.serve(request, response));

	async open(): Promise<this> {
		await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
		return this;
	}

	async close(): Promise<void> {
		const closed = new Promise((done) => this.server.close(done));
		this.server.closeAllConnections();
		await closed;
	}

	reset(): void {
		this.heard.length = 0;
		this.scripts = [];
	}

	/** The one that was said last is asked first. */
	when(line: RegExp, answer: Answer): void {
		this.scripts.unshift({ line, answer });
	}

	/** The answers of the first requests, the last one of them for all that follow. */
	inTurn(line: RegExp, ...answers: Answer[]): void {
		this.when(line, (response, heard, nth) =>
			nthOf(answers, Math.min(nth, answers.length - 1))(response, heard, nth),
		);
	}

	asked(line: RegExp): Heard[] {
		return this.heard.filter((one) => line.test(one.line));
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		const raw = Buffer.concat(parts);
		const { pathname, searchParams } = new URL(request.url ?? '', this.url);
		const isJson = /json/.test(request.headers['content-type'] ?? '');
		const heard: Heard = {
			line: `${request.method} ${decodeURIComponent(pathname)}`,
			query: searchParams,
			headers: request.headers,
			raw,
			body: isJson ? (JSON.parse(raw.toString()) as Fields) : undefined,
		};
		this.heard.push(heard);
		response.on('error', () => undefined);
		const script = this.scripts.find(({ line }) => line.test(heard.line));
		const nth = script ? this.asked(script.line).length - 1 : 0;
		await (script?.answer ?? json({ detail: 'Not found' }, 404))(response, heard, nth);
	}
}
