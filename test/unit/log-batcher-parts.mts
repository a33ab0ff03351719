import { Batcher } from '../../nodes/CaasLogsTrigger/batcher.ts';
import { Cursor } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { Progress } from '../../nodes/CaasLogsTrigger/progress.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import type { Pattern } from '../../nodes/shared/regex/filter.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { entry, LOG, settingsOf } from './log-parts.mts';

export const START = { offset: BEGINNING, from: BEGINNING, known: [] };
/** Matches lines with a text. */
export const pattern = (text: string) =>
	({ test: (line: string) => line.includes(text) }) as Pattern;

/** A batcher of a log without ends, and what it has made of the lines. */
export function batching(changes: Partial<Settings> = {}, contextLinesLeft = 0) {
	const progress = new Progress(START);
	const cursor = new Cursor(START, 'entries');
	const batcher = new Batcher(LOG, progress, cursor, settingsOf(changes), contextLinesLeft);
	const add = (...lines: string[]) => {
		for (const line of lines) batcher.add(entry(line));
	};
	/** The lines of each complete batch; those that are context have brackets. */
	const batches = () =>
		batcher.ready.map(({ items }) =>
			items.map(({ json }) => (json.matched === false ? `(${String(json.line)})` : json.line)),
		);
	const committed = () => progress.committed.offset.entries;
	return { batcher, add, batches, committed, progress, start: elapsed() };
}
