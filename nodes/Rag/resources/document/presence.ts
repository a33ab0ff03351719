import type { IDataObject } from 'n8n-workflow';
import { confirmAbsent, type Listing } from '../../../intelligence/retrieval/absence';
import { itemOf } from '../../../intelligence/retrieval/envelope';
import { RAG } from '../../../intelligence/retrieval/paths';
import type { NodeError } from '../../../shared/http/errors';
import { objectOf, replyError, send } from '../../../shared/http/request';
import type { OperationContext } from '../../../shared/operation/context';
import { LOOK_PAUSES_MS } from '../../../shared/operation/sendOnce';
import { lookAt, type DeletePath } from '../../deletion';

/** Where a document shows beside its details: `GET /documents` with its ID alone (beyond-the-spec.md section 6 "Documents"). */
function documentListing(id: string): Listing {
	return { list: { path: '/documents', query: { ids: [id] } }, fields: { id } };
}

/** `GET /documents/{id}`; undefined if it is answered with 404, which does not prove that the service has no such document. */
export async function findDocument(
	context: OperationContext,
	documentId: string,
): Promise<IDataObject | undefined> {
	const found = await read(context, documentId);
	return 'document' in found ? found.document : undefined;
}

/**
 * As {@link findDocument}, where a document that was there must not be called gone by mistake.
 * @throws the 404, where the list does not say the same
 */
export async function findOrConfirmAbsent(
	context: OperationContext,
	documentId: string,
): Promise<IDataObject | undefined> {
	const found = await read(context, documentId);
	if ('document' in found) return found.document;
	await confirmAbsent(context, documentListing(documentId), found.notFound);
	return undefined;
}

async function read(
	context: OperationContext,
	documentId: string,
): Promise<{ document: IDataObject } | { notFound: NodeError }> {
	const reply = await send(context, {
		method: 'GET',
		path: `${RAG}/documents/{documentId}`,
		params: { documentId },
		retry: 'idempotent',
	});
	if (reply.kind === 'answer' && reply.status === 404)
		return { notFound: replyError(context, reply) };
	return { document: itemOf(objectOf(context, reply)) };
}

/** How a document is deleted, and where it would show. */
export const DOCUMENT: DeletePath = {
	path: '/documents/{documentId}',
	listing: ({ documentId = '' }) => documentListing(documentId),
	hasDetails: true,
};

/**
 * Whether a document whose deletion the service has confirmed shows no more, within two minutes: where details come from a copy that is
 * behind, it would be taken for the one that gets its ID. Where nothing can be seen, the service's yes to the deletion counts.
 */
export async function isGone(context: OperationContext, documentId: string): Promise<boolean> {
	const [seen] = await lookAt(context, DOCUMENT, [{ documentId }], LOOK_PAUSES_MS);
	return seen !== 'shown';
}
