import type { Call } from '../shared/execute';
import { failure, isSuccess, send, type ApiRequest } from '../shared/request';

/** One event of a streamed answer. */
export interface StreamEvent {
	event: string;
	data: string;
}

/** Sends a request and returns the events of its streamed answer; an answer that breaks off is an error of the request. */
export async function streamEvents(call: Call, spec: ApiRequest): Promise<StreamEvent[]> {
	const outcome = await send(call, { ...spec, headers: { Accept: 'text/event-stream' } });
	if (outcome.kind !== 'answer' || !isSuccess(outcome.status)) throw failure(call, outcome);
	// A service that does not stream sends the whole answer at once
	if (/json/i.test(outcome.contentType)) return [{ event: 'whole', data: outcome.text }];
	return outcome.text.split(/\r?\n\r?\n/).flatMap(eventOf);
}

function eventOf(block: string): StreamEvent[] {
	const values = (field: string) => block.split(/\r?\n/).flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : []));
	const data = values('data');
	return data.length === 0 ? [] : [{ event: values('event').at(-1) ?? 'message', data: data.join('\n') }];
}
