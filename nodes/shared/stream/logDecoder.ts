import type { Redact } from '../http/redact';
import { entryOf, redactEntry, truncate, type StreamEvent } from './event';
import { fieldOf, valueStart, type Field } from './field';
import type { StreamFormat } from './format';
import { Framing, MAX_PENDING_LINES } from './framing';
import { LogLines } from './logLines';
import { WebPageDetector } from './webPage';

/** How to decode a log. */
export interface LogDecoderOptions {
	/** Default `auto`. */
	format?: StreamFormat;
	/** Characters of the longest entry; a longer line is truncated and marked. Default 1 Mi. */
	largestEntry?: number;
	/** Whether `bytes` of each entry is computed. A line above the limit is then emitted when it ends, and not as soon as it exceeds the limit. */
	countsBytes?: boolean;
	/** Whether nothing but the content tells a log from a web page. */
	mayBeWebPage?: boolean;
	/** What earlier connections of the log have shown of how its events end. */
	framing?: Framing;
	/** Redacts the secrets of the credential: a log may contain the headers of a request. */
	redact?: Redact;
}

const RETRY = /^retry: ?\d+$/;
const MEBIBYTE = 1024 * 1024;
const NONE: readonly string[] = [];

/**
 * Decodes the log of a container chunk by chunk: Server-Sent Events, or bare lines (beyond-the-spec.md section 2 leaves both open). It
 * is more tolerant than the standard of events, because no line of a log may be lost:
 * - A line of an event stream without a known field is an entry.
 * - The end of the stream ends an event.
 * - A service may end each `data` line with a single line feed. So the lines of an event are pending until its blank line. Where it does
 *   not come within 100 lines or the largest entry, or the reader calls {@link assumeLineFraming}, each pending line is an entry, and so is
 *   each `data` line after it, until a blank line shows that this was wrong ({@link Framing}). Nothing is cut that is pending.
 * - A single `data` line above the limit ends its event, since its own end may never come.
 *
 * The format `auto` becomes `sse` when a blank line ends a block with data, and `lines` at the first line that no event stream
 * has: without a known field, or `retry` without digits. Until then every line is pending, and becomes what the format says.
 * Comments, blank lines, `id`, `event` and `retry` alone leave it open: they are keep-alives. What remains ambiguous:
 * - `data: 5 rows` and a blank line, or silence, at the start of bare lines is read as an event.
 * - A text of several lines behind one `data:` at the start of an event stream is read as bare lines, with that prefix.
 * - A log of bare lines that all begin with a colon is empty.
 */
export class LogDecoder {
	/** The reconnection time in milliseconds: of the latest `retry` field of an event stream. */
	retryMs?: number;
	private currentFormat: StreamFormat;
	private readonly maxLength: number;
	private readonly redact: Redact;
	private readonly lines: LogLines;
	private readonly page?: WebPageDetector;
	/** All lines so far, while the format is unknown. */
	private undecided: Array<{ line: string; size: number | undefined }> = [];
	private undecidedLength = 0;
	/** Whether a `data` line is among them, or, since the last blank line, another field. */
	private hasData = false;
	private hasField = false;
	private readonly framing: Framing;
	/** Data lines since the last blank line, and how many there were at the last comment. */
	private dataLines = 0;
	private commentedAt = 0;
	/** The event that is being read, from its first `data` line on. */
	private event?: StreamEvent;
	private type = '';
	private lastEventId = '';
	private hasOwnId = false;
	/** The lines behind that one: of this event, or entries of their own. */
	private pending: string[] = [];
	private pendingLength = 0;

	/** @param sink gets each entry as soon as it is complete, in an object of its own */
	constructor(
		private readonly options: LogDecoderOptions,
		private readonly sink: (event: Readonly<StreamEvent>) => void,
	) {
		this.currentFormat = options.format ?? 'auto';
		this.maxLength = options.largestEntry ?? MEBIBYTE;
		this.framing = options.framing ?? new Framing();
		this.redact = options.redact ?? ((text) => text);
		if (options.mayBeWebPage) this.page = new WebPageDetector();
		this.lines = new LogLines(
			this.maxLength,
			options.countsBytes === true,
			this.currentFormat === 'lines',
			this.redact,
		);
	}

