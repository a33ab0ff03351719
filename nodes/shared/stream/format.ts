/** `sse`: the event-stream format (Server-Sent Events). `lines`: bare lines. `auto`: detect it by the first line. */
export const STREAM_FORMATS = ['auto', 'sse', 'lines'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

const FIRST_LINE_OF_SSE = /^(?:(?:data|event|id|retry)(?::|$)|:)/;
const FIRST_LINE = /[^\r\n]+/;
const COMPLETE_FIRST_LINE = /[^\r\n][\r\n]/;
/** Bytes of a first line without an end after which waiting for more of it teaches nothing. */
const MAX_BYTES = 1024;

/** Buffers the beginning of a stream until its first line shows the format. */
export class FormatDetector {
	private bytes = Buffer.alloc(0);

	/** @returns the format and all bytes so far, once the first line is there; undefined before */
	add(chunk: Buffer): { format: StreamFormat; bytes: Buffer } | undefined {
		this.bytes = Buffer.concat([this.bytes, chunk]);
		const text = this.bytes.toString('utf8', 0, MAX_BYTES);
		return this.bytes.length < MAX_BYTES && !COMPLETE_FIRST_LINE.test(text)
			? undefined
			: this.detect();
	}

	/** Decides by what has come so far, because it suffices or the stream has ended. */
	detect(): { format: StreamFormat; bytes: Buffer } {
		const { bytes } = this;
		this.bytes = Buffer.alloc(0);
		const [line = ''] =
			FIRST_LINE.exec(bytes.toString('utf8', 0, MAX_BYTES).replace(/^\uFEFF/, '')) ?? [];
		return { format: FIRST_LINE_OF_SSE.test(line) ? 'sse' : 'lines', bytes };
	}
}
