import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type { IBinaryData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { openAccount, type CredentialChoice } from '../http/credentials';
import { apiError, type Problem } from '../http/errors';
import { asItem } from '../json';
import { isCalledByAgent, openJournal, type Journal } from './journal';
import {
	FileItem,
	findOperation,
	type Operation,
	type OutputItem,
	type Resource,
} from './operation';
import type { Api } from '../http/request';
import { Form, operationError } from './parameters';

/** What an operation gets for one item. */
export interface Call extends Api {
	ctx: IExecuteFunctions;
	itemIndex: number;
	journal: Journal;
	/** The checked input of every item, undefined where it is not valid: for an operation that sends many items in one request. */
	inputs: unknown[];
	/** Does something once for all items of this run of the node, such as loading a list that each item needs. */
	once<T>(key: string, load: () => Promise<T>): Promise<T>;
	/** Says in n8n's log what is known; of a cancelled execution nothing else is seen. */
	log(message: string, facts: IDataObject): void;
}

/** Reads that run side by side. n8n opens a connection for each request, so more would only queue at the service. */
const READS_AT_ONCE = 5;

type Input = { value: unknown } | { error: NodeOperationError };

type Failed = NodeApiError | NodeOperationError;

type Result = { items: OutputItem[] } | { error: Failed };

/**
 * Runs the chosen operation for every input item: items in, items out, in order and paired. A failing item stops the
 * run unless the node continues on failure; what other items have bought until then stands in the error.
 */
export async function execute(
	ctx: IExecuteFunctions,
	resources: Resource[],
	credential: CredentialChoice,
): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(ctx, resources);
	const account = await openAccount(ctx, credential);
	const signal = ctx.getExecutionCancelSignal();
	const memory = new Map<string, Promise<unknown>>();
	const items = ctx.getInputData();
	const goesOn = ctx.continueOnFail();
	const journals = items.map((_, itemIndex) => openJournal(ctx, itemIndex));
	const inputs = journals.map((journal, itemIndex) =>
		readInput(ctx, operation, itemIndex, journal),
	);
	const values = inputs.map((input) => ('value' in input ? input.value : undefined));
	const results: Array<Result | undefined> = items.map(() => undefined);
	/** What an earlier try has done for an item, also for one that is not valid any more. */
	const doneBefore = (itemIndex: number): Result | undefined => {
		const done = operation.effect === 'write' ? journals[itemIndex]!.results() : undefined;
		return done && { items: done };
	};

	// A write must not be half done because a later item has a typing mistake; what an earlier try has done is told all the same
	const hindrance = goesOn
		? undefined
		: notBegun(
				operation,
				inputs,
				items.map((_, itemIndex) => doneBefore(itemIndex)),
				journals,
			);
	if (hindrance) throw hindrance;

	const runItem = async (itemIndex: number): Promise<Result> => {
		const done = doneBefore(itemIndex);
		if (done) return done;
		const input = inputs[itemIndex]!;
		if ('error' in input) return input;
		const journal = journals[itemIndex]!;
		const call: Call = {
			ctx,
			account,
			signal,
			itemIndex,
			journal,
			inputs: values,
			once: async <T>(key: string, load: () => Promise<T>) => {
				const loading = (memory.get(key) as Promise<T> | undefined) ?? load();
				memory.set(key, loading);
				// What failed for one item is tried again for the next
				loading.catch(() => memory.delete(key));
				return await loading;
			},
			log: (message, facts) => ctx.logger.warn(message, facts),
		};
		try {
			const items = withoutErrors(operation, await operation.run(call, input.value));
			// An item with an error is work that is left: a retry by n8n has to do it
			if (operation.effect === 'write' && !items.some((item) => jsonOf(item).error))
				journal.done(items.map(jsonOf));
			return { items };
		} catch (error) {
			return { error: asNodeError(ctx, error, itemIndex) };
		}
	};

	const atOnce = operation.effect === 'write' ? (operation.atOnce ?? 1) : READS_AT_ONCE;
	await inOrder(items.length, atOnce, async (itemIndex) => {
		const result = await runItem(itemIndex);
		results[itemIndex] = result;
		return 'items' in result || goesOn || operation.triesAll === true;
	});

	if (signal?.aborted && operation.effect === 'write') logDone(ctx, results, operation);
	const failed = results.flatMap((result) => (result && 'error' in result ? [result.error] : []));
	if (failed[0] && !goesOn) throw withDone(failed, results, operation);
	return [results.flatMap((result, item) => (result ? output(result, item) : []))];
}

