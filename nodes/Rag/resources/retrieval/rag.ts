import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../../../shared/operation/operation';
import {
	flag,
	optionsField,
	readOption,
	readOptions,
	unlessBlank,
	type Option,
} from '../../../shared/operation/option';
import { itemOf, resultsOf } from '../../../intelligence/retrieval/envelope';
import { queryField, topKField } from '../../../intelligence/retrieval/fields';
import { withExtraBody } from '../../../intelligence/retrieval/extraBody';
import { generationOptions, readGeneration, taskPrompt } from '../../generation';
import { RAG } from '../../../intelligence/retrieval/paths';
import { answerText, checkAnswer, truncation } from '../../answer';
import { readSearchRequest, searchOptions } from '../../../intelligence/retrieval/searchSettings';
import { requestAnswer, stream, type AnswerInput } from './requestAnswer';

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

/** `POST /retrieval/rag` (beyond-the-spec.md section 6 "RAG query"): search and answer in one call of the engine. */
export const rag: Operation<AnswerInput> = {
	value: 'rag',
	name: 'RAG Query',
	action: 'Answer question with citations',
	description:
		"Answer with citations in one call, by the service's own prompt; can search the web too",
	effect: 'generate',
	fields: [
		queryField,
		topKField,
		optionsField([...generationOptions, ...ownOptions, stream, taskPrompt, ...searchOptions]),
	],
	input(parameters) {
		const options = parameters.group('options');
		const config = readGeneration(options);
		const body = withExtraBody<IDataObject>(
			{
				...readSearchRequest(parameters, options),
				...(config && { rag_generation_config: config }),
				...readOptions(options, [...ownOptions, taskPrompt]),
			},
			options,
		);
		return { body, stream: readOption(options, stream) };
	},
	async run(context, input) {
		const path = `${RAG}/retrieval/rag`;
		const response = await requestAnswer(context, path, input, (whole) =>
			answerText(resultsOf(whole)),
		);
		checkAnswer(context, response);
		return [{ ...itemOf(response), ...truncation(response) }];
	},
};
