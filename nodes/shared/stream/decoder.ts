import { LineBuffer } from './lineBuffer';
import { CR, firstLineEnd, lastLineEnd, LF, singleLineEvents } from './lineEnds';
import { FirstLine, type StreamFormat } from './format';

/** One event of a stream, or one bare line of it. */
export interface StreamEvent {
	/** The data of an event, its lines joined by line feeds, or the bare line; without line ends. */
	data: string;
	/** Type of the event, `message` unless it names one; empty for a bare line. */
	type: string;
	/** The last event ID that the stream has named so far. */
	id: string;
	/** Whether the ID stands in this very event. */
	hasOwnId: boolean;
	/** Length in the log: of the data in UTF-8 with a line end, or of the bare line as it was sent. Only when it is asked for. */
	bytes: number;
	/** The cap cut it: `data` is only its beginning. */
	truncated: boolean;
}

export interface DecoderOptions {
	/** How the entries stand on the wire; `auto` tells by the first line. */
	format?: StreamFormat;
	/** What is no field of an event stream is taken as a bare line instead of being dropped: a log line is never lost. */
	keepsBareLines?: boolean;
	/** Longest line or event; what is longer is cut and marked. Characters, of a line that is cut while it arrives bytes. */
	largestEntry?: number;
	countsBytes?: boolean;
	/** Takes the secrets of the credential out of an entry: a log may hold the headers of a request. */
	redact?(text: string): string;
	/**
	 * Takes a run of entries at once, which costs less than one by one, in order with those that the sink gets: bare lines, or events
	 * of the type `message` without an ID of their own; none is cut. Returns false, and has done nothing, where it wants them one by one.
	 */
	takeTexts?(texts: string[]): boolean;
}

const emptyEvent = (): StreamEvent => ({
	data: '',
	type: '',
	id: '',
	hasOwnId: false,
	bytes: 0,
	truncated: false,
});

const MEBIBYTE = 1024 * 1024;
/** So many lines before any blank one are no event: the service ends each entry with a single line feed. */
const LONGEST_FIRST_EVENT = 100;

/**
 * Decodes a stream chunk by chunk: Server-Sent Events to the letter of the WHATWG text, or bare lines. Whole runs of
 * lines are turned into text at once (line ends never stand inside a UTF-8 character); of the line that is still
 * arriving only bytes up to the cap are kept, so memory does not grow with the stream.
 */
export class Decoder {
	/** The reconnection time that the stream asked for, in milliseconds. */
	retryMs?: number;
	/** How the entries stand on the wire, as soon as it is known. */
	format: StreamFormat;
	private readonly largest: number;
	private readonly rest: LineBuffer;
	private readonly firstLine = new FirstLine();
	private isFirstText = true;
	private isAscii = true;
	private skipsLineFeed = false;
	private lastId = '';
	private data = '';
	private dataLines = 0;
	private dataBytes = 0;
	private type = '';
	private hasOwnId = false;
	/** Bytes that the cap has cut off the line that is being read. */
	private dropped = 0;
	private isCut = false;
	/** Nothing has told so far whether blank lines end events. From the first data on all lines wait for that, each as it came. */
	private isUndecided: boolean;
	private readonly waiting: Array<{ line: string; dropped: number }> = [];
	private isLineWise = false;
	/** From the first chunk on that something was struck out of. */
	private holdsSecret = false;
	/** In the text that is decoded now nothing is cut, struck out or counted in bytes. */
	private isPlain = false;
	private event = emptyEvent();

	/**
	 * @param sink gets each event that `takeTexts` has not taken as it is complete, in an object that is filled anew for the next one:
	 * what is to be kept must be copied. One for each line would be a third of all the work. Now and then it is a new one: V8 keeps
	 * a list of each young string that an old object is given
	 */
	constructor(
		private readonly options: DecoderOptions,
		private readonly sink: (event: Readonly<StreamEvent>) => void,
	) {
		this.format = options.format ?? 'auto';
		this.largest = options.largestEntry ?? MEBIBYTE;
		this.rest = new LineBuffer(this.largest);
		this.isUndecided = options.keepsBareLines === true;
	}

