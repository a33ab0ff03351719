import type { IDataObject } from 'n8n-workflow';
import { API } from './paths';
import type { RequestLimits } from './requestLimits';
import { isRecord } from '../shared/guards';
import { LARGEST_BODY_BYTES } from '../shared/http/body';
import { ownWords, type NodeError } from '../shared/http/errors';
import { refusalAlone } from '../shared/http/refusal';
import { isSuccess, type Reply } from '../shared/http/reply';
import { replyError, send, type RequestContext } from '../shared/http/request';
import { parseAnswer, parseJson } from '../shared/json';
import { withKnown } from '../shared/operation/context';
import { countTokens } from './tokens';
import { indexOf, problemOf, sizeOf } from './vectors';

/** What embedding needs of its context. */
export interface EmbeddingContext extends RequestContext {
	functions: RequestContext['functions'] & { continueOnFail(): boolean };
	itemIndex: number;
	/** The checked input of every item, undefined where it is not valid. */
	inputs: unknown[];
	/** What an earlier try of the node has kept of answers that are paid. */
	kept: Map<string, unknown>;
}

/** The checked parameters of one item. */
export interface EmbeddingInput {
	model: string;
	texts: string[];
	/** Further fields of the body. */
	options: IDataObject;
	/** Maximum number of texts in one request. */
	batchSize: number;
	limits: RequestLimits;
	/** Requests that run side by side. */
	requestsAtOnce: number;
	/** Whether the items carry their texts. */
	includesText: boolean;
}

/** The vectors of one item in the order of its texts, or why there are none. */
export interface EmbeddingResult {
	vectors: IDataObject[];
	error?: NodeError;
}

/** A text with the item it comes from and its index there. */
interface Entry {
	item: number;
	index: number;
	text: string;
}

/** Texts with equal settings. */
interface Group {
	input: EmbeddingInput;
	entries: Entry[];
	/** Their settings. */
	key: string;
	/** Number of dimensions of the vectors by settings, also from an earlier try of the node: an index takes vectors of one size. */
	sizes: Map<string, number>;
}

type Results = Map<number, EmbeddingResult>;

/** Space for a vector of 6,000 numbers with all their digits; 256 MiB for the largest batch. */
const MAX_VECTOR_BYTES = 128 * 1024;

/**
 * Embeds the texts of all items (beyond-the-spec.md section 5 "Embeddings"), those with equal settings together.
 * Stops at the first error unless the node continues on failure.
 * @returns the result of each valid item, by its index
 */
export async function embedItems(context: EmbeddingContext): Promise<Results> {
	const results: Results = new Map();
	const paid = paidVectors(context);
	const sizes = keptMap<number>(context, 'sizes');
	const groups = new Map<string, Group>();
	for (const [item, value] of context.inputs.entries()) {
		if (value === undefined) continue;
		const input = value as EmbeddingInput;
		const { texts, ...settings } = input;
		const key = JSON.stringify(settings);
		const group = groups.get(key) ?? { input, entries: [], sizes, key };
		groups.set(key, group);
		results.set(item, { vectors: [] });
		for (const [index, text] of texts.entries()) {
			const entry = { item, index, text };
			const vector = paid.get(JSON.stringify(entry));
			if (vector) results.get(item)!.vectors[index] = vector;
			else group.entries.push(entry);
		}
	}
	for (const group of groups.values()) {
		await embedGroup(context, group, results);
		const isFailed = [...results.values()].some(({ error }) => error);
		if (isFailed && !context.functions.continueOnFail()) break;
	}
	return results;
}

/**
 * Embeds texts with equal settings, a batch at a time. A rejected batch is split in half, so that only a text that is rejected
 * alone fails, and only its item. If no text has been accepted yet and the first, the last and the shortest text are rejected
 * with the same words, the fault is not in the texts: the others fail with these three.
 */
