import type { Answer } from '../../nodes/shared/http/reply.ts';

/** A whole answer of the service, in JSON unless its other fields say otherwise. */
export const answer = (status: number, text = '', more: Partial<Answer> = {}): Answer => ({
	kind: 'answer',
	status,
	contentType: 'application/json',
	text,
	...more,
});
