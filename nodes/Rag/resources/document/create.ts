import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { Reply } from '../../../shared/http/reply';
import { collectionIdsOf } from '../../../intelligence/retrieval/collections';
import { replyError } from '../../../shared/http/request';
import { contextError, type OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import { reconcile, sendOnce } from '../../../shared/operation/sendOnce';
import { inLine } from '../../../shared/operation/turn';
import { CONCURRENT_WRITES } from '../../crud';
import { sendDeletion } from '../../deletion';
import { addToCollections } from './collections';
import { conflictingVersion, existsError, findOwn, isConflict } from './conflict';
import { documentFields, readDocument, type DocumentInput } from './createFields';
import { identityOf, isChanged, type Identity } from './documentId';
import { described, documentIntent, lookInList } from './documentIntent';
import { statusOf, waitUntilIngested, type Wait } from './ingestion';
import { othersOf } from './listed';
import {
	deletedIds,
	isRemoved,
	markOf,
	note,
	noted,
	noteRemoved,
	remove,
	withReplaced,
} from './note';
import { mayBeOwn } from './own';
import { ownerOf, sameDocument } from './owner';
import { DOCUMENT, findDocument, findOrConfirmAbsent, isGone } from './presence';
import { readUpload, sendUpload } from './upload';
import {
	afterRefusal,
	findVersions,
	hasFailed,
	isEarlier,
	kept,
	settledVersions,
} from './versions';

/** What replaces an earlier version must be ingested, whether the form asks to wait or not. */
const DEFAULT_WAIT: Wait = { pollInterval: 2, timeout: 300 };
/** How often the versions are looked at again after a conflict: other processes may replace the document, too. */
const MAX_LOOKS = 3;

/**
 * `POST /documents`. The node chooses the ID of the document, so that a lost response can be looked up exactly. The next try sends
 * the same ID, so that a service which keeps it does not ingest the document twice.
 */
export const create: Operation<DocumentInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create document',
	description: 'Ingest a document from a file, text or chunks, so that it can be searched',
	effect: 'write',
	concurrency: CONCURRENT_WRITES,
	runsAllItems: true,
	identifyingKeys: ['document_id'],
	fields: documentFields,
	input: readDocument,
	async run(context, given) {
		try {
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			const collectionIds = await collectionIdsOf(context, given.collectionIds);
			const input = { ...given, collectionIds };
			const identity = await identityOf(context, context.itemIndex, input);
			const { ids } = identity;
			const work = async () => {
				const item = await ingest(context, input);
				await noteOthers(context, input, identity, item);
				return [await finished(context, input, item)];
			};
			// Two executions that replace a document at once would delete what the other still needs, and R2R keeps the file of an upload
			// that it refuses in place of the document's own
			return await inLine(context, ['document', ids[0] ?? ''], work);
		} catch (error) {
			throw withReplaced(context, error as NodeApiError);
		}
	},
};

/**
 * Notes what a document replaces under an ID that the service has chosen. Of these, only what was created before it is deleted.
 * @throws where that cannot be seen: the earlier one may still be found by searches
 */
async function noteOthers(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	item: IDataObject,
): Promise<void> {
	const id = String(item.document_id);
	if (!input.ifExists.startsWith('replace') || identity.ids.includes(id)) return;
	note(context, { document_id: id, is_stored: true });
	context.known.document_id = id;
	const others = await othersOf(context, identity, id).catch((error: NodeApiError) => {
		error.message = `Document ${id} is created, but it cannot be told what it replaces: ${error.message}`;
		throw error;
	});
	note(context, { replaces: [...new Set([...(noted(context).replaces ?? []), ...others])] });
}

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
	const isIt = async (shown: IDataObject) =>
		item.existing === true || (await mayBeOwn(context, input, shown));
	const { document, ...progress } = await waitUntilIngested(context, id, wait, isIt);
	if (item.existing !== true)
		await addToCollections(context, id, input.collectionIds, document.collection_ids);
	const { marks = {} } = noted(context);
	for (const [index, earlier] of replaces.entries()) {
		try {
			// Meanwhile, another process may have replaced it by a version that is later than this one
			const present = await findOrConfirmAbsent(context, earlier);
			if (!present || isEarlier(present, marks[earlier] as string | undefined, document))
				await remove(context, earlier, present);
		} catch (caught) {
			const error = caught as NodeApiError;
			error.message = `Document ${id} is ingested, but the earlier one is not deleted: ${error.message}`;
			throw error;
		}
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

	return await versioned(context, input, identity);
}

