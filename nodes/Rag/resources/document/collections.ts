import { replyError, send } from '../../../shared/http/request';
import type { OperationContext } from '../../../shared/operation/context';
import { isConfirmed } from '../../../shared/operation/sendOnce';
import { RAG } from '../../../intelligence/retrieval/paths';

/**
 * Adds an ingested document to the collections that it should be in and is not: some versions of the engine put it into the default
 * collection alone. One that it is in already is a 409.
 * @param present the IDs that the service shows
 */
export async function addToCollections(
	context: OperationContext,
	documentId: string,
	wanted: string[],
	present: unknown,
): Promise<void> {
	if (!Array.isArray(present)) return;
	const shown = present.map(String);
	for (const collectionId of wanted.filter((id) => !shown.includes(id))) {
		const reply = await send(context, {
			method: 'POST',
			path: `${RAG}/collections/{collectionId}/documents/{documentId}`,
			params: { collectionId, documentId },
			retry: 'idempotent',
		});
		const isIn = reply.kind === 'answer' && reply.status === 409;
		if (!isIn && !isConfirmed(reply)) throw replyError(context, reply);
	}
}
