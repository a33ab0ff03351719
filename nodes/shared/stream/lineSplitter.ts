import { FormatDetector, type StreamFormat } from './format';
import { LineBuffer } from './lineBuffer';
import { CR, firstLineEnd, lastLineEnd, LF } from './lineEnds';

/**
 * Splits the bytes of a stream into blocks of complete lines. Of the line that is still arriving, bytes are kept up to
 * a limit, so memory does not grow with the stream.
 */
export class LineSplitter {
	private readonly partialLine: LineBuffer;
	private readonly formatDetector = new FormatDetector();
	/** Whether the last chunk ended with CR: an LF at the start of the next one belongs to it. */
	private skipsLineFeed = false;

	/**
	 * @param format of the stream; `auto` until it is detected by the first line
	 * @param maxLength bytes of a line that are kept
	 * @param onLines gets one or more complete lines with their ends, or a single line with the number of bytes missing in it
	 */
	constructor(
		public format: StreamFormat,
		maxLength: number,
		private readonly onLines: (bytes: Buffer, droppedBytes: number) => void,
	) {
		this.partialLine = new LineBuffer(maxLength);
	}

	/** Takes the next chunk and passes on the lines that it completes. */
	push(bytes: Uint8Array): void {
		let chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		if (this.format === 'auto') {
			const known = this.formatDetector.add(chunk);
			if (!known) return;
			this.format = known.format;
			chunk = known.bytes;
		}
		if (chunk.length === 0) return;
		if (this.skipsLineFeed && chunk[0] === LF) chunk = chunk.subarray(1);
		this.skipsLineFeed = this.endsWithCr(chunk, chunk.length - 1);
		let start = 0;
		if (this.partialLine.length > 0) {
			const end = firstLineEnd(chunk, this.format);
			this.partialLine.add(end < 0 ? chunk : chunk.subarray(0, end + 1));
			if (end < 0) return;
			this.passPartialLine();
			start = end + (this.endsWithCr(chunk, end) && chunk[end + 1] === LF ? 2 : 1);
		}
		const end = lastLineEnd(chunk, this.format);
		if (end >= start) this.onLines(chunk.subarray(start, end + 1), 0);
		this.partialLine.add(chunk.subarray(Math.max(start, end + 1)));
	}

	/** Ends a stream that is complete: the last line may lack its line end. */
	end(): void {
		if (this.format === 'auto') {
			const { format, bytes } = this.formatDetector.detect();
			this.format = format;
			this.push(bytes);
		}
		if (this.partialLine.length === 0) return;
		this.partialLine.add(Buffer.from('\n'));
		this.passPartialLine();
	}

	private passPartialLine(): void {
		const line = this.partialLine.take();
		this.onLines(line, this.partialLine.droppedBytes);
	}

	private endsWithCr(chunk: Buffer, index: number): boolean {
		return this.format !== 'lines' && chunk[index] === CR;
	}
}
