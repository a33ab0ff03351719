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
 * Whether the service ends each answer after so many entries, and this one has as many, so that more follows. Its last lines alone are as
 * many each time as well, but do not begin where they were requested.
 */
export function isFullPage(history: readonly Answer[]): boolean {
	const { brought, ending, foundAt, known } = history.at(-1)!;
	if (ending !== 'ended' || brought === 0 || !known || foundAt === undefined) return false;
	const isFromKnown = foundAt <= known.digests.length + MARGIN + 1;
	return isFromKnown && foundAt + brought === longestOf(history.slice(0, -1));
}

/** Entries of the longest answer that the service has ended; Infinity where it has ended none. */
export function longestOf(history: readonly Answer[]): number {
	const ended = history.filter(({ ending }) => ending === 'ended');
	const sizes = ended.map(({ brought, count, foundAt }) => brought + (foundAt ?? count));
	return ended.length > 0 ? Math.max(...sizes) : Infinity;
}
