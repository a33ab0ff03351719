import type { OperationContext } from '../../../shared/operation/context';
import { afterOthers } from '../../../shared/operation/turn';

/** The last one in line for each document; none where nobody is. */
const lines = new Map<string, Promise<unknown>>();

/**
 * Creates one version of a document after the other: two executions that replace the same one would delete what the other still
 * needs, and R2R keeps the file of an upload that it refuses in place of the document's own. Other processes (workers in queue
 * mode) have turns of their own.
 * @param id the first ID of the document's identity
 * @throws where the execution is cancelled meanwhile
 */
export async function inTurn<T>(
	context: OperationContext,
	id: string,
	run: () => Promise<T>,
): Promise<T> {
	const key = JSON.stringify([context.account.baseUrl, context.account.segments, id]);
	const before = lines.get(key);
	const running = afterOthers(context, before, run);
	const last = Promise.allSettled([before, running]);
	lines.set(key, last);
	void last.then(() => {
		if (lines.get(key) === last) lines.delete(key);
	});
	return await running;
}
