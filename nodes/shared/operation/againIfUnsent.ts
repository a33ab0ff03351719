import type { Reply } from '../http/reply';
import { decideRetry } from '../http/retry';
import { pause, type OperationContext } from './context';

/**
 * Begins again where a request certainly was not sent, by the policy `ifUnsent`: what is checked before it, such as a price, would
 * else be as old as the waits between the tries.
 * @param once checks, and sends with the policy `never`; its `rejected` is the reply to a request that was not carried out
 * @returns what `once` returned in the end
 * @throws when the execution is cancelled between two tries
 */
export async function againIfUnsent<T extends object>(
	context: OperationContext,
	once: () => Promise<T | { rejected: Reply }>,
): Promise<T | { rejected: Reply }> {
	for (let tries = 1; ; tries++) {
		const result = await once();
		if (!('rejected' in result)) return result;
		const next = decideRetry('ifUnsent', result.rejected as Reply, tries, Math.random());
		if (!next.again) return result;
		await pause(context, next.delayMs);
	}
}
