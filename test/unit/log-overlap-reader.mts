import { vi } from 'vitest';
import type { Ending } from '../../nodes/CaasLogsTrigger/answer.ts';
import { Cursor, type Position } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { Overlap } from '../../nodes/CaasLogsTrigger/overlap.ts';
import { BEGINNING, type OffsetSettings } from '../../nodes/marketplace/log/request.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';

/**
 * The index of the first line that a service sends.
 * @param offset that it is requested from
 * @param kept index of the oldest line that it has
 */
export type FirstIndex = (offset: number, kept: number) => number;

/** What happens between two connections, and on the second one. */
export interface Visit {
	/** Lines that are written while nobody is connected. */
	write: number;
	/** The connection breaks after so many lines of what the service has. */
	breaksAfter?: number;
	/** Lines that come while the reader may still search, a second after the connection is open. */
	soon?: number;
	/** Lines that come later, one a second. */
	live: number;
	/** Whether the service ends the stream once it has sent all. */
	ends: boolean;
}

export const START: Position = { offset: BEGINNING, from: BEGINNING, known: [] };
/** Connections in a row that may be needed to find the place. */
const MAX_CONNECTIONS = 10;
/** Silence after which the reader takes it that the service has sent what it has. */
const QUIET_MS = 2_000;
/** A service that drops old lines has so many of those that were delivered. */
const KEPT = 40;

/** Reads a log through {@link Overlap}, as the reader of the trigger does, without sockets. */
export class OverlapReader {
	readonly delivered: string[] = [];
	readonly log: string[] = [];
	/** Offsets that were requested, in entries. */
	readonly requested: number[] = [];
	readonly cursor: Cursor;
	readonly overlap: Overlap;
	/** Entries of the present connection that were new. */
	brought = 0;
	/** After how many delivered lines another log was found. */
	readonly otherLogs: number[] = [];

	constructor(
		private readonly line: (number: number) => string,
		public service: FirstIndex = (offset) => offset,
		position = START,
		unit: OffsetSettings['offsetUnit'] = 'entries',
	) {
		this.cursor = new Cursor(position, unit);
		this.overlap = new Overlap(this.cursor, unit, this);
	}

	deliver(events: StreamEvent[]): void {
		for (const event of events) this.add(event);
	}

	onOtherLog(): void {
		this.otherLogs.push(this.delivered.length);
	}

	write(count: number): void {
		for (let left = count; left > 0; left--) this.log.push(this.line(this.log.length));
	}

	/** Connects until the place is found, or until the connection breaks. */
	visit({ write, breaksAfter, soon = 0, live, ends }: Visit): void {
		this.write(write);
		for (
			let connections = 0;
			this.connect(breaksAfter, ends, connections === 0 ? soon : 0) === 'reconnect';
			connections++
		)
			if (connections === MAX_CONNECTIONS) throw new Error('The place is not found');
		if (breaksAfter !== undefined || ends) return;
		for (let left = live; left > 0; left--) {
			pass(1_000);
			this.write(1);
			this.take(this.log.length - 1);
		}
	}

	/**
	 * One connection that brings these lines, after so many milliseconds.
	 * @returns what the overlap says at its end
	 */
	answer(lines: string[], ending: Ending, delayMs = 0): ReturnType<Overlap['end']> {
		this.brought = 0;
		this.requested.push(this.overlap.begin().entries);
		this.overlap.opened();
		pass(delayMs);
		for (const line of lines) this.receive(line);
		return this.overlap.end(ending);
	}

	private connect(breaksAfter = Infinity, ends = false, soon = 0): 'reconnect' | undefined {
		this.brought = 0;
		const { entries } = this.overlap.begin();
		this.requested.push(entries);
		this.overlap.opened();
		const kept = Math.max(0, this.delivered.length - KEPT);
		const first = Math.max(0, Math.min(this.log.length, this.service(entries, kept)));
		const isBroken = first + breaksAfter < this.log.length;
		const end = isBroken ? first + breaksAfter : this.log.length;
		for (let index = first; index < end; index++) this.take(index);
		if (isBroken || breaksAfter !== Infinity) {
			this.overlap.end('broken');
			return undefined;
		}
		if (soon > 0) pass(1_000);
		for (let left = soon; left > 0; left--) {
			this.write(1);
			this.take(this.log.length - 1);
		}
		if (!ends) pass(QUIET_MS);
		if (!ends && !this.overlap.searching) return undefined;
		return this.overlap.end(ends ? 'ended' : 'silent') === 'searching' ? 'reconnect' : undefined;
	}

	private take(index: number): void {
		this.receive(this.log[index] ?? '', index);
	}

	/** A line comes. */
	receive(line: string, index = 0): void {
		const event = eventOf(line, index);
		if (this.overlap.isFound) this.add(event);
		else this.overlap.take(event);
	}

	private add(event: StreamEvent): void {
		this.brought++;
		this.delivered.push(event.data);
		this.cursor.advance(event);
	}
}

/** Time passes on the clock that tests of the overlap set. */
export function pass(ms: number): void {
	vi.advanceTimersByTime(ms);
}

function eventOf(data: string, index: number): StreamEvent {
	return {
		data,
		type: 'message',
		lastEventId: String(index),
		hasOwnId: true,
		bytes: data.length + 1,
		truncated: false,
	};
}
