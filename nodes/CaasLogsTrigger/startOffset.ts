import type { OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { digestOf, type Position } from './cursor';

/** What is left out at the beginning of a connection, where no entry is known to recognize the place by. */
export interface LeftOut {
	/** Takes the next entry. Returns the entries that are wanted, once nothing more is left out. */
	take(event: StreamEvent): StreamEvent[] | undefined;
}

/** Leaves out so many entries. */
export function leaveOut(entries: number): LeftOut {
	let left = entries;
	return { take: () => (--left > 0 ? undefined : []) };
}

/**
 * The start of reading at an offset of which nothing shows yet that the service honours it. One that ignores it sends the whole log,
 * which is recognized by its beginning: then lines are left out by their number.
 */
export class StartOffset implements LeftOut {
	private readonly beginning: string[];
	private readonly held: StreamEvent[] = [];
	private counted?: LeftOut;

	/** @param first the first entries of the log; none if they are unknown */
	constructor(
		private readonly position: Position,
		private readonly unit: OffsetSettings['offsetUnit'],
		first: StreamEvent[],
	) {
		this.beginning = first.map((event) => digestOf(event, unit));
	}

	/** Whether the first entries of the log are to be read before. */
	static isNeeded({ known, from }: Position, unit: OffsetSettings['offsetUnit']): boolean {
		return unit === 'entries' && known.length === 0 && from.entries > 0;
	}

	take(event: StreamEvent): StreamEvent[] | undefined {
		if (this.counted) return this.counted.take(event);
		const { beginning, held, position } = this;
		held.push({ ...event });
		const isBeginning = digestOf(event, this.unit) === beginning[held.length - 1];
		// Equal lines show nothing: in doubt too many are delivered
		if (!isBeginning || new Set(beginning).size < 2) return held;
		if (held.length < beginning.length) return undefined;
		const { entries } = position.offset;
		if (held.length >= entries) return held.slice(entries);
		this.counted = leaveOut(entries - held.length);
		return undefined;
	}
}
