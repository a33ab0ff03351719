import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { ownWords } from '../../shared/http/errors';
import { collectionField } from '../../shared/fields';
import { LARGEST_BODY_BYTES } from '../../shared/http/body';
import { parseJson } from '../../shared/json';
import type { Operation, Resource } from '../../shared/operation/operation';
import { replyError, send } from '../../shared/http/request';
import { embeddingModelField } from '../../intelligence/fields';
import { API, GENERATION_DEADLINE_MS } from '../../intelligence/paths';
import { countTokens } from '../tokens';
import { isRecord } from '../../shared/guards';
import type { OperationContext } from '../../shared/operation/context';
import { type Reply, isSuccess } from '../../shared/http/reply';

interface Input {
	model: string;
	texts: string[];
	options: IDataObject;
	batchSize: number;
}

/** One text on its way: where it came from, and what became of it. */
interface Piece {
	item: number;
	index: number;
	text: string;
}

type Results = Map<number, { vectors: IDataObject[]; error?: NodeApiError | NodeOperationError }>;

/** Room for a vector of 6,000 numbers with all their digits; 256 MiB for the largest batch. */
const LARGEST_VECTOR_BYTES = 128 * 1024;

const FORMATS = ['float', 'base64'] as const;

/** `POST /api/v1/embeddings` (beyond-the-spec.md section 5 "Embeddings"): the texts of all items, many in one request. */
const create: Operation<Input> = {
	value: 'create',
	name: 'Create',
	action: 'Create embeddings',
	description: 'Turn text into vectors for semantic search: one output item for each text',
	effect: 'generate',
	fields: [
		embeddingModelField,
		{
			displayName: 'Input',
			name: 'input',
			type: 'string',
			typeOptions: { rows: 3 },
			required: true,
			default: '',
			placeholder: 'e.g. A machine with eight cards',
			description: 'The text. An expression may give a list of texts.',
		},
		collectionField('options', 'Options', 'Add Option', [
			{
				displayName: 'Batch Size',
				name: 'batchSize',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 2048, numberPrecision: 0 },
				default: 100,
				description:
					'Most texts in one request, over all items, 1 to 2048. A refused batch is halved.',
			},
			{
				displayName: 'Dimensions',
				name: 'dimensions',
				type: 'number',
				typeOptions: { minValue: 1, numberPrecision: 0 },
				default: 256,
				description: 'Length of the vectors, for models that let it be chosen',
			},
			{
				displayName: 'Encoding Format',
				name: 'encodingFormat',
				type: 'options',
				options: [
					{ name: 'Base64', value: 'base64', description: 'The numbers as packed bytes in text' },
					{ name: 'Float', value: 'float', description: 'A list of numbers' },
				],
				default: 'float',
				description: 'How the vectors are written',
			},
			{
				displayName: 'User',
				name: 'user',
				type: 'string',
				default: '',
				placeholder: 'e.g. user-42',
				description: 'Identifier of your own user, for the service to find abuse',
			},
		]),
	],
	input(parameters) {
		const options = parameters.group('options');
		const [dimensions, user] = [
			options.optionalInteger('dimensions', { min: 1 }),
			options.optionalText('user'),
		];
		return {
			model: String(parameters.id('model')),
			texts: parameters.verbatimTexts('input'),
			options: {
				...(dimensions !== undefined && { dimensions }),
				...(options.has('encodingFormat') && {
					encoding_format: options.choice('encodingFormat', FORMATS),
				}),
				...(user !== undefined && { user }),
			},
			batchSize: options.optionalInteger('batchSize', { min: 1, max: 2048 }) ?? 100,
		};
	},
	async run(context) {
		const results = await context.once('embeddings', async () => await embedAll(context));
		const { vectors = [], error } = results.get(context.itemIndex) ?? {};
		if (error) throw error;
		return vectors;
	},
};

/** Sends the texts of all items, those with equal settings together. */
async function embedAll(context: OperationContext): Promise<Results> {
	const results: Results = new Map();
	const groups = new Map<string, { input: Input; pieces: Piece[] }>();
	for (const [item, value] of context.inputs.entries()) {
		if (value === undefined) continue;
		const input = value as Input;
		const key = JSON.stringify([input.model, input.options, input.batchSize]);
		const group = groups.get(key) ?? { input, pieces: [] };
		groups.set(key, group);
		group.pieces.push(...input.texts.map((text, index) => ({ item, index, text })));
		results.set(item, { vectors: [] });
	}
	for (const { input, pieces } of groups.values()) {
		await embedGroup(context, input, pieces, results);
		const failed = [...results.values()].some(({ error }) => error);
		if (failed && !context.functions.continueOnFail()) break;
	}
	return results;
}

