import {
	logRequest,
	OFFSET_VALUE_STATUSES,
	type LogName,
	type LogOffset,
} from '../marketplace/log/request';
import type { NodeError } from '../shared/http/errors';
import type { Reply } from '../shared/http/reply';
import { replyError, type RequestContext } from '../shared/http/request';
import { parseRetryAfter } from '../shared/http/retry';
import { ByteReader, type ReadResult } from '../shared/stream/byteReader';
import type { DocumentDetector } from '../shared/stream/document';
import type { StreamEvent } from '../shared/stream/event';
import type { Framing } from '../shared/stream/framing';
import type { LogDecoder } from '../shared/stream/logDecoder';
import { decoderFor, openStream } from '../shared/stream/stream';
import { WEB_PAGE_REASON } from '../shared/stream/webPage';
import { elapsed } from '../shared/time';
import type { Settings } from './settings';

/** Why there is no connection, in the service's words. */
export interface Refusal {
	reason: string;
	/** Set where the same request fails again until a person or the service changes something. */
	error?: NodeError;
	/** Whether it may be about the offset; and whether about its value, not about where the log ends. */
	isOffset?: boolean;
	isOffsetValue?: boolean;
	/** Whether there was no answer in time; and whether that is the silence of a log without new lines. */
	isLate?: boolean;
	isSilence?: boolean;
	/** Pause that the service asks for. */
	retryAfterMs?: number;
}

/** Why a connection is over. */
export type Closed =
	/** The trigger was closed, or this reader stopped. */
	| { kind: 'closed' }
	/** The deployment has ended and the log has nothing left. */
	| { kind: 'finished' }
	/** The line to stop on has come. */
	| { kind: 'stopped' }
	| ({ kind: 'refused' } & Refusal)
	| {
			kind: 'lost';
			reason: string;
			/** How long it was open, in milliseconds. */
			livedMs: number;
			/** Whether it brought something new. */
			isProgress: boolean;
			/** Whether more is expected of the next one, so that it need not wait. */
			hasMore: boolean;
			/** Whether it brought nothing although the log had entries before; and what it ended with, which was none. */
			isEmpty: boolean;
			rest?: string;
	  };

/** Silence in which a blank line that comes alone may keep the connection alive. */
const KEEP_ALIVE_MS = 5_000;
/** Statuses below 500 that a later try may not get: request timeout, too early, too many requests. */
const TRANSIENT_STATUSES = new Set([408, 425, 429]);
/** With which services refuse an offset that is beyond the end of the log. */
const OFFSET_STATUSES = new Set([400, 404, 416, 422]);

/** An open connection to one log: bytes in, entries out, with what is known of its silence. */
export class Connection {
	/** When the last entry came. Comments do not count: a proxy may send them for a source that is dead. */
	lastEntryAt = elapsed();
	entries = 0;
	/** When the data of the next entry began to come: it may have to wait for a blank line. */
	private receivedAt = elapsed();
	private blankLineDeadline = Infinity;
	private isNoted = false;
	/** How many chunks have come, and the blank line that was alone in one of them. */
	private chunks = 0;
	private blank?: { event: StreamEvent; receivedAt: number; chunk: number };
	private blankAt = elapsed();

	private constructor(
		private readonly reader: ByteReader,
		private readonly decoder: LogDecoder,
		private readonly document: DocumentDetector,
		private readonly framing: Framing,
	) {}

	/**
	 * Opens a connection.
	 * @param framing what earlier connections of the log have shown, and this one will
	 * @param headMs how long the head of the answer may take
	 * @param take gets each entry, and when it began to come
	 * @returns the refusal where there is none; undefined where the signal aborted
	 */
	static async open(
		context: RequestContext,
		log: LogName,
		settings: Settings,
		framing: Framing,
		from: LogOffset,
		headMs: number,
		signal: AbortSignal,
		take: (event: Readonly<StreamEvent>, receivedAt: number) => void,
	): Promise<Connection | Refusal | undefined> {
		const opened = await openStream(context, { ...logRequest(log, settings, from), headMs });
		if (opened.kind === 'cancelled') return undefined;
		if (opened.kind !== 'open') return refusalOf(context, opened);
		const { largestLine, offsetUnit } = settings;
		const countsBytes = offsetUnit === 'bytes';
		const isBare = framing.keepAliveMs !== undefined && settings.format === 'auto';
		const format = isBare ? 'lines' : settings.format;
		const options = { format, largestEntry: largestLine, countsBytes, framing };
		const { decoder, document } = decoderFor(opened, options, (event) => {
			const { blank } = connection;
			if (event.data === '' && event.type === '' && connection.holdBlank(event)) return;
			if (blank && !connection.isKeepAlive(blank)) {
				connection.entries++;
				take(blank.event, blank.receivedAt);
			}
			connection.blank = undefined;
			connection.entries++;
			take(event, connection.receivedAt);
		});
		const reader = new ByteReader(opened.body, signal);
		const connection = new Connection(reader, decoder, document, framing);
		return connection;
	}

	/** Why it brings no log, but the error of a service or the page of a gateway. */
	get refusal(): string | undefined {
		return this.decoder.isWebPage ? WEB_PAGE_REASON : this.document.refusal;
	}

