import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import { parseJson } from '../../../shared/json';
import type { OperationContext } from '../../../shared/operation/context';
import { isAccepted, type Intent } from '../../../shared/operation/sendOnce';
import { itemOf } from '../../envelope';
import { findDocument } from './ingestion';

/** The intent to create a document; its ID was chosen before, so what became of it can be looked up exactly. */
export function documentIntent(
	context: OperationContext,
	documentId: string,
	note: IDataObject,
): Intent {
	return {
		what: `Document ${documentId}`,
		note,
		facts: { document_id: documentId },
		// The answer holds the document: a 2xx without it is looked up as long as a lost answer
		isYes: () => false,
		proof: (reply) => {
			const answer =
				isAccepted(reply) && reply.kind === 'answer' ? parseJson(reply.text) : undefined;
			return isRecord(answer) ? { document_id: documentId, ...itemOf(answer) } : undefined;
		},
		evidence: {
			source: 'the document',
			look: async () => {
				const found = await findDocument(context, documentId);
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

/** A document that is there already, for the output. */
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
