import type { IDataObject, NodeApiError } from 'n8n-workflow';
import {
	contextError,
	knownOf,
	withKnown,
	type OperationContext,
} from '../../../shared/operation/context';
import { LOOK_PAUSES_MS } from '../../../shared/operation/sendOnce';
import { now } from '../../../shared/time';
import { sendDeletion } from '../../deletion';
import { storedHash } from './documentId';
import { DOCUMENT, isGone } from './presence';

/** What the journal keeps of an item until its outcome is known. */
export interface Note {
	/** The document that was sent; absent while none was, or after the service said no. */
	document_id?: string;
	is_stored?: boolean;
	/** Earlier versions that go when the new one is ingested. */
	replaces?: string[];
	/** What each of them is told by, by its ID. */
	marks?: IDataObject;
	/** When documents were deleted, in milliseconds since 1970, by their marks. */
	removed?: Record<string, number>;
	/** Those that are gone. */
	replaced_deleted?: string[];
}

/** What is noted of an item. */
export function noted({ journal }: OperationContext): Note {
	return journal.intent() ?? {};
}

/** Adds to it. */
export function note(context: OperationContext, changes: Note): void {
	context.journal.note({ ...noted(context), ...changes });
}

/**
 * What tells a version from another one that has the ID later: an ID is used again by the version after the next.
 * @param document as the service shows it
 */
export function markOf(document: IDataObject): string {
	return JSON.stringify([document.created_at ?? null, storedHash(document) ?? null]);
}

/** For so long, in milliseconds, a copy of the service may be behind: the same as after a lost answer. */
const BEHIND_MS = LOOK_PAUSES_MS.reduce((sum, pauseMs) => sum + pauseMs);

/** Notes a document that is deleted now, with what it was told by. */
export function noteRemoved(context: OperationContext, document: IDataObject): void {
	// Without the time of its creation, the next one with its ID and its content is told by the same
	if (!document.created_at) return;
	note(context, { removed: { ...noted(context).removed, [markOf(document)]: now() } });
}

/** Whether a document is one that was deleted just now: a copy of the service that is behind still shows it. */
export function isRemoved(context: OperationContext, document: IDataObject): boolean {
	return now() < (noted(context).removed?.[markOf(document)] ?? -Infinity) + BEHIND_MS;
}

/**
 * What is gone, for the output and for errors: one ID, or several.
 * @param newId the ID of the new document; an earlier one that had it is `replaced`
 */
export function deletedIds({ replaced_deleted: ids = [] }: Note, newId?: string): IDataObject {
	const gone = ids.filter((id) => id !== newId);
	return {
		...(gone.length > 0 && { replaced_deleted: gone.length === 1 ? gone[0] : gone }),
		...(gone.length < ids.length && { replaced: newId }),
	};
}

/** Adds to an error what became of the earlier document, even if an earlier try deleted it; not if the new one is stored and only slow to ingest. */
export function withReplaced(context: OperationContext, thrown: NodeApiError): NodeApiError {
	const state = noted(context);
	// n8n's own errors, of a file that is gone, have no context
	const error = thrown.context ? thrown : contextError(context, { message: thrown.message });
	const known: IDataObject = { ...context.known, ...knownOf(error), ...deletedIds(state) };
	if (state.replaces?.length) {
		const advice = [error.description, 'The earlier document is still there.'];
		error.description = advice.filter(Boolean).join(' ');
	} else if (
		!state.replaced_deleted?.length ||
		(state.is_stored && known.ingestion_status !== 'failed')
	) {
		return thrown;
	} else
		error.message = `${error.message.replace(/\.$/, '')}. The earlier document was deleted already`;
	if (context.signal?.aborted) context.log(error.message, known);
	return withKnown(error, known);
}

/**
 * Deletes an earlier version, and notes it: a retry must know.
 * @param document as it was seen; undefined where it was gone already
 * @throws where the service still shows it after two minutes: what searches find must not be called deleted
 */
export async function remove(
	context: OperationContext,
	id: string,
	document?: IDataObject,
): Promise<void> {
	await sendDeletion(context, DOCUMENT, { documentId: id }).catch((error: NodeApiError) => {
		throw withKnown(error, { document_id: id });
	});
	const { replaced_deleted: before = [] } = noted(context);
	note(context, { replaced_deleted: [...before, id] });
	if (await isGone(context, id)) {
		if (document) noteRemoved(context, document);
		return;
	}
	note(context, { replaced_deleted: before });
	throw contextError(
		context,
		{
			message: `The service confirms the deletion of document ${id}, but still shows it`,
			description: 'Delete it with Document > Delete, or run the item again.',
		},
		{ document_id: id },
	);
}