	/** In words, what it ended with where that was no entry. */
	get rest(): string {
		return this.document.rest;
	}

	/** The reconnection time that the stream asked for. */
	get retryMs(): number | undefined {
		return this.decoder.retryMs;
	}

	/**
	 * Reads the next chunk, whose entries are taken before this returns.
	 * @param until when to stop waiting, by `elapsed`
	 */
	async read(until: number, onChunk: () => void): Promise<ReadResult['kind']> {
		const { decoder } = this;
		const result = await this.reader.next(Math.min(until, this.blankLineDeadline));
		if (result.kind === 'chunk') {
			onChunk();
			this.chunks++;
			if (!this.isPending) this.receivedAt = elapsed();
			const { entries } = this;
			decoder.push(result.bytes);
			if (this.entries > entries) this.lastEntryAt = elapsed();
			// Each entry shows that events still end; a comment does not
			if (!this.isPending) this.blankLineDeadline = Infinity;
			else if (this.entries > entries || this.blankLineDeadline === Infinity)
				this.blankLineDeadline = elapsed() + this.framing.patienceMs;
		}
		const isEnd = result.kind === 'end';
		const isOver = isEnd && !this.framing.mayEndWithinEvent;
		const isLate = elapsed() >= this.blankLineDeadline;
		if (isOver || isLate) this.assumeLineFraming();
		// A document is sent at once and to its end
		if ((isLate && !isEnd) || result.kind === 'broken') this.assumeLog();
		return result.kind;
	}

	/** Whether entries wait for what comes behind them. */
	private get isPending(): boolean {
		return this.decoder.hasPendingLines || this.document.isOpen;
	}

	/** Waits for something else. Nothing is read meanwhile, so that this is no silence of the service. */
	async pauseFor<T>(work: Promise<T>): Promise<T> {
		const pausedAt = elapsed();
		const result = await work;
		const ms = elapsed() - pausedAt;
		this.lastEntryAt += ms;
		this.blankLineDeadline += ms;
		return result;
	}

	/** It is quiet: lines that wait for the end of their event are entries, unless the log has shown that it comes. */
	showPending(): void {
		if (!this.framing.isBlankLineFramed) this.assumeLineFraming();
		this.assumeLog();
	}

	private assumeLineFraming(): void {
		this.blankLineDeadline = Infinity;
		this.emitNow(() => this.decoder.assumeLineFraming());
	}

	private assumeLog(): void {
		this.emitNow(() => this.document.release());
	}

	private emitNow(emit: () => void): void {
		const { entries } = this;
		emit();
		if (this.entries > entries) this.lastEntryAt = elapsed();
	}

	/**
	 * @param isKnown whether an entry is the last one that is known of the log
	 * @param isComplete whether the log is, so that a last line without a line end is an entry: a gateway may have ended within a line
	 */
	end(isKnown: (event: Readonly<StreamEvent>) => boolean, isComplete: boolean): void {
		this.noteFraming();
		if (this.decoder.isWebPage) return;
		const isEntry = (event: StreamEvent) => isComplete || isKnown(event);
		this.document.end(() => this.decoder.end(), isKnown, isEntry);
	}

	/**
	 * Bare lines have no comments, so some services keep a connection alive by blank lines. Two that come one after the other, each in
	 * silence, show it, and how often they come. What is held at the end of the connection is in the log, or was no line.
	 */
	private holdBlank(event: Readonly<StreamEvent>): boolean {
		const { blank, blankAt, chunks, framing } = this;
		const at = elapsed();
		const isSilent = at >= Math.max(this.lastEntryAt, blankAt) + KEEP_ALIVE_MS;
		if (blank && isSilent) framing.keepAliveMs ??= at - blankAt;
		const { keepAliveMs = 0 } = framing;
		const isDue = keepAliveMs > 0 && Math.abs(at - blankAt - keepAliveMs) <= keepAliveMs / 10;
		if (!isSilent && !isDue) return false;
		this.blank = { event: { ...event }, receivedAt: this.receivedAt, chunk: chunks };
		this.blankAt = at;
		return true;
	}

	private isKeepAlive({ chunk }: { chunk: number }): boolean {
		return this.framing.keepAliveMs !== undefined && chunk < this.chunks;
	}

	close(): void {
		this.noteFraming();
		this.reader.destroy();
	}

	private noteFraming(): void {
		if (!this.isNoted) this.framing.connectionEnded(this.decoder.pendingLine);
		this.isNoted = true;
	}
}

function refusalOf(context: RequestContext, reply: Exclude<Reply, { kind: 'cancelled' }>): Refusal {
	const error = replyError(context, reply);
	if (reply.kind !== 'answer')
		return { reason: reply.reason, error: reply.permanent ? error : undefined };
	const isTransient = reply.status >= 500 || TRANSIENT_STATUSES.has(reply.status);
	return {
		reason: error.message,
		error: isTransient ? undefined : error,
		isOffset: OFFSET_STATUSES.has(reply.status),
		isOffsetValue: OFFSET_VALUE_STATUSES.has(reply.status),
		retryAfterMs: parseRetryAfter(reply.retryAfter),
	};
}
