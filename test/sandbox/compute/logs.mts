import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { waitOn, type Clock } from '../core/clock.mts';
import { param, queryInteger, queryOf, queryValue, refusal } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { checkLogKeys } from '../core/service.mts';

/** Node.js takes no longer timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export type LogStream = 'stdout' | 'stderr';

/** How the entries are encoded; the specification shows only "each line is one log entry". */
export type LogFormat = 'sse' | 'dataLines' | 'lines';

/** How a service resumes from an offset; the specification leaves it open. */
export interface ResumeHabits {
	/** What the offset counts; `eventId` resumes after the event with that ID. */
	unit?: 'entries' | 'bytes' | 'eventId';
	/** Starts at the beginning, whatever offset is requested. */
	ignoresOffset?: boolean;
	/** Resends this many entries before the offset; a negative number skips entries after it. */
	repeats?: number;
	/** Keeps this many of its newest entries, and has no older ones; default: all. */
	keeps?: number;
	/** Counts the offset from the oldest entry that is kept, and not from the start of the log. */
	countsFromKept?: boolean;
	/** Refuses an offset at the end of the log or beyond it with this status; 0 is never refused. */
	refusesEnd?: 416 | 422;
}

/** What a service sends besides entries, and when it ends a stream. */
export interface StreamHabits {
	/** Sent first on every connection. */
	greeting?: string;
	/** Ends a stream as soon as it has sent what there is. */
	endsWhenIdle?: boolean;
	/** Ends a stream before an entry that is not its first and would make it longer, in bytes. */
	longestAnswer?: number;
	/** Sends a comment when it has sent nothing for so long, on the sandbox clock. */
	keepAliveMs?: number;
}

/** What a log follows that changes with the clock. */
export interface LogSource {
	/** When it may write next by itself, in milliseconds since the epoch. */
	nextChange(): number;
	/** Writes what is due. */
	settle(): void;
}

/** The log of one container. A finished log ends its streams; an unfinished one is followed until the client disconnects. */
export class ContainerLog {
	readonly entries: Record<LogStream, string[]> = { stdout: [], stderr: [] };
	isFinished = false;
	private readonly grown = new EventEmitter().setMaxListeners(0);

	/** Changed by tests. */
	resume: ResumeHabits = {};
	stream: StreamHabits = {};
	contentType = 'text/event-stream';
	source?: LogSource;

	/** The connections that are open now, in order. */
	readonly connections = new Set<LogConnection>();
	/** Indices of the entries that a client could have got: kept when it connected, or written while it was connected. */
	readonly offered: Record<LogStream, Set<number>> = { stdout: new Set(), stderr: new Set() };

	constructor(readonly format: LogFormat) {}

	append(stream: LogStream, ...lines: string[]): void {
		const isHeard = [...this.connections].some(
			(connection) => connection.stream === stream && connection.state === 'live',
		);
		for (const line of lines) {
			if (isHeard) this.offered[stream].add(this.entries[stream].length);
			this.entries[stream].push(line);
		}
		this.grown.emit('grown');
	}

	/** Opens a connection on a response, which carries the entries of {@link read}. */
	connect(stream: LogStream, response: ServerResponse): LogConnection {
		const connection = new LogConnection(stream, response, () => this.grown.emit('grown'));
		this.connections.add(connection);
		response.once('close', () => {
			this.connections.delete(connection);
			connection.end();
		});
		this.offerKept(stream);
		return connection;
	}

	/** Counts the entries that are kept now as offered. */
	offerKept(stream: LogStream): void {
		for (let index = this.firstKept(stream); index < this.entries[stream].length; index++)
			this.offered[stream].add(index);
	}

	/** Writes an entry of which the open connections get the first half, and then break. */
	appendHalf(stream: LogStream, line: string): void {
		const bytes = Buffer.from(this.encode(line, this.entries[stream].length));
		for (const connection of this.connections)
			connection.break(bytes.subarray(0, Math.ceil(bytes.length / 2)));
		this.append(stream, line);
	}

	finish(): void {
		this.isFinished = true;
		this.grown.emit('grown');
	}

	/** The index of the first entry to send for an offset. */
	indexOf(stream: LogStream, offset: string | undefined): number {
		const { unit = 'entries', ignoresOffset, repeats = 0, keeps, countsFromKept } = this.resume;
		const first = this.firstKept(stream);
		if (offset === undefined || ignoresOffset) return first;
		const isFirst = Number(offset) === 0 && unit !== 'eventId';
		if (isFirst) return first;
		const index = this.indexAt(stream, unit, offset) - repeats + (countsFromKept ? first : 0);
		// Where entries are dropped, an offset beyond the end is the end
		const last = keeps === undefined ? Infinity : this.entries[stream].length;
		return Math.min(last, Math.max(first, index));
	}

	/** The status with which the request for an offset is refused, if it is. */
	refusalOf(stream: LogStream, offset: string | undefined): number | undefined {
		const isRefused = Number(offset ?? 0) > 0 && Number(offset) >= this.entries[stream].length;
		return isRefused ? this.resume.refusesEnd : undefined;
	}

	private firstKept(stream: LogStream): number {
		return Math.max(0, this.entries[stream].length - (this.resume.keeps ?? Infinity));
	}

