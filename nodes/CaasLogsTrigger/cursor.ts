import { hash } from 'node:crypto';
import { BEGINNING, type LogOffset, type OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { SHORTEST_LINE_LIMIT } from './optionFields';

/** Entries by which a place in a log is recognized. */
export const WINDOW = 32;
/** So many before them are requested as well, where entries are counted: the service may count from one, or from after an entry. */
export const MARGIN = 4;
/** Entries with which a log begins that are remembered: an answer that begins with them shows the log from there, whatever was requested. */
export const FIRST = 8;
/** How much is kept of a truncated line depends on Max Line Length; this much always is, since the end of it may be half a character. */
const STABLE_CHARACTERS = SHORTEST_LINE_LIMIT - 1;
/** By so much of them, truncated lines were told from others when a cursor of before was saved. */
const FORMER_CHARACTERS = 256;
export const DIGEST_CHARACTERS = 6;

/** A place between two entries of a log, and how to find it again. */
export interface Position {
	/** Counted from the start of the present log. */
	offset: LogOffset;
	/** Digests of the entries before it, at most {@link WINDOW} and {@link MARGIN}, the oldest first. */
	known: string[];
	/** An offset at or before the first of them: from here the log is requested. */
	from: LogOffset;
	/** The offset before the last of them, where it is not a number of entries: where answers are short, it alone is requested. */
	last?: LogOffset;
	/** Digests of the entries with which the log begins, at most {@link FIRST}; absent where that was not read. */
	first?: string[];
	/** How many of the next entries are wanted as context of a match before it. */
	contextLinesLeft?: number;
}

/** Entries between the offset that is requested and the first known one, where that is none of entries. */
export function leadOf({ offset, known, from }: Position): number {
	return Math.max(0, offset.entries - known.length - from.entries);
}

/** What tells an entry from others; IDs count only where the service resumes at them, since others may be new on each connection. */
function identityOf(
	event: Readonly<StreamEvent>,
	unit: OffsetSettings['offsetUnit'],
	characters = STABLE_CHARACTERS,
): string {
	const text = event.truncated ? event.data.slice(0, characters) : event.data;
	return unit === 'eventId' && event.hasOwnId ? `${event.lastEventId}\n${text}` : text;
}

function digestOfText(text: string): string {
	return hash('sha256', text, 'base64').slice(0, DIGEST_CHARACTERS);
}

/** A short text that is the same for the same entry on each connection. */
export function digestOf(event: Readonly<StreamEvent>, unit: OffsetSettings['offsetUnit']): string {
	return digestOfText(identityOf(event, unit));
}

/** Counts the entries of one log that are read, and remembers the last of them. It runs once per line, so it allocates nothing. */
export class Cursor {
	/** Entries of the present log that were read, and their bytes. */
	entries = 0;
	bytes = 0;
	lastEventId = '';
	/** From here the log is requested while no entry is known. */
	private from: LogOffset = BEGINNING;
	private first: string[] = [];
	/** The last entries, in a ring. */
	private readonly last: Array<{
		/** Its text, or its digest once that was needed. */
		text: string;
		isDigest: boolean;
		/** An offset at or before it. */
		before: LogOffset;
	}>;
	private next = 0;
	private size = 0;

	constructor(
		position: Position,
		private readonly unit: OffsetSettings['offsetUnit'],
	) {
		this.last = Array.from({ length: unit === 'entries' ? WINDOW + MARGIN : WINDOW }, () => ({
			text: '',
			isDigest: true,
			before: { ...BEGINNING },
		}));
		this.load(position);
	}

	/** Goes to a place. */
	load({ offset, known, from, last, first: beginning = [] }: Position): void {
		({ entries: this.entries, bytes: this.bytes, lastEventId: this.lastEventId } = offset);
		this.from = from;
		this.first = [...beginning];
		this.size = 0;
		const first = offset.entries - known.length;
		// Equal lines have the same size, and their place depends on it; of others none may be requested from within
		const size = new Set(known).size === 1 ? (offset.bytes - from.bytes) / known.length : 0;
		const isCounted = this.unit === 'entries' || size > 0;
		known.forEach((digest, index) => {
			const entries = isCounted ? first + index : from.entries;
			const place = { ...from, entries, bytes: from.bytes + Math.round(index * size) };
			this.remember(digest, true, index === known.length - 1 ? (last ?? place) : place);
		});
	}

	/** The offset of the next entry, for the output: in the unit in which the service counts, null where it has none. */
	outputOffset(event: StreamEvent): string | number | null {
		if (this.unit === 'bytes') return this.bytes;
		if (this.unit === 'eventId') return event.hasOwnId ? event.lastEventId : null;
		return this.entries;
	}

	/** The digest by which an entry is known, which may be one of before, as with another Offset Unit; its own where it is not known. */
	digestOf(event: Readonly<StreamEvent>): string {
		const own = digestOf(event, this.unit);
		if (!event.truncated && !event.hasOwnId) return own;
		this.releaseTexts();
		if (this.isKnown(own)) return own;
		const former = [
			identityOf(event, this.unit === 'eventId' ? 'none' : 'eventId'),
			identityOf(event, this.unit, FORMER_CHARACTERS),
		];
		return former.map(digestOfText).find((digest) => this.isKnown(digest)) ?? own;
	}

	/** Counts an entry. */
	advance(event: Readonly<StreamEvent>): void {
		if (this.entries < FIRST) this.noteFirst(event);
		this.remember(identityOf(event, this.unit), false, this);
		this.entries++;
		this.bytes += event.bytes;
		if (event.hasOwnId) this.lastEventId = event.lastEventId;
	}

	/** The log has rotated, or reading begins elsewhere: nothing before is of this log. */
	restart(offset: LogOffset): void {
		({ entries: this.entries, bytes: this.bytes, lastEventId: this.lastEventId } = offset);
		this.from = offset;
		this.first = [];
		this.size = 0;
	}

	/** The service has shown how many entries and bytes really are before the next one. */
	correct({ entries, bytes }: Pick<LogOffset, 'entries' | 'bytes'>): void {
		for (let back = 1; back <= this.size; back++) {
			const { before } = this.entry(back);
			before.entries = Math.max(0, before.entries + entries - this.entries);
			before.bytes = Math.max(0, before.bytes + bytes - this.bytes);
		}
		this.entries = entries;
		this.bytes = bytes;
	}

	/** The last entries were none of the log. */
	forget(lines: number): void {
		if (lines === 0) return;
		const { entries, bytes, lastEventId } = this.entry(lines).before;
		Object.assign(this, { entries, bytes, lastEventId });
		this.first.splice(this.entries);
		this.next = (this.next - lines + this.last.length) % this.last.length;
		this.size -= lines;
	}

	/** The place after the entry that was read last. */
	position(): Position {
		this.releaseTexts();
		const { entries, bytes, lastEventId } = this;
		const known: string[] = [];
		let from = this.size > 0 ? { entries, bytes, lastEventId } : this.from;
		for (let back = 1; back <= this.size; back++) {
			const { text, before } = this.entry(back);
			// Without an ID to resume at, a service may begin anywhere
			if (this.unit === 'eventId' && lastEventId !== '' && before.lastEventId === '') break;
			known.push(text);
			from = { ...before };
		}
		const last = this.unit === 'bytes' || this.unit === 'eventId' ? this.before(1) : undefined;
		const first = this.first.length > 0 ? [...this.first] : undefined;
		return { offset: { entries, bytes, lastEventId }, known: known.reverse(), from, last, first };
	}

	/** The offset before so many entries that were read last, or one at or before it; undefined where it is unknown. */
	before(count: number): LogOffset | undefined {
		return this.size >= count ? { ...this.entry(count).before } : undefined;
	}

	/** Keeps digests in place of texts: V8 keeps a whole chunk alive for one line that was cut from it. */
	releaseTexts(): void {
		for (let back = 1; back <= this.size && !this.entry(back).isDigest; back++) {
			const entry = this.entry(back);
			entry.text = digestOfText(entry.text);
			entry.isDigest = true;
		}
	}

	private isKnown(digest: string): boolean {
		return this.first.includes(digest) || this.last.some(({ text }) => text === digest);
	}

	private noteFirst(event: Readonly<StreamEvent>): void {
		if (this.first.length < this.entries) return;
		this.first.push(digestOfText(identityOf(event, this.unit)));
	}

	private remember(
		text: string,
		isDigest: boolean,
		{ entries, bytes, lastEventId }: LogOffset,
	): void {
		const entry = this.last[this.next]!;
		entry.text = text;
		entry.isDigest = isDigest;
		entry.before.entries = entries;
		entry.before.bytes = bytes;
		entry.before.lastEventId = lastEventId;
		this.next = this.next + 1 === this.last.length ? 0 : this.next + 1;
		if (this.size < this.last.length) this.size++;
	}

	/** The entry that was read so many entries ago. */
	private entry(back: number): (typeof this.last)[number] {
		return this.last[(this.next - back + this.last.length) % this.last.length]!;
	}
}
