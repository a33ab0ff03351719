import type { IDataObject } from 'n8n-workflow';
import { requestObject, type ApiRequest } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import {
	flag,
	optionsField,
	readOption,
	readOptions,
	unlessBlank,
	type Option,
} from '../../../shared/operation/option';
import { itemOf } from '../../../intelligence/retrieval/envelope';
import { queryField, topKField } from '../../../intelligence/retrieval/fields';
import { withExtraBody } from '../../../intelligence/retrieval/extraBody';
import { generationOptions, readGeneration, taskPrompt } from '../../generation';
import { GENERATION_DEADLINE_MS, RAG } from '../../../intelligence/retrieval/paths';
import { checkAnswer } from '../../answer';
import { readSearchRequest, searchOptions } from '../../../intelligence/retrieval/searchSettings';
import { streamedAnswer } from './streamedAnswer';

const ownOptions: Option[] = [
	flag({
		displayName: 'Include Title',
		name: 'includeTitleIfAvailable',
		description: 'Whether to include the titles of documents, if they have one',
	}),
	flag({
		displayName: 'Include Web Search',
		name: 'includeWebSearch',
		description: 'Whether to also search the web',
	}),
].map(unlessBlank);

const stream = flag({
	displayName: 'Stream',
	name: 'stream',
	description:
		'Whether to receive the answer as a stream, for a slow service. The output is the same.',
});

/** `POST /retrieval/rag` (beyond-the-spec.md section 6 "RAG query"): search and answer in one call of the engine. */
export const rag: Operation<{ body: IDataObject }> = {
	value: 'rag',
	name: 'RAG Query',
	action: 'Answer a question with citations',
	description:
		'Let the service search and answer in one call, with citations. Ask does this in two calls, with your own prompt template.',
	effect: 'generate',
	fields: [
		queryField,
		topKField,
		optionsField([...generationOptions, ...ownOptions, stream, taskPrompt, ...searchOptions]),
	],
	input(parameters) {
		const options = parameters.group('options');
		const body = withExtraBody<IDataObject>(
			{
				...readSearchRequest(parameters, options),
				rag_generation_config: readGeneration(options, readOption(options, stream)),
				...readOptions(options, [...ownOptions, taskPrompt]),
			},
			options,
		);
		return { body };
	},
	async run(context, { body }) {
		const spec: ApiRequest = {
			method: 'POST',
			path: `${RAG}/retrieval/rag`,
			body,
			retry: 'billed',
			deadlineMs: GENERATION_DEADLINE_MS,
		};
		const config = body.rag_generation_config as IDataObject | undefined;
		if (config?.stream === true) return [await streamedAnswer(context, spec)];
		const response = await requestObject(context, spec);
		checkAnswer(context, response);
		return [itemOf(response)];
	},
};
