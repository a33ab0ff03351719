import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestService } from '../engine/server.mts';
import { waitOn, type manualClock } from '../sandbox/core/clock.mts';

export type Json = Record<string, unknown>;

export interface Request {
	method: string;
	path: string;
	query: URLSearchParams;
	body: Json;
	/** Which one of its method and path it is, from 0. */
	nth: number;
}

export interface Said {
	status?: number;
	body?: unknown;
	headers?: Record<string, string>;
	/** The answer is lost. */
	isLost?: boolean;
	/** Milliseconds of the clock until the answer. */
	lateMs?: number;
}

/**
 * A marketplace whose answers take time on a clock of its own, and may come otherwise than it gives them.
 * @typeParam Call what it knows of a request
 */
export abstract class ClockedService<Call extends Request> extends TestService {
	abstract readonly clock: ReturnType<typeof manualClock>;
	readonly calls: Call[] = [];
	/** Answers that wait for the clock. */
	held = 0;
	/** Before the service does anything. */
	before: (call: Call) => Said | undefined = () => undefined;
	/** After it has done it. */
	after: (call: Call, said: Said) => Said = (_, said) => said;

	/** What it knows of a request to a path below its address. */
	protected abstract callOf(
		pathname: string,
		request: Omit<Request, 'path' | 'nth'>,
	): Omit<Call, 'nth'>;

	protected abstract answer(call: Call): Said;

	protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { pathname, searchParams: query } = new URL(request.url ?? '', this.url);
		const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json;
		const known = this.callOf(pathname, { method: request.method ?? '', query, body });
		const { method, path } = known as Call;
		const nth = this.calls.filter((one) => one.method === method && one.path === path).length;
		const call = { ...known, nth } as Call;
		this.calls.push(call);
		const said = this.before(call) ?? this.after(call, this.answer(call));
		if (said.lateMs !== undefined) {
			this.held++;
			await waitOn(this.clock, said.lateMs, new AbortController().signal);
			this.held--;
		}
		if (said.isLost === true) return void request.socket.resetAndDestroy();
		response.sendDate = false;
		response.writeHead(said.status ?? 200, {
			date: new Date(this.clock.now()).toUTCString(),
			'content-type': 'application/json',
			...said.headers,
		});
		response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body ?? null));
	}
}