	/** Hands over the events and lines that this chunk completes. */
	push(bytes: Uint8Array): void {
		let chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		if (this.format === 'auto') {
			const known = this.firstLine.add(chunk);
			if (!known) return;
			this.format = known.format;
			chunk = known.bytes;
		}
		if (chunk.length === 0) return;
		if (this.skipsLineFeed && chunk[0] === LF) chunk = chunk.subarray(1);
		this.skipsLineFeed = false;
		let start = 0;
		if (this.rest.length > 0) {
			const end = firstLineEnd(chunk, this.format);
			this.rest.add(end < 0 ? chunk : chunk.subarray(0, end + 1));
			if (end < 0) return;
			this.decode(this.rest.take(), this.rest.dropped);
			start = end + (this.skipsLineFeed && chunk[end + 1] === LF ? 2 : 1);
		}
		const end = lastLineEnd(chunk, this.format);
		if (end >= start) this.decode(chunk.subarray(start, end + 1), 0);
		// Only a CR at the very end of a chunk may have its LF in the next one
		if (chunk[chunk.length - 1] !== CR) this.skipsLineFeed = false;
		this.rest.add(chunk.subarray(Math.max(start, end + 1)));
	}

	/** Whether data waits for the blank line that ends an event, in a stream that has not shown one so far. */
	get isWaiting(): boolean {
		return this.waiting.length > 0;
	}

	/** From now on each data line is an entry, those that wait for a blank line too. */
	readLineWise(): void {
		if (!this.isWaiting) return;
		this.isLineWise = true;
		this.decide();
	}

	/** It is known now how entries end: what has waited is read as it would have been at once. */
	private decide(): void {
		this.isUndecided = false;
		const { dropped } = this;
		for (const waiting of this.waiting.splice(0)) {
			this.dropped = waiting.dropped;
			this.field(waiting.line, 0, waiting.line.length);
		}
		this.dropped = dropped;
	}

	/** The line without an end, and the event without its blank line, that stand at the end of a log that is complete. */
	end(): void {
		if (this.format === 'auto') {
			const { format, bytes } = this.firstLine.decide();
			this.format = format;
			this.push(bytes);
		}
		if (this.rest.length > 0) {
			this.rest.add(Buffer.from('\n'));
			this.decode(this.rest.take(), this.rest.dropped);
		}
		if (this.options.keepsBareLines) this.dispatch();
	}

	/** @param bytes one or more whole lines with their ends, or one line that lacks so many */
	private decode(bytes: Buffer, dropped: number): void {
		let text = this.textOf(bytes);
		if (this.isFirstText && text.startsWith('\uFEFF')) text = text.slice(1);
		this.isFirstText = false;
		// A search of the whole chunk costs a tenth of one in each line
		this.holdsSecret ||= this.redact(text) !== text;
		this.dropped = dropped;
		this.isPlain =
			dropped === 0 &&
			text.length <= this.largest &&
			!this.holdsSecret &&
			!this.options.countsBytes;
		this.event = emptyEvent();
		if (this.format === 'lines') return this.bareLines(text, bytes);
		if (text.includes('\r')) {
			this.skipsLineFeed = bytes[bytes.length - 1] === CR;
			text = text.replace(/\r\n?/g, '\n');
		}
		for (let from = this.handPlainEvents(text, 0); from < text.length;) {
			// Half of all lines are blank: to look at one character costs less than to search for the next line feed
			if (text.charCodeAt(from) === LF) {
				this.dispatch();
				from = this.handPlainEvents(text, from + 1);
			} else {
				const to = text.indexOf('\n', from);
				this.field(text, from, to);
				from = to + 1;
			}
		}
	}

	/** Most logs are ASCII alone, which is the same in Latin-1 and is read so in half the time. */
	private textOf(bytes: Buffer): string {
		if (this.isAscii) {
			const text = bytes.toString('latin1');
			if (Buffer.byteLength(text) === text.length) return text;
			this.isAscii = false;
		}
		return bytes.toString('utf8');
	}

	/** Hands over the events from a place on that are one line of data each. Returns where the rest begins. */
	private handPlainEvents(text: string, from: number): number {
		if (
			!this.isPlain ||
			this.isUndecided ||
			this.dataLines > 0 ||
			this.hasOwnId ||
			this.type !== ''
		)
			return from;
		const { texts, to } = singleLineEvents(text, from);
		this.handTexts(texts, 'message');
		return to;
	}

