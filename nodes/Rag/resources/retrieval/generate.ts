import type { Operation } from '../../../shared/operation/operation';
import { promptNameField, queryField, textField } from '../../fields';
import { sendGenerate, type GenerateRequest } from '../../retrieval';

/** An answer from a given context (intelligence-api.md "RAG generate"). */
export const generate: Operation<GenerateRequest> = {
	value: 'generate',
	name: 'Generate',
	action: 'Generate an answer from a context',
	description:
		'Answer a question from a prompt template and a context that you pass, such as chunks from a search',
	effect: 'generate',
	fields: [
		promptNameField,
		queryField,
		textField(
			'Context',
			'context',
			'Text to answer from, such as chunks joined by line breaks. An expression may return a list.',
			{
				required: true,
				placeholder: 'e.g. The first hour is never refunded.',
				typeOptions: { rows: 6 },
			},
		),
	],
	input: (parameters) => ({
		promptName: String(parameters.id('promptName')),
		query: parameters.text('query'),
		context: parameters.lines('context'),
	}),
	run: async (context, input) => [await sendGenerate(context, input)],
};
