import { BEGINNING, type LogName, type LogOffset } from '../marketplace/log/request';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import { elapsed, now } from '../shared/time';
import { Batcher } from './batcher';
import { Beginning } from './beginning';
import { Connection, type Closed } from './connection';
import { Cursor } from './cursor';
import type { Batch } from './delivery';
import { Newest } from './newest';
import { Opening } from './opening';
import { Outbox } from './outbox';
import { Overlap } from './overlap';
import { MAX_SEARCH_MS, SearchSpeed } from './patience';
import type { Progress } from './progress';
import type { Settings } from './settings';

/** What the reader of a log needs from the follower of all logs. */
export interface ReaderHost {
	settings: Settings;
	/** Aborts when the trigger is closed. */
	signal: AbortSignal;
	/** Reads the credentials, each time again: a person may have corrected them. */
	context(signal: AbortSignal): Promise<RequestContext>;
	/** Hands a batch over when it may start an execution; false if the trigger was closed first. */
	deliver(batch: Batch): Promise<boolean>;
	/** Waits until a further request may be sent. */
	requestSlot(signal: AbortSignal): Promise<void>;
	/** Whether the deployment was seen in a final state, so that its containers write nothing more. */
	hasDeploymentEnded(log: LogName): Promise<boolean>;
}

/** Silence after which the newest lines have come; and the same before the first one. */
const NEWEST_QUIET_MS = 1_000;
const FIRST_ENTRY_MS = 3_000;
/** For a moment, a service may show a deployment as ended that runs: more looks than this, between which pauses grow, show that it has. */
const FINAL_LOOKS = 4;

/** Reads one log, over one connection after another. */
export class LogReader {
	/** The reconnection time that the stream asked for. */
	retryMs?: number;
	/** Resolves when the old lines are left out, or at once if all lines are wanted. */
	readonly caughtUp: Promise<void>;
	private resolveCaughtUp: () => void = () => undefined;
	private readonly cursor: Cursor;
	private readonly overlap: Overlap;
	private readonly batcher: Batcher;
	private readonly outbox: Outbox;
	private readonly beginning: Beginning;
	private readonly opening: Opening;
	private newest?: Newest;
	/** Since when they are read: connections may all be lost before the log is silent. */
	private newestSince = Infinity;
	private readonly stopController = new AbortController();
	/** Entries that wait until it is known whether others are before them. */
	private readonly waiting: Array<{ event: StreamEvent; receivedAt: number }> = [];
	/** Entries of this connection that were new. */
	brought = 0;
	/** How often in a row the deployment was seen to have ended at the end of a connection, before this one. */
	private finalLooks = 0;

	/** @param newestLines how many of the lines that the log has now are wanted; undefined for all */
	constructor(
		readonly log: LogName,
		readonly progress: Progress,
		private readonly host: ReaderHost,
		newestLines?: number,
	) {
		const { settings } = host;
		const position = progress.resume();
		this.beginning = new Beginning(log, settings);
		this.opening = new Opening(log, host, this.beginning);
		this.cursor = new Cursor(position, settings.offsetUnit);
		this.batcher = new Batcher(log, progress, this.cursor, settings, position.contextLinesLeft);
		this.outbox = new Outbox(this.batcher, async (batch) => await host.deliver(batch));
		this.overlap = new Overlap(this.cursor, settings.offsetUnit, this);
		if (newestLines !== undefined) this.newest = new Newest(newestLines);
		this.caughtUp = this.newest
			? new Promise((resolve) => (this.resolveCaughtUp = resolve))
			: Promise.resolve();
	}

	/** Stops reading. */
	stop(): void {
		this.stopController.abort();
	}

	/** Aborts when reading is to stop. */
	get stopSignal(): AbortSignal {
		return this.stopController.signal;
	}

	/**
	 * Opens one connection and reads it to its end.
	 * @param onOpen is called once the stream is open
	 * @throws what opening the credentials throws
	 */
	async connect(onOpen: () => void): Promise<Closed> {
		try {
			// An entry that was complete since the last connection may have had it
			return this.batcher.hasStopLine ? { kind: 'stopped' } : await this.openAndRead(onOpen);
		} finally {
			await this.outbox.beginGap();
		}
	}

