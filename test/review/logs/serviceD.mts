import type { ServerResponse } from 'node:http';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { startServer, type TestServer } from '../../engine/server.mts';
import type { ClockD } from './clockD.mts';

/** How the service and what stands before it behave; each may change at any time. */
export interface Rules {
	/** How many of the last lines a connection is shown; 0: new ones only. */
	keeps: number;
	/** `one`: it counts from 1. */
	offset: 'honoured' | 'one' | 'ignored';
	framing: 'sse' | 'bare' | 'crlf';
	/** Events have IDs: of the log, or counted again on each connection. */
	ids?: 'log' | 'connection';
	/** Lines with which each connection begins. */
	greeting?: (connection: number) => string[];
	gzip?: boolean;
	/** Bytes of each chunk. */
	chunk?: number;
	/** Time before it sends what it has, and between two lines of that. */
	delayMs?: number;
	paceMs?: number;
	/** A proxy keeps everything back for so long. */
	bufferMs?: number;
	/** A comment is sent so often. */
	commentMs?: number;
	/** An event of the type `ping` is sent so often. */
	pingMs?: number;
	/** Each answer ends after so many lines. */
	page?: number;
	/** Answers in place of the log. */
	refuses?: (container: string) => { status: number; headers?: Record<string, string> } | undefined;
}

/** What one container has written to one stream. */
export class LogD {
	/** All that was ever written to any of its logs. */
	readonly written: string[] = [];
	/** The log as the service has it; `first` is the ID of the first line in it. */
	lines: string[] = [];
	first = 0;
	readonly open = new Set<Sender>();

	write(...lines: string[]): void {
		this.written.push(...lines);
		for (const line of lines) {
			const id = this.first + this.lines.push(line) - 1;
			for (const sender of this.open) sender.line(line, id);
		}
	}

	/** The container starts again, with a log of its own. */
	restart(...lines: string[]): void {
		this.lines = [];
		this.first = 0;
		this.write(...lines);
	}

	/** The service drops the oldest lines, and counts from what is left. */
	shrink(count: number): void {
		this.lines.splice(0, count);
	}

	/** Breaks the connections. */
	cut(): void {
		for (const sender of this.open) sender.response.destroy();
		this.open.clear();
	}

	/** Ends them as a gateway does that has its limit of time. */
	end(): void {
		for (const sender of this.open) sender.end();
		this.open.clear();
	}

	/** The connections stay, and nothing of the log comes on them any more. */
	forget(): void {
		this.open.clear();
	}

	/** Writes the beginning of a line, as it stands in the buffer of a proxy that fails then. */
	tear(bytes: number, line: string): void {
		for (const sender of this.open) sender.raw(Buffer.from(sender.format(line)).subarray(0, bytes));
	}
}

/** One connection. */
class Sender {
	sent = 0;
	private kept: Buffer[] = [];
	private isOver = false;
	private crc = 0;
	private size = 0;

	constructor(
		readonly response: ServerResponse,
		private readonly rules: Rules,
		private readonly clock: ClockD,
		private readonly number: number,
	) {
		response.once('close', () => (this.isOver = true));
		if (rules.gzip) response.write(Buffer.from('1f8b0800000000000003', 'hex'));
	}

	async begin(log: LogD, from: number): Promise<void> {
		const { rules, clock } = this;
		for (const line of rules.greeting?.(this.number) ?? []) this.line(line);
		this.repeat(rules.commentMs, ': keep-alive\n\n');
		this.repeat(rules.pingMs, 'event: ping\ndata: {}\n\n');
		await clock.wait(rules.delayMs ?? 0);
		// Lines that are written meanwhile are shown in their turn
		for (let index = from; index < log.lines.length && !this.isOver; index++) {
			if (rules.page !== undefined && this.sent >= rules.page) return this.end();
			this.line(log.lines[index] ?? '', log.first + index);
			if (rules.paceMs) await clock.wait(rules.paceMs);
		}
		if (rules.page !== undefined) this.end();
		else if (!this.isOver) log.open.add(this);
	}

	line(line: string, id?: number): void {
		this.sent++;
		this.raw(Buffer.from(this.format(line, id)));
	}

