import type { IDataObject } from 'n8n-workflow';
import { BEGINNING, type LogOffset } from '../marketplace/log/request';
import { STREAM_FORMATS, type StreamFormat } from '../shared/stream/format';
import { isRecord } from '../shared/guards';

/** A place between two runs. */
export interface Mark extends LogOffset {
	/** So many entries after it are still wanted, as the context of a match before it. */
	contextLeft?: number;
}

/** A range of entries whose run has been started and is not known to have ended. */
export interface Flight {
	from: Mark;
	to: Mark;
}

/**
 * How far one log was delivered. Everything before `at` is done; of what comes after, the ranges in `flights` are under
 * way. Runs may end in another order than they began: what lies between two flights is done, too.
 */
export class Checkpoint {
	/** Set once the log has ended or the stop line has come. */
	isOver = false;
	/** What is in the log now is not to be delivered, and the end of it was not reached yet. */
	skipsOld = false;
	/** Where the log begins that the service has now, when it is not the one that was followed first. */
	base = { entries: 0, bytes: 0 };
	/** Digest of the first entry of the log; it tells a log that begins again from one that goes on. */
	head = '';
	/** How the entries stand on the wire, once it was told by the first of them: a later connection may begin with one that misleads. */
	format: StreamFormat = 'auto';
	/** Flights whose run is not finished or did not count, in order. */
	flights: Flight[] = [];
	/** Up to here everything was delivered, put into a flight, or filtered out. */
	tip: Mark;

	constructor(
		public at: Mark = BEGINNING,
		private readonly start = at,
	) {
		this.tip = at;
	}

	/** Whether anything of the log was read before. */
	get hasMoved(): boolean {
		return this.tip.entries > this.start.entries;
	}

	/** Whether there is nothing left to be read: the log is over, and none of its entries waits for its run. */
	get isSettled(): boolean {
		return this.isOver && this.flights.length === 0;
	}

	/** Entries up to here need no run, or had theirs. Call it only while no entry before waits for one. */
	pass(to: Mark): void {
		if (to.entries <= this.tip.entries) return;
		this.tip = to;
		this.settle();
	}

	/** Another log begins here. Where the tip stands here already it still has the ID of the earlier one. */
	beginAnew(at: Mark): void {
		this.base = this.tip = at;
		this.settle();
	}

	/** Notes the range from the tip up to here. Call it before the run is started. */
	begin(to: Mark): Flight {
		// Of a log that has begun anew meanwhile the tip is further
		const isBehind = to.entries < this.tip.entries;
		const flight = { from: isBehind ? to : this.tip, to };
		this.flights.push(flight);
		if (!isBehind) this.tip = to;
		return flight;
	}

	/** The log is over with this range: what stands after it is not wanted any more, be it in a later range. Call it before its run is started. */
	endWith(last: Flight): void {
		this.isOver = true;
		this.flights = this.flights.filter(({ from }) => from.entries <= last.from.entries);
	}

	/** The run of this range counts as delivered. */
	done(flight: Flight): void {
		this.flights = this.flights.filter((other) => other !== flight);
		this.settle();
	}

	/** Done is everything before the first flight, and everything up to the tip when there is none. */
	private settle(): void {
		this.at = this.flights[0]?.from ?? this.tip;
	}

	save(): IDataObject {
		const place = ({ entries, bytes, lastEventId: id, contextLeft = 0 }: Mark) => [
			entries,
			bytes,
			id,
			contextLeft,
		];
		return {
			at: place(this.at),
			flights: this.flights.map(({ from, to }) => [place(from), place(to)]),
			tip: place(this.tip),
			base: [this.base.entries, this.base.bytes],
			head: this.head,
			format: this.format,
			over: this.isOver,
			skips: this.skipsOld,
		};
	}

	/** Reads what {@link save} wrote; undefined for anything else. */
	static load(saved: unknown): Checkpoint | undefined {
		if (!isRecord(saved) || !Array.isArray(saved.flights)) return undefined;
		const at = placeOf(saved.at);
		const tip = placeOf(saved.tip);
		if (!at || !tip) return undefined;
		const checkpoint = new Checkpoint(at, BEGINNING);
		for (const flight of saved.flights as unknown[]) {
			const [from, to] = Array.isArray(flight) ? flight.map(placeOf) : [];
			if (!from || !to) return undefined;
			checkpoint.flights.push({ from, to });
		}
		checkpoint.tip = tip;
		const [entries, bytes] = Array.isArray(saved.base) ? (saved.base as unknown[]) : [];
		if (typeof entries === 'number' && typeof bytes === 'number')
			checkpoint.base = { entries, bytes };
		checkpoint.head = typeof saved.head === 'string' ? saved.head : '';
		checkpoint.format = STREAM_FORMATS.find((format) => format === saved.format) ?? 'auto';
		checkpoint.isOver = saved.over === true;
		checkpoint.skipsOld = saved.skips === true;
		return checkpoint;
	}
}

function placeOf(saved: unknown): Mark | undefined {
	if (!Array.isArray(saved)) return undefined;
	const [entries, bytes, id, contextLeft] = saved as unknown[];
	if (
		typeof entries !== 'number' ||
		typeof bytes !== 'number' ||
		typeof id !== 'string' ||
		typeof contextLeft !== 'number'
	)
		return undefined;
	return { entries, bytes, lastEventId: id, contextLeft };
}
