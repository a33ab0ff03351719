import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { requestObject, type ApiRequest } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import { itemOf } from '../../envelope';
import { queryField, textField, topKField } from '../../fields';
import { generationFields, readGeneration } from '../../generation';
import { GENERATION_DEADLINE_MS, RAG } from '../../paths';
import { readSearchRequest, searchOptions } from '../../searchSettings';
import { streamedAnswer } from './streamedAnswer';

const ownOptions: INodeProperties[] = [
	...generationFields,
	{
		displayName: 'Include Title',
		name: 'includeTitleIfAvailable',
		type: 'boolean',
		default: true,
		description: 'Whether to show the model the titles of the documents',
	},
	{
		displayName: 'Include Web Search',
		name: 'includeWebSearch',
		type: 'boolean',
		default: true,
		description: 'Whether to search the web as well',
	},
	{
		displayName: 'Stream',
		name: 'stream',
		type: 'boolean',
		default: true,
		description:
			'Whether to receive the answer piece by piece, from a slow service. The output is the same.',
	},
	textField(
		'Task Prompt',
		'taskPrompt',
		'Instructions to the model in place of those of the service',
		{
			placeholder: 'e.g. Answer in one sentence, from the documents alone.',
			typeOptions: { rows: 4 },
		},
	),
];

/** `POST /retrieval/rag`: search and answer in one call of the engine, with citations. */
export const rag: Operation<{ body: IDataObject; isStreamed: boolean }> = {
	value: 'rag',
	name: 'RAG Query',
	action: 'Answer with citations',
	description:
		'Let the service search and answer in one call, with citations. Ask does the same in two calls with a prompt of yours.',
	effect: 'generate',
	fields: [queryField, topKField, searchOptions(ownOptions)],
	input(parameters) {
		const options = parameters.group('options');
		const flags = {
			include_title_if_available: 'includeTitleIfAvailable',
			include_web_search: 'includeWebSearch',
		};
		const chosen = Object.entries(flags).filter(([, name]) => options.has(name));
		return {
			body: {
				...readSearchRequest(parameters, options),
				rag_generation_config: readGeneration(options),
				task_prompt: options.has('taskPrompt') ? options.verbatim('taskPrompt') : undefined,
				...Object.fromEntries(chosen.map(([key, name]) => [key, options.flag(name)])),
			},
			isStreamed: options.flag('stream'),
		};
	},
	async run(context, { body, isStreamed }) {
		const spec: ApiRequest = {
			method: 'POST',
			path: `${RAG}/retrieval/rag`,
			body,
			retry: 'billed',
			deadlineMs: GENERATION_DEADLINE_MS,
		};
		if (!isStreamed) return [itemOf(await requestObject(context, spec))];
		return [await streamedAnswer(context, spec)];
	},
};
