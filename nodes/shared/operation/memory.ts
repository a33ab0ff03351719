import type { IExecuteFunctions } from 'n8n-workflow';
import { isCalledByAgent } from './journal';
import type { OutputItem } from './items';

/**
 * What a billed operation was answered, for n8n's Retry On Fail: a second try of the node must not pay again. Unlike the
 * journal it is not saved with the execution: it is as large as the output, and the tries of a node run in one process.
 */
export interface Memory {
	/** The output of each item that is done, by its index. */
	answers: Map<number, OutputItem[]>;
	/** What else an operation keeps for the next try, by a key of its own. */
	kept: Map<string, unknown>;
	/** Nothing is left to be done. */
	clear(): void;
}

type Parts = Omit<Memory, 'clear'>;

/** By n8n's own object for the context of an execution, which all tries of its nodes share. */
const memories = new WeakMap<object, Map<string, Parts>>();

/** The memory of this node in this run; an empty one for a tool that an agent calls by itself, since each call is meant. */
export function openMemory(functions: IExecuteFunctions): Memory {
	const flow = functions.getContext('flow');
	const ofFlow = memories.get(flow) ?? new Map<string, Parts>();
	memories.set(flow, ofFlow);
	const key = `${functions.getNode().id}:${functions.getWorkflowDataProxy(0).$runIndex}`;
	const known = isCalledByAgent(functions) ? undefined : ofFlow.get(key);
	const parts = known ?? { answers: new Map(), kept: new Map() };
	ofFlow.set(key, parts);
	return { ...parts, clear: () => void ofFlow.delete(key) };
}
