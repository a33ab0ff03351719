import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { delay } from '../shared/time';
import { emit } from './execution';

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
		const data: unknown = functions.getWorkflowStaticData('node');
		if (isRecord(data)) Object.assign(data, content);
		else if (!this.isImpossible) functions.logger.warn(UNSAVABLE);
		this.isImpossible = !isRecord(data);
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
