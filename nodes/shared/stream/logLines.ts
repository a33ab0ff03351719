import { LineEndDetector } from './lineEnds';
import { Utf8Decoder } from './utf8';

/** Characters of the longest prefix, `event: `, and of a carriage return: a line above the limit by more than that exceeds it in any format. */
const PREFIX_LENGTH = 8;

/**
 * Splits the bytes of a log into lines, as soon as each is complete. A line above the limit is returned as soon as it exceeds it, and the
 * rest of it is dropped: memory does not grow with a line that never ends, and such a line does not hide that the log is alive.
 * The exception is a log whose bytes are counted: the size of a line is known at its end.
 *
 * A carriage return alone is a progress bar that redraws itself, no line end, in events as well. The event-stream format allows it
 * as one: it is taken for it where the first block of the stream shows that ({@link LineEndDetector}).
 */
export class LogLines {
	/** Bytes of each line that was returned last, with its line end; only where they are counted. */
	sizes: number[] = [];
	/** Whether a secret was seen in the lines that were returned. */
	containsSecret = false;
	private readonly mostKept: number;
	private readonly utf8 = new Utf8Decoder();
	/** The line that is still arriving. */
	private partialLine = '';
	private partialBytes = 0;
	/** Whether the rest of the line is dropped. */
	private isSkipping = false;
	private endsWithCr = false;
	/** Whether CR alone ends lines; undefined until that is known. */
	private isCrFramed?: boolean;
	private readonly lineEnds: LineEndDetector;

	/**
	 * @param maxLength characters of a line that must be kept; a longer one is returned with a few more, so that the caller sees it
	 * @param countsBytes whether `sizes` is filled
	 * @param isBare whether the stream is known to consist of bare lines
	 */
	constructor(
		maxLength: number,
		private readonly countsBytes: boolean,
		isBare: boolean,
		private readonly redact: (text: string) => string,
	) {
		this.mostKept = maxLength + PREFIX_LENGTH;
		this.lineEnds = new LineEndDetector(this.mostKept);
		if (isBare) this.isCrFramed = false;
	}

	/** Returns the lines that the next chunk completes, each with a line feed: they are not split, because slices cost more than the search. */
	read(chunk: Buffer): string {
		if (this.countsBytes && !this.isCrFramed) this.measure(chunk);
		return this.completeLines(this.utf8.decode(chunk));
	}

	/** Whether lines wait for a blank line or a line feed, which shows whether CR ends them. */
	get hasOpenLines(): boolean {
		return this.isCrFramed === undefined && this.lineEnds.seemsCr;
	}

	/** Where lines wait for that, neither comes: returns those that CR ends. */
	assumeCrFraming(): string {
		if (!this.hasOpenLines) return '';
		this.isCrFramed = true;
		return this.completeLines(this.takePartial());
	}

	/** Ends a stream that is complete: returns the last line, if it has no line end. */
	end(): string {
		const text = this.utf8.end();
		if (this.isSkipping || this.partialLine + text === '') return '';
		this.sizes = [this.partialBytes + 1];
		return this.completeLines(`${text}\n`);
	}

	private completeLines(next: string): string {
		let text = this.convertLineEnds(next);
		if (this.isSkipping) {
			const end = text.indexOf('\n');
			if (end < 0) return '';
			this.isSkipping = false;
			text = text.slice(end + 1);
		}
		let complete = '';
		// The incomplete line is not searched again with each chunk: many small ones must cost no more than a large one
		const end = text.lastIndexOf('\n') + 1;
		if (end === 0) this.partialLine += text;
		else {
			complete = this.partialLine + text.slice(0, end);
			this.partialLine = text.slice(end);
			if (complete.includes('\r')) complete = complete.replaceAll('\r\n', '\n');
		}
		if (this.partialLine.length > this.mostKept) {
			this.partialLine = this.partialLine.slice(0, this.mostKept);
			if (!this.countsBytes) {
				complete += `${this.partialLine}\n`;
				this.partialLine = '';
				this.isSkipping = true;
			}
		}
		// Searching the whole chunk costs a tenth of searching each line
		this.containsSecret ||= this.redact(complete) !== complete;
		return complete;
	}

	/** Replaces carriage returns by line feeds if they end lines. Then the sizes are those of the text. */
	private convertLineEnds(next: string): string {
		if (next === '' || this.isCrFramed === false) return next;
		let text = next;
		if (this.isCrFramed) {
			if (this.endsWithCr && text.startsWith('\n')) text = text.slice(1);
		} else {
			this.isCrFramed = this.lineEnds.push(text);
			if (!this.isCrFramed) return text;
			text = this.takePartial() + text;
		}
		this.endsWithCr = text.endsWith('\r');
		text = text.replace(/\r\n?/g, '\n');
		if (this.countsBytes) this.measure(Buffer.from(text));
		return text;
	}

	private takePartial(): string {
		const { partialLine } = this;
		this.partialLine = '';
		this.partialBytes = 0;
		return partialLine;
	}

	/** Notes the size of each line that ends in a chunk. Not of its text: an invalid byte would count as three. */
	private measure(chunk: Buffer): void {
		this.sizes = [];
		let from = 0;
		for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
			this.sizes.push(this.partialBytes + end + 1 - from);
			this.partialBytes = 0;
			from = end + 1;
		}
		this.partialBytes += chunk.length - from;
	}
}
