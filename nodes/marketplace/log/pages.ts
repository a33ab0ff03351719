import type { StreamEvent } from '../../shared/stream/event';
import { keyOf } from './firstEntries';

/** Entries of the page before that the next one is to begin with. */
const OVERLAP = 10;
/** How far a service may begin beside the offset: it may count from one, or leave out the entry that it names. */
const SHIFT = 1;

/**
 * Joins the answers of a service that ends each after a number of entries. Each further one is requested from some entries before its
 * end on and must begin with these, so that nothing is repeated where the service does not honour the offset. Of lines that are equal, or
 * that begin as the log does, this cannot be told: they are left out.
 */
export class Pages {
	/** Entries so far. */
	count = 0;
	private readonly first: string[] = [];
	private readonly last: string[] = [];
	/** The first entries of a further page, until they show where it begins. */
	private held: StreamEvent[] | undefined;

	/** @param take gets each entry; returns whether more are wanted */
	constructor(private readonly take: (event: Readonly<StreamEvent>) => boolean) {}

	/** The offset to request the next page from, counted from the first entry; undefined where too few entries have come to recognize it. */
	next(): number | undefined {
		if (this.count <= SHIFT) return undefined;
		this.held = [];
		return this.count - this.overlap;
	}

	/** Takes the next entry of a page; returns whether more are wanted. */
	add(event: Readonly<StreamEvent>): boolean {
		const { held } = this;
		if (!held) return this.pass(event);
		held.push({ ...event });
		return held.length <= this.overlap + SHIFT || this.join(held);
	}

	/** Whether an entry is the last one so far. */
	isLast(event: Readonly<StreamEvent>): boolean {
		return this.last.at(-1) === keyOf(event);
	}

	/** A page is over. Returns whether it has brought anything new. */
	end(before: number): boolean {
		if (this.held) this.join(this.held);
		return this.count > before;
	}

	private get overlap(): number {
		return Math.min(OVERLAP, this.count - SHIFT);
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
		this.held = undefined;
		if (!isSure || keys.every((key, index) => key === first[index])) return false;
		return held.slice(count).every((event) => this.pass(event));
	}

	private pass(event: Readonly<StreamEvent>): boolean {
		const key = keyOf(event);
		this.count++;
		if (this.first.length <= OVERLAP + SHIFT) this.first.push(key);
		this.last.push(key);
		if (this.last.length > OVERLAP + SHIFT) this.last.shift();
		return this.take(event);
	}
}
