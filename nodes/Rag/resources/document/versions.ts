import type { IDataObject } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import type { DocumentInput } from './createFields';
import { isChanged, type Identity } from './documentId';
import { described } from './documentIntent';
import { findDocument, statusOf } from './ingestion';

/** A document that the service has. */
export interface Version {
	id: string;
	document: IDataObject;
	/** Whether its content differs from that of the item; null where that cannot be told. */
	isChanged: boolean | null;
}

/** Maximum number of IDs to look up, of the thousands that a hostile response may contain. */
const MAX_IDS = 6;

/** The versions of a document, the current one first: what can be searched before what cannot yet, and failed ones last. */
export async function findVersions(
	context: OperationContext,
	input: DocumentInput,
	{ ids, isContent }: Identity,
): Promise<Version[]> {
	const found = await Promise.all(
		ids.map(async (id) => await findVersion(context, input, id, isContent)),
	);
	return found
		.filter((version) => version !== undefined)
		.sort((a, b) => rankOf(a) - rankOf(b) || createdAt(b) - createdAt(a));
}

/** The first of some IDs that is a document; others may be those of a collection or a task. */
export async function firstVersion(
	context: OperationContext,
	input: DocumentInput,
	ids: string[],
): Promise<Version | undefined> {
	for (const id of [...new Set(ids)].slice(0, MAX_IDS)) {
		const version = await findVersion(context, input, id).catch(() => undefined);
		if (version) return version;
	}
	return undefined;
}

/** Whether its ingestion has failed: it never can be searched. */
export function hasFailed({ document }: Version): boolean {
	return statusOf(document) === 'failed';
}

/** A version that stays, as an output item. */
export function kept({ id, document, isChanged: changed }: Version): IDataObject {
	return described(id, document, { existing: true, content_changed: changed });
}

async function findVersion(
	context: OperationContext,
	input: DocumentInput,
	id: string,
	isSame = false,
): Promise<Version | undefined> {
	const document = await findDocument(context, id);
	if (!document) return undefined;
	if (isSame || input.ifExists === 'error')
		return { id, document, isChanged: isSame ? false : null };
	return { id, document, isChanged: await isChanged(context, input, id, document) };
}

function rankOf({ document }: Version): number {
	return { success: 0, failed: 2 }[statusOf(document)] ?? 1;
}

function createdAt({ document }: Version): number {
	return Date.parse(String(document.created_at)) || 0;
}
