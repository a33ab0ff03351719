import { emptyEvent, type StreamEvent } from './event';
import type { StreamFormat } from './format';
import { LF, singleLineEvents } from './lineEnds';
import { LineSplitter } from './lineSplitter';
import { Utf8Decoder } from './utf8';

/** How to decode a stream. */
export interface DecoderOptions {
	/** Default `auto`. */
	format?: StreamFormat;
	/** Whether a line of an event stream that has no known field is a bare line. A standard client ignores it; a log line must not be lost. */
	keepsBareLines?: boolean;
	/**
	 * Longest event or bare line; a longer one is truncated and marked. In characters; in bytes for a line that exceeds it while it
	 * still arrives. Default 1 MiB.
	 */
	largestEntry?: number;
	/** Whether `bytes` of each event is computed. */
	countsBytes?: boolean;
	/** Redacts the secrets of the credential: a log may contain the headers of a request. */
	redact?(text: string): string;
	/**
	 * Receives several entries at once, which costs less than one by one: bare lines, or events of type `message` without an `id`
	 * field, none truncated. Order is kept between these and those of the sink.
	 * @returns false, without having done anything, to get each of them from the sink instead
	 */
	takeTexts?(texts: string[]): boolean;
}

const MEBIBYTE = 1024 * 1024;
const SPACE = 32;
/** Lines after which an event without a blank line is none: the service ends each entry with a single line feed. */
const MAX_PENDING_LINES = 100;

/**
 * Decodes a stream chunk by chunk: Server-Sent Events as the WHATWG HTML standard parses them ("Interpreting an event stream"), or bare
 * lines. All complete lines of a chunk become text at once, since a line end is never inside a UTF-8 character.
 */
export class Decoder {
	/** The reconnection time in milliseconds: of the latest `retry` field. */
	retryMs?: number;
	private readonly maxLength: number;
	private readonly lines: LineSplitter;
	private readonly utf8 = new Utf8Decoder();
	private lastEventId = '';
	/** Data of the event that is being read. */
	private dataBuffer = '';
	private dataLineCount = 0;
	private dataByteCount = 0;
	private eventType = '';
	private hasOwnId = false;
	private isTruncated = false;
	/** Bytes missing in the line that is being read, because it exceeds the limit. */
	private droppedBytes = 0;
	/** Whether it is unknown yet if blank lines end events, as in the standard, or each line is an entry. Until then, lines are held back. */
	private isFramingUnknown: boolean;
	private readonly pendingLines: Array<{ line: string; droppedBytes: number }> = [];
	/** Whether each data line is an event, without a blank line. */
	private isLineFramed = false;
	/** Set from the first chunk on in which something was redacted. */
	private containsSecret = false;
	/** Whether nothing in the current text is truncated, redacted or counted in bytes. */
	private isPlain = false;
	/**
	 * Reused, since an object per line would be a third of all the work. Replaced for each chunk, since V8 keeps a list of each
	 * young string that an old object is given.
	 */
	private event = emptyEvent();

	/**
	 * @param sink gets each complete event that `takeTexts` has not taken. The event object is reused: copy it to retain it
	 */
	constructor(
		private readonly options: DecoderOptions,
		private readonly sink: (event: Readonly<StreamEvent>) => void,
	) {
		this.maxLength = options.largestEntry ?? MEBIBYTE;
		this.lines = new LineSplitter(options.format ?? 'auto', this.maxLength, (lines, droppedBytes) =>
			this.decode(lines, droppedBytes),
		);
		this.isFramingUnknown = options.keepsBareLines === true;
	}

	/** The format of the stream; `auto` until it is detected. */
	get format(): StreamFormat {
		return this.lines.format;
	}

	/** Decodes a chunk and emits the events and bare lines that it completes. */
	push(bytes: Uint8Array): void {
		this.lines.push(bytes);
	}

	/** Whether lines are held back because the stream has not shown yet how its events end. */
	get hasPendingLines(): boolean {
		return this.pendingLines.length > 0;
	}

	/** Treats each data line as an event from now on, including those held back; has no effect where none are. */
	assumeLineFraming(): void {
		if (!this.hasPendingLines) return;
		this.isLineFramed = true;
		this.processPendingLines();
	}

	/** Processes the lines held back, now that it is known how events end. */
	private processPendingLines(): void {
		this.isFramingUnknown = false;
		const { droppedBytes } = this;
		for (const pending of this.pendingLines.splice(0)) {
			this.droppedBytes = pending.droppedBytes;
			this.processLine(pending.line, 0, pending.line.length);
		}
		this.droppedBytes = droppedBytes;
	}

	/**
	 * Ends a stream that is complete: emits the last line if it has no line end and, of a log, the last event if it has no blank line.
	 * The standard discards that event.
	 */
	end(): void {
		this.lines.end();
		if (this.options.keepsBareLines) this.dispatchEvent();
	}

	/**
	 * @param bytes one or more complete lines with their ends
	 * @param droppedBytes bytes missing in them; then it is a single line
	 */
	private decode(bytes: Buffer, droppedBytes: number): void {
		let text = this.utf8.decode(bytes);
		// Searching the whole chunk costs a tenth of searching each line
		this.containsSecret ||= this.redact(text) !== text;
		this.droppedBytes = droppedBytes;
		this.isPlain =
			droppedBytes === 0 &&
			text.length <= this.maxLength &&
			!this.containsSecret &&
			!this.options.countsBytes;
		this.event = emptyEvent();
		if (this.format === 'lines') return this.processBareLines(text, bytes);
		if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
		for (let from = this.emitPlainEvents(text, 0); from < text.length;) {
			// Half of all lines are blank, and testing one character costs less than searching for the next line feed
			if (text.charCodeAt(from) === LF) {
				this.dispatchEvent();
				from = this.emitPlainEvents(text, from + 1);
			} else {
				const to = text.indexOf('\n', from);
				this.processLine(text, from, to);
				from = to + 1;
			}
		}
	}

