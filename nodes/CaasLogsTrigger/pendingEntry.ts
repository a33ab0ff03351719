import type { StreamEvent } from '../shared/stream/event';
import type { Position } from './cursor';

/** Lines of one entry; a longer one is most likely none. */
const MAX_LINES = 500;

/** An entry of several lines that the next line may continue. */
export class PendingEntry {
	private readonly first: StreamEvent;
	private text: string;
	private lines = 1;

	/** @param maxLength characters of the whole entry */
	constructor(
		first: Readonly<StreamEvent>,
		readonly offset: string | number | null,
		readonly start: Position,
		private readonly maxLength: number,
	) {
		this.first = { ...first };
		this.text = first.data;
	}

	/** The whole entry; blank lines at its end belong to none. */
	get event(): StreamEvent {
		return { ...this.first, data: this.lines > 1 ? this.text.trimEnd() : this.text };
	}

	/** Adds a line; false, without having done so, where the entry would become too long. */
	append({ data, truncated }: Readonly<StreamEvent>): boolean {
		if (this.lines >= MAX_LINES || this.text.length + data.length >= this.maxLength) return false;
		this.lines++;
		this.text += `\n${data}`;
		this.first.truncated ||= truncated;
		return true;
	}
}
