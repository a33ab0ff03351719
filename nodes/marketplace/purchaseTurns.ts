import { replyError } from '../shared/http/request';
import type { OperationContext } from '../shared/operation/context';
import { firstAbort } from '../shared/time';

/** Purchases under one name that are under way in this process, one after the other. */
interface Queue {
	/** Resolves when the last of them is done. */
	last: Promise<unknown>;
	/** How many have or await their turn. */
	length: number;
	/** The IDs that those before have bought: lists may not show them yet. */
	bought: string[];
}

const queues = new Map<string, Queue>();

/**
 * Buys under a name in turn, so that of two executions, or of two calls by an AI agent, the second one sees what the first has
 * bought. Other processes (workers in queue mode) have a queue of their own: there only the list of the service tells.
 * @param buy gets the IDs that those before in the queue have bought, and adds its own
 */
export async function inTurn<T>(
	context: OperationContext,
	name: string,
	buy: (bought: string[]) => Promise<T>,
): Promise<T> {
	const key = keyOf(context, name);
	const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0, bought: [] };
	queues.set(key, queue);
	queue.length++;
	const before = queue.last;
	const run = async (): Promise<T> => {
		await (context.signal ? Promise.race([before, firstAbort([context.signal])]) : before);
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		return await buy(queue.bought);
	};
	const running = run().finally(() => {
		if (--queue.length === 0) queues.delete(key);
	});
	queue.last = Promise.allSettled([before, running]);
	return await running;
}

/** By credential, since its key decides the account. */
function keyOf({ functions, account }: OperationContext, name: string): string {
	const { credentials } = functions.getNode();
	const id = credentials?.[account.credentialType]?.id ?? '';
	return JSON.stringify([account.baseUrl, account.segments, id, name.toLowerCase()]);
}
