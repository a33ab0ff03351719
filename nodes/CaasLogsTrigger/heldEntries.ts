import type { StreamEvent } from '../shared/stream/event';
import type { Answer, KnownEntries, Place } from './answer';
import { WINDOW, type Position } from './cursor';

/** Entries of one connection, and their characters, that are kept while the place is searched. */
const MAX_HELD = 5_000;
const MAX_CHARACTERS = 8 * 1_048_576;

interface Held {
	event: StreamEvent;
	digest: string;
}

interface Shown {
	before: Held[];
	now: Held[];
}

/** Entries that connections have shown while it is not known whether they are new. */
export class HeldEntries {
	/** Whether entries of this connection were dropped. */
	hasDropped = false;
	/** Of this connection, and of the connections before it, without what this one shows again. */
	private now: Held[] = [];
	private before: Held[] = [];
	private characters = 0;

	/** Keeps an entry of this connection; the oldest ones go where there are too many. */
	add(event: StreamEvent, digest: string): void {
		this.now.push({ event: { ...event }, digest });
		this.characters += event.data.length;
		while (this.now.length > MAX_HELD || this.characters > MAX_CHARACTERS) {
			this.hasDropped = true;
			this.characters -= this.now.shift()!.event.data.length;
		}
	}

	/** The last entries of this connection. */
	last(count: number): StreamEvent[] {
		return count > 0 ? this.now.slice(-count).map(({ event }) => event) : [];
	}

	/** What this connection has shown was there before. */
	dropNow(): void {
		this.now = [];
		this.characters = 0;
	}

	/** Whether connections before this one have shown something. */
	get hasBefore(): boolean {
		return this.before.length > 0;
	}

	/** Whether all that was shown consists of these digests. */
	isAmong(digests: string[]): boolean {
		return [...this.before, ...this.now].every(({ digest }) => digests.includes(digest));
	}

	/**
	 * Another connection begins.
	 * @param isDistinct as in {@link all}
	 */
	onConnection(isDistinct: boolean): void {
		const { before, now } = isDistinct ? this.merged() : this.whole;
		this.before = [...before, ...now].slice(-MAX_HELD);
		this.dropNow();
		this.hasDropped = false;
	}

	/**
	 * All that was shown, as two lists: what this connection does not show, and the log as it is now. Connections show the same part
	 * of a log, parts that overlap, or, where the log is another one each time, parts that have nothing in common but a beginning.
	 * @param isDistinct whether equal entries of two connections are the same entry
	 */
	all(isDistinct: boolean): { before: StreamEvent[]; now: StreamEvent[]; isRepeated: boolean } {
		const { before, now } = isDistinct ? this.merged() : this.whole;
		const events = (list: Held[]) => list.map(({ event }) => event);
		return {
			before: events(before),
			now: events(now),
			isRepeated: before.length < this.before.length,
		};
	}

	private get whole(): Shown {
		return { before: this.before, now: this.now };
	}

	private merged(): Shown {
		const { before, now } = this;
		if (textOf(now).includes(textOf(before))) return { before: [], now };
		// A connection that was lost earlier than the one before it
		if (textOf(before).startsWith(textOf(now))) return { before: [], now: before };
		const common = overlapOf(before, now);
		return { before: before.slice(0, before.length - common), now };
	}
}

/** How many entries at the end of the first list are those at the beginning of the second one (Knuth, Morris and Pratt). */
function overlapOf(first: Held[], second: Held[]): number {
	const fallbacks: number[] = [];
	const next = (matched: number, digest: string): number => {
		let count = matched;
		while (count > 0 && second[count]?.digest !== digest) count = fallbacks[count - 1]!;
		return second[count]?.digest === digest ? count + 1 : 0;
	};
	second.forEach(({ digest }, index) => {
		fallbacks.push(index === 0 ? 0 : next(fallbacks[index - 1]!, digest));
	});
	return first.reduce((matched, { digest }) => next(matched, digest), 0);
}

/** The digests as one text, in which a part of a list is found as a part of the text. */
function textOf(list: Held[]): string {
	return list.map(({ digest }) => `${digest} `).join('');
}

/** The log before the present one: what took its place may have been the page of a proxy, and then it comes back. */
export class FormerLog {
	/** Where this connection has brought the entries before the place that was read last. */
	place?: Place;
	private log?: { position: Position; known: KnownEntries };

	/** Entries of it that were read. */
	get entries(): number {
		return this.log?.position.offset.entries ?? 0;
	}

	/** Another connection begins. */
	onConnection(): void {
		this.place = undefined;
	}

	/** Looks for the place in what a connection has brought. */
	look(answer: Answer): void {
		if (this.log && answer.endsWith(this.log.known)) this.place ??= answer.end;
	}

	/** Another log takes the place of this one. A page that changes with each request is none: the longest one counts. */
	remember(position: Position, known: KnownEntries): void {
		if (position.offset.entries > Math.max(WINDOW, this.entries)) this.log = { position, known };
	}

	/** It is the present log again. Returns where it was read last. */
	comeBack(): Position | undefined {
		const position = this.log?.position;
		this.log = undefined;
		return position;
	}
}