	/** Emits the events from an index on that consist of a single data line each. Returns the index after them. */
	private emitPlainEvents(text: string, from: number): number {
		if (
			!this.isPlain ||
			this.isFramingUnknown ||
			this.dataLineCount > 0 ||
			this.hasOwnId ||
			this.eventType !== ''
		)
			return from;
		const { texts, to } = singleLineEvents(text, from);
		this.emitTexts(texts, 'message');
		return to;
	}

	private emitTexts(texts: string[], type: string): void {
		if (texts.length === 0 || this.options.takeTexts?.(texts)) return;
		for (const text of texts) this.emit(text, type, false, 0, false);
	}

	private processBareLines(text: string, bytes: Buffer): void {
		let byte = 0;
		const lines = text.replaceAll('\r\n', '\n').split('\n');
		// After the last line feed there is no line
		lines.pop();
		if (this.isPlain) return this.emitTexts(lines, '');
		for (const line of lines) {
			let length = 0;
			if (this.options.countsBytes) {
				const next = bytes.indexOf(LF, byte) + 1;
				length = next - byte + this.droppedBytes;
				byte = next;
			}
			this.emitBareLine(line, length);
		}
	}

	private emitBareLine(line: string, bytes: number): void {
		const isLong = line.length > this.maxLength;
		this.emit(
			isLong ? line.slice(0, this.maxLength) : line,
			'',
			false,
			bytes,
			this.droppedBytes > 0 || isLong,
		);
	}

	/** Processes a line of an event stream that is not blank: a field, a comment, or a bare line. */
	private processLine(text: string, from: number, to: number): void {
		if (this.isFramingUnknown && this.holdBack(text.slice(from, to))) return;
		if (text.startsWith('data:', from))
			return this.appendData(
				text.slice(text.charCodeAt(from + 5) === SPACE ? from + 6 : from + 5, to),
			);
		const line = text.slice(from, to);
		const colon = line.indexOf(':');
		if (colon === 0) return;
		const name = colon < 0 ? line : line.slice(0, colon);
		const value =
			colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
		if (name === 'data') this.appendData(value);
		else if (name === 'event') this.eventType = value;
		else if (name === 'id') {
			if (value.includes('\0')) return;
			this.lastEventId = value;
			this.hasOwnId = true;
		} else if (name === 'retry') {
			if (/^\d+$/.test(value)) this.retryMs = Number(value);
		} else if (this.options.keepsBareLines) {
			this.emitBareLine(line, this.byteLength(line));
		}
	}

	/** Holds a line back, from the first data on, while the framing is unknown. Returns whether it did. */
	private holdBack(line: string): boolean {
		if (!this.hasPendingLines && !/^data(?::|$)/.test(line)) return false;
		const { pendingLines } = this;
		pendingLines.push({ line, droppedBytes: this.droppedBytes });
		// The limit of a single entry is not enough: each of these lines may be one
		const characters = pendingLines.reduce((sum, pending) => sum + pending.line.length, 0);
		if (pendingLines.length >= MAX_PENDING_LINES || characters > Math.max(this.maxLength, MEBIBYTE))
			this.assumeLineFraming();
		return true;
	}

	private appendData(value: string): void {
		this.dataLineCount++;
		if (this.options.countsBytes) this.dataByteCount += this.byteLength(value);
		if (this.dataBuffer.length < this.maxLength) {
			const data = this.dataLineCount === 1 ? value : `${this.dataBuffer}\n${value}`;
			this.isTruncated ||= this.droppedBytes > 0 || data.length > this.maxLength;
			this.dataBuffer = data.length > this.maxLength ? data.slice(0, this.maxLength) : data;
		} else this.isTruncated = true;
		if (this.isLineFramed) this.dispatchEvent();
	}

	/** At a blank line: emits the event that was read, if it has data, and resets the buffers. */
	private dispatchEvent(): void {
		// A blank line before any data ends a greeting and does not show the framing
		if (this.hasPendingLines) this.processPendingLines();
		const { dataBuffer, dataLineCount, dataByteCount, eventType, hasOwnId, isTruncated } = this;
		this.dataBuffer = this.eventType = '';
		this.dataLineCount = this.dataByteCount = 0;
		this.hasOwnId = this.isTruncated = false;
		if (dataLineCount === 0) return;
		this.emit(dataBuffer, eventType || 'message', hasOwnId, dataByteCount, isTruncated);
	}

	private emit(
		data: string,
		type: string,
		hasOwnId: boolean,
		bytes: number,
		truncated: boolean,
	): void {
		const { event } = this;
		event.data = this.containsSecret ? this.redact(data) : data;
		event.type = type;
		event.lastEventId = this.lastEventId;
		event.hasOwnId = hasOwnId;
		event.bytes = bytes;
		event.truncated = truncated;
		this.sink(event);
	}

	private redact(text: string): string {
		return this.options.redact?.(text) ?? text;
	}

	/** Bytes of a line in the log, including its line end and those that are missing in it. */
	private byteLength(line: string): number {
		return this.options.countsBytes ? Buffer.byteLength(line) + 1 + this.droppedBytes : 0;
	}
}
