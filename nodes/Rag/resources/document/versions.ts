import type { IDataObject } from 'n8n-workflow';
import { pause, type OperationContext } from '../../../shared/operation/context';
import { now } from '../../../shared/time';
import type { DocumentInput } from './createFields';
import { isChanged, storedHash, type Identity } from './documentId';
import { described } from './documentIntent';
import { statusOf, type Wait } from './ingestion';
import { markOf } from './note';
import { findDocument } from './presence';

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

/**
 * As {@link findVersions}; where no ID is free, once none of them is being ingested any more, or the time is over: whoever uploads
 * it may delete the other one as soon as it can be searched.
 */
export async function settledVersions(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	wait: Wait,
): Promise<Version[]> {
	const until = now() + wait.timeout * 1000;
	for (;;) {
		const versions = await findVersions(context, input, identity);
		const isFree = versions.length < identity.ids.length || identity.ids.length === 1;
		if (isFree || !versions.some(isUnsettled) || now() >= until) return versions;
		await pause(context, wait.pollInterval * 1000);
	}
}

/**
 * Whether a document is earlier than another one: it is as it was before the other one was sent, or it was created before. Whoever
 * has the later one deletes the earlier one, so of two executions at most one deletes.
 * @param mark of the version that was seen before the other one was sent
 */
export function isEarlier(
	document: IDataObject,
	mark: string | undefined,
	stays: IDataObject,
): boolean {
	if (markOf(document) === mark) return true;
	const [own, other] = [document, stays].map(({ created_at: at }) => Date.parse(String(at)));
	return Number(own) < Number(other);
}

/**
 * A version as it can be told after an upload was refused: R2R has stored the file all the same, and hands it out in place of the
 * version's own, so that only a hash says that the content is the same.
 */
export function afterRefusal(version: Version): Version {
	const isTold = typeof storedHash(version.document) === 'string' || version.isChanged !== false;
	return isTold ? version : { ...version, isChanged: null };
}

/** The first of some IDs, of a refusal, that is a document; others may be those of a collection or a task. */
export async function firstVersion(
	context: OperationContext,
	input: DocumentInput,
	ids: string[],
): Promise<Version | undefined> {
	for (const id of [...new Set(ids)].slice(0, MAX_IDS)) {
		const version = await findVersion(context, input, id).catch(() => undefined);
		if (version) return afterRefusal(version);
	}
	return undefined;
}

/** Whether its ingestion has failed: it never can be searched. */
export function hasFailed({ document }: Version): boolean {
	return statusOf(document) === 'failed';
}

function isUnsettled({ document }: Version): boolean {
	return !['success', 'failed'].includes(statusOf(document));
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
