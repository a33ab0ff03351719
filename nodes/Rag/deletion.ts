import { parseAnswer } from '../shared/json';
import { isRecord } from '../shared/guards';
import { ownWords, saysNo } from '../shared/http/errors';
import type { Answer } from '../shared/http/reply';

/** Flags of which one that is false says that nothing was deleted, whatever is beside it. */
const FLAGS = ['deleted', 'success', 'ok'];

/** In words, the no in an answer to a deletion, in its envelope or in what that holds; undefined where there is none. */
export function keptIn({ text }: Answer): string | undefined {
	const answer = parseAnswer(text);
	const { data, results } = isRecord(answer) ? answer : {};
	const no = [answer, data, results]
		.flat()
		.filter(isRecord)
		.find((said) => saysNo(said, FLAGS));
	return no && (ownWords('', JSON.stringify({ ...no, detail: no.detail ?? no.reason })) || 'no');
}
