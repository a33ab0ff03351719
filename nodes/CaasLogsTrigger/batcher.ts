import type { LogName } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { now } from '../shared/time';
import type { Checkpoint } from './checkpoint';
import type { Cursor } from './cursor';
import type { Batch } from './delivery';
import type { EndOfLogCheck } from './endOfLog';
import { EntryFilter } from './filter';
import type { ReaderHost } from './readerHost';

/** Makes batches of the entries that are read from one log, and delivers them. */
export class Batcher {
	/** When the current batch must be delivered although it is not full, in milliseconds since 1970. */
	deadline = Infinity;
	/** When the current chunk was received; ISO 8601. */
	receivedAt = '';
	/** Whether everything that is wanted has come: the rest of the chunk is ignored. */
	isStopped = false;
	/** Whether the line to stop on has come. */
	hasStopLine = false;
	/** Whether only batches that were in flight at the last stop are wanted, since the log was over before. */
	onlyRedelivers: boolean;
	private readonly filter: EntryFilter;
	/** Complete batches that are not delivered yet; at most those of one chunk. */
	private readonly ready: Batch[] = [];

	/** @param endOfLog gets each new entry */
	constructor(
		log: LogName,
		private readonly checkpoint: Checkpoint,
		private readonly cursor: Cursor,
		private readonly host: ReaderHost,
		private readonly endOfLog: EndOfLogCheck,
	) {
		this.filter = new EntryFilter(log, host.settings);
		this.filter.resumeAt(cursor.resumeOffset);
		this.onlyRedelivers = checkpoint.isOver;
	}

	/** Whether the log need not be read any further. */
	get hasNothingLeft(): boolean {
		return this.onlyRedelivers && !this.cursor.hasRedeliveries;
	}

	/** Adds the next entry of the connection. */
	add(event: Readonly<StreamEvent>): void {
		const { cursor, filter, checkpoint } = this;
		if (this.isStopped || cursor.mustReread) return;
		const step = cursor.next(event);
		if (step === 'known') return;
		this.endOfLog.add(event.data);
		if (this.hasNothingLeft) {
			this.isStopped = true;
			return;
		}
		if (cursor.hasRotated) {
			filter.resumeAt(cursor.readOffset);
			cursor.hasRotated = false;
		}
		if (step === 'committed') filter.resumeAt(cursor.resumeOffset);
		if (step === 'committed' || checkpoint.skipsBacklog) return this.advanceCheckpoint();
		if (this.host.settings.stopOn?.test(event.data)) this.isStopped = this.hasStopLine = true;
		filter.add(event, cursor, this.receivedAt, this.isStopped);
		if (cursor.isRedelivering) {
			if (cursor.isAtBatchEnd || this.hasStopLine) this.completeBatch();
			this.isStopped ||= this.hasNothingLeft;
		} else this.afterEntry();
	}

	/** Completes the current batch and delivers all that are complete. */
	async flush(): Promise<void> {
		this.completeBatch();
		await this.deliverReady();
	}

	/**
	 * Delivers the complete batches, as soon as each may start an execution. Those that are left when the follower is closed are not
	 * in flight, so they are read again.
	 */
	async deliverReady(): Promise<void> {
		for (let batch = this.ready.shift(); batch; batch = this.ready.shift()) {
			if (!(await this.host.deliver(batch))) return;
		}
	}

	private afterEntry(): void {
		const { maxEntries, maxWaitMs } = this.host.settings;
		if (this.isStopped || this.filter.size >= maxEntries) this.completeBatch();
		else if (this.filter.size === 0) this.advanceCheckpoint();
		else if (this.deadline === Infinity) this.deadline = now() + maxWaitMs;
	}

	/** Notes that the entries so far need no execution; behind a complete batch they go with the next one. */
	private advanceCheckpoint(): void {
		const { cursor, checkpoint, filter } = this;
		if (!cursor.isReplaying && this.ready.length === 0)
			checkpoint.advanceTo(filter.resumeOffset(cursor.readOffset));
	}

	private completeBatch(): void {
		const { cursor, checkpoint, filter } = this;
		this.deadline = Infinity;
		const redelivery = cursor.takeRedelivery(this.hasStopLine);
		if (filter.size > 0) {
			this.ready.push({
				checkpoint,
				endOffset: filter.resumeOffset(cursor.readOffset),
				inFlight: redelivery,
				isLast: this.hasStopLine,
				items: filter.takeItems(),
			});
		} else if (redelivery) checkpoint.commit(redelivery);
	}
}
