import { ASSUME_ABSENT_AFTER_MS } from '../shared/operation/sendOnce';
import { afterOthers } from '../shared/operation/turn';
import { elapsed } from '../shared/time';
import { idKey } from './ids';
import type { PaidTime } from './paidTime';
import { ownerKey, type ProductContext } from './product';

/** How long a service may not show what was done, in milliseconds: reads may come from a copy that is behind. */
export const YOUNG_MS = 120_000;

/** What this process has done under a name, or to a deployment: reads may not show it yet. */
export interface Recent {
	/** The deployments that were bought, by ID, with the time by {@link elapsed}. */
	bought: Map<string, number>;
	/** The paid time that a deployment has once its extensions show, for two minutes. */
	paidTime?: PaidTime;
	/** A purchase whose outcome is unknown, or that does not show: when it ended, by {@link elapsed}. */
	unknown?: { since: number; knownIds?: string[] };
}

interface Queue {
	/** The account and the product. */
	owner: string;
	/** Resolves when the last one is done. */
	last: Promise<unknown>;
	/** How many have or await their turn. */
	length: number;
	/** When the last one was done, by {@link elapsed}. */
	idleSince: number;
	recent: Recent;
}

const queues = new Map<string, Queue>();

/**
 * Runs what costs money one after the other, so that of two executions, or of two calls by an AI agent, the second one knows what the
 * first has done. Other processes (workers in queue mode) have turns of their own: there only the service tells.
 * @param what a name that is bought, or a deployment that is extended
 * @param run gets what was done before, and adds to it
 */
export async function inTurn<T>(
	context: ProductContext,
	what: { name: string } | { id: string },
	run: (recent: Recent) => Promise<T>,
): Promise<T> {
	for (const [key, { length, idleSince }] of queues)
		if (length === 0 && elapsed() - idleSince >= ASSUME_ABSENT_AFTER_MS) queues.delete(key);
	const key = keyOf(context, what);
	const queue: Queue = queues.get(key) ?? {
		owner: ownerKey(context),
		last: Promise.resolve(),
		length: 0,
		idleSince: 0,
		recent: { bought: new Map() },
	};
	queues.set(key, queue);
	queue.length++;
	const before = queue.last;
	const running = afterOthers(context, before, async () => {
		const { bought, unknown } = queue.recent;
		const isOver = (at: number) => elapsed() - at >= ASSUME_ABSENT_AFTER_MS;
		for (const [id, at] of bought) if (isOver(at)) bought.delete(id);
		if (unknown && isOver(unknown.since)) delete queue.recent.unknown;
		if (elapsed() - queue.idleSince >= YOUNG_MS) delete queue.recent.paidTime;
		return await run(queue.recent);
	}).finally(() => {
		queue.length--;
		queue.idleSince = elapsed();
	});
	queue.last = Promise.allSettled([before, running]);
	return await running;
}

/** A deployment that was seen to have ended does not take up its name any more. */
export function forgetBought(context: ProductContext, deploymentId: string): void {
	const owner = ownerKey(context);
	for (const queue of queues.values())
		if (queue.owner === owner) queue.recent.bought.delete(deploymentId);
}

function keyOf(context: ProductContext, what: { name: string } | { id: string }): string {
	const own = 'name' in what ? { name: what.name.toLowerCase() } : { id: idKey(what.id) };
	return JSON.stringify([ownerKey(context), own]);
}
