import { parseAnswer } from '../shared/json';
import { isFalse, isRecord } from '../shared/guards';
import { ownWords, saysError } from '../shared/http/errors';
import type { Answer } from '../shared/http/reply';

/**
 * Fields that tell whether a deletion was done, or how much was deleted. What goes with a thing is not among them: a document without
 * chunks has no `deleted_chunks`.
 */
const TELLING =
	/^(?:success|ok|(?:is|was|num|number|count|total)?_?(?:of_)?(?:deleted|removed)(?:_?(?:count|number|total|ids?|items?|objects?))?)$/i;

/** In words, the no in an answer to a deletion, in its envelope or in what that holds; undefined where there is none. */
export function keptIn({ text }: Answer): string | undefined {
	const answer = parseAnswer(text);
	const { data, results } = isRecord(answer) ? answer : {};
	const no = [answer, data, results].flat().filter(isRecord).find(saysKept);
	return no && (ownWords('', JSON.stringify({ ...no, detail: no.detail ?? no.reason })) || 'no');
}

/** Whether one field says that nothing was deleted, or that some of it was not, whatever is beside it. */
function saysKept(said: Record<string, unknown>): boolean {
	const isNothing = ([key, value]: [string, unknown]) => TELLING.test(key) && isNone(value);
	return saysError(said.failed) || Object.entries(said).some(isNothing);
}

function isNone(value: unknown): boolean {
	return Array.isArray(value) ? value.length === 0 : isFalse(value);
}
