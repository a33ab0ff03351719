import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/**
 * How an execution ended. `stopped`: by a person. `timeout`: by the timeout of the workflow. `shutdown`: n8n interrupted it while
 * stopping. `unstarted`: n8n could not start it, or its process is gone.
 */
export type Outcome = 'ended' | 'failed' | 'stopped' | 'timeout' | 'shutdown' | 'unstarted';

/**
 * Starts an execution and waits for its end.
 * @param key n8n starts only one execution with it
 * @param signal aborts when the trigger is closed
 */
export async function execute(
	functions: ITriggerFunctions,
	items: INodeExecutionData[],
	key: string,
	signal: AbortSignal,
): Promise<Outcome> {
	try {
		const run = await emit(functions, items, key);
		return run ? outcomeOf(run, signal) : 'unstarted';
	} catch (error) {
		// n8n rejects for an execution that was cancelled, with the reason
		const reason = isRecord(error) ? error.reason : undefined;
		if (reason === 'shutdown' || reason === 'timeout') return reason;
		return reason === 'manual' ? 'stopped' : 'unstarted';
	}
}

/** Emits items. Resolves with the execution when it has ended; undefined if n8n dropped it by its key. */
export async function emit(
	functions: ITriggerFunctions,
	items: INodeExecutionData[],
	key: string,
): Promise<IRun | undefined> {
	const done = functions.helpers.createDeferredPromise<IRun | undefined>();
	functions.emit([items], undefined, done as Parameters<ITriggerFunctions['emit']>[2], key);
	return await done.promise;
}

/** One that waits (for a time, for a form) has its entries saved. One whose process is gone has delivered nothing. */
function outcomeOf({ status }: IRun, { aborted: isStopping }: AbortSignal): Outcome {
	if (status === 'success' || status === 'waiting') return 'ended';
	if (status === 'crashed') return isStopping ? 'shutdown' : 'unstarted';
	if (status === 'canceled') return isStopping ? 'shutdown' : 'stopped';
	return 'failed';
}
