import type { INodeExecutionData, IRun, ITriggerFunctions, IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { delay } from '../shared/time';
import { writeStaticData } from './staticData';

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

/** So long after the end of an execution the static data is saved, if no other one has started since. */
const SAVE_AFTER_MS = 1_000;
/** Longest time for n8n's database at a stop. It may hang, and a stop must not. */
const LAST_SAVE_MS = 5_000;

/** n8n gives a node no way to replace it. */
const UNSAVABLE =
	"The offsets of the logs are kept in memory only, since the workflow's static data of this node is damaged. Rename the node to mend it.";

/**
 * Saves the committed positions of a trigger node in its static data. n8n saves that at the start of an `emit` and after an
 * activation, of all nodes of the workflow as a whole; and an execution that writes static data brings back ours of its start.
 */
export class Saver {
	/** Key of an execution that has ended: n8n starts no second one with it, but saves static data. */
	endedKey?: string;
	/** Whether n8n's static data of the node is no object, so that nothing can be saved in it. */
	isImpossible = false;
	private written = '';
	private isScheduled = false;
	private lastSave?: Promise<unknown>;

	/** @param content what is to be saved now */
	constructor(private readonly content: () => IDataObject) {}

	/** Writes the static data for n8n to save it. Returns whether it has changed. */
	write(functions: ITriggerFunctions): boolean {
		const content = this.content();
		const written = JSON.stringify(content);
		if (written === this.written) return false;
		this.written = written;
		const isPossible = writeStaticData(functions, content);
		if (!isPossible && !this.isImpossible) functions.logger.warn(UNSAVABLE);
		this.isImpossible = !isPossible;
		return true;
	}

	/**
	 * Saves in a second: what has moved; if nothing is in flight then, in any case, since the last execution may have written static data.
	 * @param signal aborts when the trigger is closed: then it saves at once
	 */
	schedule(functions: ITriggerFunctions, signal: AbortSignal, isIdle: () => boolean): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void delay(SAVE_AFTER_MS, signal).then(() => {
			this.isScheduled = false;
			this.save(functions, isIdle());
		});
	}

	/**
	 * Makes n8n save the static data: only an `emit` does. The key is that of an execution that has ended, so n8n starts none. If the
	 * record of that execution has been deleted, one without items starts, which does nothing.
	 * @param isForced whether to save what has not moved, too
	 */
	save(functions: ITriggerFunctions, isForced = true): void {
		if (this.endedKey === undefined) return;
		if (isForced) this.written = '';
		if (!this.write(functions)) return;
		this.lastSave = emit(functions, [], this.endedKey).catch(() => undefined);
	}

	/** Resolves when the last save is done, or after some seconds. */
	async finish(): Promise<void> {
		await Promise.race([this.lastSave, delay(LAST_SAVE_MS)]);
	}
}
