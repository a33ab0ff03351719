import type { Operation } from '../../../shared/operation/operation';
import { optionsField, readOption } from '../../../shared/operation/option';
import type { Parameters } from '../../../shared/operation/parameters';
import { extraBody, promptInputs } from '../../../intelligence/retrieval/extraBody';
import { promptNameField, queryField, textField } from '../../../intelligence/retrieval/fields';
import { sendGenerate, type GenerateRequest } from '../../answer';

/** An answer from a given context (intelligence-api.md "RAG generate"). */
export const generate: Operation<GenerateRequest> = {
	value: 'generate',
	name: 'Generate',
	action: 'Generate answer from context',
	description:
		'Answer without a search, from a context that you pass, such as chunks that you chose',
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
		optionsField([extraBody, promptInputs]),
	],
	input: (parameters) => ({
		promptName: String(parameters.id('promptName')),
		query: parameters.text('query'),
		context: readContext(parameters),
		promptInputs: readOption(parameters.group('options'), promptInputs),
		extra: readOption(parameters.group('options'), extraBody),
	}),
	run: async (context, input) => [await sendGenerate(context, input)],
};

/** The context as it was entered; a list of texts from an expression becomes one text, joined by line breaks. */
function readContext(parameters: Parameters): string {
	const given = parameters.value('context');
	return Array.isArray(given) && given.length > 0 && given.every((line) => typeof line === 'string')
		? given.join('\n')
		: parameters.text('context', { trim: false });
}
