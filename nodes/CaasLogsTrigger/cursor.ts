import { BEGINNING, type OffsetSettings, type LogOffset } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import type { Checkpoint, Flight, Mark } from './checkpoint';
import { digestOf } from './offsets';

/** Entries with an ID that are remembered to notice the ones that a service sends again after a break. */
const RECENT_KEPT = 16;

/**
 * Where reading stands in one log. It leaves out what a new connection repeats, and leads a new follower exactly through
 * the ranges that an earlier one had in flight.
 */
export class Cursor {
	/** Entries and bytes before the entry that was read last. */
	before = { entries: 0, bytes: 0 };
	private entries: number;
	private bytes: number;
	private id: string;
	private idBefore = '';
	/** Ranges to be cut again as they were, in order. */
	private readonly again: Flight[];
	/** What an earlier follower has read. */
	private readonly known: Mark;
	/** What the connection repeats is left out until this measure is reached; the measure that it has reached. */
	private repeated = 0;
	private repeating = 0;
	private isFirst = true;
	/** Of the entry that was read last; not the event itself, which a decoder fills anew for the next one. */
	private last?: Pick<StreamEvent, 'data' | 'truncated'>;
	/** The log has begun anew, which was noticed too late: it is to be read from its beginning. */
	mustReadAgain = false;
	/** The log has begun anew; whoever has seen to it takes it back. */
	isNewLog = false;
	/** Ranges that can never be cut again. */
	private lost: Flight[] = [];
	private readonly recent: StreamEvent[] = [];
	/** Which of the recent entries comes next, where the connection began with one of them. */
	private overlap = -1;

	constructor(
		private readonly checkpoint: Checkpoint,
		private readonly unit: OffsetSettings['offsetUnit'],
	) {
		const isOfThisLog = ({ from }: Flight) => from.entries >= checkpoint.base.entries;
		const at =
			checkpoint.at.entries < checkpoint.base.entries
				? { ...checkpoint.base, lastEventId: '' }
				: checkpoint.at;
		({ entries: this.entries, bytes: this.bytes, lastEventId: this.id } = at);
		this.again = checkpoint.flights.filter(isOfThisLog);
		this.lost = checkpoint.flights.filter((flight) => !isOfThisLog(flight));
		this.known = checkpoint.tip;
	}

	/** The place after the entry that was read last. */
	get place(): LogOffset {
		return { entries: this.entries, bytes: this.bytes, lastEventId: this.id };
	}

	/** The place before the entry that was read last. */
	get placeBefore(): LogOffset {
		return { ...this.before, lastEventId: this.idBefore };
	}

	/** Where the entry that was read last stands, in the unit in which the service counts. */
	offsetOf(event: StreamEvent): string | number | null {
		const { base } = this.checkpoint;
		if (this.unit === 'bytes') return this.before.bytes - base.bytes;
		if (this.unit === 'eventId') return event.hasOwnId ? event.lastEventId : null;
		return this.before.entries - base.entries;
	}

	get isAtBeginning(): boolean {
		return this.measure === 0 && this.id === '';
	}

	/** Whether what is read now was read by an earlier follower already. */
	get isReplaying(): boolean {
		return this.entries < this.known.entries;
	}

	get isCuttingAgain(): boolean {
		const flight = this.again[0];
		return (
			flight !== undefined &&
			this.before.entries >= flight.from.entries &&
			this.entries <= flight.to.entries
		);
	}

	/** Where the next entries begin that are not done. */
	get goesOnAt(): Mark {
		return this.again[0]?.from ?? this.known;
	}

	/** Whether a range is still to be cut again. */
	get hasFlights(): boolean {
		return this.again.length > 0;
	}

	get isAtCut(): boolean {
		return this.entries === this.again[0]?.to.entries;
	}

	/** The place to ask for: the beginning where the offset is not honoured, and where there is something to be skipped by count. */
	requestFrom(isHonoured: boolean): LogOffset {
		return isHonoured || this.measure === 0
			? { ...this.inThisLog, lastEventId: this.id }
			: BEGINNING;
	}

	/** A connection begins, at the place that was asked for or at the beginning of the log. */
	connected(isHonoured: boolean): void {
		this.isFirst = true;
		this.mustReadAgain = false;
		this.repeating = 0;
		this.repeated = isHonoured ? 0 : this.measure;
	}

	/**
	 * Takes the next entry of the connection.
	 * @returns `known` when the connection only repeats it, `done` when its run has ended before, `new` otherwise
	 */
	next(event: StreamEvent): 'known' | 'done' | 'new' {
		if (this.isFirst) this.begin(event);
		if (this.repeating < this.repeated) return this.repeat(event);
		if (event.hasOwnId && this.isOverlap(event)) return 'known';
		this.advance(event);
		if (this.before.entries >= this.known.entries) return 'new';
		const [flight] = this.again;
		return flight && this.before.entries >= flight.from.entries ? 'new' : 'done';
	}

