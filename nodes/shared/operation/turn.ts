import { replyError, type RequestContext } from '../http/request';
import { firstAbort } from '../time';

/**
 * Does something after what others of this process do; a cancelled execution gives its turn up at once.
 * @param before resolves when they are done, and never rejects; undefined where there are none
 * @throws where the execution is cancelled meanwhile
 */
export async function afterOthers<T>(
	context: RequestContext,
	before: Promise<unknown> | undefined,
	run: () => Promise<T>,
): Promise<T> {
	if (before) {
		const done = new AbortController();
		void before.then(() => done.abort());
		// The signal outlives the wait, and each listener that stays on it makes the next one slower
		await firstAbort([context.signal, done.signal]);
	}
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	return await run();
}

/** The last one in line for each key; none where nobody is. */
const lines = new Map<string, Promise<unknown>>();

/**
 * Does one thing after the other under a key of the caller's, in this process. Other processes (workers in queue mode) have lines of
 * their own.
 * @throws where the execution is cancelled meanwhile
 */
export async function inLine<T>(
	context: RequestContext,
	key: unknown[],
	run: () => Promise<T>,
): Promise<T> {
	const { account } = context;
	const line = JSON.stringify([account.baseUrl, account.segments, ...key]);
	const before = lines.get(line);
	const running = afterOthers(context, before, run);
	const last = Promise.allSettled([before, running]);
	lines.set(line, last);
	void last.then(() => {
		if (lines.get(line) === last) lines.delete(line);
	});
	return await running;
}