async function embedGroup(
	context: EmbeddingContext,
	group: Group,
	results: Results,
): Promise<void> {
	const { input, entries, sizes, key } = group;
	const { model, options, batchSize, limits, requestsAtOnce } = input;
	const queue: Entry[][] = [];
	for (let from = 0; from < entries.length; from += batchSize)
		queue.push(entries.slice(from, from + batchSize));
	let isAccepted = false;
	let isOver = false;
	let lastRejection: string | undefined;
	let shortest: Entry[] | undefined;
	const embedNext = async (): Promise<boolean> => {
		const batch = queue.shift();
		if (!batch || isOver) return false;
		if (batch.length === 0) return true;
		const reply = await send(context, {
			method: 'POST',
			path: `${API}/embeddings`,
			body: { model, input: batch.map(({ text }) => text), ...options },
			retry: 'billed',
			retryLimits: limits.retryLimits,
			deadlineMs: limits.deadlineMs,
			largestTextBytes: Math.max(LARGEST_BODY_BYTES, batch.length * MAX_VECTOR_BYTES),
		});
		const rejection = rejectionOf(reply);
		const isRejected = rejection !== undefined;
		if (isRejected && batch.length > 1 && !namesOtherField(reply)) {
			const half = Math.ceil(batch.length / 2);
			queue.unshift(batch.slice(0, half), batch.slice(half));
			return true;
		}
		const isSame = !isAccepted && isRejected && rejection === lastRejection;
		const failsAll = isSame && batch === shortest;
		const outcome = readVectors(context, reply, batch.length, sizes.get(key) ?? options.dimensions);
		if (outcome.size !== undefined) sizes.set(key, outcome.size);
		const recorded = failsAll ? [batch, ...queue.splice(0)].flat() : batch;
		record(outcome, recorded, results, paidVectors(context));
		// Others may be under way, and a later success must not let them go on
		isOver ||= outcome.errorOf !== undefined && !context.functions.continueOnFail();
		const isFirstRejection = !isAccepted && isRejected && lastRejection === undefined;
		const last = isFirstRejection && queue.at(-1)?.pop();
		if (last) queue.unshift([last]);
		if (isSame) queue.unshift((shortest = takeShortest(queue)));
		if (outcome.errorOf) lastRejection = rejection ?? lastRejection;
		else isAccepted = true;
		return true;
	};
	// Whether the fault is in the texts is known once one was accepted
	while (!isAccepted && (await embedNext()));
	const embedAll = async () => {
		while (await embedNext());
	};
	await Promise.all(Array.from({ length: requestsAtOnce }, embedAll));
}

/**
 * For the error of an item, the vectors that are paid for and in no output: those of the item, and, where the error ends the
 * execution, those of the items after it.
 */
export function paidBeside(
	{ itemIndex, functions }: EmbeddingContext,
	results: Results,
): { partial?: IDataObject[]; others_partial?: IDataObject[] } {
	const own = Object.values(results.get(itemIndex)!.vectors);
	const others = [...results].flatMap(([item, { vectors }]) =>
		item > itemIndex ? Object.values(vectors).map((vector) => ({ item, ...vector })) : [],
	);
	return {
		...(own.length > 0 && { partial: own }),
		...(others.length > 0 && !functions.continueOnFail() && { others_partial: others }),
	};
}

/** The vectors that an earlier try of the node has paid for, by item, index and text. */
function paidVectors(context: EmbeddingContext): Map<string, IDataObject> {
	return keptMap(context, 'vectors');
}

function keptMap<T>({ kept }: EmbeddingContext, name: string): Map<string, T> {
	const map = (kept.get(name) ?? new Map()) as Map<string, T>;
	kept.set(name, map);
	return map;
}

/** Removes the shortest text from the queue; empty if the queue is. */
function takeShortest(queue: Entry[][]): Entry[] {
	const [shortest] = queue.flat().sort((a, b) => a.text.length - b.text.length);
	if (!shortest) return [];
	const batch = queue.find((entries) => entries.includes(shortest))!;
	return batch.splice(batch.indexOf(shortest), 1);
}

/** Statuses for more texts, or longer ones, than the model accepts in one request; such a request is not billed. */
const REJECTED_STATUSES = [400, 413, 422];

