export const STREAM_FORMATS = ['auto', 'sse', 'lines'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

const FIRST_LINE_OF_SSE = /^(?:(?:data|event|id|retry)(?::|$)|:)/;
const FIRST_LINE = /[^\r\n]+/;
const WHOLE_FIRST_LINE = /[^\r\n][\r\n]/;
/** After so much of a first line without an end nothing more is learned by waiting. */
const LONGEST_LOOK = 1024;

/** The beginning of a stream until its first line tells how the entries stand on the wire. */
export class FirstLine {
	private bytes = Buffer.alloc(0);

	/** @returns the form and all bytes so far, once the first line is there */
	add(chunk: Buffer): { format: StreamFormat; bytes: Buffer } | undefined {
		this.bytes = Buffer.concat([this.bytes, chunk]);
		const text = this.bytes.toString('utf8', 0, LONGEST_LOOK);
		return this.bytes.length < LONGEST_LOOK && !WHOLE_FIRST_LINE.test(text)
			? undefined
			: this.decide();
	}

	/** Nothing more comes, or what is here is enough. */
	decide(): { format: StreamFormat; bytes: Buffer } {
		const { bytes } = this;
		this.bytes = Buffer.alloc(0);
		const [line = ''] =
			FIRST_LINE.exec(bytes.toString('utf8', 0, LONGEST_LOOK).replace(/^\uFEFF/, '')) ?? [];
		return { format: FIRST_LINE_OF_SSE.test(line) ? 'sse' : 'lines', bytes };
	}
}