function chosenOperation(ctx: IExecuteFunctions, resources: Resource[]): Operation {
	const resource = ctx.getNodeParameter('resource', 0);
	const value = ctx.getNodeParameter('operation', 0);
	const operation = findOperation(resources, resource, value);
	if (!operation)
		throw operationError(
			ctx.getNode(),
			`There is no operation "${value}" of "${resource}" in this node`,
		);
	return operation;
}

function readInput(
	ctx: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	journal: Journal,
): Input {
	// A field that is not there is '', an expression that finds nothing is null: it must not turn off a dry run
	const read = (name: string) => ctx.getNodeParameter(name, itemIndex, '') ?? null;
	const files = (field: string) => fileOf(ctx, itemIndex, field);
	try {
		return {
			value: operation.input(new Form(ctx.getNode(), itemIndex, operation.fields, read), files),
		};
	} catch (caught) {
		const error =
			caught instanceof NodeOperationError
				? caught
				: new NodeOperationError(ctx.getNode(), caught as Error, { itemIndex });
		const sent = sentBefore(journal, operation);
		if (!sent) return { error };
		error.message += `. An earlier try was sent, and its outcome is unknown: ${sent.what}`;
		return { error: withKnown(error, sent.known) };
	}
}

/** What an earlier try has sent for an item and may have bought, while its outcome is open: in words, and by the names of the output. */
function sentBefore(
	journal: Journal,
	{ names = [] }: Operation,
): { what: string; known: IDataObject } | undefined {
	const open = journal.open() ?? {};
	const found = names.filter((name) => open[name] !== undefined);
	const what = String(open.what ?? named(open, found));
	return what === ''
		? undefined
		: {
				what,
				known: {
					...Object.fromEntries(found.map((name) => [name, open[name]])),
					outcome: 'unknown',
				},
			};
}

/** n8n's own lookup, which also knows the places that a file has in newer versions. */
function fileOf(ctx: IExecuteFunctions, itemIndex: number, field: string): IBinaryData | undefined {
	try {
		return ctx.helpers.assertBinaryData(itemIndex, field);
	} catch {
		return undefined;
	}
}

/** Calls `work` for 0 to `count` - 1, at most `atOnce` at a time, and starts no more once one returned false. */
async function inOrder(
	count: number,
	atOnce: number,
	work: (index: number) => Promise<boolean>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) {
			const index = next++;
			if (!(await work(index))) next = count;
		}
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
}

