import type { Answer } from './answer';
import { isShown } from './behind';
import { MARGIN } from './cursor';

/** Equal answers in a row after which a service with nothing new repeats its last lines. */
const MAX_REPETITIONS = 20;

/**
 * Whether the log has certainly nothing new. Where a service ends each answer, one may be a page that ended before the new lines: after
 * one that has brought nothing, the last known entries alone are requested, and a page that begins with them has the next ones. A
 * service that ignores the offset would show nothing else there.
 */
export function isComplete(history: readonly Answer[]): boolean {
	const answer = history.at(-1)!;
	const latest = history.slice(-1 - MAX_REPETITIONS);
	const isRepeated = (one: Answer) =>
		one.brought === answer.brought && one.first.join() === answer.first.join();
	if (latest.length > MAX_REPETITIONS && latest.every(isRepeated)) return true;
	if (answer.brought > 0) return false;
	if (!answer.known || (answer.wasFound && answer.showsIgnored)) return true;
	const found = history.slice(0, -1).findLastIndex(({ wasFound }) => wasFound);
	const wasSeen = history.slice(found + 1).some(({ known }) => known?.isLast);
	return answer.wasFound && (wasSeen || wasBehindEmpty(history));
}

/** Whether nothing was behind the last known entry when that was requested, since something new has come. */
export function wasBehindEmpty(history: readonly Answer[]): boolean {
	const last = history.findLastIndex(({ brought }) => brought > 0);
	return history
		.slice(last + 1)
		.some(({ requested, ending }) => requested === 'behind' && isShown(ending));
}

/** Whether an answer may be a page that has room for known entries alone, so that new ones may follow on the next one. */
export function mayBeKnownPage({
	brought,
	ending,
	known,
	showsIgnored,
	wasFound,
}: Answer): boolean {
	const isOver = ending === 'ended' || ending === 'broken';
	return isOver && wasFound && !showsIgnored && !known?.isLast && brought === 0;
}

/**
 * Whether the service has ended an answer that has something new and begins with the known entries. Its last lines alone do not begin
 * where they were requested.
 */
export function beginsAtKnown({ brought, ending, foundAt = Infinity, known }: Answer): boolean {
	const isNew = ending === 'ended' && brought > 0;
	return isNew && known !== undefined && foundAt <= known.digests.length + MARGIN + 1;
}

/** Whether such an answer is as long as the longest one that has ended before it: the service sends pages of as many entries, and more follows. */
export function isFullPage(history: readonly Answer[]): boolean {
	const answer = history.at(-1)!;
	const ended = history.slice(0, -1).filter(({ ending }) => ending === 'ended');
	return beginsAtKnown(answer) && sizeOf(answer) === longestOf(ended);
}

/** Entries of the longest answer; -Infinity of none. */
export function longestOf(answers: readonly Answer[]): number {
	return Math.max(...answers.map(sizeOf));
}

function sizeOf({ brought, count, foundAt, known }: Answer): number {
	if (foundAt !== undefined) return foundAt + brought;
	return known ? count : brought;
}
