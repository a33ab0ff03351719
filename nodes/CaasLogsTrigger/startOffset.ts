import { BEGINNING, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { digestOf, type Position } from './cursor';

/**
 * The start of reading at an offset of which nothing shows yet that the service honours it. One that ignores it sends the whole log,
 * which is recognized by its beginning: then lines are left out by their number.
 */
export class StartOffset {
	private readonly beginning: string[];
	private held: StreamEvent[] = [];

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

	/**
	 * Takes the next entry of the connection.
	 * @returns the entries that are wanted, once it is known; or the position to leave lines out up to; undefined while neither is known
	 */
	take(event: StreamEvent): StreamEvent[] | Position | undefined {
		const { beginning, held, position } = this;
		held.push({ ...event });
		const isBeginning = digestOf(event, this.unit) === beginning[held.length - 1];
		// Equal lines show nothing: in doubt too many are delivered
		if (!isBeginning || new Set(beginning).size < 2) return held;
		if (held.length < beginning.length) return undefined;
		const { entries } = position.offset;
		return held.length >= entries
			? held.slice(entries)
			: {
					...position,
					offset: { ...position.offset, entries: entries - held.length },
					from: BEGINNING,
				};
	}
}
