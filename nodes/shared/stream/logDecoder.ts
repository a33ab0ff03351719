import type { StreamEvent } from './event';
import type { StreamFormat } from './format';
import { LogLines } from './logLines';

/** How to decode a log. */
export interface LogDecoderOptions {
	/** Default `auto`. */
	format?: StreamFormat;
	/** Characters of the longest entry; a longer line is truncated and marked. Default 1 Mi. */
	largestEntry?: number;
	/** Whether `bytes` of each entry is computed. A line above the limit is then emitted when it ends, and not as soon as it exceeds the limit. */
	countsBytes?: boolean;
	/** Redacts the secrets of the credential: a log may contain the headers of a request. */
	redact?(text: string): string;
}

type Field = 'data' | 'event' | 'id' | 'retry' | 'comment' | 'bare';

const MEBIBYTE = 1024 * 1024;
const SPACE = 32;
/** Lines after which an event without a blank line is none: the service ends each entry with a single line feed. */
const MAX_PENDING_LINES = 100;

/**
 * Decodes the log of a container chunk by chunk: Server-Sent Events, or bare lines (beyond-the-spec.md section 2 leaves both open). It
 * is more tolerant than the standard of events, because no line of a log may be lost:
 * - A line of an event stream without a known field is an entry.
 * - The end of the stream ends an event.
 * - A service may end each `data` line with a single line feed. So the lines of an event are pending until its blank line.
 *   Where it does not come within 100 lines or the largest entry, or the reader calls {@link assumeLineFraming}, each pending line is an entry,
 *   and so is each `data` line in the rest of the stream. Nothing is cut that is pending.
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
	/** The reconnection time in milliseconds: of the latest `retry` field. */
	retryMs?: number;
	private currentFormat: StreamFormat;
	private readonly maxLength: number;
	private readonly lines: LogLines;
	/** All lines so far, while the format is unknown. */
	private undecided: Array<{ line: string; size: number | undefined }> = [];
	private undecidedLength = 0;
	/** Whether a `data` line is among them, or, since the last blank line, an `id` or `event` line. */
	private hasData = false;
	private hasField = false;
	/** Whether each data line is an entry. */
	private isLineFramed = false;
	/** Lines of the event that is being read, from its first data on. */
	private pending = '';
	private pendingLines = 0;
	private pendingLength = 0;
	private data = '';
	private dataLines = 0;
	private dataBytes = 0;
	private type = '';
	private lastEventId = '';
	private hasOwnId = false;

	/** @param sink gets each entry as soon as it is complete */
	constructor(
		private readonly options: LogDecoderOptions,
		private readonly sink: (event: Readonly<StreamEvent>) => void,
	) {
		this.currentFormat = options.format ?? 'auto';
		this.maxLength = options.largestEntry ?? MEBIBYTE;
		this.lines = new LogLines(this.maxLength, options.countsBytes === true, (text) =>
			this.redact(text),
		);
	}

	/** The format of the stream; `auto` until it is detected. */
	get format(): StreamFormat {
		return this.currentFormat;
	}

	/** Whether data is pending because the stream has not shown how its event ends. */
	get hasPendingLines(): boolean {
		return this.hasData || this.pendingLines > 0;
	}

	/** Decodes a chunk and emits the entries that it completes. */
	push(bytes: Uint8Array): void {
		this.processLines(
			this.lines.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
		);
	}

	/** Treats each data line as an entry from now on, including the pending ones; has no effect where none are. */
	assumeLineFraming(): void {
		if (!this.hasPendingLines) return;
		if (this.format === 'auto') this.decide('sse');
		this.isLineFramed = true;
		for (const line of this.takePending()) this.processField(line, fieldOf(line));
	}

	/** Ends a stream that is complete: emits the last line or event, whose end may be missing. */
	end(): void {
		this.processLines(this.lines.end());
		// A blank line ends every block of an event stream
		if (this.format === 'auto') this.decide(this.hasField && !this.hasData ? 'lines' : 'sse');
		if (this.format === 'sse') this.endEvent();
	}

	private processLines(lines: string[]): void {
		const { sizes } = this.lines;
		for (let index = 0; index < lines.length; index++)
			this.processLine(lines[index]!, sizes[index]);
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
		const field = line === '' ? 'comment' : fieldOf(line);
		if (line === '') {
			if (this.hasData) return this.decide('sse');
			this.hasField = false;
		}
		if (field === 'data') this.hasData = true;
		if (field === 'id' || field === 'event') this.hasField = true;
		if (field === 'retry') this.processField(line, field);
		if (field === 'bare' || (field === 'retry' && !/^retry: ?\d+$/.test(line)))
			this.decide('lines');
		else if (
			this.undecidedLength > (this.hasData ? this.maxLength : MEBIBYTE) ||
			(this.hasData && this.undecided.length >= MAX_PENDING_LINES)
		)
			this.decide('sse');
	}

	private decide(format: StreamFormat): void {
		const lines = this.undecided;
		this.currentFormat = format;
		this.undecided = [];
		this.hasData = false;
		for (const { line, size } of lines) this.processLine(line, size);
	}

	private processSseLine(line: string, size: number | undefined): void {
		if (line === '') return this.endEvent();
		const field = fieldOf(line);
		if (this.isLineFramed || (this.pendingLines === 0 && field !== 'data'))
			return this.processField(line, field, size);
		if (field === 'comment') return;
		const length = field === 'data' ? line.length - valueStart(line) : line.length;
		if (this.pendingLines === 0 && length > this.maxLength) {
			this.processField(line, field, size);
			return this.endEvent();
		}
		this.pending = this.pendingLines === 0 ? line : `${this.pending}\n${line}`;
		this.pendingLines++;
		this.pendingLength += length + 1;
		// One line feed fewer than lines
		if (this.pendingLines >= MAX_PENDING_LINES || this.pendingLength - 1 > this.maxLength)
			this.assumeLineFraming();
	}

	/** Processes a line of an event stream that is not blank. A bare line is an entry. */
	private processField(line: string, field: Field, size?: number): void {
		if (field === 'data') {
			const value = valueOf(line);
			this.data = this.dataLines === 0 ? value : `${this.data}\n${value}`;
			this.dataLines++;
			if (this.options.countsBytes)
				this.dataBytes +=
					size !== undefined && value.length > this.maxLength
						? size - (line.length - value.length)
						: Buffer.byteLength(value) + 1;
			if (this.isLineFramed) this.dispatchEvent();
		} else if (field === 'bare') this.emitBareLine(line, size);
		else if (field === 'event') this.type = valueOf(line);
		else if (field === 'id') {
			const id = valueOf(line);
			if (id.includes('\0')) return;
			this.lastEventId = id;
			this.hasOwnId = true;
		} else if (field === 'retry' && /^\d+$/.test(valueOf(line)))
			this.retryMs = Number(valueOf(line));
	}

	/** At a blank line: emits the event, then the bare lines in it. */
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

	private takePending(): string[] {
		const { pending, pendingLines } = this;
		if (pendingLines === 0) return [];
		this.pending = '';
		this.pendingLines = this.pendingLength = 0;
		return pendingLines === 1 ? [pending] : pending.split('\n');
	}

	private dispatchEvent(): void {
		const { data, dataLines, dataBytes, type, hasOwnId } = this;
		this.data = this.type = '';
		this.dataLines = this.dataBytes = 0;
		this.hasOwnId = false;
		if (dataLines > 0) this.emit(data, type || 'message', hasOwnId, dataBytes);
	}

	private emitBareLine(line: string, size?: number): void {
		this.emit(
			line,
			'',
			false,
			this.options.countsBytes ? (size ?? Buffer.byteLength(line) + 1) : 0,
		);
	}

	private emit(text: string, type: string, hasOwnId: boolean, bytes: number): void {
		const truncated = text.length > this.maxLength;
		const data = truncated ? beginningOf(text, this.maxLength) : text;
		this.sink({
			data: this.lines.containsSecret ? this.redact(data) : data,
			type,
			lastEventId: this.lastEventId,
			hasOwnId,
			bytes,
			truncated,
		});
	}

	private redact(text: string): string {
		return this.options.redact?.(text) ?? text;
	}
}

function fieldOf(line: string): Field {
	if (line.startsWith('data:')) return 'data';
	if (line.startsWith('id:')) return 'id';
	const colon = line.indexOf(':');
	if (colon === 0) return 'comment';
	const name = colon < 0 ? line : line.slice(0, colon);
	return name === 'data' || name === 'event' || name === 'id' || name === 'retry' ? name : 'bare';
}

/** Index of the value of a field. */
function valueStart(line: string): number {
	const colon = line.indexOf(':');
	if (colon < 0) return line.length;
	return line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
}

const valueOf = (line: string): string => line.slice(valueStart(line));

/** The first characters of a text, none of them the half of a surrogate pair. */
function beginningOf(text: string, length: number): string {
	const last = text.charCodeAt(length - 1);
	return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
