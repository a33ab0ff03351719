import { replyError } from '../http/request';
import { firstAbort } from '../time';
import type { OperationContext } from './context';

/**
 * Does something after what others of this process do; a cancelled execution gives its turn up at once.
 * @param before resolves when they are done; undefined where there are none
 * @throws where the execution is cancelled meanwhile
 */
export async function afterOthers<T>(
	context: OperationContext,
	before: Promise<unknown> | undefined,
	run: () => Promise<T>,
): Promise<T> {
	await (context.signal ? Promise.race([before, firstAbort([context.signal])]) : before);
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	return await run();
}
