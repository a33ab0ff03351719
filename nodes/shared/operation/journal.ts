import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { elapsed, now } from '../time';
import { executionStore } from './flow';

/**
 * What a writing operation did for one item, kept in the execution. n8n's Retry On Fail runs the whole
 * node again, also for the items that succeeded; the second run finds here what was
 * sent and looks first. It also survives "Retry" of a failed execution in n8n's list, which is the same intent again.
 */
export interface Journal {
	/** What was noted before sending, as long as its outcome is open. */
	intent(): IDataObject | undefined;
	/** Milliseconds since it was noted, by the wall clock, which may be set, or by {@link elapsed}, which a restart sets: the less of them, and 0 at least. */
	ageMs(): number;
	/** Notes what is about to be sent. Call it before sending. */
	note(entry: IDataObject): void;
	/** The service is known not to have done it: the next run may send again. */
	clear(): void;
	/** The results of a run that is done. */
	results(): IDataObject[] | undefined;
	done(results: IDataObject[]): void;
	/**
	 * The journals of other calls of this execution (other items, runs and nodes) whose outcome is open. Their notes may
	 * be those of other operations: see what they are of.
	 */
	others(): Journal[];
}

interface Entry {
	open?: IDataObject;
	notedAt?: number;
	/** The same by {@link elapsed}; entries of an earlier version have none. */
	elapsedAt?: number;
	results?: IDataObject[];
}

/**
 * The journals of the items of a node's run. The key is node, run index and item, not the parameters: an expression such as a time stamp in a
 * name gives another value in the second run. Only where an AI agent calls its tool by itself does n8n give each retry a
 * run index of its own; there the key is made of the model's arguments, which n8n hands in as the item, and results are not
 * replayed, because the same call may be meant twice. Where n8n's engine runs the tool, each call has a run index, and its
 * retries have the same.
 */
export function openJournals(functions: IExecuteFunctions): (itemIndex: number) => Journal {
	const entries = executionStore<Entry>(functions, 'journal');
	const isTool = isCalledByAgent(functions);
	let run: string | undefined;
	// For most reads nobody asks, and n8n takes as long to tell it as for a request
	const readRun = () =>
		(run ??= isTool
			? digest(functions.getInputData())
			: String(functions.getWorkflowDataProxy(0).$runIndex));
	const at = (readKey: () => string, isDone = false): Journal => ({
		intent: () => entries[readKey()]?.open,
		ageMs() {
			const { notedAt, elapsedAt = -Infinity } = entries[readKey()] ?? {};
			return Math.max(0, Math.min(now() - Number(notedAt), elapsed() - elapsedAt));
		},
		note: (entry) => {
			entries[readKey()] = { open: entry, notedAt: now(), elapsedAt: elapsed() };
		},
		clear: () => {
			delete entries[readKey()];
		},
		results: () => entries[readKey()]?.results,
		done: (results) => {
			if (!isTool) entries[readKey()] = { results };
			// By then the entry may be that of an equal call
			else if (!isDone) delete entries[readKey()];
			isDone = true;
		},
		others: () =>
			Object.keys(entries)
				.filter((other) => entries[other]?.open && other !== readKey())
				.map((other) => at(() => other)),
	});
	return (itemIndex) => at(() => `${functions.getNode().id}:${readRun()}:${itemIndex}`);
}

/** Whether an AI agent has called its tool by itself, past n8n's engine. */
export function isCalledByAgent(functions: IExecuteFunctions): boolean {
	return typeof functions.isToolExecution === 'function' && functions.isToolExecution();
}

function digest(input: unknown): string {
	return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}
