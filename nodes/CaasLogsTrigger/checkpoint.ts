import type { IDataObject } from 'n8n-workflow';
import { BEGINNING, type LogOffset } from '../marketplace/log/request';
import { isRecord } from '../shared/guards';
import { STREAM_FORMATS, type StreamFormat } from '../shared/stream/format';

/** An offset, with what the filter needs to resume there. */
export interface ResumeOffset extends LogOffset {
	/** How many of the next entries are wanted as context of a match before the offset; default 0. */
	contextLinesLeft?: number;
}

/** A batch whose execution has been started and is not known to have ended: the entries between two offsets. */
export interface InFlightBatch {
	from: ResumeOffset;
	to: ResumeOffset;
}

/**
 * How far one log has been delivered. Everything before the committed offset is done. After it, only the in-flight batches
 * are not: executions may end out of order, so entries between two in-flight batches can be done, too.
 */
export class Checkpoint {
	/** Whether the log has ended or the line to stop on has come. */
	isOver = false;
	/** Whether entries are skipped until the end of what the log contains now is reached. */
	skipsBacklog = false;
	/** Where the present log starts, after rotations: offsets keep counting over them. */
	logStart = { entries: 0, bytes: 0 };
	/** Digest of the first entry of the log: another first entry means a rotation. */
	firstEntryDigest = '';
	/** Format of the stream once it is detected: the first line of a later connection may be misleading. */
	format: StreamFormat = 'auto';
	/** Batches whose execution has not ended or is not committed, in order. */
	inFlight: InFlightBatch[] = [];
	/** Everything before it is committed, in flight, or filtered out. */
	dispatchedOffset: ResumeOffset;

	constructor(
		public committedOffset: ResumeOffset = BEGINNING,
		private readonly initialOffset = committedOffset,
	) {
		this.dispatchedOffset = committedOffset;
	}

	/** Whether any entry of the log has been read. */
	get hasProgress(): boolean {
		return this.dispatchedOffset.entries > this.initialOffset.entries;
	}

	/** Whether nothing is left to read: the log is over, and no batch is in flight. */
	get isDone(): boolean {
		return this.isOver && this.inFlight.length === 0;
	}

	/** Notes that entries up to an offset need no execution. Call it only while no entry before the offset waits to be dispatched. */
	advanceTo(to: ResumeOffset): void {
		if (to.entries <= this.dispatchedOffset.entries) return;
		this.dispatchedOffset = to;
		this.updateCommittedOffset();
	}

	/** Notes that another log starts at this offset. It is set even if it counts no further: its event ID must not be of the old log. */
	onRotation(at: ResumeOffset): void {
		this.logStart = this.dispatchedOffset = at;
		this.updateCommittedOffset();
	}

	/** Notes the batch from the dispatched offset up to this one as in flight. Call it before its execution is started. */
	beginBatch(to: ResumeOffset): InFlightBatch {
		// The dispatched offset is further if the log has rotated while the batch was waiting
		const isBehind = to.entries < this.dispatchedOffset.entries;
		const batch = { from: isBehind ? to : this.dispatchedOffset, to };
		this.inFlight.push(batch);
		if (!isBehind) this.dispatchedOffset = to;
		return batch;
	}

	/** Notes that the log is over after this batch; later batches are dropped. Call it before its execution is started. */
	endAfter(last: InFlightBatch): void {
		this.isOver = true;
		this.inFlight = this.inFlight.filter(({ from }) => from.entries <= last.from.entries);
	}

	/** Commits a batch: it counts as delivered. */
	commit(batch: InFlightBatch): void {
		this.inFlight = this.inFlight.filter((other) => other !== batch);
		this.updateCommittedOffset();
	}

	private updateCommittedOffset(): void {
		this.committedOffset = this.inFlight[0]?.from ?? this.dispatchedOffset;
	}

	/** For n8n's static data. Active workflows have saved these keys, so they stay as they are. */
	save(): IDataObject {
		const saved = ({ entries, bytes, lastEventId, contextLinesLeft = 0 }: ResumeOffset) => [
			entries,
			bytes,
			lastEventId,
			contextLinesLeft,
		];
		return {
			at: saved(this.committedOffset),
			flights: this.inFlight.map(({ from, to }) => [saved(from), saved(to)]),
			tip: saved(this.dispatchedOffset),
			base: [this.logStart.entries, this.logStart.bytes],
			head: this.firstEntryDigest,
			format: this.format,
			over: this.isOver,
			skips: this.skipsBacklog,
		};
	}

	/** Reads what {@link save} returned; undefined for anything else. */
	static load(saved: unknown): Checkpoint | undefined {
		if (!isRecord(saved) || !Array.isArray(saved.flights)) return undefined;
		const committedOffset = offsetFrom(saved.at);
		const dispatchedOffset = offsetFrom(saved.tip);
		if (!committedOffset || !dispatchedOffset) return undefined;
		const checkpoint = new Checkpoint(committedOffset, BEGINNING);
		for (const batch of saved.flights as unknown[]) {
			const [from, to] = Array.isArray(batch) ? batch.map(offsetFrom) : [];
			if (!from || !to) return undefined;
			checkpoint.inFlight.push({ from, to });
		}
		checkpoint.dispatchedOffset = dispatchedOffset;
		const [entries, bytes] = Array.isArray(saved.base) ? (saved.base as unknown[]) : [];
		if (typeof entries === 'number' && typeof bytes === 'number')
			checkpoint.logStart = { entries, bytes };
		checkpoint.firstEntryDigest = typeof saved.head === 'string' ? saved.head : '';
		checkpoint.format = STREAM_FORMATS.find((format) => format === saved.format) ?? 'auto';
		checkpoint.isOver = saved.over === true;
		checkpoint.skipsBacklog = saved.skips === true;
		return checkpoint;
	}
}

function offsetFrom(saved: unknown): ResumeOffset | undefined {
	if (!Array.isArray(saved)) return undefined;
	const [entries, bytes, lastEventId, contextLinesLeft] = saved as unknown[];
	if (
		typeof entries !== 'number' ||
		typeof bytes !== 'number' ||
		typeof lastEventId !== 'string' ||
		typeof contextLinesLeft !== 'number'
	)
		return undefined;
	return { entries, bytes, lastEventId, contextLinesLeft };
}
