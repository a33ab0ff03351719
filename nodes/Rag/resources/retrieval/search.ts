import type { IDataObject } from 'n8n-workflow';
import { isTool } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { choice, optionsField, readOption, unlessBlank } from '../../../shared/operation/option';
import { queryField, topKField } from '../../../intelligence/retrieval/fields';
import { errorBeside } from '../../../intelligence/retrieval/envelope';
import {
	chunksOf,
	contextOf,
	sendSearch,
	shortened,
	sourceOf,
	textOf,
	withinBudget,
	type SearchRequest,
} from '../../../intelligence/retrieval/search';
import { readSearchRequest, searchOptions } from '../../../intelligence/retrieval/searchSettings';

const outputOption = unlessBlank(
	choice({
		displayName: 'Output',
		name: 'output',
		options: [
			{ name: 'One Item for Each Chunk', value: 'chunks' },
			{
				name: 'One Item for the Search',
				value: 'search',
				description: 'With all chunks, and their joined texts as context',
			},
			{
				name: 'Whole Response',
				value: 'raw',
				description: 'As sent, with the results from graphs, web pages and whole documents',
			},
		],
		default: 'chunks',
		description: 'What to return as output items',
	}),
);

interface Input {
	body: SearchRequest;
	output: 'chunks' | 'search' | 'raw';
}

/** Maximum length of the text that an AI agent gets from one call: more would crowd out its conversation. */
const TOOL_CHARACTERS = 12_000;

/** `POST /retrieval/search` (intelligence-api.md "Retrieval search"). */
export const search: Operation<Input> = {
	value: 'search',
	name: 'Search',
	action: 'Search documents',
	description:
		'No answer, but the chunks of your documents that match a question best, with score and source',
	effect: 'read',
	fields: [queryField, topKField, optionsField([outputOption, ...searchOptions])],
	input(parameters) {
		const options = parameters.group('options');
		return {
			body: readSearchRequest(parameters, options),
			output: readOption(options, outputOption) ?? 'chunks',
		};
	},
	async run(context, { body, output }) {
		const response = await sendSearch(context, body);
		// The other outputs contain the whole text, one of them twice
		if (isTool(context.functions)) return forTool(chunksOf(context, response, body));
		if (output === 'raw') return [response];
		const chunks = chunksOf(context, response, body);
		const beside = errorBeside(response);
		if (output === 'chunks') return chunks.map((chunk) => ({ ...beside, ...chunk }));
		const found = chunks.length;
		return [{ query: body.query, found, context: contextOf(chunks), chunks, ...beside }];
	},
};

/** What a model needs to know of each chunk, for as many chunks as it can read. */
function forTool(chunks: IDataObject[]): IDataObject[] {
	const fitting = withinBudget(chunks, TOOL_CHARACTERS);
	// A model that gets no chunk concludes that none was found
	return (fitting.length > 0 ? fitting : chunks.slice(0, 1)).map((chunk) => ({
		source: sourceOf(chunk),
		score: chunk.score ?? null,
		text: shortened(textOf(chunk), TOOL_CHARACTERS),
		document_id: chunk.document_id ?? null,
	}));
}