/** Status and words of a rejection that may be about the texts. */
function rejectionOf(reply: Reply): string | undefined {
	if (reply.kind !== 'answer' || !REJECTED_STATUSES.includes(reply.status)) return undefined;
	return `${reply.status} ${ownWords(reply.contentType, reply.text)}`;
}

/** Whether a validation error is about a field such as `dimensions`: fewer texts would not help. */
function namesOtherField(reply: Reply): boolean {
	const body = reply.kind === 'answer' && reply.status === 422 ? parseJson(reply.text) : undefined;
	return (
		isRecord(body) &&
		Array.isArray(body.detail) &&
		body.detail.some(
			(fault) =>
				isRecord(fault) &&
				Array.isArray(fault.loc) &&
				fault.loc.some((part) => part !== 'body') &&
				!fault.loc.includes('input'),
		)
	);
}

/** What became of a batch. */
type Outcome =
	/** A vector for each of its texts, and the number of their dimensions. */
	| { vectors: IDataObject[]; size: number; errorOf?: undefined }
	/** The error for each item of the batch: n8n's errors name their item, so items cannot share one. */
	| { errorOf: (item: number) => NodeError; size?: undefined };

function record(
	outcome: Outcome,
	entries: Entry[],
	results: Results,
	paid: Map<string, IDataObject>,
): void {
	for (const [position, entry] of entries.entries()) {
		const { item, index } = entry;
		const result = results.get(item)!;
		if (outcome.errorOf) result.error ??= outcome.errorOf(item);
		else {
			const vector = { ...outcome.vectors[position], index };
			result.vectors[index] = vector;
			paid.set(JSON.stringify(entry), vector);
		}
	}
}

/** What a service says of vectors that are missing: beside them all, and in place of each, mostly in the same words. */
function whyIn(response: IDataObject, entries: IDataObject[]): string {
	const missing = entries.filter(({ embedding }) => sizeOf(embedding) === 0);
	const words = [{ ...response, data: undefined }, ...missing].map((one) =>
		ownWords('application/json', JSON.stringify(one)),
	);
	return ownWords('application/json', JSON.stringify([...new Set(words)]));
}

/** The vectors of a reply in the order of the texts. */
function readVectors(
	context: EmbeddingContext,
	reply: Reply,
	count: number,
	dimensions: unknown,
): Outcome {
	const failed = (failure: Reply): Outcome => ({
		errorOf: (item) => replyError({ ...context, itemIndex: item }, failure),
	});
	// A lost response that would be lost again is one that is too large
	if (reply.kind === 'lost' && reply.permanent && count > 1)
		return failed({
			...reply,
			reason: `${reply.reason} for ${count} texts: choose a smaller Batch Size`,
		});
	const text = reply.kind === 'answer' && isSuccess(reply.status) ? reply.text : '';
	// Vectors are many digits, which are read at once; NaN among them is rare. The list may come without its envelope
	const answer = parseJson(text) ?? parseAnswer(text);
	const response = Array.isArray(answer) ? { data: answer as IDataObject[] } : answer;
	if (!isRecord(response)) return failed(reply);
	countTokens(context.functions, response.usage);
	const list = Array.isArray(response.data) ? response.data : [];
	const vectors = list.filter((entry): entry is IDataObject => isRecord(entry));
	const problem = problemOf(vectors, count, dimensions);
	const words = problem && whyIn(response as IDataObject, vectors);
	const reason = `The response contains ${problem}${words ? `: ${words}` : ''}`;
	// What came is paid for, whatever it is of
	const error = (item: number) =>
		withKnown(replyError({ ...context, itemIndex: item }, { kind: 'lost', reason, status: 200 }), {
			...(refusalAlone(response) === undefined && { response: response as IDataObject }),
		});
	if (problem) return { errorOf: error };
	// The order of the list is not specified, the index is; all have one, or none
	vectors.sort((a, b) => (indexOf(a) ?? 0) - (indexOf(b) ?? 0));
	const model = typeof response.model === 'string' ? { model: response.model } : {};
	const told = vectors.map((entry): IDataObject => ({ ...entry, ...model }));
	return { vectors: told, size: sizeOf(told[0]?.embedding) };
}
