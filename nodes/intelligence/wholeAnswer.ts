import type { RequestContext } from '../shared/http/request';
import { contextError } from '../shared/operation/context';

/** The beginning of JSON, and not of a sentence such as `[1] says …`. */
const JSON_START = /^\s*(?:\{\s*(?:"|$)|\[\s*(?:[{["]|$))/;

/**
 * Accepts an answer of any form but JSON that is cut off, which the request gives back as text: half of an answer must not look
 * like one.
 * @param what ended early, as the beginning of a sentence
 */
export function requireWhole(context: RequestContext, answer: unknown, what: string): void {
	if (typeof answer !== 'string' || !JSON_START.test(answer)) return;
	throw contextError(
		context,
		{
			message: `${what} ended early: its JSON is cut off`,
			description:
				'The error details contain what arrived, under partial. Run the item again for a complete result. This one may be billed.',
		},
		{ partial: answer },
	);
}
