import { logRequest, type LogName } from '../marketplace/log/request';
import { replyError, type RequestContext } from '../shared/http/request';
import { ByteReader } from '../shared/stream/byteReader';
import type { LogDecoder, LogDecoderOptions } from '../shared/stream/logDecoder';
import { decoderFor, openStream, type OpenStream } from '../shared/stream/stream';
import { now } from '../shared/time';
import { Batcher } from './batcher';
import type { Checkpoint } from './checkpoint';
import { closeReasonOf, type CloseReason } from './closeReason';
import { Cursor } from './cursor';
import { EndOfLogCheck } from './endOfLog';
import { isFirstEntry } from './entryDigest';
import { probeOffset, readFirstEntry } from './offsetProbe';
import type { ReaderHost } from './readerHost';

/** Silence after which the backlog of a log has been sent. */
const CAUGHT_UP_MS = 500;
/** The same before the first bytes, which may take longer. */
const FIRST_BYTES_MS = 2_000;
const MAX_CATCH_UP_MS = 10_000;
/** Time without an entry after which each pending data line is taken for one. */
const BLANK_LINE_MS = 2_000;

/** Reads one log over one connection after another; the follower decides what happens between them. */
export class LogReader {
	readonly cursor: Cursor;
	/** Whether the service has ever opened this log. */
	wasOpened: boolean;
	/** Whether the log was over at the last stop, so that only in-flight batches are read. */
	readonly wasOver: boolean;
	/** The reconnection time that the stream asked for. */
	retryMs?: number;
	/** Resolves when the backlog is skipped, or at once if it is not to be skipped. */
	readonly caughtUp: Promise<void>;
	private resolveCaughtUp: () => void = () => undefined;
	private readonly batcher: Batcher;
	private readonly stopController = new AbortController();
	private readonly endOfLog = new EndOfLogCheck();
	/** Whether the service has ended the stream, or n8n was down, so that the log may have rotated. */
	private wasEnded = true;
	/** Whether the service, asked without an ID, has shown the start of the log and not its newest entries. */
	private showsLogStart = false;
	/** Whether the deployment was known to have ended when the connection was opened. */
	private isLastConnection = false;

	constructor(
		readonly log: LogName,
		readonly checkpoint: Checkpoint,
		private readonly host: ReaderHost,
	) {
		this.cursor = new Cursor(checkpoint, host.settings.offsetUnit);
		this.batcher = new Batcher(log, checkpoint, this.cursor, host, this.endOfLog);
		this.wasOpened = checkpoint.hasProgress;
		this.wasOver = checkpoint.isOver;
		this.caughtUp = checkpoint.skipsBacklog
			? new Promise((resolve) => (this.resolveCaughtUp = resolve))
			: Promise.resolve();
	}

	/** Stops reading; entries that were read are still delivered, unless the host is closed. */
	stop(): void {
		this.stopController.abort();
	}

	/** As {@link stop}, once the in-flight batches are redelivered. */
	stopAfterRedeliveries(): void {
		if (this.cursor.hasRedeliveries) this.batcher.onlyRedelivers = true;
		else this.stop();
	}

	/** Aborts when reading is to stop. */
	get stopSignal(): AbortSignal {
		return this.stopController.signal;
	}

	private get decoderOptions(): LogDecoderOptions {
		const { format, largestLine, offsetUnit } = this.host.settings;
		return {
			format: format === 'auto' ? this.checkpoint.format : format,
			largestEntry: largestLine,
			countsBytes: offsetUnit === 'bytes',
		};
	}

	/**
	 * Opens one connection and reads it to its end.
	 * @param onOpen is called once the stream is open
	 * @throws what opening the credentials throws
	 */
	async connect(onOpen: () => void): Promise<CloseReason> {
		const { host, log, cursor, endOfLog } = this;
		if (this.batcher.hasNothingLeft) return { kind: 'finished' };
		endOfLog.onConnected();
		const context = await host.context();
		const isHonoured = cursor.isAtStart || (await this.isOffsetHonoured(context));
		if (typeof isHonoured !== 'boolean') return await this.onRefusal(isHonoured);
		const opened = await openStream(
			context,
			logRequest(log, host.settings, cursor.requestOffset(isHonoured)),
		);
		if (opened.kind !== 'open')
			return await this.onRefusal(closeReasonOf(opened, () => replyError(context, opened)));
		this.wasOpened = true;
		this.wasEnded = false;
		onOpen();
		cursor.onConnected(isHonoured);
		const reason = await this.read(opened);
		// A redelivered batch must have the same entries, so the rest of it is waited for
		if (!host.signal.aborted && !cursor.isRedelivering) await this.batcher.flush();
		const isProgress = endOfLog.received > 0 && !(this.isLastConnection && endOfLog.isLikelyEnd);
		return host.signal.aborted
			? { kind: 'closed' }
			: { ...reason, ...(isProgress && { isProgress }) };
	}

