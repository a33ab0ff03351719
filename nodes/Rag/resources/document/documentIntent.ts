import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import { parseJson } from '../../../shared/json';
import type { OperationContext } from '../../../shared/operation/context';
import { isAccepted, type Intent } from '../../../shared/operation/sendOnce';
import { itemOf } from '../../envelope';
import { findDocument } from './ingestion';

/**
 * The intent to create a document. Its ID is chosen before it is sent, so the outcome can be looked up exactly.
 * @param note what the journal keeps until the outcome is known
 * @param isConflict whether the service has refused it as a conflict: then what shows is no evidence
 */
export function documentIntent(
	context: OperationContext,
	documentId: string,
	note: IDataObject,
	isConflict: () => boolean,
): Intent {
	return {
		what: `Document ${documentId}`,
		note,
		facts: { document_id: documentId },
		// A 2xx contains the document: one without it is looked up like a lost response
		isYes: () => false,
		proof: (reply) => {
			const answer =
				isAccepted(reply) && reply.kind === 'answer' ? parseJson(reply.text) : undefined;
			if (!isRecord(answer)) return undefined;
			const item = { document_id: documentId, ...itemOf(answer) };
			// Where the service names none, it may have made none
			return item.document_id ? item : undefined;
		},
		evidence: {
			source: 'the document',
			look: async () => {
				const found = isConflict() ? undefined : await findDocument(context, documentId);
				return found
					? { state: 'made', item: described(documentId, found, {}) }
					: { state: 'absent', problem: 'the service does not have it' };
			},
		},
		advice:
			'Execute the node again (Retry On Fail does): it looks for this ID first and sends only what is not there.',
		cancelled: 'Cancelled while a document was uploaded: the service may have it.',
	};
}

/** An existing document as an output item. */
export function described(
	documentId: string,
	document: IDataObject,
	more: IDataObject,
): IDataObject {
	return {
		document_id: documentId,
		title: document.title ?? null,
		ingestion_status: document.ingestion_status ?? null,
		...more,
	};
}
