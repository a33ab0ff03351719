import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { saysError } from '../shared/http/refusal';
import { request } from '../shared/http/request';
import { contextError, type OperationContext } from '../shared/operation/context';
import { choicesOf, errorWords, isIncomplete, isPart, textOf } from '../intelligence/choice';
import { objectsOf, resultsOf } from '../intelligence/retrieval/envelope';
import { merged } from '../intelligence/retrieval/extraBody';
import { GENERATION_DEADLINE_MS, RAG } from '../intelligence/retrieval/paths';
import { requireWhole } from '../intelligence/wholeAnswer';

/** A question, the context to answer it from, and the prompt template that joins them. */
export interface GenerateRequest {
	promptName: string;
	query: string;
	context: string;
	/** Values of the further placeholders of the template. */
	promptInputs?: IDataObject;
	/** Further fields of the body. */
	extra?: IDataObject;
}

const NO_GENERATE =
	'Check the name of the prompt. If it is right, this service cannot answer from a context (R2R itself cannot): use RAG Query.';

/**
 * `POST /rag/generate` (intelligence-api.md "RAG generate").
 * @returns the response as the service sent it, with its text as `answer`, which is null where none is found: the body is not
 * documented; the error beside it is one of the fields
 * @throws where there is nothing in it, or the answer has no words
 */
export async function sendGenerate(
	context: OperationContext,
	{ promptName, query, context: contextText, promptInputs, extra }: GenerateRequest,
): Promise<IDataObject> {
	const response = await request(context, {
		method: 'POST',
		path: `${RAG}/rag/generate`,
		body: merged(
			{ prompt_name: promptName, inputs: { query, context: contextText, ...promptInputs } },
			extra,
		),
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	}).catch((error: NodeApiError) => {
		if (error.httpCode === '404') error.description = NO_GENERATE;
		throw error;
	});
	requireWhole(context, response, 'The answer');
	const results = resultsOf(response);
	// If the results are only a text, citations and usage are next to them
	const fields = isRecord(results) ? results : response;
	const text = answerText(results);
	checkAnswer(context, response);
	return {
		answer: null,
		...(isRecord(fields) && fields),
		...(isRecord(response) &&
			saysError(response.error) && { error: response.error as IDataObject }),
		...(text !== undefined && { answer: text }),
		...truncation(response),
	};
}

/**
 * Accepts a response with an answer, and one of a form that is not known.
 * @param results what holds the answer
 * @throws where there is nothing in it, or where its answer has no words: that must not look like an answer
 */
export function checkAnswer(
	context: OperationContext,
	response: unknown,
	results = resultsOf(response),
): void {
	const text = answerText(results);
	const isNothing = Object.keys(results ?? {}).length === 0;
	const isNull = isRecord(results) && ANSWER_KEYS.slice(0, 2).some((key) => results[key] === null);
	if (text === undefined ? isNothing || isNull : text.trim() === '')
		throw noAnswer(context, response);
}

/** The error of a response without an answer; it is billed, so all that came is in the details. */
export function noAnswer(context: OperationContext, response: unknown): NodeApiError {
	const words = isRecord(response) ? errorWords(response.error) : '';
	return contextError(
		context,
		{
			message: `The response contains no answer${words === '' ? '' : `: ${words}`}`,
			description:
				'The error details contain what came, under response. Check the prompt template and its model; Generate returns a response in any form.',
		},
		{ response: response as IDataObject },
	);
}

const ANSWER_KEYS = ['generated_answer', 'answer', 'text', 'content', 'response', 'output'];

/** The text of an answer in any usual form: a plain text or its parts, under one of several names, or as a chat completion. */
export function answerText(results: unknown): string | undefined {
	const plain = plainText(results);
	if (plain !== undefined) return plain;
	if (Array.isArray(results)) return answerText(results[0]);
	if (!isRecord(results)) return undefined;
	const text = ANSWER_KEYS.map((key) => plainText(results[key])).find((one) => one !== undefined);
	if (text !== undefined) return text;
	const [choice] = objectsOf(results.choices);
	// Beside the ID of a task, a message tells of that
	const message = results.task_id ? undefined : results.message;
	const nested = [results.completion, choice?.message, message];
	return nested.map(answerText).find((value) => value !== undefined);
}

/** A content that is text, a part alone, or a list of parts with text among them; another list is one of results. */
export function plainText(content: unknown): string | undefined {
	if (typeof content === 'string') return content;
	const isParts =
		Array.isArray(content) &&
		content.every((part) => part === null || (isRecord(part) && typeof part.type === 'string'));
	return isParts || isPart(content) ? textOf({ content }) || undefined : undefined;
}

/**
 * `truncated: true` for an answer that its service says is not whole, wherever it says so.
 * @param response with its results, or beside them
 */
export function truncation(response: unknown): IDataObject {
	return endsIn(response).some(isIncomplete) ? { truncated: true } : {};
}

/** An answer in a response may be in a message, in a list, or in an envelope. */
const DEEPEST_END = 3;

/**
 * How an answer has ended: the finish reasons of a response, of its completion or of its last message (the engine has them in
 * `metadata`), each with the error beside it.
 */
export function endsIn(response: unknown, depth = 0): Array<Record<string, unknown>> {
	const [first = response] = Array.isArray(response) ? (response as unknown[]) : [];
	if (!isRecord(first) || depth > DEEPEST_END) return [];
	const { completion, metadata, message, messages, results } = first;
	const places = [completion, metadata, message, objectsOf(messages).at(-1), results];
	return [
		{ finish_reason: first.finish_reason },
		...choicesOf(first),
		...places.flatMap((place) => endsIn(place, depth + 1)),
	];
}
