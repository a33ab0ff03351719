/** Lines after which an event without a blank line is none. */
export const MAX_PENDING_LINES = 100;
/** Time after the first data without a blank line after which each data line is an entry; and where blank lines have ended events before. */
const BLANK_LINE_MS = 2_000;
const SHOWN_BLANK_LINE_MS = 10_000;
/** Events on one connection that show how they end: fewer may be greetings. */
const SHOWING_EVENTS = 3;
/** Connections in a row that were over before the blank line after which it does not come; and the same where blank lines have ended events. */
const MAX_WAITS = 3;
const SHOWN_MAX_WAITS = 6;

/**
 * How the events of one log end: with a blank line, as specified, or each `data` line with a single line feed. It belongs to the log and not
 * to a connection, which may be lost before it has shown anything. A single line feed can only be guessed, so the next blank line that ends
 * an event of several lines takes the guess back.
 */
export class Framing {
	/** Whether each data line is an entry. */
	isLineFramed = false;
	/** How often a blank line among bare ones keeps the connection alive; undefined where none does. */
	keepAliveMs?: number;
	/** Whether blank lines end the events of the log; and events of several lines among them. */
	private hasShown = false;
	private hasLongEvents = false;
	/** Whether that was guessed within the event which is being read. */
	private isGuessedHere = false;
	/** Events that a blank line has ended on this connection. */
	private ended = 0;
	/** The first line of the event that the last connection did not see the end of, and how many did not in a row. */
	private waiting?: string;
	private waits = 0;

	/** Whether the log is known to have blank lines, so that lines wait for one. */
	get isBlankLineFramed(): boolean {
		return this.hasShown && !this.isLineFramed;
	}

	/** Whether the lines at the end of an answer that no blank line follows are probably not all of their event. */
	get mayEndWithinEvent(): boolean {
		return this.hasLongEvents && !this.isLineFramed;
	}

	/** How long lines wait for their blank line. */
	get patienceMs(): number {
		return this.isBlankLineFramed ? SHOWN_BLANK_LINE_MS : BLANK_LINE_MS;
	}

	/** The blank line does not come: each data line is an entry. */
	assumeLines(): void {
		this.isLineFramed = true;
		this.isGuessedHere = true;
		this.waits = 0;
	}

	/** A blank line has come behind so many data lines. */
	eventEnded(dataLines: number): void {
		const { isGuessedHere } = this;
		this.isGuessedHere = false;
		if (this.isLineFramed) {
			// An event of one line, such as a greeting, looks the same both ways; so many lines are hardly one event
			const isEvent = isGuessedHere || dataLines > 1;
			if (!isEvent || (dataLines >= MAX_PENDING_LINES && !this.hasLongEvents)) return;
			this.isLineFramed = false;
		}
		this.ended++;
		this.hasLongEvents ||= dataLines > 1;
		this.hasShown ||= this.hasLongEvents || this.ended >= SHOWING_EVENTS;
	}

	/**
	 * A connection is over.
	 * @param waiting the first line of the event whose blank line has not come
	 */
	connectionEnded(waiting?: string): void {
		const { ended } = this;
		this.isGuessedHere = false;
		this.ended = 0;
		if (waiting === undefined) {
			if (ended > 0) this.waits = 0;
			return;
		}
		const isFurther = waiting === this.waiting || (ended === 0 && !this.hasShown);
		this.waits = isFurther ? this.waits + 1 : 1;
		this.waiting = waiting;
		if (this.waits < (this.hasShown ? SHOWN_MAX_WAITS : MAX_WAITS)) return;
		this.assumeLines();
		this.isGuessedHere = false;
	}
}
