import { batchSize, DEFAULT_BATCH_SIZE, dimensions } from '../../intelligence/embeddingOptions';
import { embeddingModelField } from '../../intelligence/fields';
import { limitOptions, readLimits, requestsAtOnce } from '../../intelligence/requestLimits';
import {
	choice,
	flag,
	optionsField,
	readOption,
	readOptions,
	text,
	unlessBlank,
	type Option,
} from '../../shared/operation/option';
import type { Operation, Resource } from '../../shared/operation/operation';
import { operationError, type NodeError } from '../../shared/http/errors';
import { withKnown, type OperationContext } from '../../shared/operation/context';
import {
	embedItems,
	paidBeside,
	type EmbeddingInput,
	type EmbeddingResult,
} from '../../intelligence/embeddingBatches';

const includeText = flag({
	displayName: 'Include Text',
	name: 'includeText',
	description: 'Whether to add the text to the item of its vector',
});

/** Fields of the body (beyond-the-spec.md section 5 "Embeddings"). */
const bodyOptions: Option[] = [
	dimensions,
	unlessBlank(
		choice({
			displayName: 'Encoding Format',
			name: 'encodingFormat',
			options: [
				{ name: 'Base64', value: 'base64', description: 'Numbers as bytes in Base64' },
				{ name: 'Float', value: 'float', description: 'Array of numbers' },
			],
			default: 'float',
			description: 'Format of the vectors',
		}),
	),
	unlessBlank(
		text({
			displayName: 'User',
			name: 'user',
			placeholder: 'e.g. user-42',
			description: 'Identifier of your end user, which helps the service to detect abuse',
		}),
	),
];

/** `POST /api/v1/embeddings` (beyond-the-spec.md section 5 "Embeddings"): the texts of all items, many in one request. */
const create: Operation<EmbeddingInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create embeddings',
	description: 'Turn texts into vectors for semantic search, one output item for each text',
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
			placeholder: 'e.g. A server with eight GPUs',
			description: 'Text to embed. An expression may return an array of texts.',
		},
		optionsField([batchSize, includeText, ...bodyOptions, ...limitOptions, requestsAtOnce]),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			model: String(parameters.id('model')),
			texts: parameters.texts('input', { split: false }),
			options: readOptions(options, bodyOptions),
			batchSize: readOption(options, batchSize) ?? DEFAULT_BATCH_SIZE,
			limits: readLimits(options),
			requestsAtOnce: readOption(options, requestsAtOnce) ?? 1,
			includesText: readOption(options, includeText) ?? false,
		};
	},
	async run(context, { texts, includesText }) {
		const results = await context.once('embeddings', async () => await embedItems(context));
		const { vectors = [], error } = results.get(context.itemIndex) ?? {};
		if (error) throw withPaid(context, error, results);
		if (Object.keys(vectors).length < texts.length) {
			const notSent = operationError(
				context.functions.getNode(),
				'Not sent, since other texts failed',
				{ itemIndex: context.itemIndex },
			);
			throw withPaid(context, notSent, results);
		}
		return includesText
			? vectors.map((vector, index) => ({ ...vector, text: texts[index] }))
			: vectors;
	},
};

/** What failed may have cost something: a later batch is no reason to lose the vectors of the earlier ones. */
function withPaid(
	context: OperationContext,
	error: NodeError,
	results: Map<number, EmbeddingResult>,
): NodeError {
	const paid = paidBeside(context, results);
	const count = (paid.partial?.length ?? 0) + (paid.others_partial?.length ?? 0);
	if (count === 0) return error;
	const words = `${count} vectors that are paid for are in the error details. With Retry On Fail, the node does not ask for them again.`;
	error.description = [error.description, words].filter(Boolean).join('\n');
	return withKnown(error, paid);
}

export const embedding: Resource = { value: 'embedding', name: 'Embedding', operations: [create] };
