import type { IDataObject } from 'n8n-workflow';
import { answerProblem } from '../http/errors';
import { refusalIn } from '../http/refusal';
import { isSuccess, type Reply } from '../http/reply';
import { parseAnswer } from '../json';

/** Any 2xx, even when its body is empty or ended early. */
export function isAccepted(reply: Reply): boolean {
	if (reply.kind === 'answer') return isSuccess(reply.status);
	return reply.kind === 'lost' && reply.status !== undefined && isSuccess(reply.status);
}

/** How a try ended, in words for a later one; without those of the service, since notes hold no bodies. */
export function endOf(reply: Reply): string | undefined {
	if (reply.kind === 'cancelled') return undefined;
	if (reply.kind !== 'answer') return 'The answer to an earlier try of this node was lost';
	const problem = isAccepted(reply)
		? `${reply.status}`
		: answerProblem(reply.status, '', '').message;
	return `An earlier try of this node was answered, but not with what was made: ${problem}`;
}

/** In words, why the outcome of a request is unknown; of the request of an earlier try only its note is known. */
export function describeCause(reply: Reply | undefined, note?: IDataObject): string {
	if (!reply && note?.isRefused) return 'The service said no to an earlier try of this node';
	if (!reply && typeof note?.ended === 'string') return note.ended;
	if (!reply || reply.kind === 'cancelled') return 'An earlier try of this node did not end';
	// n8n replaces a message with an error code by advice to send it again
	if (reply.kind !== 'answer') return reply.reason.replace(/ \(E[A-Z]+\)/g, '');
	if (isAccepted(reply)) {
		const refusal = refusalIn(parseAnswer(reply.text));
		const problem = refusal === undefined ? 'not with what was made' : `says no: ${refusal}`;
		return `The service answered ${reply.status}, but ${problem}`;
	}
	return answerProblem(reply.status, reply.contentType, reply.text).message;
}
