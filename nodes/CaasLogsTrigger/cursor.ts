import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import type { Checkpoint, InFlightBatch, ResumeOffset } from './checkpoint';
import { entryDigest } from './entryDigest';

/** Last entries with an ID that are kept, to recognize those that a service sends again after a reconnect. */
const RECENT_EVENTS = 16;

/**
 * The read offset of one log. It recognizes entries that a new connection repeats, and after a restart it leads the reader
 * through the batches that were in flight, so that each is redelivered with the same entries.
 */
export class Cursor {
	/** Entries and bytes before the entry that was read last. */
	private previous = { entries: 0, bytes: 0 };
	private entries: number;
	private bytes: number;
	private lastEventId: string;
	private previousEventId = '';
	/** Batches in flight at the last stop, in order: each is redelivered as it was. */
	private readonly redeliveries: InFlightBatch[];
	/** Up to here an earlier follower has dispatched entries. */
	private readonly dispatchedOffset: ResumeOffset;
	/** What the connection repeats is skipped by count: how many units (see `unitsRead`), and how many so far. */
	private toSkip = 0;
	private skipped = 0;
	private awaitsFirstEntry = true;
	/** Of the entry that was read last. */
	private lastEntry?: Pick<StreamEvent, 'data' | 'truncated'>;
	/** Set when a rotation was noticed too late on this connection: the log must be read again from its start. */
	mustReread = false;
	/** Set by a rotation; the reader resets it. */
	hasRotated = false;
	/** In-flight batches that can never be redelivered. */
	private lostBatches: InFlightBatch[] = [];
	private readonly recentEvents: StreamEvent[] = [];
	/** Index of the recent event that comes next if the service goes on repeating; -1 if it does not repeat. */
	private nextDuplicate = -1;

	constructor(
		private readonly checkpoint: Checkpoint,
		private readonly unit: OffsetSettings['offsetUnit'],
	) {
		const isOfThisLog = ({ from }: InFlightBatch) => from.entries >= checkpoint.logStart.entries;
		const start =
			checkpoint.committedOffset.entries < checkpoint.logStart.entries
				? { ...checkpoint.logStart, lastEventId: '' }
				: checkpoint.committedOffset;
		({ entries: this.entries, bytes: this.bytes, lastEventId: this.lastEventId } = start);
		this.redeliveries = checkpoint.inFlight.filter(isOfThisLog);
		this.lostBatches = checkpoint.inFlight.filter((batch) => !isOfThisLog(batch));
		this.dispatchedOffset = checkpoint.dispatchedOffset;
	}

	/** The offset after the entry that was read last. */
	get readOffset(): LogOffset {
		return { entries: this.entries, bytes: this.bytes, lastEventId: this.lastEventId };
	}

	/** The offset of the entry that was read last. */
	get entryOffset(): LogOffset {
		return { ...this.previous, lastEventId: this.previousEventId };
	}

	/** The offset, for the output, of the entry that was read last: in the unit in which the service counts, null where it has none. */
	outputOffset(event: StreamEvent): string | number | null {
		const { logStart } = this.checkpoint;
		if (this.unit === 'bytes') return this.previous.bytes - logStart.bytes;
		if (this.unit === 'eventId') return event.hasOwnId ? event.lastEventId : null;
		return this.previous.entries - logStart.entries;
	}

	/** Whether nothing of the present log has been read. */
	get isAtStart(): boolean {
		return this.unitsRead === 0 && this.lastEventId === '';
	}

	/** Whether the entries that are read now were dispatched by an earlier follower. */
	get isReplaying(): boolean {
		return this.entries < this.dispatchedOffset.entries;
	}

	/** Whether the entry that was read last is part of a batch that is redelivered. */
	get isRedelivering(): boolean {
		const batch = this.redeliveries[0];
		return (
			batch !== undefined &&
			this.previous.entries >= batch.from.entries &&
			this.entries <= batch.to.entries
		);
	}

	/** Where the next entries begin that are not committed. */
	get resumeOffset(): ResumeOffset {
		return this.redeliveries[0]?.from ?? this.dispatchedOffset;
	}

	/** Whether a batch is still to be redelivered. */
	get hasRedeliveries(): boolean {
		return this.redeliveries.length > 0;
	}

	/** Whether the entry that was read last is the last one of a batch that is redelivered. */
	get isAtBatchEnd(): boolean {
		return this.entries === this.redeliveries[0]?.to.entries;
	}

	/** The offset to request: the start of the log if entries are to be skipped by count. */
	requestOffset(isHonoured: boolean): LogOffset {
		return isHonoured || this.unitsRead === 0
			? { ...this.offsetInLog, lastEventId: this.lastEventId }
			: BEGINNING;
	}

	/** A connection begins: at the requested offset if that is honoured, otherwise at the start of the log. */
	onConnected(isHonoured: boolean): void {
		this.awaitsFirstEntry = true;
		this.mustReread = false;
		this.skipped = 0;
		this.toSkip = isHonoured ? 0 : this.unitsRead;
	}

