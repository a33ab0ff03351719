import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type NodeApiError,
} from 'n8n-workflow';
import { apiError, type NodeError, type Problem } from '../http/errors';
import { replyError, type RequestContext } from '../http/request';
import { deadline, delay, firstAbort } from '../time';
import { isCalledByAgent, type Journal } from './journal';

/** What an operation gets for one item. */
export interface OperationContext extends RequestContext {
	functions: IExecuteFunctions;
	itemIndex: number;
	journal: Journal;
	/**
	 * What is known of the thing that this item is about, by the names of the output (name, IDs). Each error of the item
	 * carries it, so set it as soon as it is known.
	 */
	known: IDataObject;
	/** The checked input of every item, undefined where it is not valid: for an operation that sends many items in one request. */
	inputs: unknown[];
	/** Does something once for all items of this execution of the node, such as loading a list that each item needs. */
	once<T>(key: string, load: () => Promise<T>): Promise<T>;
	/** What an earlier try of the node has kept of answers that are paid, by a key of the operation. */
	kept: Map<string, unknown>;
	/** Writes what is known to n8n's log; n8n shows nothing else of a cancelled execution. */
	log(message: string, facts: IDataObject): void;
}

/** Whether the node runs as a tool of an AI agent: called by the agent itself, or by n8n's engine for it, which marks the node. */
export function isTool(functions: IExecuteFunctions): boolean {
	return (
		isCalledByAgent(functions) ||
		functions.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool
	);
}

/** What an error carries of the thing it is about; undefined where nobody has said so yet. */
export function knownOf(error: NodeError): IDataObject | undefined {
	return (error.context as IDataObject | undefined)?.known as IDataObject | undefined;
}

/** Adds facts (name, IDs) to what an error carries; those that it has already stay. */
export function withKnown<E extends NodeError>(error: E, known: IDataObject): E {
	// An error of n8n itself has none
	error.context = { ...error.context, known: { ...known, ...knownOf(error) } };
	return error;
}

/**
 * A new error that explains itself and carries what is known of the item.
 * @param more facts beside those of the context
 */
export function contextError(
	context: RequestContext & { known?: IDataObject },
	problem: Problem,
	more: IDataObject = {},
): NodeApiError {
	const error = apiError(context.functions.getNode(), problem, context.itemIndex);
	return withKnown(error, { ...context.known, ...more });
}

/**
 * Reads something that must be known before the next step; where that fails, the error says what could not be read.
 * @param what is read: `The price`
 * @param consequence what was not done, as a sentence
 * @throws the error of `read`, with `what` before its message unless it explains itself
 */
export async function prerequisite<T>(
	context: OperationContext,
	what: string,
	consequence: string,
	read: () => Promise<T>,
): Promise<T> {
	try {
		return await read();
	} catch (caught) {
		const error = caught as NodeApiError;
		if (!knownOf(error)) error.message = `${what} could not be read: ${error.message}`;
		error.description = [error.description, consequence].filter(Boolean).join(' ');
		throw withKnown(error, context.known);
	}
}

/**
 * Waits for some milliseconds.
 * @throws when the execution is cancelled meanwhile
 */
export async function pause(context: OperationContext, ms: number): Promise<void> {
	await delay(ms, context.signal);
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
}

/**
 * Does something that takes so many milliseconds at most: then its requests and pauses end.
 * @returns undefined where the time was over before
 */
export async function within<T, Context extends OperationContext>(
	context: Context,
	ms: number,
	work: (context: Context) => Promise<T>,
): Promise<T | undefined> {
	const time = deadline(ms);
	const over = new AbortController();
	const done = new AbortController();
	void firstAbort([context.signal, time, done.signal]).then(() => over.abort());
	return await work({ ...context, signal: over.signal })
		.catch((error: Error) => {
			if (time.aborted && !context.signal?.aborted) return undefined;
			throw error;
		})
		.finally(() => done.abort());
}