	/** The format of the stream; `auto` until it is detected. */
	get format(): StreamFormat {
		return this.currentFormat;
	}

	/** Whether the stream is a web page, of which nothing is an entry. */
	get isWebPage(): boolean {
		return this.page?.isWebPage ?? false;
	}

	/** Whether data is pending because the stream has not shown how its event ends. */
	get hasPendingLines(): boolean {
		return this.hasData || this.event !== undefined || this.lines.hasOpenLines;
	}

	/** The first line of that data. */
	get pendingLine(): string | undefined {
		return this.event?.data ?? this.undecided.find(({ line }) => fieldOf(line) === 'data')?.line;
	}

	/** Decodes a chunk and emits the entries that it completes. */
	push(bytes: Uint8Array): void {
		const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.page?.push(chunk);
		if (!this.isWebPage) this.processLines(this.lines.read(chunk));
	}

	/** Treats each data line as an entry, including the pending ones, until a blank line shows that it is none; has no effect where none are. */
	assumeLineFraming(): void {
		this.processLines(this.lines.assumeCrFraming());
		if (!this.hasPendingLines) return;
		if (this.format === 'auto') this.decide('sse');
		this.framing.assumeLines();
		this.dispatchEvent();
		for (const line of this.takePending()) this.processField(line, fieldOf(line));
	}

	/**
	 * Emits what is pending where nothing more is read: as an event, where the log has shown some of several lines, or each line.
	 * @param isComplete whether the stream has ended
	 */
	showPending(isComplete: boolean): void {
		const isEvent = this.framing.mayEndWithinEvent;
		if (!isEvent) this.assumeLineFraming();
		if (isComplete) this.end();
		else if (isEvent) this.endEvent();
	}

	/** Ends a stream that is complete: emits the last line or event, whose end may be missing. */
	end(): void {
		this.processLines(this.lines.assumeCrFraming());
		this.processLines(this.lines.end());
		// A blank line ends every block of an event stream
		if (this.format === 'auto') this.decide(this.hasField && !this.hasData ? 'lines' : 'sse');
		if (this.format === 'sse') this.endEvent();
	}

	/** @param text complete lines, each with a line feed */
	private processLines(text: string): void {
		const { sizes } = this.lines;
		for (let from = 0, index = 0; from < text.length; index++) {
			const end = text.indexOf('\n', from);
			const size = sizes[index];
			// Most lines of events: only the value is sliced
			if (this.currentFormat === 'sse' && !this.event && text.startsWith('data:', from)) {
				const start = valueStart(text, 'data', from);
				this.appendData(text.slice(start, end), size && size - (start - from));
			} else this.processLine(text.slice(from, end), size);
			from = end + 1;
		}
	}

	/** @param size bytes of the line with its end, if they are counted */
	private processLine(line: string, size: number | undefined): void {
		if (this.currentFormat === 'sse') this.processSseLine(line, size);
		else if (this.currentFormat === 'lines') this.emitBareLine(line, size);
		else this.detectFormat(line, size);
	}

	private detectFormat(line: string, size: number | undefined): void {
		this.undecided.push({ line, size });
		this.undecidedLength += line.length;
		if (line === '') {
			if (this.hasData) return this.decide('sse');
			this.hasField = false;
			return;
		}
		const field = fieldOf(line);
		if (field === 'bare' || (field === 'retry' && !RETRY.test(line))) return this.decide('lines');
		this.hasData ||= field === 'data';
		this.hasField ||= field !== 'data' && field !== 'comment';
		const { length } = this.undecided;
		const isFull = this.hasData
			? length >= MAX_PENDING_LINES || this.undecidedLength > this.maxLength
			: this.undecidedLength > MEBIBYTE;
		if (isFull || (this.hasData && this.framing.isLineFramed)) this.decide('sse');
	}