	/**
	 * Reads the next entry of the connection.
	 * @returns `known` if the connection repeats it, `committed` if an earlier follower has delivered it, `new` otherwise
	 */
	next(event: StreamEvent): 'known' | 'committed' | 'new' {
		if (this.awaitsFirstEntry) this.onFirstEntry(event);
		if (this.skipped < this.toSkip) return this.skipRepeated(event);
		if (event.hasOwnId && this.isDuplicate(event)) return 'known';
		this.advance(event);
		if (this.previous.entries >= this.dispatchedOffset.entries) return 'new';
		const [batch] = this.redeliveries;
		return batch && this.previous.entries >= batch.from.entries ? 'new' : 'committed';
	}

	/** Counts a new entry. */
	private advance(event: StreamEvent): void {
		this.previous.entries = this.entries++;
		this.previous.bytes = this.bytes;
		this.bytes += event.bytes;
		this.previousEventId = this.lastEventId;
		if (event.hasOwnId) this.lastEventId = event.lastEventId;
		this.lastEntry = event;
	}

	/** Skips an entry by count. The last one skipped must be the entry that was read last; otherwise the log has rotated. */
	private skipRepeated(event: StreamEvent): 'known' {
		this.skipped += this.unit === 'bytes' ? event.bytes : 1;
		// An offset in bytes that a person has entered may lie within an entry
		if (this.skipped !== this.toSkip || this.unit === 'bytes') return 'known';
		const { lastEntry } = this;
		// The rest of a truncated line may differ
		if (lastEntry && event.data !== lastEntry.data && !event.truncated && !lastEntry.truncated) {
			this.onRotation();
			this.mustReread = true;
		}
		return 'known';
	}

	/**
	 * Returns the in-flight batches that can never be redelivered; none are left.
	 * @param isOver whether the log is over, so that all remaining ones are lost
	 */
	takeLostBatches(isOver: boolean): InFlightBatch[] {
		return [...this.lostBatches.splice(0), ...(isOver ? this.redeliveries.splice(0) : [])];
	}

	/**
	 * Returns the batch that is redelivered with the entry that was read last, if there is one.
	 * @param isLast whether nothing after this entry is wanted, of this batch or a later one
	 */
	takeRedelivery(isLast: boolean): InFlightBatch | undefined {
		if (!this.isRedelivering || !(isLast || this.isAtBatchEnd)) return undefined;
		const batch = this.redeliveries.shift();
		if (isLast) this.redeliveries.length = 0;
		return batch;
	}

	/** Compares the first entry of a connection with what is known of the log. */
	private onFirstEntry(event: StreamEvent): void {
		this.awaitsFirstEntry = false;
		this.nextDuplicate = this.recentEvents.findIndex(
			({ lastEventId, data }) =>
				event.hasOwnId && lastEventId === event.lastEventId && data === event.data,
		);
		// The service was asked for what follows an ID and sends the log from its start
		if (
			this.unit === 'eventId' &&
			this.toSkip === 0 &&
			event.hasOwnId &&
			entryDigest(event) === this.checkpoint.firstEntryDigest
		)
			this.toSkip = this.unitsRead;
		if ((this.isAtStart || this.toSkip > 0) && this.detectRotation(event)) this.toSkip = 0;
	}

	/**
	 * Detects a rotation by the first entry that the log has now, and remembers that entry.
	 * @returns whether the log has rotated
	 */
	detectRotation(first: StreamEvent): boolean {
		if (first.truncated) return false;
		const { checkpoint } = this;
		const digest = entryDigest(first);
		const hasRotated = checkpoint.firstEntryDigest !== '' && checkpoint.firstEntryDigest !== digest;
		if (hasRotated) this.onRotation();
		checkpoint.firstEntryDigest = digest;
		return hasRotated;
	}

	/** The log has rotated: all of its entries are new, and no more of the earlier ones will come. */
	onRotation(): void {
		this.lostBatches.push(...this.redeliveries.splice(0));
		if (this.isReplaying) ({ entries: this.entries, bytes: this.bytes } = this.dispatchedOffset);
		this.lastEventId = '';
		this.lastEntry = undefined;
		this.hasRotated = true;
		this.recentEvents.length = 0;
		this.nextDuplicate = -1;
		this.checkpoint.onRotation(this.readOffset);
	}

	/** Whether the connection brought entries, but fewer than were read before: then the log has rotated. */
	get isShorterThanRead(): boolean {
		return this.skipped > 0 && this.skipped < this.toSkip;
	}

	/** Whether a service repeats an entry after a reconnect: a recent one with the same ID and data, in the same order. */
	private isDuplicate(event: StreamEvent): boolean {
		const { recentEvents } = this;
		const expected = recentEvents[this.nextDuplicate];
		if (expected && expected.lastEventId === event.lastEventId && expected.data === event.data) {
			this.nextDuplicate++;
			return true;
		}
		this.nextDuplicate = -1;
		recentEvents.push({ ...event });
		if (recentEvents.length > RECENT_EVENTS) recentEvents.shift();
		return false;
	}

	/** The read offset counted from the start of the present log. */
	private get offsetInLog(): { entries: number; bytes: number } {
		const { logStart } = this.checkpoint;
		return { entries: this.entries - logStart.entries, bytes: this.bytes - logStart.bytes };
	}

	/** The same in the unit of the settings: bytes, otherwise entries. */
	private get unitsRead(): number {
		return this.offsetInLog[this.unit === 'bytes' ? 'bytes' : 'entries'];
	}
}
