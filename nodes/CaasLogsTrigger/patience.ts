import { elapsed } from '../shared/time';
import type { Search } from './search';

/** Silence after which the service has sent what it had. */
const QUIET_MS = 500;
/** The same while more is expected, and before the first entry. */
const EXPECTED_MS = 3_000;
/** The same where the absence of an entry would mean that the log is another one. */
const KNOWN_ENTRY_MS = 10_000;
/** Longest time for an answer; and longest silence of a service that ends its answers. */
export const MAX_SEARCH_MS = 10_000;
const UNENDED_MS = 60_000;
/** A search goes on where its place is at most so far away. */
const MAX_PATIENCE_MS = 300_000;
/** Too few to tell what an answer shows. */
const FEW_ENTRIES = 8;

/** How long a reader waits for more of an answer. */
export interface Patience {
	/** Silence in milliseconds after which it has sent all. */
	quietMs: number;
	/** Whether the place is expected in what is still to come. */
	isExpected: boolean;
	/** Time in milliseconds after which it is not waited for, unless the place is expected. */
	longestMs: number;
}

export function patienceOf(search: Search): Patience {
	const { answer, missing } = search;
	const isPage = search.isCertainPage(answer);
	// Only then the silence is no risk: a new log may be gone while the old one is waited for
	const isUnended = search.mayBePage && isPage;
	const isBeforePlace = search.showsBeginning && missing > 0;
	const mayCome = answer.place === undefined && answer.formerPlace === undefined;
	const isPatient = mayCome && (isPage || isBeforePlace);
	const isShort = answer.isFromBeginning || answer.count <= FEW_ENTRIES;
	const isExpected = isPatient || (isShort && missing > 0);
	const longMs = isUnended ? UNENDED_MS : KNOWN_ENTRY_MS;
	const shortMs = answer.count === 0 || isExpected ? EXPECTED_MS : QUIET_MS;
	const isLong = isPatient || search.mayBePage || (answer.count === 0 && answer.isFromBeginning);
	const lateMs = latenessOf(search);
	return {
		quietMs: Math.max(isLong ? longMs : shortMs, answer.count === 0 ? lateMs : 0),
		isExpected,
		longestMs: isUnended ? 2 * UNENDED_MS : Math.max(MAX_SEARCH_MS, lateMs),
	};
}

/** How long all that was ever read, which has come late, may take to come again. */
function latenessOf({ answer, answers, count }: Search): number {
	const all = answers.filter(
		(one) => one !== answer && one.isFromBeginning && one.place?.count === count,
	);
	return Math.min(UNENDED_MS, 2 * Math.max(0, ...all.map(({ delayMs }) => delayMs)));
}

/** How quickly the entries before the place come, in a search that takes long. */
export class SearchSpeed {
	/** Whether the place is too far away, at the speed of the last {@link MAX_SEARCH_MS}. */
	isTooSlow = false;
	private at = elapsed();

	/** @param missing entries that are to come before the place */
	constructor(private missing = 0) {}

	/** @param missing those that are to come now */
	measure(missing = 0): void {
		if (elapsed() < this.at + MAX_SEARCH_MS) return;
		const msPerEntry = (elapsed() - this.at) / (this.missing - missing);
		this.isTooSlow = missing * msPerEntry > MAX_PATIENCE_MS;
		this.at = elapsed();
		this.missing = missing;
	}
}
