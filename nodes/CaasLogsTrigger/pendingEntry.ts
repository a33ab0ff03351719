import type { StreamEvent } from '../shared/stream/event';
import type { Position } from './cursor';

/** Lines of one entry; a longer one is most likely none. */
const MAX_LINES = 500;

/** An entry of several lines that the next line may continue. */
export class PendingEntry {
	readonly event: StreamEvent;
	private lines = 1;

	/** @param maxLength characters of the whole entry */
	constructor(
		first: Readonly<StreamEvent>,
		readonly offset: string | number | null,
		readonly start: Position,
		private readonly maxLength: number,
	) {
		this.event = { ...first };
	}

	/** Adds a line; false, without having done so, where the entry would become too long. */
	append({ data, truncated }: Readonly<StreamEvent>): boolean {
		const { event } = this;
		if (this.lines >= MAX_LINES || event.data.length + data.length >= this.maxLength) return false;
		this.lines++;
		event.data += `\n${data}`;
		event.truncated ||= truncated;
		return true;
	}
}
