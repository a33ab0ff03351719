import { fieldOf } from './field';

/**
 * Tells by the beginning of a stream whether a carriage return alone ends its lines. In a log it is a progress bar that redraws itself, and
 * what it draws may look like a field (`data: 10%`). So the first block decides: it has nothing but fields and comments, and a blank line
 * comes before the first line feed. What is decided does not depend on how the text is cut.
 */
export class LineEndDetector {
	/** Characters so far, lines that CR has ended, and the line that is still arriving. */
	private seen = 0;
	private crLines = 0;
	private line = '';

	/** @param longest characters after which no line feed is waited for */
	constructor(private readonly longest: number) {}

	/** Takes the next text. Returns whether CR alone ends lines; undefined while that is open. */
	push(next: string): boolean | undefined {
		const text = next.slice(0, this.longest - this.seen);
		this.seen += next.length;
		const lineFeed = text.indexOf('\n');
		const lines = (lineFeed < 0 ? text : text.slice(0, lineFeed)).split('\r');
		const last = lines.pop()!;
		for (const end of lines) {
			const line = this.line + end;
			this.line = '';
			if (line === '' && this.crLines > 0) return true;
			if (fieldOf(line) === 'bare') return false;
			this.crLines++;
		}
		if (lineFeed >= 0) return false;
		this.line += last;
		return this.seen > this.longest ? this.seemsCr : undefined;
	}

	/** Whether what has come so far are several fields and comments, each behind a CR, without a blank line: some services send none. */
	get seemsCr(): boolean {
		return this.line === '' ? this.crLines > 1 : this.crLines > 0 && fieldOf(this.line) !== 'bare';
	}
}
