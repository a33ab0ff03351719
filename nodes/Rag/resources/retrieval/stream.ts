import { isPage } from '../../../shared/http/errors';
import { replyError, send, type ApiRequest } from '../../../shared/http/request';
import { eventsOf, type TextEvent } from '../../../shared/stream/stream';
import type { OperationContext } from '../../../shared/operation/context';
import { isSuccess } from '../../../shared/http/reply';

/** Sends a request and returns the events of its streamed answer, one of type `whole` where it was not streamed; an answer that breaks off is an error of the request. */
export async function streamEvents(
	context: OperationContext,
	spec: ApiRequest,
): Promise<TextEvent[]> {
	const reply = await send(context, { ...spec, headers: { Accept: 'text/event-stream' } });
	if (reply.kind !== 'answer' || !isSuccess(reply.status) || isPage(reply.contentType, reply.text))
		throw replyError(context, reply);
	// A service that does not stream sends the whole answer at once
	if (/json/i.test(reply.contentType)) return [{ type: 'whole', data: reply.text }];
	const events: TextEvent[] = [];
	for await (const event of eventsOf([Buffer.from(reply.text)])) events.push(event);
	return events;
}
