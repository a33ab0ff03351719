import type { Answer } from './answer';
import { isShown } from './behind';

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