	private async openAndRead(onOpen: () => void): Promise<Closed> {
		const { host, batcher, beginning, outbox } = this;
		const context = await host.context(this.stopSignal);
		const from = this.begin();
		if (this.overlap.needsBeginning) {
			const slot = async () => await host.requestSlot(this.stopSignal);
			this.overlap.startAt(await beginning.first(context, from, slot));
			await slot();
		}
		const open = async (offset: LogOffset) =>
			await this.opening.open(context, offset, this.stopSignal, (event, receivedAt) =>
				this.take(event, receivedAt, offset),
			);
		let connection = await open(from);
		if (!connection) return { kind: 'closed' };
		if (!(connection instanceof Connection) && this.overlap.refused(connection.isOffset)) {
			await host.requestSlot(this.stopSignal);
			connection = await open(this.begin());
			if (connection && !(connection instanceof Connection)) this.overlap.refused(true);
		}
		if (!connection) return { kind: 'closed' };
		if (!(connection instanceof Connection)) {
			if (connection.isOffset && this.newest?.hasEnded) this.showNewest();
			return { kind: 'refused', ...connection };
		}
		onOpen();
		await connection.pauseFor(outbox.endGap());
		this.overlap.opened();
		// A service that answers only when a line is written has none of before
		if (this.newest && this.opening.answersLate) this.showNewest();
		const openedAt = elapsed();
		this.newestSince = Math.min(this.newestSince, openedAt);
		try {
			const reason = await this.read(context, connection);
			if (typeof reason === 'string' || reason.kind === 'refused') batcher.completeBatch();
			else batcher.flush();
			if (!(await outbox.deliverReady())) return { kind: 'closed' };
			if (typeof reason !== 'string') return reason;
			const livedMs = elapsed() - openedAt;
			const { hasMore, searching } = this.overlap;
			const isEmpty = searching?.isEmpty ?? false;
			const isSearching = searching !== undefined && !isEmpty && !searching.isBehindhand;
			const isProgress = this.brought > 0 || isSearching;
			const { rest } = connection;
			return { kind: 'lost', reason, livedMs, isProgress, hasMore, isEmpty, rest };
		} finally {
			connection.close();
			this.retryMs = connection.retryMs ?? this.retryMs;
		}
	}

	/** Gets entries that are new. */
	deliver(events: StreamEvent[]): void {
		for (const event of events) this.add(event);
	}

	/** Another log takes the place of this one. */
	onOtherLog(): void {
		if (this.newest) this.newest = new Newest(this.newest.lines);
		this.batcher.restart();
	}

	/**
	 * The trigger is closed. What the service may not have at the next start is delivered now: what waits for its execution, and what is
	 * held. The latter is not committed, since nothing tells whether the log still has it.
	 */
	async finish(): Promise<void> {
		const { batcher, host, outbox, overlap, progress } = this;
		await outbox.endGap();
		if (!host.signal.aborted) this.showNewest();
		batcher.flush();
		if (!host.signal.aborted) return void (await outbox.deliverReady());
		// Resuming is the contract: before anything shows otherwise, the service has it at the next start
		if (!overlap.showsNewOnly) batcher.ready.splice(0);
		await outbox.deliverReady(true);
		progress.freeze();
		overlap.release();
		batcher.flush();
		await outbox.deliverReady(true);
	}

	private begin(): LogOffset {
		this.brought = 0;
		return this.overlap.begin();
	}

	private take(event: Readonly<StreamEvent>, receivedAt: number, from: LogOffset): void {
		if (!this.newest && this.beginning.look(event, from))
			this.waiting.push({ event: { ...event }, receivedAt });
		else if (this.overlap.isFound) this.add(event);
		else this.overlap.take(event, receivedAt);
	}

	/** Whether the log has entries before those that this connection has brought so far. */
	private async lacksFirst(context: RequestContext, connection: Connection): Promise<boolean> {
		const slot = this.host.requestSlot(this.stopSignal);
		const check = slot.then(async () => await this.beginning.check(context));
		const lacksFirst = await connection.pauseFor(check);
		for (const { event, receivedAt } of this.waiting.splice(0))
			if (!lacksFirst) this.take(event, receivedAt, BEGINNING);
		return lacksFirst;
	}

	private add(event: Readonly<StreamEvent>): void {
		this.brought++;
		if (!this.newest) return this.batcher.add(event);
		this.newest.take(event);
		this.cursor.advance(event);
	}

