import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { delay } from '../shared/time';
import { emit } from './execution';

/** How long nothing must have ended before the static data is saved without an execution. */
const SAVE_AFTER_MS = 1_000;
/** Longest time for n8n's database at a stop. It may hang, and a stop must not. */
const LAST_SAVE_MS = 5_000;

/**
 * Saves the committed positions of a trigger node in its static data. n8n saves that at the start of an `emit` and after an
 * activation, of all nodes of the workflow as a whole; and an execution that writes static data brings back ours of its start.
 */
export class Saver {
	/** Key of an execution that has ended: n8n starts no second one with it, but saves static data. */
	endedKey?: string;
	private written = '';
	private isScheduled = false;
	private lastSave?: Promise<unknown>;

	/** @param content what is to be saved now */
	constructor(private readonly content: () => IDataObject) {}

	/** Writes the static data, if it has changed, for n8n to save it. */
	write(functions: ITriggerFunctions): void {
		const content = this.content();
		const written = JSON.stringify(content);
		if (written === this.written) return;
		this.written = written;
		Object.assign(functions.getWorkflowStaticData('node'), content);
	}

	/**
	 * Saves in a second if nothing is in flight then, so after the last execution and what that has written.
	 * @param signal aborts when the trigger is closed: then it saves at once
	 */
	schedule(functions: ITriggerFunctions, signal: AbortSignal, isIdle: () => boolean): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		void delay(SAVE_AFTER_MS, signal).then(() => {
			this.isScheduled = false;
			if (isIdle()) this.save(functions);
		});
	}

	/**
	 * Makes n8n save the static data: only an `emit` does. The key is that of an execution that has ended, so n8n starts none. If the
	 * record of that execution has been deleted, one without items starts, which does nothing.
	 */
	save(functions: ITriggerFunctions): void {
		if (this.endedKey === undefined) return;
		this.written = '';
		this.write(functions);
		this.lastSave = emit(functions, [], this.endedKey).catch(() => undefined);
	}

	/** Resolves when the last save is done, or after some seconds. */
	async finish(): Promise<void> {
		await Promise.race([this.lastSave, delay(LAST_SAVE_MS)]);
	}
}
