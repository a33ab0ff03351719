/** A connection that brings no more entries most likely brings closing lines; with more, it may be a page of a log that repeats itself. */
const MAX_CLOSING_LINES = 3;
/** Equal connections in a row that end a log: with closing lines only, and with more. */
const REPETITIONS_OF_CLOSING_LINES = 3;
const REPETITIONS_OF_PAGE = 20;

/**
 * Detects the end of a log at a service that sends the same closing lines on each connection. Used once the deployment
 * has ended; a connection that brings nothing ends the log without it.
 */
export class EndOfLogCheck {
	/** New entries of the present connection. */
	received = 0;
	private beginning = '';
	/** How the previous connection began, and how many before it began so, in a row. */
	private previousBeginning = '';
	private repetitions = 0;

	/** A connection begins. */
	onConnected(): void {
		this.received = 0;
		this.beginning = '';
	}

	/** Adds a new entry of the connection. */
	add(text: string): void {
		if (this.received < MAX_CLOSING_LINES) this.beginning += `${text}\n`;
		this.received++;
	}

	/** Whether the entries of the connection may be closing lines. */
	get isLikelyEnd(): boolean {
		return this.received <= MAX_CLOSING_LINES || this.repetitions > 0;
	}

	/** Ends a connection that brought something. Returns whether enough connections in a row have begun like this one to end the log. */
	onClosed(): boolean {
		this.repetitions = this.beginning === this.previousBeginning ? this.repetitions + 1 : 0;
		this.previousBeginning = this.beginning;
		const needed =
			this.received <= MAX_CLOSING_LINES ? REPETITIONS_OF_CLOSING_LINES : REPETITIONS_OF_PAGE;
		return this.repetitions >= needed;
	}
}