	format(line: string, id = -1): string {
		const { framing, ids } = this.rules;
		if (framing === 'bare') return `${line}\n`;
		const end = framing === 'crlf' ? '\r\n' : '\n';
		const number = ids === 'connection' ? this.sent : id;
		return `${ids && id >= 0 ? `id: ${number}${end}` : ''}data: ${line}${end}${end}`;
	}

	raw(bytes: Buffer): void {
		const { bufferMs } = this.rules;
		if (this.isOver) return;
		this.kept.push(bytes);
		if (!bufferMs) return this.flush();
		if (this.kept.length === 1) void this.clock.wait(bufferMs).then(() => this.flush());
	}

	end(): void {
		if (this.isOver) return;
		this.flush();
		this.isOver = true;
		if (this.rules.gzip) {
			const tail = Buffer.alloc(8);
			tail.writeUInt32LE(this.crc);
			tail.writeUInt32LE(this.size, 4);
			this.response.write(Buffer.concat([deflateRawSync(Buffer.alloc(0)), tail]));
		}
		this.response.end();
	}

	private flush(): void {
		const { chunk = Infinity, gzip } = this.rules;
		if (this.isOver || this.kept.length === 0) return;
		let bytes = Buffer.concat(this.kept.splice(0));
		if (gzip) {
			this.crc = crc32(bytes, this.crc);
			this.size += bytes.length;
			bytes = deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
		}
		for (let at = 0; at < bytes.length; at += chunk)
			this.response.write(bytes.subarray(at, Math.min(bytes.length, at + chunk)));
	}

	private repeat(ms: number | undefined, text: string): void {
		if (!ms) return;
		void this.clock.wait(ms).then(() => {
			this.raw(Buffer.from(text));
			if (!this.isOver) this.repeat(ms, text);
		});
	}
}

/** A container service with any number of logs. */
export class ServiceD {
	readonly rules: Rules = { keeps: Infinity, offset: 'honoured', framing: 'sse' };
	/** The state of the deployment. */
	status = 'running';
	readonly requests: Array<{ at: number; offset?: number; container?: string }> = [];
	private readonly logs = new Map<string, LogD>();

	private constructor(private readonly clock: ClockD) {}

	static async start(clock: ClockD): Promise<{ service: ServiceD; server: TestServer }> {
		const service = new ServiceD(clock);
		const server = await startServer((request, response) =>
			service.answer(new URL(request.url ?? '', 'http://127.0.0.1'), response),
		);
		return { service, server };
	}

	log(container = 'c1', stream = 'stdout'): LogD {
		const key = `${container}/${stream}`;
		const log = this.logs.get(key) ?? new LogD();
		this.logs.set(key, log);
		return log;
	}

	/** The most requests in any second. */
	get mostInASecond(): number {
		const ats = this.requests.map(({ at }) => at);
		return Math.max(
			0,
			...ats.map((at) => ats.filter((one) => one >= at && one < at + 1000).length),
		);
	}

	private answer(url: URL, response: ServerResponse): void {
		const { rules, clock } = this;
		const container = /\/log\/([^/]+)$/.exec(url.pathname)?.[1];
		const given = url.searchParams.get('offset');
		const offset = given === null ? undefined : Number(given);
		this.requests.push({ at: clock.at, offset, container });
		const json = (status: number, body: unknown, headers = {}) =>
			response
				.writeHead(status, { 'content-type': 'application/json', ...headers })
				.end(JSON.stringify(body));
		if (!container) return void json(200, { data: { id: 'd1', status: this.status } });
		const refusal = rules.refuses?.(container);
		if (refusal) return void json(refusal.status, { detail: 'Refused' }, refusal.headers);
		const log = this.log(container, url.searchParams.get('stream') ?? 'stdout');
		response.writeHead(200, {
			'content-type': 'text/event-stream',
			...(rules.gzip && { 'content-encoding': 'gzip' }),
		});
		response.flushHeaders();
		const oldest = Math.max(0, log.lines.length - rules.keeps);
		const counted = rules.offset === 'one' ? Math.max(0, (offset ?? 1) - 1) : (offset ?? 0);
		const from = rules.offset === 'ignored' ? oldest : Math.max(oldest, counted);
		const count = this.requests.length;
		const sender = new Sender(response, { ...rules }, clock, count);
		response.once('close', () => log.open.delete(sender));
		void sender.begin(log, from);
	}
}
