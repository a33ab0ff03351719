import { Answer, type Ending, type Requested } from '../../nodes/CaasLogsTrigger/answer.ts';
import type { Position } from '../../nodes/CaasLogsTrigger/cursor.ts';
import type { Habit } from '../../nodes/CaasLogsTrigger/decide.ts';
import { knownEntries, lastOf, type KnownEntries } from '../../nodes/CaasLogsTrigger/known.ts';
import { Search } from '../../nodes/CaasLogsTrigger/search.ts';
import type { OffsetSettings } from '../../nodes/marketplace/log/request.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';
import { elapsed } from '../../nodes/shared/time.ts';

/** Size of each line. */
export const BYTES = 10;

/** So many lines that differ. */
export const lines = (count: number, first = 0, name = 'line'): string[] =>
	Array.from({ length: count }, (_, index) => `${name} ${first + index}`);

/** So many lines that are equal. */
export const ticks = (count: number): string[] => Array.from({ length: count }, () => 'tick');

/**
 * The entries before a place.
 * @param before entries of the log before these
 * @param first those with which the log begins
 */
export function knownOf(known: string[], before = 0, first?: string[]): KnownEntries {
	const offset = (entries: number) => ({ entries, bytes: entries * BYTES, lastEventId: '' });
	const position: Position = { offset: offset(before + known.length), from: offset(before), known };
	return knownEntries({ ...position, first });
}

/** The last known entry alone. */
export function lastOneOf({ position }: KnownEntries): KnownEntries {
	const from = { ...position.from, entries: position.offset.entries - 1 };
	const last = lastOf(position, () => from, 1);
	if (!last) throw new Error('No entry is known');
	return last;
}

/** Entries before the known ones, and the first of them. */
export const BEFORE = 100;
export const FIRST = ['a', 'b', 'c', 'd'];
/** Ten known entries that differ, the last of them alone, and ten that are equal. */
export const varied = knownOf(lines(10), BEFORE, FIRST);
export const last = lastOneOf(varied);
export const equal = knownOf(ticks(10), BEFORE);

/** What a connection brings, and when. */
export interface Came {
	lines?: string[];
	requested?: Requested;
	/** Entries before the offset that was requested. */
	start?: number;
	lateMs?: number;
	/** From the opening to the first line, and from each one to the next. */
	delayMs?: number;
	gapMs?: number;
	ending?: Ending;
}

/** An answer. Its lines are their digests. */
export function answerOf(came: Came, known?: KnownEntries, former?: KnownEntries): Answer {
	const answer = new Answer(came.requested ?? 'window', came.start ?? 0, known, came.lateMs);
	answer.opened();
	came.lines?.forEach((line, index) => {
		const at = elapsed() + (came.delayMs ?? 0) + index * (came.gapMs ?? 0);
		answer.add(entryOf(line, BYTES), line, at, former);
	});
	answer.ending = came.ending;
	return answer;
}

interface Rest {
	habit?: Partial<Habit>;
	unit?: OffsetSettings['offsetUnit'];
	/** Answers before the search began. */
	history?: Answer[];
	former?: KnownEntries;
}

/** A search that has got these answers, the present one last. */
export function searchOf(known: KnownEntries, came: Came[], rest: Rest = {}): Search {
	const { unit = 'entries', former } = rest;
	const habit: Habit = {
		offset: 'unknown',
		showsNewOnly: false,
		showsPast: false,
		pastMs: 0,
		...rest.habit,
	};
	const history = [...(rest.history ?? [])];
	const search = new Search(known, habit, unit, history, former);
	for (const one of came) {
		const answer = answerOf(one, known, former);
		history.push(answer);
		search.add(answer);
	}
	return search;
}
