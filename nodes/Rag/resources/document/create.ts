import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { answerProblem } from '../../../shared/http/errors';
import type { Answer, Reply } from '../../../shared/http/reply';
import { replyError } from '../../../shared/http/request';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { sendOnce } from '../../../shared/operation/sendOnce';
import { CONCURRENT_WRITES, destroy } from '../../crud';
import { addToCollections } from './collections';
import { documentFields, readDocument, type DocumentInput } from './createFields';
import { identityOf, isChanged, type Identity } from './documentId';
import { described, documentIntent } from './documentIntent';
import { findDocument, statusOf, waitUntilIngested, type Wait } from './ingestion';
import { deletedIds, note, noted, remove, withReplaced } from './note';
import { ownerOf, sameDocument } from './owner';
import { readUpload, sendUpload } from './upload';
import { findVersions, firstVersion, hasFailed, kept, type Version } from './versions';

/** What replaces an earlier version must be ingested, whether the form asks to wait or not. */
const DEFAULT_WAIT: Wait = { pollInterval: 2, timeout: 300 };

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
			return [await finished(context, input, await ingest(context, input))];
		} catch (error) {
			throw withReplaced(context, error as NodeApiError);
		}
	},
};

/** Waits for the new document as the form says, and deletes what it replaces once it can be searched. */
async function finished(
	context: OperationContext,
	input: DocumentInput,
	item: IDataObject,
): Promise<IDataObject> {
	const { replaces = [], replaced_deleted: gone = [] } = noted(context);
	const wait = input.wait ?? (replaces.length + gone.length > 0 ? DEFAULT_WAIT : undefined);
	const id = String(item.document_id);
	if (!wait) return item;
	// The service may have chosen another ID: a retry has to find the document by that one
	if (noted(context).document_id !== undefined) note(context, { document_id: id, is_stored: true });
	const { document, ...progress } = await waitUntilIngested(context, id, wait);
	if (item.existing !== true)
		await addToCollections(context, id, input.collectionIds, document.collection_ids);
	for (const [index, earlier] of replaces.entries()) {
		await remove(context, earlier).catch((error: NodeApiError) => {
			error.message = `Document ${id} is ingested, but the earlier one is not deleted: ${error.message}`;
			throw error;
		});
		note(context, { replaces: replaces.slice(index + 1) });
	}
	return { ...item, ...progress, ...deletedIds(noted(context), id) };
}

/** Creates the document, or returns an existing one as If Exists says. */
async function ingest(context: OperationContext, input: DocumentInput): Promise<IDataObject> {
	const identity = await identityOf(context, context.itemIndex, input);
	const { ids } = identity;
	const [first = ''] = ids;
	const sentBefore = noted(context).document_id;
	context.known.document_id = sentBefore ?? first;
	const owner = await ownerOf(context, first);
	if (owner !== context.itemIndex && input.ifExists !== 'skip')
		throw sameDocument(context, input, first, owner);
	if (sentBefore !== undefined) return await resumed(context, input, identity, sentBefore);

	const versions = await findVersions(context, input, identity);
	const [current] = versions;
	if (!current) return await sent(context, input, identity, first);
	if (input.ifExists === 'error') throw existsError(context, current.id);
	const same = versions.find((version) => version.isChanged === false && !hasFailed(version));
	if (input.ifExists === 'skip') return kept(same ?? current);
	const others = ({ id }: Version) =>
		note(context, {
			replaces: ids.filter((one) => one !== id && versions.some((version) => version.id === one)),
		});
	if (input.ifExists === 'replaceIfChanged' && same) {
		others(same);
		return kept(same);
	}
	// The same content keeps its ID, and a Document ID of its own allows for one document alone
	const inPlace = same ?? (ids.length === 1 ? current : undefined);
	const free = ids.find((id) => versions.every((version) => version.id !== id));
	// Where both IDs are taken, an earlier execution has left something beside the current version
	const target = inPlace ?? { ...current, id: free ?? versions.at(-1)?.id ?? first };
	others(target);
	if (inPlace || free === undefined) await remove(context, target.id);
	return await sent(context, input, identity, target.id);
}

