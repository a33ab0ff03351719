import type { IDataObject } from 'n8n-workflow';
import { CUT_OFF_NOTE, isChat, readAnswer } from '../../../intelligence/chatStream';
import { objectsOf, resultsOf } from '../../../intelligence/retrieval/envelope';
import { GENERATION_DEADLINE_MS } from '../../../intelligence/retrieval/paths';
import { resolveSearch, sourceOf } from '../../../intelligence/retrieval/search';
import { isRecord } from '../../../shared/guards';
import { requestObject, type ApiRequest } from '../../../shared/http/request';
import type { OperationContext } from '../../../shared/operation/context';
import { flag } from '../../../shared/operation/option';
import { truncation } from '../../answer';
import { sourcesText } from '../../sources';
import { streamedAnswer } from './streamedAnswer';

/** A request for an answer. */
export interface AnswerInput {
	body: IDataObject;
	/** Whether it is streamed; undefined streams it into a chat only. */
	stream?: boolean;
}

export const stream = flag({
	displayName: 'Stream',
	name: 'stream',
	description:
		'Whether to receive the answer as a stream. The output is the same. If it is not set, an answer for a chat is streamed, and it appears there while it is written.',
});

/**
 * Asks for an answer, which appears in n8n's chat if the execution streams into one.
 * @param textOf the answer in a response that came in one piece
 * @returns the response, without an envelope where it was streamed
 * @throws where the answer is not whole; the error carries what came as `partial`
 */
export async function requestAnswer(
	context: OperationContext,
	path: string,
	{ body: given, stream: wanted }: AnswerInput,
	textOf: (response: IDataObject) => string | undefined,
): Promise<IDataObject> {
	const body = await resolveSearch(context, given);
	const spec: ApiRequest = {
		method: 'POST',
		path,
		body,
		retry: 'billed',
		deadlineMs: GENERATION_DEADLINE_MS,
	};
	const config = body.rag_generation_config as IDataObject | undefined;
	const isShown = wanted !== false && isChat(context);
	const isStreamed = config?.stream ?? (wanted === true || isShown);
	if (isStreamed !== true) return await requestObject(context, spec);
	const streamed = { ...body, rag_generation_config: { ...config, stream: true } };
	const pieces = streamedAnswer(context, { ...spec, body: streamed }, textOf);
	return await readAnswer(context, pieces, (text) => text, afterAnswer, isShown);
}

/** What a chat shows after an answer: that it was cut off, and the sources that it cites. */
function afterAnswer(response: IDataObject): string {
	const results = resultsOf(response);
	const citations = objectsOf(isRecord(results) && results.citations);
	const cited = citations.map(({ payload }) => payload).filter(isRecord);
	const sources = sourcesText(cited.map((payload) => sourceOf(payload as IDataObject)));
	const { truncated = truncation(response).truncated } = response;
	return `${truncated === true ? CUT_OFF_NOTE : ''}${sources}`;
}
