import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../../../shared/operation/operation';
import { request } from '../../../shared/http/request';
import { objectsOf, RAG, resultsOf } from '../../envelope';
import { promptNameField, queryField, textField } from '../../fields';
import { isRecord } from '../../../shared/guards';
import type { OperationContext } from '../../../shared/operation/context';

/** Answers take long: the model writes them word by word. */
export const GENERATE_DEADLINE_MS = 300_000;

interface Input {
	promptName: string;
	query: string;
	context: string;
}

/** `POST /rag/generate` (intelligence-api.md "RAG generate"). */
export const generate: Operation<Input> = {
	value: 'generate',
	name: 'Generate',
	action: 'Generate an answer from a context',
	description:
		'Answer a question from a prompt template and a context that you give, such as chunks of a search',
	effect: 'generate',
	fields: [
		promptNameField,
		queryField,
		textField(
			'Context',
			'context',
			'The text to answer from: chunk texts joined by line breaks. An expression may give a list.',
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

/** The answer as the service sent it, and its text under `answer`: the specification does not show the body. */
export async function sendGenerate(
	context: OperationContext,
	{ promptName, query, context: contextText }: Input,
): Promise<IDataObject> {
	const answer = await request(context, {
		method: 'POST',
		path: `${RAG}/rag/generate`,
		body: { prompt_name: promptName, inputs: { query, context: contextText } },
		retry: 'billed',
		deadlineMs: GENERATE_DEADLINE_MS,
	});
	const results = resultsOf(answer);
	// Where the results are a text, citations and usage stand beside them
	const fields = isRecord(results) ? results : answer;
	const text = answerText(results);
	return {
		answer: null,
		...(isRecord(fields) && fields),
		...(text !== undefined && { answer: text }),
	};
}

/** The text of an answer in any form that such services give it: plain, under a name of its own, or as a chat completion. */
export function answerText(results: unknown): string | undefined {
	if (typeof results === 'string') return results;
	if (Array.isArray(results)) return answerText(results[0]);
	if (!isRecord(results)) return undefined;
	const text = ['generated_answer', 'answer', 'text', 'content', 'response', 'output']
		.map((key) => results[key])
		.find((value) => typeof value === 'string');
	if (typeof text === 'string') return text;
	const [choice] = objectsOf(results.choices);
	const nested = [results.completion, choice?.message, results.message];
	return nested.map(answerText).find((value) => value !== undefined);
}
