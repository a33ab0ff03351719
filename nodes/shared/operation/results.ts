import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import type { NodeError } from '../http/errors';
import { knownOf } from './context';
import { FileItem, jsonOf, type OutputItem } from './items';
import type { Journal } from './journal';
import type { Operation } from './operation';
import { select, type Selection } from './simplify';

/** One item's checked input, or why it is not valid. */
export type ItemInput = { value: unknown; selection?: Selection } | { error: NodeOperationError };

/** How one item ended. */
export type Result = { items: OutputItem[] } | { error: NodeError };

/** The output of one item; that of a failed one in the keys that n8n also routes to an error output. */
export function outputOf(result: Result, item: number, selection: Selection): INodeExecutionData[] {
	if ('items' in result) {
		return result.items.map((one) => ({
			json: select(jsonOf(one), selection),
			...(one instanceof FileItem && { binary: one.binary }),
			pairedItem: { item },
		}));
	}
	const { error } = result;
	const details = { ...knownOf(error), description: error.description ?? null };
	return [{ json: { error: error.message, details }, pairedItem: { item } }];
}

/**
 * The error that ends the execution: the first one, with every other failure and all that was done in its description,
 * since n8n drops the output of a node that throws, and a deployment that nobody knows of goes on billing.
 */
export function withFinished(
	failed: NodeError[],
	results: Array<Result | undefined>,
	operation: Operation,
	more: string[] = [],
): NodeError {
	const [error, ...others] = failed as [NodeError, ...NodeError[]];
	const finished = finishedItems(results);
	const lines = failedToo(others, operation);
	if (operation.effect !== 'read') error.context.done = finished;
	// What failed was paid for too
	if (operation.effect === 'generate' && others.length > 0)
		error.context.others = others.map((other) => ({
			item: other.context.itemIndex,
			...knownOf(other),
		}));
	if (operation.effect === 'write') {
		for (const { item, json } of finished)
			lines.push(`Item ${item} was done: ${identified(json, operation.identifyingKeys)}`);
	}
	lines.push(...more);
	if (lines.length > 0)
		error.description = [error.description, ...lines].filter(Boolean).map(asSentence).join('\n');
	return error;
}

/** n8n shows a line break as a blank. */
function asSentence(line: unknown): string {
	return String(line).replace(/[^.:]$/, '$&.');
}

/** Items that failed in the same words share a line: after a list of 50, that would be all there is to read. */
function failedToo(others: NodeError[], operation: Operation): string[] {
	const items = new Map<string, string[]>();
	for (const other of others) {
		const words = `${other.message}${unnamed(other, operation)}`;
		items.set(words, [...(items.get(words) ?? []), String(other.context.itemIndex)]);
	}
	return [...items].map(
		([words, indices]) =>
			`Item${indices.length > 1 ? 's' : ''} ${indices.join(', ')} failed too: ${words}`,
	);
}

/**
 * The error that ends an execution before its first item, or undefined where every item is valid. It also says what
 * earlier tries have sent and what is left as it is.
 * @param finished by item, what an earlier try has done
 */
export function preflightError(
	operation: Operation,
	inputs: ItemInput[],
	finished: Array<Result | undefined>,
	journals: Journal[],
): NodeError | undefined {
	const invalid = inputs.flatMap((input, item) =>
		'error' in input && !finished[item] ? [input.error] : [],
	);
	if (invalid.length === 0) return undefined;
	const left = inputs.flatMap((input, item) =>
		'value' in input && !finished[item] ? [{ item, value: input.value }] : [],
	);
	const lines = left.flatMap(({ item }) => {
		const intent = earlierIntent(journals[item]!, operation);
		return intent
			? [`Item ${item} was sent by an earlier try, and its outcome is unknown: ${intent.what}`]
			: [];
	});
	const error = withFinished(invalid, finished, operation, lines);
	if (left.length > 0)
		error.message += operation.describeUnsent?.(left.map(({ value }) => value)) ?? '';
	return error;
}

/** What an earlier try has sent for an item while its outcome is unknown: in words, and by the names of the output. */
export function earlierIntent(
	journal: Journal,
	{ identifyingKeys = [] }: Operation,
): { what: string; known: IDataObject } | undefined {
	const intent = journal.intent() ?? {};
	const found = identifyingKeys.filter((key) => intent[key] !== undefined);
	const what = String(intent.what ?? identified(intent, found));
	if (what === '') return undefined;
	const known = Object.fromEntries(found.map((key) => [key, intent[key]]));
	return { what, known: { ...known, outcome: 'unknown' } };
}

/** n8n shows no output of a cancelled execution: what it has bought goes to the log. */
export function logFinished(
	functions: IExecuteFunctions,
	results: Array<Result | undefined>,
	operation: Operation,
): void {
	for (const { item, json } of finishedItems(results)) {
		const facts = Object.fromEntries(
			(operation.identifyingKeys ?? []).map((key) => [key, json[key] ?? null]),
		);
		functions.logger.warn(`Cancelled after item ${item} was done: ${operation.action}`, facts);
	}
}

function finishedItems(
	results: Array<Result | undefined>,
): Array<{ item: number; json: IDataObject }> {
	return results.flatMap((result, item) =>
		result && 'items' in result ? result.items.map((one) => ({ item, json: jsonOf(one) })) : [],
	);
}

/** What a message does not name of what its error is about. */
function unnamed(error: NodeError, { identifyingKeys = [] }: Operation): string {
	const known = knownOf(error) ?? {};
	const keys = identifyingKeys.filter(
		(key) => (known[key] ?? null) !== null && !error.message.includes(String(known[key])),
	);
	return keys.length > 0 ? ` (${identified(known, keys)})` : '';
}

function identified(json: IDataObject, keys: string[] = []): string {
	return keys.map((key) => `${key} ${String(json[key] ?? 'unknown')}`).join(', ');
}