	private handTexts(texts: string[], type: string): void {
		if (texts.length === 0 || this.options.takeTexts?.(texts)) return;
		for (const text of texts) this.hand(text, type, false, 0, false);
	}

	private bareLines(text: string, bytes: Buffer): void {
		let byte = 0;
		const lines = text.replaceAll('\r\n', '\n').split('\n');
		// Behind the last line feed there is nothing
		lines.pop();
		if (this.isPlain) return this.handTexts(lines, '');
		for (const line of lines) {
			let length = 0;
			if (this.options.countsBytes) {
				const next = bytes.indexOf(LF, byte) + 1;
				length = next - byte + this.dropped;
				byte = next;
			}
			this.bare(line, length);
		}
	}

	private bare(line: string, bytes: number): void {
		const isLong = line.length > this.largest;
		this.hand(
			isLong ? line.slice(0, this.largest) : line,
			'',
			false,
			bytes,
			this.dropped > 0 || isLong,
		);
	}

	private field(text: string, from: number, to: number): void {
		if (this.isUndecided && this.waits(text.slice(from, to))) return;
		if (text.startsWith('data:', from))
			return this.dataLine(text.slice(text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5, to));
		const line = text.slice(from, to);
		const colon = line.indexOf(':');
		if (colon === 0) return;
		const name = colon < 0 ? line : line.slice(0, colon);
		const value =
			colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
		if (name === 'data') this.dataLine(value);
		else if (name === 'event') this.type = value;
		else if (name === 'id') {
			if (value.includes('\0')) return;
			this.lastId = value;
			this.hasOwnId = true;
		} else if (name === 'retry') {
			if (/^\d+$/.test(value)) this.retryMs = Number(value);
		} else if (this.options.keepsBareLines) {
			this.bare(line, this.lengthOf(line));
		}
	}

	/** Whether a line waits. However long they are together each may be an entry, but only so much of them is kept in memory. */
	private waits(line: string): boolean {
		if (!this.isWaiting && !/^data(?::|$)/.test(line)) return false;
		this.waiting.push({ line, dropped: this.dropped });
		const size = this.waiting.reduce((sum, { line: { length } }) => sum + length, 0);
		if (this.waiting.length >= LONGEST_FIRST_EVENT || size > Math.max(this.largest, MEBIBYTE))
			this.readLineWise();
		return true;
	}

	private dataLine(value: string): void {
		this.dataLines++;
		if (this.options.countsBytes) this.dataBytes += this.lengthOf(value);
		if (this.data.length < this.largest) {
			const data = this.dataLines === 1 ? value : `${this.data}\n${value}`;
			this.isCut ||= this.dropped > 0 || data.length > this.largest;
			this.data = data.length > this.largest ? data.slice(0, this.largest) : data;
		} else this.isCut = true;
		if (this.isLineWise) this.dispatch();
	}

	private dispatch(): void {
		// A blank line that no data stands before ends a greeting, and tells nothing
		if (this.isWaiting) this.decide();
		const { data, dataLines, dataBytes, type, hasOwnId, isCut } = this;
		this.data = this.type = '';
		this.dataLines = this.dataBytes = 0;
		this.hasOwnId = this.isCut = false;
		if (dataLines === 0) return;
		this.hand(data, type === '' ? 'message' : type, hasOwnId, dataBytes, isCut);
	}

	private hand(
		data: string,
		type: string,
		hasOwnId: boolean,
		bytes: number,
		truncated: boolean,
	): void {
		const { event } = this;
		event.data = this.holdsSecret ? this.redact(data) : data;
		event.type = type;
		event.id = this.lastId;
		event.hasOwnId = hasOwnId;
		event.bytes = bytes;
		event.truncated = truncated;
		this.sink(event);
	}

	private redact(text: string): string {
		return this.options.redact?.(text) ?? text;
	}

	/** Bytes of a line in the log, with those that the cap has cut off. */
	private lengthOf(line: string): number {
		return this.options.countsBytes ? Buffer.byteLength(line) + 1 + this.dropped : 0;
	}
}
