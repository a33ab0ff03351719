/** The last bytes of an output of any length. */
export class Tail {
	/** Bytes in all, kept or not. */
	bytes = 0;
	private chunks: Buffer[] = [];
	private held = 0;

	/** @param maxBytes how many bytes are kept */
	constructor(private readonly maxBytes: number) {}

	add(chunk: Buffer): void {
		this.bytes += chunk.length;
		this.chunks.push(chunk);
		this.held += chunk.length;
		if (this.held >= 2 * this.maxBytes || this.chunks.length > MOST_CHUNKS) this.compact();
	}

	/** The tail as text; a character that the cut has split is left out. */
	text(): string {
		this.compact();
		const [bytes = Buffer.alloc(0)] = this.chunks;
		if (this.bytes <= this.maxBytes) return bytes.toString('utf8');
		let start = 0;
		while (start < LONGEST_REST && isContinuation(bytes[start])) start++;
		return bytes.toString('utf8', start);
	}

	private compact(): void {
		const bytes = Buffer.concat(this.chunks);
		// A copy: a slice would keep the whole alive
		this.chunks = [Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.maxBytes)))];
		this.held = this.chunks[0]!.length;
	}
}

/** An output of single bytes must not become a list as long as the output. */
const MOST_CHUNKS = 4_096;

/** Bytes of a UTF-8 character after its first. */
const LONGEST_REST = 3;

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
