/** So few entries are most likely a farewell; more may be a page of a log that says the same for long. */
const SHORT = 3;
/** The same so often is nothing else. */
const MOST_SHORT = 3;
const MOST = 20;

/** Tells a log that is over from one that goes on, where a service says the same few lines on each connection. */
export class Farewell {
	/** New entries of the connection. */
	received = 0;
	private beginning = '';
	/** What the last connections of the deployment brought first, and how often in a row. */
	private last = '';
	private repeated = 0;

	/** A connection begins. */
	begin(): void {
		this.received = 0;
		this.beginning = '';
	}

	/** New entries have come. */
	note(texts: string[]): void {
		for (const text of texts.slice(0, Math.max(0, SHORT - this.received)))
			this.beginning += `${text}\n`;
		this.received += texts.length;
	}

	/** Whether what the connection has brought may be a farewell. */
	get isLikely(): boolean {
		return this.received <= SHORT || this.repeated > 0;
	}

	/** A connection that brought something has ended. Returns whether it began as the ones before it often enough to be the last. */
	endConnection(): boolean {
		this.repeated = this.beginning === this.last ? this.repeated + 1 : 0;
		this.last = this.beginning;
		return this.repeated >= (this.received <= SHORT ? MOST_SHORT : MOST);
	}
}