/** Sends a document beside its earlier versions, or keeps one of them, as If Exists says. */
async function versioned(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	looks = 1,
): Promise<IDataObject> {
	const { ids } = identity;
	const replaces = input.ifExists.startsWith('replace');
	const found = replaces
		? await settledVersions(context, input, identity, input.wait ?? DEFAULT_WAIT)
		: await findVersions(context, input, identity);
	const versions = looks > 1 ? found.map(afterRefusal) : found;
	const [current, older] = versions;
	const upload = async (id: string) => await sent(context, input, identity, id, { looks });
	if (!current) return await upload(ids[0] ?? '');
	if (input.ifExists === 'error') throw existsError(context, current.id);
	const same = versions.find((version) => version.isChanged === false && !hasFailed(version));
	if (input.ifExists === 'skip') return kept(same ?? current);
	const noteBeside = (id: string) => {
		const earlier = versions.filter((version) => version.id !== id);
		const marks = earlier.map((version) => [version.id, markOf(version.document)]);
		note(context, {
			replaces: earlier.map((version) => version.id),
			marks: Object.fromEntries(marks) as IDataObject,
		});
	};
	if (input.ifExists === 'replaceIfChanged' && same) {
		noteBeside(same.id);
		return kept(same);
	}
	const free = ids.find((id) => versions.every((version) => version.id !== id));
	// The same content keeps its ID. Where no ID is free, the older version makes room, or the one that cannot be searched
	const target = same?.id ?? free ?? (older ?? current).id;
	noteBeside(target);
	const inTheWay = versions.find((version) => version.id === target);
	if (inTheWay) await remove(context, target, inTheWay.document);
	return await upload(target);
}

/** Goes on with a document that an earlier try has sent. */
async function resumed(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
): Promise<IDataObject> {
	const shown = await findDocument(context, documentId);
	const document = shown && !isRemoved(context, shown) ? shown : undefined;
	const again = async () => await sent(context, input, identity, documentId, { isAgain: true });
	if (!document) {
		const listed = await lookInList(context, input, identity, documentId).catch(() => undefined);
		if (listed?.state === 'absent') return await again();
		// What was seen need not be looked for once more
		if (listed?.state === 'made') return { ...listed.item, recovered: true };
		return await reconcile(
			context,
			documentIntent(context, input, identity, documentId, {}, () => undefined),
		);
	}
	if (!input.ifExists.startsWith('replace'))
		return described(documentId, document, { recovered: true });
	// The ID may have been used again, by another execution
	if (identity.ids.length > 1 && (await isChanged(context, input, documentId, document))) {
		note(context, { document_id: undefined, is_stored: undefined, replaces: undefined });
		return await versioned(context, input, identity);
	}
	// A failed ingestion stays failed: Replace sends the document again, as the error advises
	if (statusOf(document) !== 'failed') return described(documentId, document, { recovered: true });
	await sendDeletion(context, DOCUMENT, { documentId });
	if (await isGone(context, documentId)) noteRemoved(context, document);
	return await again();
}

/**
 * Uploads the document.
 * @param isAgain whether an earlier try may have sent it: a conflict is then the proof that it did
 * @param looks how often the versions were looked at
 */
async function sent(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
	{ isAgain = false, looks = MAX_LOOKS }: { isAgain?: boolean; looks?: number } = {},
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
			input,
			identity,
			documentId,
			{ ...before, document_id: documentId },
			() => reply,
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
		const current = await conflictingVersion(context, input, identity, documentId, outcome.reply);
		if (input.ifExists === 'skip') return kept(current);
		if (input.ifExists === 'replaceIfChanged' && current.isChanged === false && !hasFailed(current))
			return kept(current);
		// Another process was faster: its version stays until this one is ingested
		if (identity.ids.length > 1 && current.id === documentId && looks < MAX_LOOKS)
			return await versioned(context, input, identity, looks + 1);
		if (identity.ids.length > 1 && current.id === documentId)
			throw replyError(context, outcome.reply);
		await remove(context, current.id, current.document);
		note(context, { replaces: noted(context).replaces?.filter((id) => id !== current.id) });
		const item = await sent(context, input, identity, documentId);
		return { ...item, replaced: current.id };
	}
	// Never `confirmed`: `documentIntent` does not take a reply without a document for a yes
	const item = outcome.state === 'made' ? outcome.item : { document_id: documentId };
	// The service may have chosen another ID
	await context.once(`document ${String(item.document_id)}`, async () => context.itemIndex);
	return item;
}

function changedError(context: OperationContext, { source }: DocumentInput): NodeApiError {
	const name = 'file' in source ? (source.file.fileName ?? '') : '';
	return contextError(context, {
		message: `The file ${name} changed while it was read`,
		description: 'Nothing was sent. Execute the node again.',
	});
}
