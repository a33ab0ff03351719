import type { IDataObject } from 'n8n-workflow';
import { parseAnswer } from '../../../shared/json';
import type { Reply } from '../../../shared/http/reply';
import type { OperationContext } from '../../../shared/operation/context';
import {
	isConfirmed,
	isRejected,
	type Evidence,
	type Intent,
} from '../../../shared/operation/sendOnce';
import { itemOf } from '../../../intelligence/retrieval/envelope';
import type { DocumentInput } from './createFields';
import type { Identity } from './documentId';
import { findListed } from './listed';
import { isRemoved } from './note';
import { mayBeOwn } from './own';
import { findDocument } from './presence';

/**
 * The intent to create a document. Its ID is chosen before it is sent, so the outcome can be looked up exactly.
 * @param note what the journal keeps until the outcome is known
 * @param replyOf how the request ended
 */
export function documentIntent(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
	note: IDataObject,
	replyOf: () => Reply | undefined,
): Intent {
	return {
		what: `Document ${documentId}`,
		note,
		facts: { document_id: documentId },
		// A 2xx contains the document: one without it is looked up like a lost response
		isYes: () => false,
		proof: (reply) => {
			if (!isConfirmed(reply)) return undefined;
			const item = itemOf(parseAnswer(reply.text));
			// Where the service names none, it may have made none, or one with an ID of its own
			return item.document_id ? item : undefined;
		},
		evidence: {
			source: 'the document',
			look: async () => {
				const reply = replyOf();
				const no = reply && isRejected(reply) ? reply : undefined;
				// What shows then may be that of another execution: its content decides, not this look
				const isConflict = no?.kind === 'answer' && no.status === 409;
				const found = isConflict ? undefined : await findDocument(context, documentId);
				if (found && (await mayBeOwn(context, input, found)))
					return { state: 'made', item: described(documentId, found, {}) };
				return no ? ABSENT : await lookInList(context, input, identity, documentId);
			},
		},
		advice:
			'Execute the node again (Retry On Fail does): it looks for this ID first and sends only what is not there.',
		cancelled: 'Cancelled while a document was uploaded: the service may have it.',
	};
}

const ABSENT: Evidence = { state: 'absent', problem: 'the service does not have it' };

/** Looks for a document that the engine may have stored under an ID of its own. */
export async function lookInList(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
): Promise<Evidence> {
	const { same, unclear } = await findListed(context, input, identity, documentId);
	const [found] = same.filter((one) => !isRemoved(context, one));
	if (found) return { state: 'made', item: described(String(found.id), found, {}) };
	if (unclear.length === 0) return ABSENT;
	const [{ id } = {}] = unclear;
	return {
		state: 'unknown',
		problem: `it cannot be told whether ${String(id)}, which has its name or a similar one, is this document`,
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
