import type { Answer, Next } from './answer';
import { distinctEnd, type Place } from './known';
import { isNew, isOfPast, latePlace } from './past';
import type { Search } from './search';

/** What the service makes of an offset, learned from its answers. */
export interface Habit {
	/** `beginning`: it ignores the offset and sends the whole log; `last`: it ignores it and sends the last entries. */
	offset: 'unknown' | 'honoured' | 'beginning' | 'last';
	/** It has once shown new lines only. */
	showsNewOnly: boolean;
	/** A connection has once begun with lines of the past: then an empty answer is no log. */
	showsPast: boolean;
	/** The longest time after which they came, in milliseconds. */
	pastMs: number;
}

/** What to do next in a search. */
export type Step = { learned?: Habit['offset'] } & (
	| { kind: 'wait' }
	/** What comes after the place is new. */
	| { kind: 'found'; place: Place }
	/** The former log is there again, and this is the place in it. */
	| { kind: 'former'; place: Place }
	/** The log is another one, or the service shows new lines only: all is new. */
	| { kind: 'rotated' }
	/** `last`: the last known entries alone; `all`: all known ones again. */
	| { kind: 'request'; what: Next }
);

const WAIT: Step = { kind: 'wait' };
const ROTATED: Step = { kind: 'rotated' };
/** Answers without the log to requests far beyond the end that show an honoured offset: a gateway may give one in place of the service. */
const MIN_SHOWN = 3;
/** Such requests that may fail before it counts as honoured. */
const MAX_FAILURES = 5;

/**
 * Decides what to do in a search, from its answers alone.
 *
 * The log is requested from the first known entry (`window`). If the known entries do not come, from the beginning; if they do not come
 * there either, once more. This last answer shows the log as it is now, and what others have shown beside it is of a log that is gone,
 * or new. All of that is delivered. Only an answer that has ended, or is silent, shows that the place is not in it.
 *
 * Where all entries are equal, only their number tells which are new. So it has to be known whether the service honours the offset: one
 * that ignores it sends as many entries for an offset far beyond the end (`beyond`) as for another one.
 */
export function decide(search: Search): Step {
	if (isNew(search)) return ROTATED;
	switch (search.answer.ending) {
		case undefined:
			return onEntry(search);
		case 'refused':
		case 'offsetRefused':
			return onRefusal(search);
		case 'broken':
			return onBreak(search);
		default:
			return onWhole(search, search.answer.ending === 'silent');
	}
}

/** An entry has come, and more may follow. */
function onEntry(search: Search): Step {
	const { answer } = search;
	if (!answer.place) return WAIT;
	const place = answer.isPlaceHere ? answer.end : answer.place;
	if (search.isCounted)
		return search.isIgnored && place.count === search.count ? found(place) : WAIT;
	// From the beginning the number of entries tells which of several places it is
	const mayComeAgain = answer.isFromBeginning || search.showsBeginning || search.isBehind(place);
	const isSure = search.isLong || !mayComeAgain;
	return isSure && isOfPast(search, place) ? found(place) : WAIT;
}

/** There is no answer. */
function onRefusal(search: Search): Step {
	const { answer, hasBefore } = search;
	const { requested } = answer;
	const isOffset = answer.ending === 'offsetRefused';
	if (requested === 'beyond') return { ...request('window'), learned: shownBeyond(search) };
	if (!isOffset) return request(requested);
	if (search.known.isLast) return request('all');
	if (!answer.isFromBeginning) return request('beginning');
	return request(hasBefore ? requested : 'window');
}

/**
 * The connection was lost. What it would have brought may be on the next one: where each one is lost, as in a crash loop, what has
 * come is all that there is.
 */
function onBreak(search: Search): Step {
	const { answer } = search;
	const { place, requested } = answer;
	if (requested === 'beyond') return compare(search);
	// Where the log is shown from its beginning, the known entries may come again further on
	if (place && !search.showsBeginning && !(search.isCounted && search.isIgnored)) {
		if (search.isCounted) return countEqual(search, place, false);
		if (isOfPast(search, place)) return found(place);
	}
	if (search.isPage && isLastEnough(search)) return request('last');
	if (!search.isLostTooOften) return request(search.isWindowUnseen ? 'window' : requested);
	return onWhole(search, false);
}

