/** Decodes the UTF-8 text of one stream, piece by piece; each piece must end between two characters. */
export class Utf8Decoder {
	private isAscii = true;
	private isAtStart = true;

	/** The text of the next piece, without a byte order mark at the very start of the stream. */
	decode(bytes: Buffer): string {
		const text = this.textOf(bytes);
		const { isAtStart } = this;
		this.isAtStart = false;
		return isAtStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
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
