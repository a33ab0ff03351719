import type { IDataObject } from 'n8n-workflow';
import { BEGINNING, type LogOffset } from '../marketplace/log/request';
import { isRecord } from '../shared/guards';
import { FIRST, MARGIN, WINDOW, type Position } from './cursor';

/** A batch that is not committed. */
export interface Unfinished {
	start: Position;
	/** Whether its execution has started, and is not known to be over. */
	isRunning: boolean;
}

/**
 * How far one log is delivered. Its committed position is the start of the first batch that is not finished: everything before
 * it is delivered or was filtered out. It outlives its readers, and is all that is saved of a log.
 */
export class Progress {
	/** Whether the line to stop on has come. */
	hasStopped = false;
	/** Since when the node does not follow the log any more, in milliseconds since 1970. */
	leftAt?: number;
	private readonly unfinished: Unfinished[] = [];
	/** Whether nothing that is read moves it any more. */
	private isFrozen = false;
	/** The position up to which entries are in batches, delivered or filtered out. */
	private readPosition: () => Position;

	constructor(position: Position) {
		this.readPosition = () => position;
	}

	get committed(): Position {
		return this.unfinished[0]?.start ?? this.readPosition();
	}

	/** From now on a reader tells how far entries are read and need not be read again. */
	follow(readPosition: () => Position): void {
		this.readPosition = readPosition;
		this.isFrozen = false;
	}

	/** From now on batches are delivered without being committed: the next reader begins before them. */
	freeze(): void {
		const position = this.readPosition();
		this.readPosition = () => position;
		this.isFrozen = true;
	}

	/**
	 * Where the next reader begins: after the batches whose executions still run, since those end by themselves, but at the first
	 * one that waits for its execution.
	 */
	resume(): Position {
		const waiting = this.unfinished.findIndex(({ isRunning }) => !isRunning);
		if (waiting < 0) return this.readPosition();
		const { start } = this.unfinished[waiting]!;
		this.unfinished.splice(waiting);
		this.readPosition = () => start;
		return start;
	}

	/** Notes a batch that begins at a position. */
	begin(start: Position): Unfinished {
		const batch = { start, isRunning: false };
		if (!this.isFrozen) this.unfinished.push(batch);
		return batch;
	}

	/** A batch is delivered. */
	finish(batch: Unfinished): void {
		const index = this.unfinished.indexOf(batch);
		if (index >= 0) this.unfinished.splice(index, 1);
	}

	/** The committed position for n8n's static data. */
	save(): IDataObject {
		const { offset, known, from, last, first, contextLinesLeft } = this.committed;
		return {
			at: listOf(offset),
			from: listOf(from),
			...(last && { last: listOf(last) }),
			known: known.join(' '),
			...(first && { first: first.join(' ') }),
			...(contextLinesLeft && { context: contextLinesLeft }),
			...(this.leftAt !== undefined && { left: this.leftAt }),
			// Not before the batch with that line is delivered
			...(this.hasStopped && this.unfinished.length === 0 && { stopped: true }),
		};
	}

	/** Reads what {@link save} returned, also in the format of version 0.1; undefined for anything else. */
	static load(saved: unknown): Progress | undefined {
		if (!isRecord(saved)) return undefined;
		const position = Array.isArray(saved.flights) ? formerPosition(saved) : savedPosition(saved);
		if (!position) return undefined;
		const progress = new Progress(position);
		progress.hasStopped = saved.stopped === true;
		if (typeof saved.left === 'number') progress.leftAt = saved.left;
		return progress;
	}
}

function savedPosition(saved: Record<string, unknown>): Position | undefined {
	const offset = offsetOf(saved.at);
	const from = offsetOf(saved.from);
	if (!offset || !from || typeof saved.known !== 'string') return undefined;
	if (from.entries > offset.entries) return undefined;
	const known = digestsOf(saved.known);
	const first = digestsOf(saved.first).slice(0, Math.min(FIRST, offset.entries));
	return {
		offset,
		from,
		last: offsetOf(saved.last),
		first: first.length > 0 ? first : undefined,
		known: known.slice(Math.max(0, known.length - Math.min(WINDOW + MARGIN, offset.entries))),
		contextLinesLeft: typeof saved.context === 'number' ? saved.context : undefined,
	};
}

/** Version 0.1 knew no digests: the log is requested at the committed offset, as it counts from its rotation. */
function formerPosition({ at, base }: Record<string, unknown>): Position | undefined {
	const committed = offsetOf(at);
	if (!committed) return undefined;
	const rotation = Array.isArray(base) ? offsetOf([...base, '']) : undefined;
	const { entries, bytes } = rotation ?? BEGINNING;
	const isBehind = committed.entries < entries;
	const offset = isBehind
		? BEGINNING
		: { ...committed, entries: committed.entries - entries, bytes: committed.bytes - bytes };
	return { offset, from: offset, known: [] };
}

function digestsOf(saved: unknown): string[] {
	return typeof saved === 'string' ? saved.split(' ').filter((digest) => digest !== '') : [];
}

function listOf({ entries, bytes, lastEventId }: LogOffset): Array<number | string> {
	return [entries, bytes, lastEventId];
}

function offsetOf(saved: unknown): LogOffset | undefined {
	const [entries, bytes, lastEventId] = Array.isArray(saved) ? (saved as unknown[]) : [];
	return isCount(entries) && isCount(bytes) && typeof lastEventId === 'string'
		? { entries, bytes, lastEventId }
		: undefined;
}

/** Whether a saved value is a number of entries or bytes. */
export function isCount(saved: unknown): saved is number {
	return Number.isSafeInteger(saved) && Number(saved) >= 0;
}
