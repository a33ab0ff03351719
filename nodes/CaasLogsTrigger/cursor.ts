import { createHash } from 'node:crypto';
import type { LogOffset, OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';

/** Entries by which a place in a log is recognized. */
export const WINDOW = 32;
/** How much is kept of a truncated line depends on its chunks; this much of it always is. */
const STABLE_CHARACTERS = 256;
const DIGEST_CHARACTERS = 6;

/** A place between two entries of a log, and how to find it again. */
export interface Position {
	/** Counted from the start of the present log. */
	offset: LogOffset;
	/** Digests of the entries before it, at most {@link WINDOW}, the oldest first. */
	known: string[];
	/** An offset at or before the first of them: from here the log is requested. */
	from: LogOffset;
	/** How many of the next entries are wanted as context of a match before it. */
	contextLinesLeft?: number;
}

/** What tells an entry from others; IDs count only where the service resumes at them, since others may be new on each connection. */
function identityOf(event: StreamEvent, unit: OffsetSettings['offsetUnit']): string {
	const text = event.truncated ? event.data.slice(0, STABLE_CHARACTERS) : event.data;
	return unit === 'eventId' && event.hasOwnId ? `${event.lastEventId}\n${text}` : text;
}

function digestOfText(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, DIGEST_CHARACTERS);
}

/** A short text that is the same for the same entry on each connection. */
export function digestOf(event: StreamEvent, unit: OffsetSettings['offsetUnit']): string {
	return digestOfText(identityOf(event, unit));
}

/** Counts the entries of one log that are read, and remembers the last of them. */
export class Cursor {
	private offset: LogOffset;
	/** From here the log is requested while no entry is known. */
	private from: LogOffset;
	/** Of the last entries, in a ring: the text, or its digest once that was needed. */
	private readonly texts: string[] = [];
	private readonly isDigest: boolean[] = [];
	/** Offset before each of them. */
	private readonly before: LogOffset[] = [];
	private next = 0;
	private size = 0;

	constructor(
		{ offset, known, from }: Position,
		private readonly unit: OffsetSettings['offsetUnit'],
	) {
		this.offset = offset;
		this.from = from;
		// Exact where all have the same size; in a log of equal lines the place depends on it
		const size = (offset.bytes - from.bytes) / known.length;
		known.forEach((digest, index) => {
			const bytes = from.bytes + Math.round(index * size);
			this.remember(digest, true, { ...from, entries: from.entries + index, bytes });
		});
	}

	/** Entries of the present log that were read. */
	get entries(): number {
		return this.offset.entries;
	}

	/** The offset of the next entry, for the output: in the unit in which the service counts, null where it has none. */
	outputOffset(event: StreamEvent): string | number | null {
		if (this.unit === 'bytes') return this.offset.bytes;
		if (this.unit === 'eventId') return event.hasOwnId ? event.lastEventId : null;
		return this.offset.entries;
	}

	/** Counts an entry. */
	advance(event: StreamEvent): void {
		const { entries, bytes, lastEventId } = this.offset;
		this.remember(identityOf(event, this.unit), false, this.offset);
		this.offset = {
			entries: entries + 1,
			bytes: bytes + event.bytes,
			lastEventId: event.hasOwnId ? event.lastEventId : lastEventId,
		};
	}

	/** The log has rotated, or reading begins elsewhere: nothing before is of this log. */
	restart(offset: LogOffset): void {
		this.offset = offset;
		this.from = offset;
		this.size = 0;
	}

	/** The service has shown how many entries and bytes really are before the next one. */
	correct({ entries, bytes }: Pick<LogOffset, 'entries' | 'bytes'>): void {
		const moved = (offset: LogOffset) => ({
			...offset,
			entries: Math.max(0, offset.entries + entries - this.offset.entries),
			bytes: Math.max(0, offset.bytes + bytes - this.offset.bytes),
		});
		for (let back = 1; back <= this.size; back++) {
			const slot = this.slot(back);
			this.before[slot] = moved(this.before[slot]!);
		}
		this.offset = moved(this.offset);
	}

	/** The place after the entry that was read last. */
	position(): Position {
		this.releaseTexts();
		const { offset } = this;
		const known: string[] = [];
		let from = this.size > 0 ? offset : this.from;
		for (let back = 1; back <= this.size; back++) {
			const before = this.before[this.slot(back)]!;
			// Without an ID to resume at, a service may begin anywhere
			if (this.unit === 'eventId' && offset.lastEventId !== '' && before.lastEventId === '') break;
			known.unshift(this.texts[this.slot(back)]!);
			from = before;
		}
		return { offset, known, from };
	}

	/** The offset before the entry that was read last; undefined where it is unknown. */
	get lastBefore(): LogOffset | undefined {
		const before = this.size > 0 ? this.before[this.slot(1)] : undefined;
		return before?.entries === this.offset.entries - 1 ? before : undefined;
	}

	/** Keeps digests in place of texts: V8 keeps a whole chunk alive for one line that was cut from it. */
	releaseTexts(): void {
		for (let back = 1; back <= this.size && !this.isDigest[this.slot(back)]; back++) {
			const slot = this.slot(back);
			this.texts[slot] = digestOfText(this.texts[slot]!);
			this.isDigest[slot] = true;
		}
	}

	private remember(text: string, isDigest: boolean, before: LogOffset): void {
		this.texts[this.next] = text;
		this.isDigest[this.next] = isDigest;
		this.before[this.next] = before;
		this.next = (this.next + 1) % WINDOW;
		if (this.size < WINDOW) this.size++;
	}

	private slot(back: number): number {
		return (this.next - back + WINDOW) % WINDOW;
	}
}
