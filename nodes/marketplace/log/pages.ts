import type { StreamEvent } from '../../shared/stream/event';
import { keyOf } from './firstEntries';

/** Entries of the page before that the next one is to begin with, where a page has more. */
const OVERLAP = 10;
/** How far a service may begin beside the offset: it may count from one, or leave out the entry that it names. */
const SHIFT = 1;
/** So few of them still show where a page begins. */
const LEAST_OVERLAP = SHIFT + 2;
/** So far behind the end there is no entry, unless a service ignores the offset. */
const FAR = 1_000_000;

/**
 * From where a page is requested: some entries before the end of what is known; from there again, where nothing came, as a gateway may have
 * answered; from nearer to the end, where all that came is known, as the answers may be limited in size; or from far behind it, where
 * a page that begins as the log does may be its beginning, or lines that are equal.
 */
type Place = 'overlap' | 'again' | 'nearer' | 'far';

/**
 * Joins the answers of a service that ends each after a number of entries. Each further one is requested from some entries before its
 * end on and must begin with these, so that nothing is repeated where the service does not honour the offset. Of lines that are equal, or
 * that begin as the log does, and of pages of a few lines, this cannot be told: they are left out, and `isPartial` says so. No page alone
 * shows where the log ends, since its offset is within what was read: so another one is requested before that is believed.
 */
export class Pages {
	/** Entries so far. */
	count = 0;
	/** Whether the service has shown entries that may follow, and cannot be joined. */
	isPartial = false;
	private readonly first: Array<Readonly<StreamEvent>> = [];
	private readonly last: string[] = [];
	/** The first entries of a further page, until they show where it begins. */
	private held: StreamEvent[] | undefined;
	/** Entries of this page, and of the longest one before it. */
	private length = 0;
	private size = 0;
	private isEnough = false;
	private place: Place = 'overlap';
	/** From where the next page is requested; undefined where the log is over. */
	private nextPlace: Place | undefined = 'overlap';

	/** @param take gets each entry; returns whether more are wanted */
	constructor(private readonly take: (event: Readonly<StreamEvent>) => boolean) {}

	/** Whether the page is requested from an offset at which the log has entries. */
	get isWithin(): boolean {
		return this.place !== 'far' && this.overlap > 0;
	}

	/** The offset to request the next page from, counted from the first entry. */
	next(): number {
		this.size = Math.max(this.size, this.length);
		this.length = 0;
		this.held = [];
		this.place = this.nextPlace ?? 'overlap';
		return this.place === 'far' ? this.count + FAR : this.count - this.overlap;
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

	/**
	 * A page is over.
	 * @param hasEnded whether the service has ended it; a page that begins as the log does was not read to its end
	 * @returns whether another one is needed
	 */
	end(hasEnded: boolean): boolean {
		if (this.held) this.join(this.held);
		if (this.count === 0 || this.isEnough) return false;
		return this.nextPlace === 'far' || (this.nextPlace !== undefined && hasEnded);
	}

	/** A page must have room for more than what is known: otherwise the log seems to end with it. */
	private get overlap(): number {
		const most = this.place === 'nearer' ? LEAST_OVERLAP : OVERLAP;
		return Math.max(0, Math.min(most, this.size - SHIFT - 1));
	}

	private join(held: StreamEvent[]): boolean {
		const { last, first, overlap, place } = this;
		this.held = undefined;
		this.nextPlace = undefined;
		if (held.length === 0) {
			if (place === 'overlap') this.nextPlace = 'again';
			return false;
		}
		const begin = held.slice(0, first.length);
		const isAlike = begin.every(({ data }, index) => data === first[index]!.data);
		if (place === 'far') {
			this.isPartial = !isAlike;
			return false;
		}
		const keys = held.map(keyOf);
		const known = [overlap - SHIFT, overlap, overlap + SHIFT].filter(
			(count) =>
				count > 0 && keys.slice(0, count).join('\n') === last.slice(last.length - count).join('\n'),
		);
		const [count] = known;
		const isSure = known.length === 1 && new Set(keys.slice(0, count)).size > 1;
		const isBeginning = begin.every((event, index) => keyOf(event) === keyOf(first[index]!));
		if (isSure && !isBeginning && held.length > count!) {
			this.nextPlace = 'overlap';
			this.isPartial = false;
			return held.slice(count).every((event) => this.pass(event));
		}
		// Only what is known can be as short, and where equal lines may be new ones, as what was asked for
		const longest = known.length > 1 || isAlike ? overlap : overlap + SHIFT;
		const mayBeKnown = known.length > 0 && keys.length <= longest;
		// Only a service that ignores the offset begins as the log does, and not as expected
		const isIgnored = isBeginning && known.length === 0 && overlap > 0;
		this.isPartial = !mayBeKnown && !isIgnored;
		if (mayBeKnown && place !== 'nearer') this.nextPlace = 'nearer';
		else if (this.isPartial && isAlike) this.nextPlace = 'far';
		return false;
	}

	private pass(event: Readonly<StreamEvent>): boolean {
		const key = keyOf(event);
		this.count++;
		if (this.first.length <= OVERLAP + SHIFT) this.first.push({ ...event });
		this.last.push(key);
		if (this.last.length > OVERLAP + SHIFT) this.last.shift();
		this.isEnough = !this.take(event);
		return !this.isEnough;
	}
}
