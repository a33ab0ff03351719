import { isPage } from '../../../shared/http/errors';
import type { Call } from '../../../shared/operation/execute';
import { failure, isSuccess, send, type ApiRequest } from '../../../shared/http/request';
import { eventsOf, type TextEvent } from '../../../shared/stream/stream';

/** Sends a request and returns the events of its streamed answer, one of type `whole` where it was not streamed; an answer that breaks off is an error of the request. */
export async function streamEvents(call: Call, spec: ApiRequest): Promise<TextEvent[]> {
	const outcome = await send(call, { ...spec, headers: { Accept: 'text/event-stream' } });
	if (
		outcome.kind !== 'answer' ||
		!isSuccess(outcome.status) ||
		isPage(outcome.contentType, outcome.text)
	)
		throw failure(call, outcome);
	// A service that does not stream sends the whole answer at once
	if (/json/i.test(outcome.contentType)) return [{ type: 'whole', data: outcome.text }];
	const events: TextEvent[] = [];
	for await (const event of eventsOf([Buffer.from(outcome.text)])) events.push(event);
	return events;
}
