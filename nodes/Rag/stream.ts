import type { StreamEvent } from '../shared/decoder';
import type { Call } from '../shared/execute';
import { failure, isSuccess, send, type ApiRequest } from '../shared/request';
import { eventsOf } from '../shared/stream';

/** One event of a streamed answer; `whole` for an answer that was not streamed. */
export type AnswerEvent = Pick<StreamEvent, 'type' | 'data'>;

/** Sends a request and returns the events of its streamed answer; an answer that breaks off is an error of the request. */
export async function streamEvents(call: Call, spec: ApiRequest): Promise<AnswerEvent[]> {
	const outcome = await send(call, { ...spec, headers: { Accept: 'text/event-stream' } });
	if (outcome.kind !== 'answer' || !isSuccess(outcome.status)) throw failure(call, outcome);
	// A service that does not stream sends the whole answer at once
	if (/json/i.test(outcome.contentType)) return [{ type: 'whole', data: outcome.text }];
	const events: AnswerEvent[] = [];
	for await (const event of eventsOf([Buffer.from(outcome.text)])) events.push(event);
	return events;
}
