import type { IDataObject } from 'n8n-workflow';
import { contextError, isTool, type OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import {
	choice,
	integer,
	json,
	number,
	optionsField,
	readOption,
	text,
	unlessBlank,
	type Option,
} from '../../../shared/operation/option';
import { CUT_OFF_NOTE, readAnswer } from '../../../intelligence/chatStream';
import { objectsOf } from '../../../intelligence/retrieval/envelope';
import { promptInputs } from '../../../intelligence/retrieval/extraBody';
import { promptNameField, queryField, topKField } from '../../../intelligence/retrieval/fields';
import {
	chunksOf,
	relevant,
	contextOf,
	sendSearch,
	shortened,
	sourceOf,
	textOf,
	withinBudget,
	type SearchRequest,
} from '../../../intelligence/retrieval/search';
import { noAnswer, sendGenerate } from '../../answer';
import { sourcesText } from '../../sources';
import { readSearchRequest, searchOptions } from '../../../intelligence/retrieval/searchSettings';

interface Input {
	body: SearchRequest;
	promptName: string;
	promptInputs?: IDataObject;
	extra?: IDataObject;
	minScore?: number;
	maxContextCharacters: number;
	refusalText: string;
	onNothingFound: 'error' | 'refuse';
}

const REFUSAL = 'I found nothing about this in the documents.';
const CONTEXT_CHARACTERS = 20_000;
/** How much of a source an AI agent gets: enough to quote. */
const TOOL_QUOTE_CHARACTERS = 200;

const maxContextCharacters = integer({
	displayName: 'Max Context Characters',
	name: 'maxContextCharacters',
	limits: { min: 1 },
	default: CONTEXT_CHARACTERS,
	description: 'Maximum length of the context for the model. The best chunks are kept, uncut.',
});

const minScore = number({
	displayName: 'Minimum Score',
	name: 'minScore',
	precision: 4,
	default: 0,
	description:
		'Minimum relevance score of a chunk. If no chunk reaches it, the answer is the refusal text, and no model is asked.',
});

const onNothingFound = unlessBlank(
	choice({
		displayName: 'On Nothing Found',
		name: 'onNothingFound',
		options: [
			{ name: 'Answer with the Refusal Text', value: 'refuse' },
			{
				name: 'Stop With an Error',
				value: 'error',
				description: 'With an error output, the workflow can take another path',
			},
		],
		default: 'refuse',
		description: 'What to do if no chunk matches the question',
	}),
);

const refusalText = unlessBlank(
	text({
		displayName: 'Refusal Text',
		name: 'refusalText',
		default: REFUSAL,
		description: 'Answer if no chunk matches the question',
	}),
);

const extraAnswerBody = unlessBlank(
	json({
		displayName: 'Extra Answer Fields (JSON)',
		name: 'extraAnswerBody',
		description:
			'Further fields of the request for the answer; Extra Body Fields are those of the search',
	}),
);

const ownOptions: Option[] = [
	extraAnswerBody,
	promptInputs,
	maxContextCharacters,
	minScore,
	onNothingFound,
	refusalText,
];

/** A search, then an answer from the chunks found (intelligence-api.md "Retrieval search" and "RAG generate"). */
export const ask: Operation<Input> = {
	value: 'ask',
	name: 'Ask',
	action: 'Ask question about documents',
	description:
		'Answer from your documents, with sources; says so if they contain nothing about it (recommended)',
	isRecommended: true,
	effect: 'generate',
	fields: [queryField, topKField, promptNameField, optionsField([...ownOptions, ...searchOptions])],
	input(parameters) {
		const options = parameters.group('options');
		const body = readSearchRequest(parameters, options);
		const score = readOption(options, minScore);
		if (score !== undefined && body.search_settings.include_scores === false)
			options.fail('minScore', 'needs the option Include Scores');
		return {
			body,
			promptName: String(parameters.id('promptName')),
			promptInputs: readOption(options, promptInputs),
			extra: readOption(options, extraAnswerBody),
			minScore: score,
			maxContextCharacters: readOption(options, maxContextCharacters) ?? CONTEXT_CHARACTERS,
			refusalText: readOption(options, refusalText) ?? REFUSAL,
			onNothingFound: readOption(options, onNothingFound) ?? 'refuse',
		};
	},
	async run(context, input) {
		const item = await answered(context, input);
		await readAnswer(context, inOnePiece(item), String, afterAnswer);
		return [item];
	},
};

/** The service sends an answer from a context in one piece (intelligence-api.md "RAG generate"). */
async function* inOnePiece(item: IDataObject): AsyncGenerator<string, IDataObject> {
	yield String(item.answer);
	return item;
}

/** What a chat shows after an answer: that it was cut off, and its sources. */
function afterAnswer({ truncated, sources }: IDataObject): string {
	const names = objectsOf(sources).map(({ source }) => String(source));
	return `${truncated === true ? CUT_OFF_NOTE : ''}${sourcesText(names)}`;
}

/** The item of a question: its answer with the sources, or the refusal text where nothing is found. */
async function answered(context: OperationContext, input: Input): Promise<IDataObject> {
	const { body, promptName } = input;
	const chunks = chunksOf(context, await sendSearch(context, body), body);
	const found = relevant(context, chunks, input.minScore);
	const about = { query: body.query, prompt_name: promptName };
	if (found.length === 0) {
		if (input.onNothingFound === 'error')
			throw contextError(
				context,
				{
					message: input.refusalText,
					description: 'No chunk matches the question, or none reaches the Minimum Score.',
				},
				{ found: false, ...about },
			);
		return {
			answer: input.refusalText,
			found: false,
			...about,
			context_characters: 0,
			sources: [],
		};
	}
	const used = withinBudget(found, input.maxContextCharacters);
	if (used.length === 0) {
		throw contextError(context, {
			message: `Max Context Characters must be at least the length of the best chunk (${textOf(found[0] ?? {}).length}), got ${input.maxContextCharacters}`,
			description: 'Chunks are not cut. Allow more characters, or ingest smaller chunks.',
		});
	}
	const joined = contextOf(used);
	const answer = await sendGenerate(context, { ...input, query: body.query, context: joined });
	if (typeof answer.answer !== 'string') throw noAnswer(context, answer);
	const quote = isTool(context.functions) ? TOOL_QUOTE_CHARACTERS : Infinity;
	return {
		...answer,
		found: true,
		...about,
		context_characters: joined.length,
		sources: used.map((chunk) => cited(chunk, quote)),
	};
}

function cited(chunk: IDataObject, characters: number): IDataObject {
	return {
		source: sourceOf(chunk),
		score: chunk.score ?? null,
		text: shortened(textOf(chunk), characters),
		chunk_id: chunk.id ?? null,
		document_id: chunk.document_id ?? null,
	};
}
