import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { param, queryInteger, queryOf, queryValue, refusal } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { checkLogKeys } from '../core/service.mts';

export type LogStream = 'stdout' | 'stderr';

/** How the entries are encoded; the specification shows only "each line is one log entry". */
export type LogFormat = 'sse' | 'dataLines' | 'lines';

/** How a service resumes from an offset; the specification leaves it open. */
export interface ResumeHabits {
	/** What the offset counts; `eventId` resumes after the event with that ID. */
	unit?: 'entries' | 'bytes' | 'eventId';
	/** Starts at the beginning, whatever offset is requested. */
	ignoresOffset?: boolean;
	/** Resends this many entries before the offset. */
	repeats?: number;
}

/** The log of one container. A finished log ends its streams; an unfinished one is followed until the client disconnects. */
export class ContainerLog {
	readonly entries: Record<LogStream, string[]> = { stdout: [], stderr: [] };
	isFinished = false;
	private readonly grown = new EventEmitter().setMaxListeners(0);

	/** Changed by tests. */
	resume: ResumeHabits = {};
	contentType = 'text/event-stream';

	constructor(readonly format: LogFormat) {}

	append(stream: LogStream, ...lines: string[]): void {
		for (const line of lines) this.entries[stream].push(line);
		this.grown.emit('grown');
	}

	finish(): void {
		this.isFinished = true;
		this.grown.emit('grown');
	}

	/** The index of the first entry to send for an offset. */
	indexOf(stream: LogStream, offset: string | undefined): number {
		const { unit = 'entries', ignoresOffset, repeats = 0 } = this.resume;
		if (offset === undefined || ignoresOffset) return 0;
		const isFirst = Number(offset) === 0 && unit !== 'eventId';
		return isFirst ? 0 : Math.max(0, this.indexAt(stream, unit, offset) - repeats);
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

	/** The entries from an offset on, encoded; waits for more until the log is finished. */
	async *read(stream: LogStream, offset: number, signal: AbortSignal): AsyncGenerator<string> {
		const entries = this.entries[stream];
		let next = offset;
		while (!signal.aborted) {
			for (let line = entries[next]; line !== undefined && !signal.aborted; line = entries[next])
				yield this.encode(line, next++);
			if (this.isFinished) return;
			// An abort rejects the wait; the loop's own condition handles it
			await once(this.grown, 'grown', { signal }).catch(() => undefined);
		}
	}

	private encode(line: string, index: number): string {
		if (this.format === 'lines') return `${line}\n`;
		return this.format === 'sse' ? `id: ${index}\ndata: ${line}\n\n` : `data: ${line}\n`;
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
		const gone = new AbortController();
		const first = log.indexOf(stream, offset === undefined ? undefined : String(offset));
		const body = Readable.from(log.read(stream, first, gone.signal), { objectMode: false });
		body.once('close', () => gone.abort());
		reply.raw.once('close', () => gone.abort());
		// The framework sends the headers with the first bytes; the client of a silent container would never get them
		setImmediate(() => {
			if (!reply.raw.headersSent && !reply.raw.destroyed) reply.raw.flushHeaders();
		});
		return reply.type(log.contentType).header('cache-control', 'no-cache').send(body);
	});
}
