import type { IDataObject } from 'n8n-workflow';
import { isTool } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { choice, optionsField, readOption, unlessBlank } from '../../../shared/operation/option';
import { queryField, topKField } from '../../fields';
import {
	chunksOf,
	contextOf,
	sendSearch,
	shortened,
	sourceOf,
	textOf,
	withinBudget,
	type SearchRequest,
} from '../../retrieval';
import { readSearchRequest, searchOptions } from '../../searchSettings';

const outputOption = unlessBlank(
	choice({
		displayName: 'Output',
		name: 'output',
		options: [
			{ name: 'One Item for Each Chunk', value: 'chunks' },
			{
				name: 'One Item for the Search',
				value: 'search',
				description: 'With all chunks in it, and their texts as context',
			},
			{
				name: 'Whole Response',
				value: 'raw',
				description: 'As sent, with hits in graphs, on web pages and whole documents',
			},
		],
		default: 'chunks',
		description: 'What the items of the output are',
	}),
);

interface Input {
	body: SearchRequest;
	output: 'chunks' | 'search' | 'raw';
}

/** Text that goes back to an AI agent in one call: more would crowd out its conversation. */
const TOOL_CHARACTERS = 12_000;

/** `POST /retrieval/search` (intelligence-api.md "Retrieval search"). */
export const search: Operation<Input> = {
	value: 'search',
	name: 'Search',
	action: 'Search in documents',
	description:
		'Find the pieces of your documents that fit a question best, with their score and source. Use it to look up facts before answering.',
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
		const answer = await sendSearch(context, body);
		// The other outputs hold every text, one of them twice
		if (isTool(context.functions)) return forTool(chunksOf(answer));
		if (output === 'raw') return [answer];
		const chunks = chunksOf(answer);
		if (output === 'chunks') return chunks;
		return [{ query: body.query, found: chunks.length, context: contextOf(chunks), chunks }];
	},
};

/** What a model needs of a chunk, and only as many as it can read. */
function forTool(chunks: IDataObject[]): IDataObject[] {
	const fitting = withinBudget(chunks, TOOL_CHARACTERS);
	// A model that gets nothing takes it that nothing was found
	return (fitting.length > 0 ? fitting : chunks.slice(0, 1)).map((chunk) => ({
		source: sourceOf(chunk),
		score: chunk.score ?? null,
		text: shortened(textOf(chunk), TOOL_CHARACTERS),
		document_id: chunk.document_id ?? null,
	}));
}