function asNodeError(ctx: IExecuteFunctions, error: unknown, itemIndex: number): Failed {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(ctx.getNode(), error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** A failed item's output, in the keys that n8n also routes to an error output. */
function output(result: Result, item: number): INodeExecutionData[] {
	if ('items' in result) {
		return result.items.map((one) => ({
			json: jsonOf(one),
			...(one instanceof FileItem && { binary: one.binary }),
			pairedItem: { item },
		}));
	}
	const { error } = result;
	const details = {
		...(error.context.known as IDataObject | undefined),
		description: error.description ?? null,
	};
	return [{ json: { error: error.message, details }, pairedItem: { item } }];
}

/**
 * The error that ends the run: the first one, with every other failure and all that was done in its description, since
 * n8n drops the output of a node that throws and a machine that nobody knows of runs on.
 */
function withDone(
	failed: Failed[],
	results: Array<Result | undefined>,
	operation: Operation,
	more: string[] = [],
): Failed {
	const [error, ...others] = failed as [Failed, ...Failed[]];
	const done = doneItems(results);
	const lines = others.map(
		(other) => `Item ${String(other.context.itemIndex)} failed too: ${other.message}`,
	);
	if (operation.effect !== 'read') error.context.done = done;
	if (operation.effect === 'write') {
		for (const { item, json } of done)
			lines.push(`Item ${item} was done: ${named(json, operation.names)}`);
	}
	lines.push(...more);
	if (lines.length > 0)
		error.description = [error.description, ...lines].filter(Boolean).join('\n');
	return error;
}

/** The error that ends a run before its first item, or undefined where every item is valid. It tells what is left as it is, too. */
function notBegun(
	operation: Operation,
	inputs: Input[],
	before: Array<Result | undefined>,
	journals: Journal[],
): Failed | undefined {
	const invalid = inputs.flatMap((input, item) =>
		'error' in input && !before[item] ? [input.error] : [],
	);
	if (invalid.length === 0) return undefined;
	const left = inputs.flatMap((input, item) =>
		'value' in input && !before[item] ? [{ item, value: input.value }] : [],
	);
	const lines = left.flatMap(({ item }) => {
		const sent = sentBefore(journals[item]!, operation);
		return sent
			? [`Item ${item} was sent by an earlier try, and its outcome is unknown: ${sent.what}`]
			: [];
	});
	const error = withDone(invalid, before, operation, lines);
	if (left.length > 0) error.message += operation.untouched?.(left.map(({ value }) => value)) ?? '';
	return error;
}

/** n8n shows no output of a cancelled execution: what it has bought goes to the log. */
function logDone(
	ctx: IExecuteFunctions,
	results: Array<Result | undefined>,
	operation: Operation,
): void {
	for (const { item, json } of doneItems(results)) {
		const facts = Object.fromEntries(
			(operation.names ?? []).map((name) => [name, json[name] ?? null]),
		);
		ctx.logger.warn(`Cancelled after item ${item} was done: ${operation.action}`, facts);
	}
}

function doneItems(results: Array<Result | undefined>): Array<{ item: number; json: IDataObject }> {
	return results.flatMap((result, item) =>
		result && 'items' in result ? result.items.map((one) => ({ item, json: jsonOf(one) })) : [],
	);
}

/** What a service calls `error` in something that was only read is no failure of the item. */
function withoutErrors({ effect }: Operation, items: OutputItem[]): OutputItem[] {
	return effect === 'write'
		? items
		: items.map((item) => (item instanceof FileItem ? item : asItem(item)));
}

function jsonOf(item: OutputItem): IDataObject {
	return item instanceof FileItem ? item.json : item;
}

function named(json: IDataObject, names: string[] = []): string {
	return names.map((name) => `${name} ${String(json[name] ?? 'unknown')}`).join(', ');
}

/** Whether the node runs as a tool of an AI agent: called by the agent itself, or by n8n's engine for it, which marks the node. */
export function isTool(ctx: IExecuteFunctions): boolean {
	return isCalledByAgent(ctx) || ctx.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool;
}

/** Adds what is known of a machine (name, id) to an error, also where n8n shows only an item. */
export function withKnown<E extends Failed>(error: E, known: IDataObject): E {
	error.context.known = known;
	return error;
}

/** A new error that carries what is known of a machine. */
export function knownError(api: Api, problem: Problem, known: IDataObject): NodeApiError {
	return withKnown(apiError(api.ctx.getNode(), problem, api.itemIndex), known);
}

/**
 * Reads something that has to be known before the next step: an error says what could not be read.
 * @param what is read: `The price`
 * @param known what the error tells of the machine
 * @param nothing what was not done, as a sentence
 */
export async function reading<T>(
	what: string,
	known: IDataObject,
	nothing: string,
	read: () => Promise<T>,
): Promise<T> {
	try {
		return await read();
	} catch (caught) {
		const error = caught as NodeApiError;
		// One that knows something explains itself
		if (!error.context.known) error.message = `${what} could not be read: ${error.message}`;
		error.description = [error.description, nothing].filter(Boolean).join(' ');
		throw withKnown(error, { ...(error.context.known as IDataObject | undefined), ...known });
	}
}