	private async isOffsetHonoured(context: RequestContext): Promise<boolean | CloseReason> {
		const { host, log } = this;
		const { isOffsetHonoured: known, settings } = host;
		const isId = settings.offsetUnit === 'eventId';
		// Without an ID there is no offset
		if (isId && this.cursor.readOffset.lastEventId === '') return false;
		// A log that was not ended has not rotated, and one that is skipped by count shows its first entry anyway
		if (known === false || (known && !(this.wasEnded && (!isId || this.showsLogStart))))
			return known;
		const probe = known ? readFirstEntry : probeOffset;
		const result = await probe(context, log, settings, this.decoderOptions);
		if ('kind' in result) return closeReasonOf(result, () => replyError(context, result));
		const { firstEntry, isHonoured, isCertain } = result;
		this.showsLogStart ||=
			firstEntry !== undefined && isFirstEntry(firstEntry, this.checkpoint.firstEntryDigest);
		if (firstEntry && (!isId || this.showsLogStart)) this.cursor.detectRotation(firstEntry);
		if (isCertain) host.isOffsetHonoured = isHonoured;
		return isHonoured;
	}

	private async read(opened: OpenStream): Promise<CloseReason> {
		const { host, log, checkpoint, cursor, batcher } = this;
		let pendingSince = Infinity;
		const decoder = decoderFor(opened, this.decoderOptions, (event) => {
			pendingSince = Infinity;
			batcher.add(event);
		});
		const reader = new ByteReader(opened.body, this.stopSignal);
		const idleMs = host.settings.idleTimeoutMs || Infinity;
		let lastDataAt = now();
		let hasData = false;
		const catchUpDeadline = lastDataAt + MAX_CATCH_UP_MS;
		try {
			for (;;) {
				const silenceMs = decoder.hasPendingLines
					? BLANK_LINE_MS
					: hasData
						? CAUGHT_UP_MS
						: FIRST_BYTES_MS;
				const backlogUntil = checkpoint.skipsBacklog
					? Math.min(catchUpDeadline, lastDataAt + silenceMs)
					: Infinity;
				const result = await reader.next(
					Math.min(
						batcher.deadline,
						lastDataAt + idleMs,
						backlogUntil,
						pendingSince + BLANK_LINE_MS,
					),
				);
				if (result.kind === 'chunk') {
					batcher.receivedAt = new Date(now()).toISOString();
					decoder.push(result.bytes);
					this.retryMs = decoder.retryMs ?? this.retryMs;
					// A format that comes from the content type may be another one the next time
					if (opened.format === 'auto') checkpoint.format = decoder.format;
				}
				const isIdle = result.kind === 'late' && now() >= lastDataAt + idleMs;
				const isCaughtUp =
					checkpoint.skipsBacklog &&
					(isIdle || now() >= (result.kind === 'late' ? backlogUntil : catchUpDeadline));
				// Lines that are held back belong to the backlog, so they are processed before it ends
				if (isCaughtUp || isIdle || result.kind === 'end' || now() >= pendingSince + BLANK_LINE_MS)
					decoder.assumeLineFraming();
				await batcher.deliverReady();
				host.reportLostBatches(log, checkpoint, cursor.takeLostBatches(false));
				if (cursor.mustReread)
					return { kind: 'retry', reason: 'The log was rotated', isProgress: true };
				if (batcher.isStopped && !batcher.hasStopLine) return { kind: 'finished' };
				if (batcher.isStopped || result.kind === 'closed') return { kind: 'stopped' };
				if (result.kind === 'broken') return { kind: 'retry', reason: 'The connection was lost' };
				if (result.kind === 'end') return await this.onStreamEnd(decoder);
				if (isCaughtUp) this.endCatchUp();
				if (now() >= batcher.deadline) await batcher.flush();
				// Counted from here: nothing was read while executions were waited for
				if (result.kind === 'chunk') {
					lastDataAt = now();
					hasData = true;
				}
				pendingSince = decoder.hasPendingLines ? Math.min(pendingSince, now()) : Infinity;
				if (isIdle)
					return { kind: 'retry', reason: `No data for ${idleMs / 1000} seconds`, isIdle: true };
			}
		} finally {
			reader.destroy();
		}
	}

	/**
	 * After a clean end of the stream. While the container runs, the last line may be incomplete, and the next connection brings
	 * all of it. Once the deployment has ended, entries may have come between the end of the stream and that of the
	 * deployment: the log is over when a further connection brings nothing new.
	 */
	private async onStreamEnd(decoder: LogDecoder): Promise<CloseReason> {
		this.endCatchUp();
		this.wasEnded = true;
		if (this.isLastConnection && this.isEndOfLog()) {
			decoder.end();
			return { kind: 'finished' };
		}
		const wasLastConnection = this.isLastConnection;
		this.isLastConnection = await this.host.hasDeploymentEnded(this.log);
		return {
			kind: 'retry',
			reason: 'The service ended the stream',
			...(this.isLastConnection && !wasLastConnection && { isProgress: true }),
		};
	}

	/** Whether the connection brought nothing new, or the same closing lines as the ones before it. */
	private isEndOfLog(): boolean {
		const { cursor, endOfLog } = this;
		if (endOfLog.received === 0) {
			// A log with fewer entries than were read has rotated
			if (!cursor.isShorterThanRead || !this.checkpoint.hasProgress) return true;
			cursor.onRotation();
		}
		return endOfLog.onClosed();
	}

	/** A log that was opened before is retried while its deployment runs: the service may not find it for a moment. */
	private async onRefusal(reason: CloseReason): Promise<CloseReason> {
		if (
			reason.kind !== 'unknown' ||
			reason.isPermanent ||
			!this.wasOpened ||
			(await this.host.hasDeploymentEnded(this.log))
		)
			return reason;
		return { kind: 'retry', reason: reason.error.message, isRefusal: true };
	}

	private endCatchUp(): void {
		this.checkpoint.skipsBacklog = false;
		this.resolveCaughtUp();
	}
}
