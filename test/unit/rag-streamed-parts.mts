import type { NodeApiError } from 'n8n-workflow';
import { streamedAnswer } from '../../nodes/Rag/resources/retrieval/streamedAnswer.ts';
import type { Answered } from './log-parts.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, eventsOf } from './rag-service.mts';

export type Event = [name: string, data: unknown];

export const SPEC = {
	method: 'POST',
	path: '/api/{rag}/v3/retrieval/rag',
	retry: 'billed',
} as const;
export const FINAL: Event = ['final_answer', { generated_answer: 'ab' }];
export const DONE: Event = ['message', '[DONE]'];
/** A piece of text, and what the chunk of a completion says of its end. */
export const piece = (content: string, finish_reason: string | null = null): Event => [
	'message',
	{ choices: [{ index: 0, delta: { content }, finish_reason }] },
];

/** The text that an answer yields, and what it returns or throws. */
export async function read(answered: Answered) {
	const pieces: string[] = [];
	const context = await contextOf({ documents: new Answers(answered) });
	const answer = streamedAnswer(context, SPEC, ({ answer: text }) => text as string);
	try {
		let next = await answer.next();
		for (; !next.done; next = await answer.next()) pieces.push(next.value);
		return { pieces, item: next.value };
	} catch (error) {
		return { pieces, error: error as NodeApiError };
	}
}
export const itemOf = async (...events: Event[]) => (await read(eventsOf(...events))).item;
