import { CR, LF } from './lineEnds';

/**
 * Collects the line that is still arriving, in one buffer that doubles up to a limit: many small chunks cost no more
 * than a large one, and memory does not grow with a line that never ends.
 */
export class LineBuffer {
	/** Bytes collected so far, at most the limit and a line end. */
	length = 0;
	/** Bytes of the line that was taken last which are not in it, because they exceed the limit. */
	droppedBytes = 0;
	private buffer = Buffer.allocUnsafe(256);
	private excess = 0;

	/** @param maxLength bytes of a line that are kept */
	constructor(private readonly maxLength: number) {}

	/** Whether the line exceeds the limit so far. */
	get isTruncated(): boolean {
		return this.excess > 0;
	}

	/** Appends bytes that contain no line end, or one as their last byte. */
	add(bytes: Buffer): void {
		const last = bytes[bytes.length - 1];
		const room = this.maxLength - this.length;
		const kept = bytes.length > room ? bytes.subarray(0, Math.max(0, room)) : bytes;
		this.append(kept);
		this.excess += bytes.length - kept.length;
		// A line that is too long keeps its line end
		if (bytes.length > kept.length && (last === LF || last === CR)) {
			this.excess--;
			this.append(bytes.subarray(-1));
		}
	}

	/** Returns the line with its line end and begins the next one. */
	take(): Buffer {
		const taken = this.isTruncated
			? wholeCharacters(this.buffer, this.length)
			: this.buffer.subarray(0, this.length);
		this.droppedBytes = this.excess + this.length - taken.length;
		this.buffer = Buffer.allocUnsafe(256);
		this.length = this.excess = 0;
		return taken;
	}

	private append(bytes: Buffer): void {
		const needed = this.length + bytes.length;
		if (needed > this.buffer.length) {
			const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
			this.buffer.copy(larger, 0, 0, this.length);
			this.buffer = larger;
		}
		bytes.copy(this.buffer, this.length);
		this.length = needed;
	}
}

/** The bytes of a truncated line with its line end, without the UTF-8 character that the limit may have split. */
function wholeCharacters(buffer: Buffer, length: number): Buffer {
	let end = length - 1;
	let back = 1;
	while (back < 4 && (buffer[end - back]! & 0xc0) === 0x80) back++;
	const lead = buffer[end - back] ?? 0;
	const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (size > back) end -= back;
	return Buffer.concat([buffer.subarray(0, end), buffer.subarray(length - 1, length)]);
}
