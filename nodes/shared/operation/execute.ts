import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type {
	IBinaryData,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { checkSameForAll, openAccount, type CredentialChoices } from '../http/credentials';
import { isFile } from '../guards';
import { operationError, type NodeError } from '../http/errors';
import { withKnown, type OperationContext } from './context';
import { inOrder } from './inOrder';
import { asItem, FileItem, jsonOf, type OutputItem } from './items';
import { openJournals, type Journal } from './journal';
import { openMemory } from './memory';
import { findOperation, type Operation, type Resource } from './operation';
import type { Outputs, SimplifiableOutput } from './output';
import { Parameters } from './parameters';
import {
	earlierIntent,
	logFinished,
	outputOf,
	preflightError,
	withFinished,
	type ItemInput,
	type Result,
} from './results';
import { readSelection, simplifiableOutput, simplifyFields } from './simplify';

/** Reads that run side by side. n8n opens a connection for each request, so more would only queue at the service. */
const CONCURRENT_READS = 5;

/**
 * Runs the chosen operation for every input item: items in, items out, in order and paired. A failing item stops the
 * execution unless the node continues on failure; what other items have bought until then is in the error.
 */
export async function execute(
	functions: IExecuteFunctions,
	resources: Resource[],
	credentials: CredentialChoices,
	outputs: Outputs = {},
): Promise<INodeExecutionData[][]> {
	const chosen = chosenOperation(functions, resources, outputs);
	const { operation } = chosen;
	const account = await openAccount(functions, credentials);
	const signal = functions.getExecutionCancelSignal();
	const items = functions.getInputData();
	if (operation.effect === 'write') await checkSameForAll(functions, account, items.length);
	const continues = functions.continueOnFail();
	const journalOf = openJournals(functions);
	const journals = items.map((_, itemIndex) => journalOf(itemIndex));
	const inputs = journals.map((journal, itemIndex) =>
		readInput(functions, chosen, itemIndex, journal),
	);
	const once = memoize();
	const memory = openMemory(functions);
	/** What an earlier try has done for each item, also for one that is not valid any more. */
	const finished = journals.map((journal, itemIndex): { items: OutputItem[] } | undefined => {
		const results =
			operation.effect === 'write' ? journal.results() : memory.answers.get(itemIndex);
		return results && { items: results };
	});
	const values = inputs.map((input, itemIndex) =>
		'value' in input && !memory.answers.has(itemIndex) ? input.value : undefined,
	);

	// A write must not be half done because a later item has a typing mistake; what an earlier try has done is reported all the same
	const preflight = continues ? undefined : preflightError(operation, inputs, finished, journals);
	if (preflight) throw preflight;

	const contextOf = (itemIndex: number): OperationContext => ({
		functions,
		account,
		signal,
		itemIndex,
		journal: journals[itemIndex]!,
		known: {},
		inputs: values,
		once,
		kept: memory.kept,
		log: (message, facts) => functions.logger.warn(message, facts),
	});
	const runItem = async (itemIndex: number): Promise<Result> => {
		const earlier = finished[itemIndex];
		const input = inputs[itemIndex]!;
		const context = contextOf(itemIndex);
		const { journal } = context;
		try {
			if (earlier)
				return {
					items: (await operation.again?.(context, earlier.items.map(jsonOf))) ?? earlier.items,
				};
			if ('error' in input) return input;
			const output = withoutErrors(operation, await operation.run(context, input.value));
			// An item with an error is work that is left: a retry by n8n has to do it
			if (operation.effect === 'write' && !output.some((item) => jsonOf(item).error))
				journal.done(output.map(jsonOf));
			if (operation.effect === 'generate') memory.answers.set(itemIndex, output);
			return { items: output };
		} catch (caught) {
			const error = asNodeError(functions, caught, itemIndex);
			return { error: withKnown(error, context.known) };
		}
	};

	const results: Array<Result | undefined> = items.map(() => undefined);
	const concurrency =
		operation.effect === 'write'
			? (operation.concurrency ?? 1)
			: (operation.requestsAtOnce?.(values) ?? CONCURRENT_READS);
	await inOrder(items.length, concurrency, async (itemIndex) => {
		const result = await runItem(itemIndex);
		results[itemIndex] = result;
		return 'items' in result || continues || operation.runsAllItems === true;
	});

	if (signal?.aborted && operation.effect === 'write') logFinished(functions, results, operation);
	const failed = results.flatMap((result) => (result && 'error' in result ? [result.error] : []));
	if (failed[0] && !continues) throw withFinished(failed, results, operation);
	if (failed.length === 0) memory.clear();
	const selections = inputs.map((input) => ('value' in input ? input.selection : undefined));
	return [
		results.flatMap((result, item) => (result ? outputOf(result, item, selections[item]) : [])),
	];
}

interface Chosen {
	operation: Operation;
	/** Where it can be simplified. */
	output: SimplifiableOutput | undefined;
	/** Its form. */
	fields: INodeProperties[];
}

function chosenOperation(
	functions: IExecuteFunctions,
	resources: Resource[],
	outputs: Outputs,
): Chosen {
	const resource = functions.getNodeParameter('resource', 0);
	const value = functions.getNodeParameter('operation', 0);
	const operation = findOperation(resources, resource, value);
	if (operation) {
		const output = simplifiableOutput(outputs, resource, value);
		const fields = [...operation.fields, ...simplifyFields(operation, output)];
		return { operation, output, fields };
	}
	throw operationError(
		functions.getNode(),
		`There is no operation "${value}" of "${resource}" in this node`,
	);
}

function readInput(
	functions: IExecuteFunctions,
	{ operation, output, fields }: Chosen,
	itemIndex: number,
	journal: Journal,
): ItemInput {
	const node = functions.getNode();
	// A parameter that is not there is '', an expression that finds nothing is null: it must not turn off a dry run
	const read = (name: string) => functions.getNodeParameter(name, itemIndex, '') ?? null;
	const files = (parameter: string) => fileOf(functions, itemIndex, parameter);
	try {
		const parameters = new Parameters(node, itemIndex, fields, read);
		const selection = readSelection(functions, parameters, operation, output);
		return { value: operation.input(parameters, files), selection };
	} catch (caught) {
		const error =
			caught instanceof NodeOperationError
				? caught
				: new NodeOperationError(node, caught as Error, { itemIndex });
		const intent = earlierIntent(journal, operation);
		if (!intent) return { error };
		error.message += `. An earlier try was sent, and its outcome is unknown: ${intent.what}`;
		return { error: withKnown(error, intent.known) };
	}
}

/** n8n's own lookup, which also knows where newer versions keep a file. */
function fileOf(
	functions: IExecuteFunctions,
	itemIndex: number,
	parameter: string,
): IBinaryData | undefined {
	try {
		const file = functions.helpers.assertBinaryData(itemIndex, parameter);
		return isFile(file) ? file : undefined;
	} catch {
		return undefined;
	}
}

/** Keeps what was loaded under a key; a load that fails is tried again by the next item. */
function memoize(): OperationContext['once'] {
	const loads = new Map<string, Promise<unknown>>();
	return async <T>(key: string, load: () => Promise<T>) => {
		const loading = (loads.get(key) as Promise<T> | undefined) ?? load();
		loads.set(key, loading);
		loading.catch(() => loads.delete(key));
		return await loading;
	};
}

function asNodeError(functions: IExecuteFunctions, error: unknown, itemIndex: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(
		functions.getNode(),
		error instanceof Error ? error : String(error),
		{ itemIndex },
	);
}

/** What a service calls `error` in something that was only read is no failure of the item. */
function withoutErrors({ effect }: Operation, items: OutputItem[]): OutputItem[] {
	return effect === 'write'
		? items
		: items.map((item) => (item instanceof FileItem ? item : asItem(item)));
}