/**
 * Texts with equal settings, a batch at a time. A batch that is refused is halved, so that only a text that is refused alone
 * fails, and only its item. Where nothing was taken yet and the text at the other end and the shortest one are refused in the
 * same words, it is not the texts: the others fail with these three.
 */
async function embedGroup(
	context: OperationContext,
	{ model, options, batchSize }: Input,
	pieces: Piece[],
	results: Results,
): Promise<void> {
	const waiting: Piece[][] = [];
	for (let from = 0; from < pieces.length; from += batchSize)
		waiting.push(pieces.slice(from, from + batchSize));
	// Null once the service has taken a text: the settings are not at fault then
	let refused: string | null | undefined;
	let shortest: Piece[] | undefined;
	for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
		if (batch.length === 0) continue;
		const body = { model, input: batch.map(({ text }) => text), ...options };
		const largestTextBytes = Math.max(LARGEST_BODY_BYTES, batch.length * LARGEST_VECTOR_BYTES);
		const reply = await send(context, {
			method: 'POST',
			path: `${API}/embeddings`,
			body,
			retry: 'billed',
			deadlineMs: GENERATION_DEADLINE_MS,
			largestTextBytes,
		});
		const refusal = refusalOf(reply);
		const isSame = refusal !== undefined && refusal === refused;
		const isHopeless = isSame && batch === shortest;
		if (refusal !== undefined && batch.length > 1 && !namesOtherField(reply)) {
			const half = Math.ceil(batch.length / 2);
			waiting.unshift(batch.slice(0, half), batch.slice(half));
			continue;
		}
		const reading = read(context, reply, batch.length);
		keep(reading, isHopeless ? [batch, ...waiting.splice(0)].flat() : batch, results);
		if (reading.error && !context.functions.continueOnFail()) return;
		const last = refusal !== undefined && refused === undefined && waiting.at(-1)?.pop();
		if (last) waiting.unshift([last]);
		if (isSame) waiting.unshift((shortest = takeShortest(waiting)));
		if (refused !== null) refused = reading.error ? (refusal ?? refused) : null;
	}
}

/** Takes the shortest text out of those that wait; nothing where none does. */
function takeShortest(waiting: Piece[][]): Piece[] {
	const [shortest] = waiting.flat().sort((a, b) => a.text.length - b.text.length);
	const home = waiting.find((batch) => batch.some((piece) => piece === shortest));
	return shortest && home ? home.splice(home.indexOf(shortest), 1) : [];
}

/** What a service answers to more texts, or longer ones, than its model takes at once; nothing is billed then. */
const TOO_MUCH = [400, 413, 422];

/** Status and words of a refusal that may be about the texts. */
function refusalOf(reply: Reply): string | undefined {
	if (reply.kind !== 'answer' || !TOO_MUCH.includes(reply.status)) return undefined;
	return `${reply.status} ${ownWords(reply.contentType, reply.text)}`;
}

/** A 422 about `dimensions`, say, stays the same for fewer texts. */
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

function keep({ vectors, error }: Reading, pieces: Piece[], results: Results): void {
	for (const [place, { item, index }] of pieces.entries()) {
		const result = results.get(item);
		if (!result) continue;
		if (error) result.error ??= error(item);
		else result.vectors[index] = { ...vectors[place], index };
	}
}

interface Reading {
	vectors: IDataObject[];
	/** The same error for each item of the batch, which may not share one: it names its item. */
	error?: (item: number) => NodeApiError | NodeOperationError;
}

/** The entries of the answer in the order of the texts. */
function read(context: OperationContext, reply: Reply, count: number): Reading {
	const failed = (how: Reply): Reading => ({
		vectors: [],
		error: (item) => replyError({ ...context, itemIndex: item }, how),
	});
	// Of lost answers only one that is too large is permanent
	if (reply.kind === 'lost' && reply.permanent && count > 1)
		return failed({
			...reply,
			reason: `${reply.reason} for ${count} texts: choose a smaller Batch Size`,
		});
	const answer =
		reply.kind === 'answer' && isSuccess(reply.status) ? parseJson(reply.text) : undefined;
	if (!isRecord(answer)) return failed(reply);
	countTokens(context.functions, answer.usage);
	const vectors = (Array.isArray(answer.data) ? answer.data : []).filter(
		(entry): entry is IDataObject => isRecord(entry),
	);
	if (vectors.length !== count)
		return failed({
			kind: 'lost',
			reason: `The answer holds ${vectors.length} vectors for ${count} texts`,
			status: 200,
		});
	// The order of the list is not promised, the index is
	if (vectors.every(({ index }) => typeof index === 'number'))
		vectors.sort((a, b) => Number(a.index) - Number(b.index));
	const model = typeof answer.model === 'string' ? { model: answer.model } : {};
	return { vectors: vectors.map((entry) => ({ ...entry, ...model })) };
}

export const embedding: Resource = { value: 'embedding', name: 'Embedding', operations: [create] };