	/** Reads until the connection is over. Returns why, in words where another one is to follow. */
	private async read(context: RequestContext, connection: Connection): Promise<string | Closed> {
		const { batcher, host, outbox, overlap, cursor } = this;
		const { idleTimeoutMs } = host.settings;
		if (batcher.hasStopLine) return { kind: 'stopped' };
		const openedAt = elapsed();
		const speed = new SearchSpeed(overlap.searching?.missing);
		const onChunk = () => (batcher.receivedAt = new Date(now()).toISOString());
		for (;;) {
			const patience = overlap.searching?.patience;
			const isWaiting = this.newest !== undefined || patience !== undefined;
			const newestMs = connection.entries > 0 ? NEWEST_QUIET_MS : FIRST_ENTRY_MS;
			const quietAt = connection.lastEntryAt + (patience?.quietMs ?? newestMs);
			// Where something is waited for, the patience for that decides: a shorter timeout would end each connection too soon
			const idleMs = isWaiting ? Infinity : Math.min(idleTimeoutMs || Infinity, overlap.silenceMs);
			const idleAt = connection.lastEntryAt + idleMs;
			const until = Math.min(batcher.deadline, isWaiting ? quietAt : Infinity, idleAt);
			const result = await connection.read(until, onChunk);
			const isEnd = result === 'end';
			// A last line without a line end is an entry once the log is complete, or where it was one before
			if (isEnd) connection.end((event) => overlap.isLastKnown(event), this.finalLooks > 0);
			if (connection.refusal) return { kind: 'refused', reason: connection.refusal };
			if (this.beginning.isInDoubt && (await this.lacksFirst(context, connection)))
				return 'The log begins before the offset 0';
			cursor.releaseTexts();
			const isQuiet = result === 'late' && elapsed() >= quietAt;
			if ((isWaiting && isQuiet) || elapsed() >= idleAt) connection.showPending();
			const isLong = elapsed() >= openedAt + (patience?.longestMs ?? MAX_SEARCH_MS);
			speed.measure(overlap.searching?.missing);
			const isGivenUp = isLong && (speed.isTooSlow || !patience?.isExpected);
			const { searching } = overlap;
			const isGone = searching?.isEmpty && searching.answer.isFromBeginning;
			const isPage = elapsed() >= idleAt && overlap.silenceMs < Infinity;
			const isOver =
				isEnd || isPage || (searching && (isQuiet || isGivenUp || searching.isExhausted));
			const found = isOver ? overlap.end(isEnd ? 'ended' : 'silent') : undefined;
			if (found === 'searching')
				return isGone && (await this.isFinished(true))
					? { kind: 'finished' }
					: 'The log does not continue where it was read last';
			if (isEnd ? !this.newest?.goesOn(connection.entries, overlap) : isQuiet || isLong)
				this.showNewest();
			batcher.flushDue();
			if (batcher.hasStopLine) return { kind: 'stopped' };
			if (!(await connection.pauseFor(outbox.deliverReady()))) return { kind: 'closed' };
			if (result === 'closed') return { kind: host.signal.aborted ? 'closed' : 'stopped' };
			if (result === 'broken') {
				overlap.end('broken');
				if (connection.entries > 0 && elapsed() >= this.newestSince + MAX_SEARCH_MS)
					this.showNewest();
				return 'The connection was lost';
			}
			if (isEnd)
				return (await this.isFinished(found === 'complete'))
					? { kind: 'finished' }
					: 'The service ended the stream';
			if (isPage) return 'The end of the log was read';
			if (elapsed() >= connection.lastEntryAt + idleMs)
				return `No line for ${idleMs / 1000} seconds`;
		}
	}

	/**
	 * Whether the log is over, after the end of a connection. While the container runs, the last line may be incomplete, and the next
	 * connection brings all of it. Once the deployment has ended, the log is over when further connections have brought nothing new.
	 */
	private async isFinished(isComplete: boolean): Promise<boolean> {
		const isFinal = await this.host.hasDeploymentEnded(this.log);
		const isSure = isFinal && this.finalLooks >= FINAL_LOOKS;
		this.finalLooks = isFinal ? this.finalLooks + 1 : 0;
		return isSure && isComplete;
	}

	private showNewest(): void {
		const { newest, cursor } = this;
		this.newest = undefined;
		if (newest) this.deliver(newest.finish(cursor));
		this.resolveCaughtUp();
	}
}