	private decide(format: StreamFormat): void {
		const lines = this.undecided;
		this.currentFormat = format;
		this.undecided = [];
		this.hasData = false;
		for (const { line, size } of lines) this.processLine(line, size);
	}

	private processSseLine(line: string, size: number | undefined): void {
		if (line === '') return this.processBlankLine();
		const field = fieldOf(line);
		const { event } = this;
		if (!event) return this.processField(line, field, size);
		if (field === 'comment') return;
		// Its length as data, with the line feed before it
		this.pendingLength += 1 + line.length - (field === 'data' ? valueStart(line, field) : 0);
		const isTooLong = event.data.length + this.pendingLength > this.maxLength;
		// The first line of the event is not among the pending ones, nor is this one
		if (isTooLong || this.pending.length + 2 >= MAX_PENDING_LINES) {
			this.assumeLineFraming();
			this.processField(line, field, size);
		} else this.pending.push(line);
	}

	/** Processes a line of an event stream that is not blank. A bare line is an entry. */
	private processField(line: string, field: Field, size?: number): void {
		if (field === 'comment') {
			this.commentedAt = this.dataLines;
			return;
		}
		if (field === 'bare') return this.emitBareLine(line, size);
		const value = line.slice(valueStart(line, field));
		if (field === 'data') this.appendData(value, size && size - (line.length - value.length));
		else if (value.length > this.maxLength) return;
		else if (field === 'event') this.type = value;
		else if (field === 'id' && !value.includes('\0')) {
			this.lastEventId = value;
			this.hasOwnId = true;
		} else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
	}

	private appendData(value: string, size?: number): void {
		// Of a line above the limit, only the beginning is known
		const isTooLong = value.length > this.maxLength;
		const bytes = isTooLong && size ? size : this.byteLength(value);
		const { event } = this;
		this.dataLines++;
		if (event) {
			event.data += `\n${value}`;
			event.bytes += bytes;
		} else this.event = entryOf(value, bytes);
		if (this.framing.isLineFramed || isTooLong) this.dispatchEvent();
	}

	private processBlankLine(): void {
		this.endEvent();
		// Behind a comment it ends that alone: services keep connections alive so
		if (this.dataLines > this.commentedAt) this.framing.eventEnded(this.dataLines);
		this.dataLines = 0;
		this.commentedAt = 0;
	}

	/** Emits the event, then the bare lines in it. */
	private endEvent(): void {
		const bare: string[] = [];
		for (const line of this.takePending()) {
			const field = fieldOf(line);
			if (field === 'bare') bare.push(line);
			else this.processField(line, field);
		}
		this.dispatchEvent();
		for (const line of bare) this.emitBareLine(line);
	}

	private takePending(): readonly string[] {
		const { pending } = this;
		this.pendingLength = 0;
		if (pending.length === 0) return NONE;
		this.pending = [];
		return pending;
	}

	private dispatchEvent(): void {
		const { event, type, hasOwnId } = this;
		this.type = '';
		this.hasOwnId = false;
		if (!event) return;
		this.event = undefined;
		event.type = type || 'message';
		event.hasOwnId = hasOwnId;
		this.emit(event);
	}

	private emitBareLine(line: string, size?: number): void {
		this.emit(entryOf(line, size ?? this.byteLength(line)));
	}

	private emit(entry: StreamEvent): void {
		const isCut = entry.data.length > this.maxLength;
		entry.lastEventId = this.lastEventId;
		if (isCut) truncate(entry, this.maxLength);
		if (isCut || this.lines.containsSecret) redactEntry(entry, this.redact, isCut);
		this.sink(entry);
	}

	/** Bytes of a text and a line end, if they are counted. */
	private byteLength(text: string): number {
		return this.options.countsBytes ? Buffer.byteLength(text) + 1 : 0;
	}
}