/** All that the service has, has come. */
function onWhole(search: Search, isOpen: boolean): Step {
	const { answer, known, greetedPlace, isConfirming } = search;
	const { count, requested, formerPlace } = answer;
	if (requested === 'beyond') return compare(search);
	if (search.isCounted && answer.place) return countEqual(search, answer.place, !isOpen);
	if (greetedPlace) return found(greetedPlace);
	if (!isOpen && search.isPage && !known.isLast && !search.wasLastSearched) return request('last');
	const place = answer.place ?? answer.loosePlace;
	if (place && isOfPast(search, place)) return found(place);
	if (place && !isConfirming) return request(requested);
	if (known.isLast) {
		const late = latePlace(search);
		// That it is not where it was expected shows nothing of the log
		return late ? found(late) : request('all');
	}
	if (isConfirming && count === 0 && isOpen) return ROTATED;
	if (formerPlace) return { kind: 'former', place: formerPlace };
	if (search.habit.showsNewOnly && count > 0) return ROTATED;
	// Nothing is new before the rest of it has come; where answers are pages, it does not come with this one
	if (search.isBehindhand) return request(isOpen ? 'window' : 'last');
	if (!answer.isFromBeginning) return request('beginning');
	// An answer that is empty and ends changes nothing
	if (count === 0 && !isOpen) return request(requested);
	// What comes later may be the whole log of a slow service
	if (count === 0 && !search.hasBefore) return WAIT;
	// A gateway may answer in place of the service for a while
	if (count === 0 && search.habit.showsPast) return request('beginning');
	if (count === 0 || search.wasShown) return ROTATED;
	// Where answers are pages, the beginning shows nothing of the place, and the offset may have been refused for a moment
	return request(!isOpen && search.isWindowUnseen ? 'window' : 'beginning');
}

/** Finds the place by the number of entries where all are equal. */
function countEqual(search: Search, place: Place, isEnded: boolean): Step {
	const { answer, isIgnored, isLong, fresh } = search;
	if (isIgnored && (isLong || !search.hasEqualLines)) return found(place);
	if (isIgnored && fresh !== undefined) return found({ ...place, count: answer.count - fresh });
	const learned = isIgnored ? 'unknown' : undefined;
	// What an offset brings on a connection that goes on is taken for new: there it does not come without end
	const isAll = place.count === answer.count || (!isEnded && !isLong);
	return { ...(isAll ? found(place) : request('beyond')), learned };
}

/** Learns what the service makes of the offset, from the answer to one far beyond the end and the one before it. */
function compare(search: Search): Step {
	const { answer, isLong } = search;
	const before = search.answers.at(-2)!;
	const ignored = isLong ? 'beginning' : 'last';
	// A service that honours the offset may go on with new lines there, and more of them than were new before
	const isAsLong = answer.count >= Math.max(before.count, search.windowCount);
	const isIgnored = isAsLong && isContinued(before, answer);
	const learned = isIgnored ? ignored : shownBeyond(search);
	return { ...request('window'), learned };
}

/** Whether an answer begins within the one before it and goes on as that did: both show the same part of a log, which may have grown. */
function isContinued(before: Answer, { first }: Answer): boolean {
	return before.first.some((_, start) =>
		before.first.slice(start).every((digest, index) => digest === first[index]),
	);
}

/** Whether the last known entries alone find the place: where the offset may be ignored, equal ones before them would be taken for them. */
function isLastEnough({ known, habit }: Search): boolean {
	const isDistinct = distinctEnd(known.position) !== undefined || known.digests.length === 1;
	return !known.isLast && (isDistinct || habit.offset === 'honoured');
}

/** What the requests far beyond the end have shown, none of which has brought the log. */
function shownBeyond({ answers }: Search): Habit['offset'] | undefined {
	const beyond = answers.filter(({ requested }) => requested === 'beyond');
	const isFailed = ({ ending }: Answer) => ending === 'broken' || ending === 'refused';
	const shown = beyond.filter((one) => !isFailed(one)).length;
	const failed = beyond.filter((one) => isFailed(one) && one.count === 0).length;
	return shown >= MIN_SHOWN || failed >= MAX_FAILURES ? 'honoured' : undefined;
}

function found(place: Place): Step {
	return { kind: 'found', place };
}

function request(what: Next): Step {
	return { kind: 'request', what };
}
