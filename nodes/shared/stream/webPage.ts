/** The bytes are read as Latin-1, with a byte order mark as three characters. */
const WEB_PAGE = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b/i;
const LONGEST_START = 64;

/** Why an answer that looks like a page of a gateway is no log. */
export const WEB_PAGE_REASON = 'The service returned a web page instead of a stream';

/** Tells a web page, such as the error page of a gateway, by its beginning. */
export class WebPageDetector {
	isWebPage = false;
	private start = '';

	/** Takes the next bytes of a body. */
	push(chunk: Buffer): void {
		if (this.isWebPage || this.start.length >= LONGEST_START) return;
		this.start += chunk.toString('latin1', 0, LONGEST_START);
		this.isWebPage = WEB_PAGE.test(this.start);
	}
}
