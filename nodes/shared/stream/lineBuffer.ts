import { CR, LF } from './lineEnds';

/** The line that is still arriving: bytes in one buffer that doubles up to the cap, so that many small chunks cost no more than a large one. */
export class LineBuffer {
	length = 0;
	/** Bytes beyond the cap of the line that was taken last. */
	dropped = 0;
	private buffer = Buffer.allocUnsafe(256);
	private beyond = 0;

	constructor(private readonly largest: number) {}

	get isCut(): boolean {
		return this.beyond > 0;
	}

	add(bytes: Buffer): void {
		const last = bytes[bytes.length - 1];
		const room = this.largest - this.length;
		const kept = bytes.length > room ? bytes.subarray(0, Math.max(0, room)) : bytes;
		this.append(kept);
		this.beyond += bytes.length - kept.length;
		// The end of a line that is too long still ends it
		if (bytes.length > kept.length && (last === LF || last === CR)) {
			this.beyond--;
			this.append(bytes.subarray(-1));
		}
	}

	take(): Buffer {
		const taken = this.isCut
			? wholeCharacters(this.buffer, this.length)
			: this.buffer.subarray(0, this.length);
		this.dropped = this.beyond + this.length - taken.length;
		this.buffer = Buffer.allocUnsafe(256);
		this.length = this.beyond = 0;
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

/** The bytes of a cut line with its end, without the UTF-8 character that the cap may have cut in two. */
function wholeCharacters(buffer: Buffer, length: number): Buffer {
	let end = length - 1;
	let back = 1;
	while (back < 4 && (buffer[end - back]! & 0xc0) === 0x80) back++;
	const lead = buffer[end - back] ?? 0;
	const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (size > back) end -= back;
	return Buffer.concat([buffer.subarray(0, end), buffer.subarray(length - 1, length)]);
}
