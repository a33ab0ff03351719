import type { Place } from './known';
import type { Search } from './search';

/** So many known entries that come a second time are those of before, also where older ones are gone. */
const MIN_CONFIRMED = 16;

/**
 * Whether known lines that have come are those of before. A service that shows new lines only may bring the same ones once more: they
 * come at any time, and on the next connection others come.
 */
export function isOfPast(search: Search, { count }: Place): boolean {
	const { answer, known, habit } = search;
	if (known.isRepetitive || (answer.isImmediate && !habit.showsNewOnly)) return true;
	if (habit.showsNewOnly && !answer.isPrompt && !isGrown(search)) return false;
	return search.isConfirming && count >= Math.min(known.digests.length, MIN_CONFIRMED);
}

/**
 * Whether what has come is certainly new: the service has shown new lines only, and its past would have come by now. A slow one brings
 * the known lines again, and others behind them.
 */
export function isNew(search: Search): boolean {
	const { answer, habit } = search;
	if (!habit.showsNewOnly || answer.count === 0 || answer.isPrompt) return false;
	return answer.ending === undefined ? !answer.mayBePast : !isGrown(search);
}

/** Whether the known lines have come again, and others behind them. */
function isGrown({ answer, known }: Search): boolean {
	const { count, entries, place } = answer;
	if (!place || place.count === count) return false;
	return entries.slice(place.count - count).some(({ digest }) => !known.digests.includes(digest));
}

/**
 * The place after the last known entry in a log that repeats itself, where the service is slow: equal lines that come late may be new
 * only where it shows nothing of the past. Where answers are short, no other one brings more.
 */
export function latePlace({ answer, habit, known }: Search): Place | undefined {
	const count = answer.first.indexOf(known.digests.at(-1)!) + 1;
	const isPast = known.isRepetitive && answer.isTimely && habit.showsPast && !habit.showsNewOnly;
	if (!isPast || answer.showsIgnored || count === 0 || answer.hasDropped) return undefined;
	return answer.placeAfter(count);
}
