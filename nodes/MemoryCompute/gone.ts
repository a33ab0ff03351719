import { confirmAbsent } from '../intelligence/retrieval/absence';
import { listResults } from '../intelligence/retrieval/list';
import type { NodeError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';
import { contextError } from '../shared/operation/context';
import { delay } from '../shared/time';
import { idOf } from './entries';
import { noteCleared } from './knownIds';

/**
 * Pauses in milliseconds between looks for what was deleted, two minutes in all: a list may be a minute behind, and a service may do it
 * later.
 */
const LOOK_PAUSES_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
const LIST = { path: '/conversations' };

export function isNotFound(error: NodeError): boolean {
	return 'httpCode' in error && error.httpCode === '404';
}

/**
 * Confirms that a conversation is gone.
 * @throws the error where it is no 404, or where the list does not say the same: the messages would be lost
 */
export async function confirmGone(
	context: RequestContext,
	id: string,
	error: NodeError,
): Promise<void> {
	if (!isNotFound(error)) throw error;
	await confirmAbsent(context, { list: LIST, fields: { id } }, error);
}

/**
 * Notes which conversations of a session are deleted: those that the list does not have any more.
 * @param ids of those whose deletion the service has confirmed: it may have kept them all the same
 * @throws where the list still has one of them
 */
export async function confirmCleared(
	context: RequestContext,
	session: string,
	ids: Set<string>,
): Promise<void> {
	let kept = [...ids];
	for (const pauseMs of LOOK_PAUSES_MS) {
		if (kept.length === 0) return;
		await delay(pauseMs, context.signal);
		const shown = new Set((await listResults(context, LIST)).map(idOf));
		for (const id of kept) if (!shown.has(id)) noteCleared(session, id);
		kept = kept.filter((id) => shown.has(id));
	}
	if (kept.length === 0) return;
	throw contextError(context, {
		message: `The service has not refused to delete the conversation ${kept.join(', ')}, but still shows it`,
		description:
			'The memory is not cleared: what was said may still be there. Look at the service, or clear the memory again later.',
	});
}
