import type { StreamEvent } from '../shared/stream/event';

/** Entries of one connection, and their characters, that are kept while the place is searched. */
export const MAX_HELD = 5_000;
const MAX_CHARACTERS = 8 * 1_048_576;

/** Entries that connections have shown while it is not known whether they are new. */
export class HeldEntries {
	/** Of this connection. */
	now: StreamEvent[] = [];
	/** Of the connections before it. */
	before: StreamEvent[] = [];
	/** Whether entries of this connection were dropped that the log had before. */
	hasDropped = false;
	private characters = 0;

	/** Whether no more can be kept of this connection. */
	get isFull(): boolean {
		return this.now.length > MAX_HELD || this.characters > MAX_CHARACTERS;
	}

	add(event: StreamEvent): void {
		this.now.push({ ...event });
		this.characters += event.data.length;
	}

	/** Drops the oldest one of this connection. */
	dropOldest(): void {
		this.hasDropped = true;
		this.characters -= this.now.shift()?.data.length ?? 0;
	}

	/** Another connection begins. */
	onConnection(): void {
		this.before.push(...this.takeNow());
		this.hasDropped = false;
	}

	/** Those of this connection; none are left of it. */
	takeNow(): StreamEvent[] {
		const { now } = this;
		this.now = [];
		this.characters = 0;
		return now;
	}
}
