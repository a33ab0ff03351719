import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import { isPage, ownWords } from '../../../shared/http/errors';
import { isSuccess } from '../../../shared/http/reply';
import { replyError, send, type ApiRequest } from '../../../shared/http/request';
import { parseJson } from '../../../shared/json';
import type { OperationContext } from '../../../shared/operation/context';
import type { SseEvent } from '../../../shared/stream/sseDecoder';
import { eventsOf } from '../../../shared/stream/stream';
import { itemOf } from '../../envelope';

type TextEvent = Pick<SseEvent, 'type' | 'data'>;

/**
 * Sends a request and returns its streamed answer as one item.
 * @throws where the stream ends early or reports an error: a part must not look like the whole answer
 */
export async function streamedAnswer(
	context: OperationContext,
	spec: ApiRequest,
): Promise<IDataObject> {
	return assembled(context, await streamEvents(context, spec));
}

/** The events of a streamed answer, or one of type `whole` if the response was not streamed. */
async function streamEvents(context: OperationContext, spec: ApiRequest): Promise<TextEvent[]> {
	const reply = await send(context, { ...spec, headers: { Accept: 'text/event-stream' } });
	if (reply.kind !== 'answer' || !isSuccess(reply.status) || isPage(reply.contentType, reply.text))
		throw replyError(context, reply);
	// A service that cannot stream sends the whole answer at once
	if (/json/i.test(reply.contentType)) return [{ type: 'whole', data: reply.text }];
	const events: TextEvent[] = [];
	for await (const event of eventsOf([Buffer.from(reply.text)])) events.push(event);
	return events;
}

/** The whole answer from its events: `search_results`, `message` (pieces of text), `citation`, `final_answer`, then `[DONE]`. */
function assembled(context: OperationContext, events: TextEvent[]): IDataObject {
	const result: IDataObject = {};
	const citations = new Map<string, IDataObject>();
	let text = '';
	let isWhole = false;
	for (const { type, data } of events) {
		const content = parseJson(data);
		if (data === '[DONE]' || type === 'final_answer') isWhole = true;
		if (type === 'error' || (type === 'message' && isRecord(content) && content.error)) {
			throw replyError(context, {
				kind: 'lost',
				reason: `The service ended the answer with an error: ${ownWords('application/json', data)}`,
			});
		}
		if (!isRecord(content)) continue;
		if (type === 'whole') return itemOf(content);
		if (type === 'search_results') result.search_results = (content.data ?? content) as IDataObject;
		if (type === 'message') text += textOf(content);
		if (type === 'citation')
			citations.set(String(content.id ?? citations.size), {
				...citations.get(String(content.id)),
				...content,
			} as IDataObject);
		if (type === 'final_answer') Object.assign(result, content);
	}
	if (!isWhole) throw replyError(context, { kind: 'lost', reason: 'The response ended early' });
	return { generated_answer: text, citations: [...citations.values()], ...result };
}

/** The text of one `message` event: plain, or in the parts of a delta. */
function textOf(content: Record<string, unknown>): string {
	if (typeof content.content === 'string') return content.content;
	const delta = isRecord(content.delta) ? content.delta.content : undefined;
	if (typeof delta === 'string') return delta;
	if (!Array.isArray(delta)) return '';
	return delta
		.map((part: unknown) =>
			isRecord(part) && isRecord(part.payload) && typeof part.payload.value === 'string'
				? part.payload.value
				: '',
		)
		.join('');
}
