const NOTHING = Buffer.alloc(0);

/** Decodes the UTF-8 text of one stream, chunk by chunk. Invalid bytes become U+FFFD, as in `TextDecoder`. */
export class Utf8Decoder {
	private isAscii = true;
	private isAtStart = true;
	/** Bytes of a character that the last chunk has split. */
	private partial = NOTHING;

	/** The text of the next chunk up to its last whole character, without a byte order mark at the very start of the stream. */
	decode(chunk: Buffer): string {
		const bytes = this.partial.length > 0 ? Buffer.concat([this.partial, chunk]) : chunk;
		const end = wholeCharacters(bytes);
		this.partial = end < bytes.length ? Buffer.from(bytes.subarray(end)) : NOTHING;
		const text = this.textOf(bytes.subarray(0, end));
		if (!this.isAtStart || text === '') return text;
		this.isAtStart = false;
		return text.startsWith('\uFEFF') ? text.slice(1) : text;
	}

	/** The text of a character that the stream ends within. */
	end(): string {
		return this.partial.toString('utf8');
	}

	/** Most logs are plain ASCII, which is the same in Latin-1, and Latin-1 is decoded in half the time. */
	private textOf(bytes: Buffer): string {
		if (this.isAscii) {
			const text = bytes.toString('latin1');
			if (Buffer.byteLength(text) === text.length) return text;
			this.isAscii = false;
		}
		return bytes.toString('utf8');
	}
}

/** Number of bytes before a character that is split at the end. A lead byte says how long its character is. */
function wholeCharacters(bytes: Buffer): number {
	const { length } = bytes;
	for (let back = 1; back <= Math.min(3, length); back++) {
		const byte = bytes[length - back]!;
		if (byte < 0x80) break;
		if (byte < 0xc0) continue;
		const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
		return size > back ? length - back : length;
	}
	return length;
}
