import type { ServerResponse } from 'node:http';
import { startServer, type TestServer } from '../../engine/server.mts';
import type { ClockD } from './clockD.mts';

/** A connection that is lost: after so many entries and bytes of the next one, or after a time without that many. */
export interface Cut {
	entries: number;
	/** Bytes of the entry after them. */
	torn?: number;
	/** Time after which it is lost where the log has fewer. */
	afterMs?: number;
	/** The service ends it in order. */
	isEnd?: boolean;
	/** It is refused. */
	status?: number;
}

/** What the service makes of an offset, and what it keeps. */
export interface HabitsOfShort {
	unit: 'entries' | 'bytes' | 'eventId';
	offset: 'honoured' | 'ignored';
	/** It keeps so many of the last lines, whatever the offset. */
	keeps: number;
	framing: 'sse' | 'bare';
	/** Time before the first entry and between two. */
	delayMs: number;
	paceMs: number;
	greeting?: (connection: number) => string;
}

interface Life {
	lines: string[];
}

/** A service with one log, whose connections are lost as it is told. */
export class ServiceShort {
	readonly habits: HabitsOfShort = {
		unit: 'entries',
		offset: 'honoured',
		keeps: Infinity,
		framing: 'sse',
		delayMs: 0,
		paceMs: 0,
	};
	/** How the next connections are lost; after them none is. */
	cuts: Cut[] = [];
	/** All that the container has written, and what it did in each of its lives. */
	readonly written: string[] = [];
	/** Entries that have really left, each as a whole. */
	readonly sent = new Set<string>();
	readonly requests: Array<{ at: number; offset: string; brought: number }> = [];
	/** Is called when a connection has been opened. */
	onRequest?: (count: number) => void;
	status = 'running';
	private life: Life = { lines: [] };
	private readonly open = new Set<Connection>();

	constructor(private readonly clock: ClockD) {}

	static async start(clock: ClockD): Promise<{ service: ServiceShort; server: TestServer }> {
		const service = new ServiceShort(clock);
		const server = await startServer((request, response) =>
			service.answer(new URL(request.url ?? '', 'http://127.0.0.1'), response),
		);
		return { service, server };
	}

	/** The log as it is now. */
	get lines(): readonly string[] {
		return this.life.lines;
	}

	write(...lines: string[]): void {
		this.written.push(...lines);
		this.life.lines.push(...lines);
		for (const connection of this.open) connection.wake();
	}

	/** The container starts again, with a log of its own. Old connections bring nothing more. */
	restart(...lines: string[]): void {
		this.life = { lines: [] };
		for (const connection of this.open) connection.lose();
		this.write(...lines);
	}

	/** Loses the connections. */
	cut(): void {
		for (const connection of this.open) connection.lose();
	}

	get mostInASecond(): number {
		const ats = this.requests.map(({ at }) => at);
		return Math.max(0, ...ats.map((at, i) => ats.slice(i).filter((one) => one < at + 1000).length));
	}

	private answer(url: URL, response: ServerResponse): void {
		if (!/\/log\/[^/]+$/.test(url.pathname)) {
			response.writeHead(200, { 'content-type': 'application/json' });
			return void response.end(JSON.stringify({ data: { id: 'd1', status: this.status } }));
		}
		const offset = url.searchParams.get('offset') ?? '';
		const request = { at: this.clock.at, offset, brought: 0 };
		this.requests.push(request);
		const cut = this.cuts.shift();
		if (cut?.status !== undefined) {
			response.writeHead(cut.status, { 'content-type': 'application/json' });
			return void response.end('{"detail":"Refused"}');
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.flushHeaders();
		const connection = new Connection(response, this, this.life, this.clock, cut, request);
		this.open.add(connection);
		response.once('close', () => this.open.delete(connection));
		void connection.run(this.first(offset));
		this.onRequest?.(this.requests.length);
	}

	private first(offset: string): number {
		const { unit, offset: made, keeps } = this.habits;
		const { lines } = this.life;
		const oldest = Math.max(0, lines.length - keeps);
		if (made === 'ignored' || offset === '') return oldest;
		if (unit === 'entries') return Math.max(oldest, Number(offset));
		if (unit === 'eventId') {
			const at = Number(offset) + 1;
			return at > lines.length ? oldest : Math.max(oldest, at);
		}
		let bytes = 0;
		const at = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > Number(offset));
		return Math.max(oldest, at < 0 ? lines.length : at);
	}
}

class Connection {
	private isOver = false;
	private wakeUp: () => void = () => undefined;

	constructor(
		private readonly response: ServerResponse,
		private readonly service: ServiceShort,
		private readonly life: Life,
		private readonly clock: ClockD,
		private readonly cut: Cut | undefined,
		private readonly request: { brought: number },
	) {
		response.once('close', () => {
			this.isOver = true;
			this.wakeUp();
		});
	}

	wake(): void {
		this.wakeUp();
	}

	lose(): void {
		if (this.isOver) return;
		this.isOver = true;
		this.wakeUp();
		// What was written before leaves before
		this.response.write('', () => setImmediate(() => this.response.destroy()));
	}

	async run(from: number): Promise<void> {
		const { service, cut, clock, life } = this;
		const { habits } = service;
		const limitMs = cut?.afterMs ?? 300;
		if (cut)
			void clock
				.wait(habits.delayMs + limitMs + habits.paceMs * cut.entries)
				.then(() => this.close());
		if (habits.greeting) this.send(habits.greeting(service.requests.length), -1);
		await clock.wait(habits.delayMs);
		for (let index = from; !this.isOver; index++) {
			while (index >= life.lines.length && !this.isOver)
				await new Promise<void>((resolve) => (this.wakeUp = resolve));
			if (this.isOver) return;
			const line = life.lines[index] ?? '';
			if (cut && this.request.brought >= cut.entries) {
				if (cut.torn) this.response.write(this.format(line, index).subarray(0, cut.torn));
				return this.close();
			}
			this.send(line, index);
			service.sent.add(line);
			this.request.brought++;
			if (habits.paceMs) await clock.wait(habits.paceMs);
		}
	}

	private close(): void {
		if (!this.cut?.isEnd) return this.lose();
		if (this.isOver) return;
		this.isOver = true;
		this.wakeUp();
		this.response.end();
	}

	private send(line: string, id: number): void {
		this.response.write(this.format(line, id));
	}

	private format(line: string, id: number): Buffer {
		const { framing, unit } = this.service.habits;
		if (framing === 'bare') return Buffer.from(`${line}\n`);
		const idLine = unit === 'eventId' && id >= 0 ? `id: ${id}\n` : '';
		return Buffer.from(`${idLine}data: ${line}\n\n`);
	}
}
