import { setTimeout as sleep } from 'node:timers/promises';
import { event, type Asked, type Json, type Reply } from '../intelligence4/service.mts';

/** An answer that depends on the request. */
export function by(choose: (asked: Asked, nth: number) => Reply): Reply {
	return (response, asked, nth) => choose(asked, nth)(response, asked, nth);
}

/** Pieces of bytes, each in a packet of its own; `end`: what becomes of the connection after them. */
export function pieces(
	parts: Array<string | Buffer>,
	end: 'end' | 'cut' | 'open' = 'end',
	type = 'text/event-stream',
): Reply {
	return async (response) => {
		response.socket?.setNoDelay(true);
		response.writeHead(200, { 'content-type': type });
		for (const part of parts) {
			response.write(part);
			await sleep(2);
		}
		if (end === 'end') response.end();
		if (end === 'cut') response.socket?.destroy();
	};
}

/** A chunk of a chat, with more fields of its choice and of its own. */
export function chunk(delta: Json, more: Json = {}, top: Json = {}): Json {
	return {
		id: 'c1',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: null, ...more }],
		...top,
	};
}

/** A word of an answer of the retrieval service. */
export function word(value: string): string {
	const content = [{ type: 'text', payload: { value, annotations: [] } }];
	return event({ id: 'm', object: 'agent.message.delta', delta: { content } }, 'message');
}
