import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { answerProblem } from '../../../shared/http/errors';
import type { Answer, Reply } from '../../../shared/http/reply';
import { replyError } from '../../../shared/http/request';
import {
	contextError,
	knownOf,
	withKnown,
	type OperationContext,
} from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { sendOnce, type Outcome } from '../../../shared/operation/sendOnce';
import { CONCURRENT_WRITES, destroy } from '../../crud';
import { documentFields, readDocument, type DocumentInput } from './createFields';
import { documentIdOf } from './documentId';
import { described, documentIntent } from './documentIntent';
import { findDocument, waitUntilIngested } from './ingestion';
import { ownerOf, sameDocument } from './owner';
import { readUpload, sendUpload } from './upload';

/**
 * `POST /documents`. The node chooses the ID of the document, so that a lost response can be looked up exactly. The next try sends
 * the same ID: no document is ingested twice.
 */
export const create: Operation<DocumentInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create a document',
	description: 'Ingest a document from a file, text or chunks, so that it can be searched',
	effect: 'write',
	concurrency: CONCURRENT_WRITES,
	runsAllItems: true,
	identifyingKeys: ['document_id'],
	fields: documentFields,
	input: readDocument,
	async run(context, input) {
		try {
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			const created = await ingest(context, input);
			if (!input.wait) return [created];
			const { document_id: sent, ...noted } = context.journal.intent() ?? {};
			// The service may have chosen another ID: a retry has to find the document by that one
			context.journal.note({
				...noted,
				...(sent !== undefined && { document_id: created.document_id }),
				is_stored: true,
			});
			return [
				{
					...created,
					...(await waitUntilIngested(context, String(created.document_id), input.wait)),
				},
			];
		} catch (error) {
			throw withDeleted(context, error as NodeApiError);
		}
	},
};

/** Adds to an error that the earlier document is gone, even if an earlier try deleted it; not if the new one is stored and only slow to ingest. */
function withDeleted(context: OperationContext, thrown: NodeApiError): NodeApiError {
	const id = deleted(context);
	// n8n's own errors, of a file that is gone, have no context
	const error = thrown.context ? thrown : contextError(context, { message: thrown.message });
	const known: IDataObject = { ...context.known, ...knownOf(error), replaced_deleted: id };
	if (
		id === undefined ||
		(context.journal.intent()?.is_stored && known.ingestion_status !== 'failed')
	)
		return thrown;
	error.message = `${error.message.replace(/\.$/, '')}. The earlier document was deleted already`;
	if (context.signal?.aborted) context.log(error.message, known);
	return withKnown(error, known);
}

function deleted({ journal }: OperationContext): IDataObject['x'] {
	return journal.intent()?.replaced_deleted;
}

/** The service does not have the document: the next try may send it. */
function mayBeSent(context: OperationContext): void {
	context.journal.note({ replaced_deleted: deleted(context) });
}

/** Creates the document, or returns an existing one as If Exists says. */
async function ingest(context: OperationContext, input: DocumentInput): Promise<IDataObject> {
	const sentBefore = context.journal.intent()?.document_id;
	const documentId =
		typeof sentBefore === 'string'
			? sentBefore
			: await documentIdOf(context, context.itemIndex, input);
	context.known.document_id = documentId;
	const owner = await ownerOf(context, documentId);
	if (owner !== context.itemIndex && input.ifExists !== 'skip')
		throw sameDocument(context, input, documentId, owner);
	const earlier = await findDocument(context, documentId);
	// A failed ingestion stays failed: Replace sends the document again, as the error advises
	const isFailed = input.ifExists === 'replace' && earlier?.ingestion_status === 'failed';
	if (earlier && sentBefore !== undefined && !isFailed)
		return described(documentId, earlier, { recovered: true });
	if (earlier && input.ifExists !== 'replace')
		return keepEarlier(context, input, documentId, earlier);
	const outcome = await replace(context, input, documentId, earlier && documentId);
	if (outcome.state !== 'rejected' || !isConflict(outcome.reply))
		return await concluded(context, documentId, outcome);
	const found = await findDocument(context, documentId);
	if (found && sentBefore !== undefined) return described(documentId, found, { recovered: true });
	mayBeSent(context);
	return await resolveConflict(context, input, documentId, found, outcome.reply);
}