	private indexAt(
		stream: LogStream,
		unit: NonNullable<ResumeHabits['unit']>,
		offset: string,
	): number {
		if (unit !== 'bytes') return Number(offset) + (unit === 'eventId' ? 1 : 0);
		let bytes = 0;
		const index = this.entries[stream].findIndex(
			(line) => (bytes += Buffer.byteLength(line) + 1) > Number(offset),
		);
		return index < 0 ? this.entries[stream].length : index;
	}

	/** The entries of a connection from an index on, encoded; waits for more until the log is finished. */
	async *read(connection: LogConnection, first: number, clock: Clock): AsyncGenerator<string> {
		const { greeting, endsWhenIdle, longestAnswer = Infinity, keepAliveMs } = this.stream;
		const entries = this.entries[connection.stream];
		let next = first;
		let bytes = 0;
		if (greeting !== undefined) yield greeting;
		while (connection.state !== 'ended') {
			for (
				let line = entries[next];
				line !== undefined && connection.state === 'live';
				line = entries[next]
			) {
				const text = this.encode(line, next);
				bytes += text.length;
				if (bytes > longestAnswer && next > first) return;
				next++;
				yield text;
			}
			if (this.isFinished || endsWhenIdle) return;
			const waits = new AbortController();
			const after = (ms: number) =>
				ms === Infinity
					? new Promise<never>(() => undefined)
					: waitOn(clock, Math.min(ms, LONGEST_WAIT_MS), waits.signal);
			const isIdle = await Promise.race([
				once(this.grown, 'grown', { signal: waits.signal }).then(() => false),
				after(keepAliveMs ?? Infinity).then(() => true),
				after((this.source?.nextChange() ?? Infinity) - clock.now()).then(() => {
					this.source?.settle();
					return false;
				}),
			]).finally(() => waits.abort());
			if (isIdle) yield ': keep-alive\n\n';
		}
	}

	private encode(line: string, index: number): string {
		if (this.format === 'lines') return `${line}\n`;
		return this.format === 'sse' ? `id: ${index}\ndata: ${line}\n\n` : `data: ${line}\n`;
	}
}

/** A client that follows a log. A test can cut it off. */
export class LogConnection {
	/** `stalled`: it stays open and gets no further entry. */
	state: 'live' | 'stalled' | 'ended' = 'live';

	constructor(
		readonly stream: LogStream,
		private readonly response: ServerResponse,
		private readonly onChange: () => void,
	) {}

	stall(): void {
		this.state = 'stalled';
	}

	/** Ends the stream in order. */
	end(): void {
		this.state = 'ended';
		this.onChange();
	}

	/** Breaks the connection, after these bytes. */
	break(lastBytes?: Uint8Array): void {
		this.state = 'stalled';
		const destroy = () => this.response.destroy();
		if (lastBytes) this.response.write(lastBytes, destroy);
		else destroy();
	}
}

/** The logs of all containers. */
export class ContainerLogs {
	private readonly logs = new Map<string, ContainerLog>();

	open(deploymentId: string, containerId: string, format: LogFormat = 'sse'): ContainerLog {
		const log = new ContainerLog(format);
		this.logs.set(`${deploymentId}/${containerId}`, log);
		return log;
	}

	find(deploymentId: string, containerId: string): ContainerLog | undefined {
		return this.logs.get(`${deploymentId}/${containerId}`);
	}

	/** The logs of all containers of a deployment. */
	of(deploymentId: string): ContainerLog[] {
		return [...this.logs]
			.filter(([name]) => name.startsWith(`${deploymentId}/`))
			.map(([, log]) => log);
	}

	/** Removes all logs and ends the streams that follow them. */
	clear(): void {
		for (const log of this.logs.values()) log.finish();
		this.logs.clear();
	}
}

const streamQuery = z.object({ stream: queryValue(z.enum(['stdout', 'stderr'])).optional() });

/** `GET /caas/deployment/{deployment_id}/log/{container_id}` (compute-api.md, "Container log stream"). */
export function logRoute(app: FastifyInstance, service: Service): void {
	const { logs, settings } = service;
	const offsetQuery = z.object({
		[settings.offsetParameter]: queryInteger(z.number().min(0)).optional(),
	});
	app.addHook('preValidation', async (request) => checkLogKeys(service, request));

	app.get('/deployment/:deployment_id/log/:container_id', (request, reply) => {
		const { stream = 'stdout' } = queryOf(request, streamQuery);
		const offset = queryOf(request, offsetQuery)[settings.offsetParameter];
		const log = logs.find(param(request, 'deployment_id'), param(request, 'container_id'));
		if (!log) throw refusal(404, 'Container not found');
		log.source?.settle();
		const requested = offset === undefined ? undefined : String(offset);
		const status = log.refusalOf(stream, requested);
		if (status !== undefined) throw refusal(status, 'The log has no entry at this offset');
		const first = log.indexOf(stream, requested);
		const connection = log.connect(stream, reply.raw);
		const entries = log.read(connection, first, service.clock);
		const body = Readable.from(entries, { objectMode: false });
		body.once('close', () => connection.end());
		// The framework sends the headers with the first bytes; the client of a silent container would never get them
		setImmediate(() => {
			if (!reply.raw.headersSent && !reply.raw.destroyed) reply.raw.flushHeaders();
		});
		return reply.type(log.contentType).header('cache-control', 'no-cache').send(body);
	});
}
