import type { IDataObject } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import { LOOK_PAUSES_MS } from '../../../shared/operation/sendOnce';
import { now } from '../../../shared/time';
import type { DocumentInput } from './createFields';
import { ownDigest } from './documentId';

/**
 * What tells a version from another one that has the ID later: an ID is used again by the version after the next.
 * @param document as the service shows it
 */
export function markOf({ created_at: at, metadata }: IDataObject): string {
	return JSON.stringify([at ?? null, hashOf({ metadata }) ?? null]);
}

function hashOf({ metadata }: IDataObject): unknown {
	return (metadata as IDataObject | null | undefined)?.n8n_sha256;
}

/** For so long, in milliseconds, a copy of the service may be behind: the same as after a lost answer. */
const BEHIND_MS = LOOK_PAUSES_MS.reduce((sum, pauseMs) => sum + pauseMs);

/** Notes a document that is deleted now, with what it was told by. */
export function noteRemoved(context: OperationContext, document: IDataObject): void {
	// Without the time of its creation, the next one with its ID and its content is told by the same
	if (!document.created_at) return;
	const note = context.journal.intent() ?? {};
	const removed = { ...(note.removed as IDataObject | undefined), [markOf(document)]: now() };
	context.journal.note({ ...note, removed });
}

/** Whether a document is one that was deleted just now: a copy of the service that is behind still shows it. */
export function isRemoved(context: OperationContext, document: IDataObject): boolean {
	const removed = context.journal.intent()?.removed as IDataObject | undefined;
	return now() < Number(removed?.[markOf(document)] ?? -Infinity) + BEHIND_MS;
}

/** Whether a document that has the ID of an upload may be what was uploaded, and is none that had the ID before. */
export async function mayBeOwn(
	context: OperationContext,
	{ source }: DocumentInput,
	document: IDataObject,
): Promise<boolean> {
	if (isRemoved(context, document)) return false;
	const hash = hashOf(document);
	return typeof hash !== 'string' || hash === (await ownDigest(context, source));
}
