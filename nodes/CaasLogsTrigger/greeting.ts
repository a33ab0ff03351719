import type { Answer } from './answer';
import { LINES_OF_ITS_OWN, MIN_DISTINCT, type Place } from './known';

/**
 * The place where an answer and the one before it bring the whole known log, each behind lines of its own, as a service writes them that
 * tells when a client has connected. A container that starts again and again writes other lines as well, or ends the connection.
 */
export function greetedPlace(answer: Answer, before: Answer): Place | undefined {
	const { first, known, isPrompt } = answer;
	const digests = known?.digests ?? [];
	if (digests.length !== known?.position.offset.entries) return undefined;
	const isGreeted = LINES_OF_ITS_OWN.some((lines) => {
		const log = digests.slice(lines);
		const lists = [first, before.first, digests];
		const areOthers = new Set(lists.map((list) => list[lines - 1])).size === lists.length;
		const isSame = lists.every((list) =>
			log.every((digest, index) => digest === list[index + lines]),
		);
		const isCertain = new Set(log).size >= MIN_DISTINCT || (before.ending === 'silent' && isPrompt);
		return areOthers && isSame && log.length > 0 && isCertain;
	});
	return isGreeted ? answer.placeAfter(digests.length) : undefined;
}
