import type { OffsetSettings } from '../marketplace/log/request';
import type { StreamEvent } from '../shared/stream/event';
import { elapsed } from '../shared/time';
import { MAX_CHARACTERS, MAX_ENTRIES, type Answer, type Ending, type Next } from './answer';
import type { Position } from './cursor';
import { agree, MIN_DISTINCT } from './known';

/** Silence after which nothing is behind the last known entry, of a service that ends its answers but may be slow; and after an entry. */
const EMPTY_MS = 60_000;
const QUIET_MS = 1_000;
/** So many of the last known entries, of which some differ, do not come again behind them. */
const MANY = 8;
/** Longest time from the first entry on: a service may go on there. */
const LONGEST_MS = 3_000;

/**
 * The entries behind the last known one, requested from there: where a page has room for no more than that one, or the next entry alone
 * fills a page, no other request brings more. They are new once the last known entry is seen again where it was, so that the log was not
 * another one meanwhile. A service may answer an offset at its end with its last lines or with the whole log: those are not new. Where
 * they may be, an offset far beyond the end tells, where such a service sends the same.
 */
export class Behind {
	/** What has come. */
	readonly events: StreamEvent[] = [];
	private readonly digests: string[] = [];
	private characters = 0;
	private firstAt = Infinity;
	/** What comes where nothing can be, once that is asked. */
	private others?: string[];

	/** @param position behind the last known entry */
	constructor(private readonly position: Position) {}

	/** Takes the next entry, with what it is recognized by. Where that is too much to keep, the others come with the next page. */
	take(event: Readonly<StreamEvent>, digest: string): void {
		if (this.others) return void this.others.push(digest);
		if (this.isFull) return;
		if (this.events.length === 0) this.firstAt = elapsed();
		this.events.push({ ...event });
		this.digests.push(digest);
		this.characters += event.data.length;
	}

	/** Silence in milliseconds after which all has come. */
	get silenceMs(): number {
		if ((this.others ?? this.events).length === 0) return EMPTY_MS;
		return this.isFull || elapsed() > this.firstAt + LONGEST_MS ? 0 : QUIET_MS;
	}

	/** Whether something has come where nothing can be; undefined where that was not asked. */
	get showsOthers(): boolean | undefined {
		return this.others && this.others.length > 0;
	}

	/** What to request next, after an answer: the last known entry where what has come may be new, or else where nothing can be. */
	next(ending: Ending): Next {
		const { digests, events, others } = this;
		if (!isShown(ending) || events.length === 0 || this.hasKnown) return 'window';
		const isEnd = this.isKnownFrom(this.position.known.length - digests.length);
		if (!isEnd && !this.isBeginning) return 'last';
		if (!others) {
			this.others = [];
			return 'nothing';
		}
		// A service that sends its last lines may have further ones since; the beginning stays
		return others.length > 0 && (isEnd || agree(others, digests)) ? 'window' : 'last';
	}

	/** Whether the last known lines are among others that came: it is the log from somewhere before them. */
	private get hasKnown(): boolean {
		const last = this.position.known.slice(-MANY);
		return new Set(last).size >= MIN_DISTINCT && this.digests.join().includes(last.join());
	}

	private get isFull(): boolean {
		return this.events.length >= MAX_ENTRIES || this.characters >= MAX_CHARACTERS;
	}

	private get isBeginning(): boolean {
		const { first = [] } = this.position;
		return first.length > 0 && agree(first, this.digests);
	}

	private isKnownFrom(start: number): boolean {
		return this.digests.every((one, index) => one === this.position.known[start + index]);
	}
}

/** Whether such an ending shows what there is, or that there is nothing. */
export function isShown(ending?: Ending): boolean {
	return ending === 'ended' || ending === 'silent' || ending === 'offsetRefused';
}

/** Whether an answer to the last known entries alone has ended with them, so that more may follow on another page. */
export function isAlone({ brought, count, ending, known, wasFound }: Answer): boolean {
	const isLast = known?.isLast === true && count <= known.digests.length;
	return isLast && wasFound && ending === 'ended' && brought === 0;
}

/**
 * Whether a page from behind the last known entry can be told from others: the service honours the offset, and the beginning of the log
 * is known, so that it is recognized.
 * @param history the answers of the last connections, of which the last one {@link isAlone}
 */
export function isPageKnown(
	history: readonly Answer[],
	{ first }: Position,
	unit: OffsetSettings['offsetUnit'],
): boolean {
	const answer = history.at(-1)!;
	if (!first || unit === 'none') return false;
	const isOther = (one: Answer) => one.known?.isLast === false && one.first[0] !== answer.first[0];
	const isElsewhere = (one: Answer) => one.requested === 'window' && isOther(one);
	return answer.start === 0 || answer.first[0] !== first[0] || history.some(isElsewhere);
}