	/** Whether all there is to be done about the next entries, as long as they have no ID, is to count them: {@link advanceBy} does. */
	get isSteady(): boolean {
		const isRepeating = this.isFirst || this.mustReadAgain || this.repeating < this.repeated;
		return (
			this.unit !== 'bytes' &&
			!isRepeating &&
			!this.isNewLog &&
			!this.isReplaying &&
			this.again.length === 0
		);
	}

	/**
	 * Counts new entries that have no ID, as {@link advance} would one by one.
	 * @returns the offset of the first of them, as {@link offsetOf} tells it; those of the others follow it
	 */
	advanceBy(texts: string[]): number | null {
		const first = this.entries;
		this.entries += texts.length;
		this.before = { entries: this.entries - 1, bytes: this.bytes };
		this.idBefore = this.id;
		this.last = { data: texts.at(-1) ?? '', truncated: false };
		return this.unit === 'eventId' ? null : first - this.checkpoint.base.entries;
	}

	/** Counts a new entry. */
	private advance(event: StreamEvent): void {
		this.before.entries = this.entries++;
		this.before.bytes = this.bytes;
		this.bytes += event.bytes;
		this.idBefore = this.id;
		if (event.hasOwnId) this.id = event.lastEventId;
		this.last = { data: event.data, truncated: event.truncated };
	}

	/** Counts what the connection repeats; the last of it must be the entry that was read last. */
	private repeat(event: StreamEvent): 'known' {
		this.repeating += this.unit === 'bytes' ? event.bytes : 1;
		// Bytes that someone has set as the beginning may end within an entry
		if (this.repeating !== this.repeated || this.unit === 'bytes') return 'known';
		const { last } = this;
		// How much of a line beyond the cap is kept depends on its chunks
		if (last && event.data !== last.data && !event.truncated && !last.truncated) {
			this.beginAnew();
			this.mustReadAgain = true;
		}
		return 'known';
	}

	/** The ranges that can never be cut again; once the log is over these are all that are left. */
	takeLost(isOver: boolean): Flight[] {
		return [...this.lost.splice(0), ...(isOver ? this.again.splice(0) : [])];
	}

	/**
	 * The range that is to be cut again here, if there is one.
	 * @param isLast nothing after this entry is wanted any more, be it of this range or of a later one
	 */
	takeFlight(isLast: boolean): Flight | undefined {
		if (!this.isCuttingAgain || !(isLast || this.isAtCut)) return undefined;
		const flight = this.again.shift();
		if (isLast) this.again.length = 0;
		return flight;
	}

	private begin(event: StreamEvent): void {
		this.isFirst = false;
		this.overlap = this.recent.findIndex(
			({ lastEventId: id, data }) =>
				event.hasOwnId && id === event.lastEventId && data === event.data,
		);
		// Asked for what follows an ID, the service has begun at the beginning all the same
		if (
			this.unit === 'eventId' &&
			this.repeated === 0 &&
			event.hasOwnId &&
			digestOf(event) === this.checkpoint.head
		)
			this.repeated = this.measure;
		if ((this.isAtBeginning || this.repeated > 0) && this.meet(event)) this.repeated = 0;
	}

	/**
	 * Takes the first entry that the log has now.
	 * @returns whether the log is another one than the one that was delivered
	 */
	meet(first: StreamEvent): boolean {
		if (first.truncated) return false;
		const { checkpoint } = this;
		const digest = digestOf(first);
		const isOther = checkpoint.head !== '' && checkpoint.head !== digest;
		if (isOther) this.beginAnew();
		checkpoint.head = digest;
		return isOther;
	}

	/** The log is another one: each entry of it is new, and of the one that was delivered nothing comes any more. */
	beginAnew(): void {
		this.lost.push(...this.again.splice(0));
		if (this.isReplaying) ({ entries: this.entries, bytes: this.bytes } = this.known);
		this.id = '';
		this.last = undefined;
		this.isNewLog = true;
		this.recent.length = 0;
		this.overlap = -1;
		this.checkpoint.beginAnew(this.place);
	}

	/** Whether the connection brought something, but less than what it was to repeat. */
	get isShort(): boolean {
		return this.repeating > 0 && this.repeating < this.repeated;
	}

	/** Entries that a service sends again right after a break: the same IDs with the same data, one after the other. */
	private isOverlap(event: StreamEvent): boolean {
		const { recent } = this;
		const expected = recent[this.overlap];
		if (expected && expected.lastEventId === event.lastEventId && expected.data === event.data) {
			this.overlap++;
			return true;
		}
		this.overlap = -1;
		recent.push({ ...event });
		if (recent.length > RECENT_KEPT) recent.shift();
		return false;
	}

	/** Entries and bytes that were read since the log began that the service has now. */
	private get inThisLog(): { entries: number; bytes: number } {
		const { base } = this.checkpoint;
		return { entries: this.entries - base.entries, bytes: this.bytes - base.bytes };
	}

	private get measure(): number {
		return this.inThisLog[this.unit === 'bytes' ? 'bytes' : 'entries'];
	}
}
