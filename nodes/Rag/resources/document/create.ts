import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { answerProblem } from '../../../shared/http/errors';
import type { Answer, Reply } from '../../../shared/http/reply';
import { replyError } from '../../../shared/http/request';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import { openJournal } from '../../../shared/operation/journal';
import type { Operation } from '../../../shared/operation/operation';
import { sendOnce, type Outcome } from '../../../shared/operation/sendOnce';
import { destroy, WRITES_AT_ONCE } from '../../crud';
import { described, documentIntent } from './documentIntent';
import { documentFields, readDocument, type DocumentInput } from './fields';
import { findDocument, waitUntilIngested } from './ingestion';
import { contentKey, derivedId, readUpload, sendUpload } from './upload';

/**
 * `POST /documents`. The node chooses the document's id, so that what became of a lost answer can be looked up exactly,
 * and the same id is sent again in the next try: no document is ingested twice.
 */
export const create: Operation<DocumentInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create a document',
	description: 'Ingest a document from a file, a text or chunks, so that it can be searched',
	effect: 'write',
	concurrency: WRITES_AT_ONCE,
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
			// A service may have chosen an ID of its own, by which a retry has to find the document
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

/** Says in an error that the earlier document is gone, also where an earlier try has deleted it; not where the new one is in and only takes its time. */
function withDeleted(context: OperationContext, thrown: NodeApiError): NodeApiError {
	const id = deleted(context);
	// n8n's own errors, of a file that is gone, have no context
	const error = thrown.context ? thrown : contextError(context, { message: thrown.message }, {});
	const known: IDataObject = {
		...(error.context.known as IDataObject | undefined),
		replaced_deleted: id,
	};
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

/** The service has nothing of the document: the next run may send it. */
function mayBeSent(context: OperationContext): void {
	context.journal.note({ replaced_deleted: deleted(context) });
}

async function ingest(context: OperationContext, input: DocumentInput): Promise<IDataObject> {
	const sentBefore = context.journal.intent()?.document_id;
	const documentId =
		typeof sentBefore === 'string' ? sentBefore : await idOf(context, context.itemIndex, input);
	const owner = await ownerOf(context, documentId);
	if (owner !== context.itemIndex && input.ifExists !== 'skip')
		throw sameDocument(context, input, documentId, owner);
	const earlier = await findDocument(context, documentId);
	// What failed stays failed: Replace sends it again, as its error advises
	const isLeft = input.ifExists === 'replace' && earlier?.ingestion_status === 'failed';
	if (earlier && sentBefore !== undefined && !isLeft)
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

async function idOf(
	context: OperationContext,
	itemIndex: number,
	input: DocumentInput,
): Promise<string> {
	return (
		input.documentId ??
		(await context.once(`id of ${itemIndex}`, async () => await derivedId(context, input)))
	);
}

/** The item of this run that a document belongs to: Replace must not delete what another item, or an earlier try, has put there. */
async function ownerOf(context: OperationContext, documentId: string): Promise<number> {
	return await context.once(
		`document ${documentId}`,
		async () =>
			(await context.once('owners', async () => await owners(context))).get(documentId) ??
			context.itemIndex,
	);
}

async function owners(context: OperationContext): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const [index, value] of context.inputs.entries()) {
		if (value === undefined) continue;
		const input = value as DocumentInput;
		const done = openJournal(context.functions, index).results()?.[0]?.document_id;
		// A file that cannot be read fails its own item
		const id = await idOf(context, index, input).catch(() => undefined);
		for (const one of [done, id])
			if (typeof one === 'string' && !found.has(one)) found.set(one, index);
	}
	return found;
}

/** The document for the output, or the service's rejection. */
async function concluded(
	context: OperationContext,
	documentId: string,
	outcome: Outcome,
): Promise<IDataObject> {
	if (outcome.state === 'rejected') {
		mayBeSent(context);
		throw withKnown(replyError(context, outcome.reply), { document_id: documentId });
	}
	// A document without evidence is an error: see `evidence` of its intent
	const item = outcome.state === 'made' ? outcome.item : { document_id: documentId };
	// A service may choose an ID of its own
	await context.once(`document ${String(item.document_id)}`, async () => context.itemIndex);
	return item;
}

/** Of a hostile answer with thousands. */
const MOST_IDS = 5;

/** The service has the same ID, file name or text, and it is not from this execution; its answer may name the ID. */
async function resolveConflict(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	found: IDataObject | undefined,
	reply: Answer,
): Promise<IDataObject> {
	const ids = reply.text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? [];
	let [existingId, existing] = [documentId, found];
	// They may be IDs of a collection or a task
	for (const id of [...new Set(ids)].slice(0, MOST_IDS)) {
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
	// One of this execution whose ingestion failed is no earlier document
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
	// That the earlier document is gone stays known
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
			description: 'Nothing was sent. Choose under Options > If Exists to skip or to replace it.',
		},
		{ document_id: documentId },
	);
}

function sameDocument(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	owner: number,
): NodeApiError {
	const contents = [input, context.inputs[owner] as DocumentInput].map(({ source }) =>
		JSON.stringify(contentKey(source)),
	);
	const isAlike = documentId !== input.documentId || contents[0] === contents[1];
	const [first, second] = [owner, context.itemIndex].sort((a, b) => a - b);
	return contextError(
		context,
		{
			message: `Items ${first} and ${second} of this run are the same document: same file name, text or Document ID`,
			description: isAlike
				? 'Give one of them another file name or text.'
				: 'Give one of them a Document ID of its own.',
		},
		{ document_id: documentId },
	);
}