/** Goes on with a document that an earlier try has sent. */
async function resumed(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
): Promise<IDataObject> {
	const document = await findDocument(context, documentId);
	if (!document) return await sent(context, input, identity, documentId, true);
	// A failed ingestion stays failed: Replace sends the document again, as the error advises
	if (!input.ifExists.startsWith('replace') || statusOf(document) !== 'failed')
		return described(documentId, document, { recovered: true });
	await destroy(context, '/documents/{id}', { id: documentId });
	return await sent(context, input, identity, documentId, true);
}

/**
 * Uploads the document.
 * @param isAgain whether an earlier try may have sent it: a conflict is then the proof that it did
 */
async function sent(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
	isAgain = false,
): Promise<IDataObject> {
	context.known.document_id = documentId;
	const payload = await readUpload(context, input, documentId, identity);
	if (!payload) throw changedError(context, input);
	const before = { ...noted(context), is_stored: undefined };
	let reply: Reply | undefined;
	const outcome = await sendOnce(
		context,
		documentIntent(
			context,
			documentId,
			{ ...before, document_id: documentId },
			// What shows then may be that of another execution: its content decides, below
			() => reply !== undefined && isConflict(reply),
		),
		async () => (reply = await sendUpload(context, payload)),
	);
	if (outcome.state === 'rejected') {
		// The service does not have the document: the next try may send it, and must know what is gone
		context.journal.note({ ...before, document_id: undefined });
		if (!isConflict(outcome.reply)) throw replyError(context, outcome.reply);
		const found = await findOwn(context, input, documentId, isAgain);
		if (found) {
			note(context, { document_id: documentId });
			return described(documentId, found, { recovered: true });
		}
		return await resolveConflict(context, input, identity, documentId, outcome.reply);
	}
	// Never `confirmed`: `documentIntent` does not take a reply without a document for a yes
	const item = outcome.state === 'made' ? outcome.item : { document_id: documentId };
	// The service may have chosen another ID
	await context.once(`document ${String(item.document_id)}`, async () => context.itemIndex);
	return item;
}

/** The document that an upload has made although it is answered with a conflict; undefined for that of another execution. */
async function findOwn(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	isAgain: boolean,
): Promise<IDataObject | undefined> {
	// Skip calls it existing, whoever has made it
	if (input.ifExists === 'skip' && !isAgain) return undefined;
	const found = await findDocument(context, documentId).catch(() => undefined);
	const changed = found && (await isChanged(context, input, documentId, found));
	return changed === false || (isAgain && changed === null) ? found : undefined;
}

function isConflict(reply: Reply): reply is Answer {
	return reply.kind === 'answer' && reply.status === 409;
}

/**
 * The service has a document with the same ID, file name or text that did not show before. Its response may contain the ID.
 */
async function resolveConflict(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
	reply: Answer,
): Promise<IDataObject> {
	const named = reply.text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? [];
	const current = await firstVersion(context, input, [documentId, ...named]);
	if (!current || input.ifExists === 'error')
		throw withKnown(replyError(context, reply), { document_id: current?.id ?? null });
	const { n8n_identity: key } = (current.document.metadata ?? {}) as IDataObject;
	const isOwn = identity.ids.includes(current.id) || key === identity.ids[0];
	if (input.ifExists === 'skip' && (isOwn || input.identity === 'fileName')) return kept(current);
	if (!isOwn)
		throw contextError(
			context,
			{
				...answerProblem(409, reply.contentType, reply.text),
				description: `Document ${current.id} is not an earlier version of this one, so it is not replaced. Delete it (Document > Delete), or give this one another file name.`,
			},
			{ document_id: current.id },
		);
	const owner = await ownerOf(context, current.id);
	if (owner !== context.itemIndex) throw sameDocument(context, input, current.id, owner);
	if (input.ifExists === 'replaceIfChanged' && current.isChanged === false && !hasFailed(current))
		return kept(current);
	const other = identity.ids.find((id) => current.id === documentId && id !== documentId);
	// Another execution was faster: its version stays until this one is ingested
	if (other !== undefined && !(await findDocument(context, other))) {
		const left = noted(context).replaces?.filter((id) => id !== current.id && id !== other) ?? [];
		note(context, { replaces: [...left, current.id] });
		return await sent(context, input, identity, other);
	}
	await remove(context, current.id);
	note(context, { replaces: noted(context).replaces?.filter((id) => id !== current.id) });
	return { ...(await sent(context, input, identity, documentId)), replaced: current.id };
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
