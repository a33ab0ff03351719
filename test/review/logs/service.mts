import type { IncomingMessage, ServerResponse } from 'node:http';
import { startServer, type TestServer } from '../../engine/server.mts';
import type { Clock } from './clock.mts';

/** What the service makes of the offset of a request. */
export type OffsetMeaning = 'entries' | 'ignored' | 'tail' | 'oneBased' | 'after' | 'bytes' | 'new';

/** One connection for a log, with the books of it. */
export interface Connection {
	index: number;
	key: string;
	offset: number | undefined;
	at: number;
	closedAt?: number;
	/** Lines that were offered on it, whole. */
	offered: string[];
	response: ServerResponse;
}

/** A refusal, or anything else that is sent in place of the log. */
export interface Instead {
	status?: number;
	headers?: Record<string, string>;
	body?: string;
	/** Leaves the answer open. */
	isOpen?: boolean;
	/** No head of an answer at all. */
	isSilent?: boolean;
	/** The world has answered itself. */
	isSent?: boolean;
}

/** How the service behaves; a world changes it at any time. */
export interface Ways {
	offset: OffsetMeaning;
	/** Lines of a service that shows the last ones. */
	tail: number;
	contentType: string | undefined;
	frame: (line: string) => string;
	/** What begins each connection. */
	greeting: string;
	/** How the bytes are cut. */
	cut: (bytes: Buffer) => Buffer[];
	/** Ends an answer when all is sent, as a service that is polled. */
	ends: boolean;
	/** Life of a connection, and how it ends; `half` ends it properly within a line. */
	lifeMs: number;
	death: 'reset' | 'end' | 'half';
	/** The first lines come so late after the head. */
	latencyMs: number;
	/** The head comes with the first byte, as many servers send it. */
	lateHead: boolean;
	/** What is shown of the log on a connection. */
	view: (lines: readonly string[], connection: Connection) => readonly string[];
	/** In place of the log. */
	instead: (connection: Connection) => Instead | undefined;
	/** State of the deployment. */
	status: () => string;
}

const MS = 1_000;

/** A service of container logs with switches, from the contract and what networks do to it. */
export class Service {
	readonly ways: Ways = {
		offset: 'entries',
		tail: 100,
		contentType: 'text/event-stream',
		frame: (line) => `data: ${line}\n\n`,
		greeting: '',
		cut: (bytes) => [bytes],
		ends: false,
		lifeMs: Infinity,
		death: 'reset',
		latencyMs: 0,
		lateHead: false,
		view: (lines) => lines,
		instead: () => undefined,
		status: () => 'running',
	};
	readonly connections: Connection[] = [];
	/** When each request came, logs and deployments. */
	readonly requests: number[] = [];
	readonly errors: Error[] = [];
	/** What each container wrote in all its lives, by `container/stream`, and the log as it is now. */
	readonly written = new Map<string, string[]>();
	readonly logs = new Map<string, string[]>();
	private readonly open = new Set<Connection>();
	server!: TestServer;

	constructor(readonly clock: Clock) {}

	async start(): Promise<void> {
		this.server = await startServer((request, response) => {
			this.requests.push(this.clock.elapsed);
			try {
				this.answer(request, response);
			} catch (error) {
				this.errors.push(error as Error);
				response.destroy();
			}
		});
	}

	/** The container writes lines. */
	write(key: string, ...lines: string[]): void {
		this.logOf(this.written, key).push(...lines);
		const log = this.logOf(this.logs, key);
		for (const line of lines) {
			log.push(line);
			for (const connection of this.open) {
				if (connection.key !== key) continue;
				if (this.ways.view([line], connection).includes(line)) this.offer(connection, [line]);
			}
		}
	}

	/** The container is another one: its log starts over. */
	replace(key: string): void {
		this.logs.set(key, []);
	}

	/** The oldest lines are gone. */
	truncate(key: string, keep: number): void {
		this.logs.set(key, this.logOf(this.logs, key).slice(-keep));
	}

	/** Ends all connections. */
	cutAll(): void {
		for (const connection of [...this.open]) connection.response.destroy();
	}

	get openConnections(): number {
		return this.open.size;
	}

