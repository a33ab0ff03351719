import type { StreamEvent } from '../../shared/stream/event';
import { keyOf } from './firstEntries';

/** Entries of the page before that the next one is to begin with, where a page has more. */
const OVERLAP = 10;
/** How far a service may begin beside the offset: it may count from one, or leave out the entry that it names. */
const SHIFT = 1;

/**
 * Joins the answers of a service that ends each after a number of entries. Each further one is requested from some entries before its
 * end on and must begin with these, so that nothing is repeated where the service does not honour the offset. Of lines that are equal, or
 * that begin as the log does, and of pages of a few lines, this cannot be told: they are left out, and `isPartial` says so.
 */
export class Pages {
	/** Entries so far. */
	count = 0;
	/** Whether the service has shown entries that may follow, and cannot be joined. */
	isPartial = false;
	private readonly first: string[] = [];
	private readonly last: string[] = [];
	/** The first entries of a further page, until they show where it begins. */
	private held: StreamEvent[] | undefined;
	/** Entries of this page, and of the longest one before it. */
	private length = 0;
	private size = 0;
	private isEnough = false;

	/** @param take gets each entry; returns whether more are wanted */
	constructor(private readonly take: (event: Readonly<StreamEvent>) => boolean) {}

	/** The offset to request the next page from, counted from the first entry. */
	next(): number {
		this.size = Math.max(this.size, this.length);
		this.length = 0;
		this.held = [];
		return this.count - this.overlap;
	}

	/** Takes the next entry of a page; returns whether more are wanted. */
	add(event: Readonly<StreamEvent>): boolean {
		const { held } = this;
		this.length++;
		if (!held) return this.pass(event);
		held.push({ ...event });
		return held.length <= this.overlap + SHIFT || this.join(held);
	}

	/** Whether an entry is the last one so far. */
	isLast(event: Readonly<StreamEvent>): boolean {
		return this.last.at(-1) === keyOf(event);
	}

	/** A page is over. Returns whether it has brought anything new, and more is wanted. */
	end(before: number): boolean {
		if (this.held) this.join(this.held);
		return this.count > before && !this.isEnough;
	}

	/** A page must have room for more than what is known: otherwise the log seems to end with it. */
	private get overlap(): number {
		return Math.max(0, Math.min(OVERLAP, this.size - SHIFT - 1));
	}

	private join(held: StreamEvent[]): boolean {
		const { last, first, overlap } = this;
		const keys = held.map(keyOf);
		const known = [overlap - SHIFT, overlap, overlap + SHIFT].filter(
			(count) =>
				count > 0 && keys.slice(0, count).join('\n') === last.slice(last.length - count).join('\n'),
		);
		const [count] = known;
		const isSure = known.length === 1 && new Set(keys.slice(0, count)).size > 1;
		const isBeginning = keys.slice(0, first.length).every((key, index) => key === first[index]);
		this.held = undefined;
		if (isSure && !isBeginning) return held.slice(count).every((event) => this.pass(event));
		// Only what is known can be as short, and where equal lines may be new ones, as what was asked for; and only a service that ignores
		// the offset begins as the log does, and not as expected
		const mayBeKnown =
			known.length > 1
				? keys.length <= overlap
				: keys.length <= overlap + SHIFT && (known.length > 0 || isBeginning);
		this.isPartial = !mayBeKnown && !(isBeginning && known.length === 0);
		return false;
	}

	private pass(event: Readonly<StreamEvent>): boolean {
		const key = keyOf(event);
		this.count++;
		if (this.first.length <= OVERLAP + SHIFT) this.first.push(key);
		this.last.push(key);
		if (this.last.length > OVERLAP + SHIFT) this.last.shift();
		this.isEnough = !this.take(event);
		return !this.isEnough;
	}
}