function isConflict(reply: Reply): reply is Answer {
	return reply.kind === 'answer' && reply.status === 409;
}

/** The document for the output, or the service's rejection. */
async function concluded(
	context: OperationContext,
	documentId: string,
	outcome: Outcome,
): Promise<IDataObject> {
	if (outcome.state === 'rejected') {
		mayBeSent(context);
		throw replyError(context, outcome.reply);
	}
	// Never `confirmed`: `documentIntent` does not take a reply without a document for a yes
	const item = outcome.state === 'made' ? outcome.item : { document_id: documentId };
	// The service may have chosen another ID
	await context.once(`document ${String(item.document_id)}`, async () => context.itemIndex);
	return item;
}

/** Maximum number of IDs to look up, of the thousands that a hostile response may contain. */
const MAX_IDS = 5;

/**
 * The service has a document with the same ID, file name or text that is not from this execution. Its response may contain the ID.
 * @param found the document with this ID, if the service has one
 */
async function resolveConflict(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	found: IDataObject | undefined,
	reply: Answer,
): Promise<IDataObject> {
	const ids = reply.text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? [];
	let [existingId, existing] = [documentId, found];
	// Some may be IDs of a collection or a task
	for (const id of [...new Set(ids)].slice(0, MAX_IDS)) {
		if (existing) break;
		[existingId, existing] = [id, await findDocument(context, id).catch(() => undefined)];
	}
	if (!existing || input.ifExists === 'error')
		throw withKnown(replyError(context, reply), { document_id: existing ? existingId : null });
	if (input.ifExists !== 'replace') return keepEarlier(context, input, existingId, existing);
	const owner = await ownerOf(context, existingId);
	if (owner !== context.itemIndex) throw sameDocument(context, input, existingId, owner);
	return {
		...(await concluded(
			context,
			documentId,
			await replace(context, input, documentId, existingId),
		)),
		replaced: existingId,
	};
}

function keepEarlier(
	context: OperationContext,
	{ ifExists }: DocumentInput,
	documentId: string,
	document: IDataObject,
): IDataObject {
	if (ifExists === 'skip') return described(documentId, document, { existing: true });
	throw existsError(context, documentId);
}

/** Uploads the document, after the earlier one is deleted. */
async function replace(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	earlierId: string | undefined,
): Promise<Outcome> {
	const payload = await readUpload(context, input, documentId);
	if (!payload) throw changedError(context, input);
	if (earlierId !== undefined) {
		await destroy(context, '/documents/{id}', { id: earlierId }).catch((error: NodeApiError) => {
			throw withKnown(error, { document_id: earlierId });
		});
	}
	// A document of this execution whose ingestion failed is no earlier document
	const isOwn = earlierId === context.journal.intent()?.document_id;
	const note = {
		document_id: documentId,
		replaced_deleted: (isOwn ? undefined : earlierId) ?? deleted(context),
	};
	const outcome = await sendOnce(
		context,
		documentIntent(context, documentId, note),
		async () => await sendUpload(context, payload),
	);
	// A retry must know that the earlier document is gone
	if (outcome.state === 'rejected') context.journal.note(note);
	return outcome;
}

function changedError(context: OperationContext, { source }: DocumentInput): NodeApiError {
	const name = 'file' in source ? (source.file.fileName ?? '') : '';
	return contextError(context, {
		message: `The file ${name} changed while it was read`,
		description: 'Nothing was sent. Execute the node again.',
	});
}

function existsError(context: OperationContext, documentId: string): NodeApiError {
	return contextError(
		context,
		{
			...answerProblem(409, '', `Document ${documentId} already exists`),
			description: 'Nothing was sent. To skip or replace it, set If Exists in Options.',
		},
		{ document_id: documentId },
	);
}