	/** The most requests that came within a second. */
	get peak(): number {
		return Math.max(
			0,
			...this.requests.map((at) => this.requests.filter((t) => t >= at && t < at + MS).length),
		);
	}

	private answer(request: IncomingMessage, response: ServerResponse): void {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		const match = /\/deployment\/([^/]+)\/log\/([^/]+)$/.exec(url.pathname);
		if (!match) {
			response.setHeader('content-type', 'application/json');
			return void response.end(JSON.stringify({ data: { id: 'd1', status: this.ways.status() } }));
		}
		const given = url.searchParams.get('offset');
		const connection: Connection = {
			index: this.connections.length,
			key: `${match[2]}/${url.searchParams.get('stream') ?? 'stdout'}`,
			offset: given === null ? undefined : Number(given),
			at: this.clock.elapsed,
			offered: [],
			response,
		};
		this.connections.push(connection);
		response.once('close', () => {
			connection.closedAt = this.clock.elapsed;
			this.open.delete(connection);
		});
		const instead = this.ways.instead(connection);
		if (instead?.isSent) return;
		if (instead) return this.answerInstead(response, instead);
		this.stream(connection);
	}

	private answerInstead(response: ServerResponse, instead: Instead): void {
		const { status = 200, headers = {}, body = '', isOpen = false, isSilent = false } = instead;
		if (isSilent) {
			this.clock.held++;
			response.once('close', () => this.clock.held--);
			return;
		}
		response.writeHead(status, headers);
		response.flushHeaders();
		if (body !== '') response.write(body);
		if (!isOpen) response.end();
	}

	private stream(connection: Connection): void {
		const { ways, clock } = this;
		const { response } = connection;
		response.writeHead(200, ways.contentType ? { 'content-type': ways.contentType } : {});
		if (!ways.lateHead) response.flushHeaders();
		else {
			this.clock.held++;
			const { write } = response;
			let isHeld = true;
			const release = () => {
				if (isHeld) this.clock.held--;
				isHeld = false;
			};
			response.once('close', release);
			response.write = ((...args: Parameters<typeof write>) => {
				release();
				return write.apply(response, args);
			}) as typeof write;
		}
		const begin = () => {
			if (response.destroyed) return;
			if (ways.greeting !== '') response.write(ways.greeting);
			this.open.add(connection);
			const log = ways.view(this.logOf(this.logs, connection.key), connection);
			this.offer(connection, this.from(log, connection.offset));
			if (ways.ends) response.end();
		};
		if (ways.latencyMs > 0) clock.after(ways.latencyMs, begin);
		else begin();
		if (ways.lifeMs < Infinity) clock.after(ways.lifeMs, () => this.die(connection));
	}

	private die({ response, key }: Connection): void {
		if (response.destroyed || response.writableEnded) return;
		if (this.ways.death === 'reset') return void response.destroy();
		const last = this.logOf(this.logs, key).at(-1) ?? '';
		if (this.ways.death === 'half') response.write(last.slice(0, last.length / 2));
		response.end();
	}

	/** What the service sends for an offset. */
	private from(log: readonly string[], offset = 0): readonly string[] {
		const { ways } = this;
		switch (ways.offset) {
			case 'entries':
				return log.slice(offset);
			case 'oneBased':
				return log.slice(Math.max(0, offset - 1));
			case 'after':
				return log.slice(offset > 0 ? offset + 1 : 0);
			case 'ignored':
				return log;
			case 'tail':
				return log.slice(-ways.tail);
			case 'new':
				return [];
			case 'bytes': {
				let bytes = 0;
				return log.filter((line) => {
					bytes += Buffer.byteLength(line) + 1;
					return bytes > offset;
				});
			}
		}
	}

	private offer(connection: Connection, lines: readonly string[]): void {
		const { response, offered } = connection;
		if (lines.length === 0 || response.destroyed || response.writableEnded) return;
		offered.push(...lines);
		const text = lines.map((line) => this.ways.frame(line)).join('');
		for (const bytes of this.ways.cut(Buffer.from(text))) response.write(bytes);
	}

	private logOf(logs: Map<string, string[]>, key: string): string[] {
		const log = logs.get(key) ?? [];
		logs.set(key, log);
		return log;
	}
}
