import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { send } from '../../../shared/http/request';
import { numberOf } from '../../../shared/numbers';
import type { OperationContext } from '../../../shared/operation/context';
import { readFile } from '../../files';
import { RAG } from '../../../intelligence/retrieval/paths';
import type { DocumentInput } from './createFields';

/** What makes a document the same one as an earlier document. */
export interface Identity {
	/**
	 * The IDs that its document may have: a new version takes the one that is free, so that the earlier one can stay until the
	 * new one is ingested. A content has one version, and a Document ID that is given is the only one.
	 */
	ids: string[];
	/** Whether the same identity means the same content. */
	isContent: boolean;
}

/** The identity of an item's document. */
export async function identityOf(
	context: OperationContext,
	itemIndex: number,
	input: DocumentInput,
): Promise<Identity> {
	if (input.documentId !== undefined) return { ids: [input.documentId], isContent: false };
	return await context.once(`identity of ${itemIndex}`, async () => {
		const key = await identityKey(context, input);
		const isContent = key[0] !== 'file' && key[0] !== 'key';
		const next = isContent ? [] : [derivedId(context, ['next', ...key])];
		return { ids: [derivedId(context, key), ...next], isContent };
	});
}

/**
 * The words that identify a document: its key, or its file name, or its content where that is chosen or there is no name.
 */
async function identityKey(
	context: OperationContext,
	{ source, identity, key }: DocumentInput,
): Promise<string[]> {
	if (identity === 'key') return ['key', String(key)];
	const isNamed = 'file' in source && source.file.fileName && identity === 'fileName';
	return 'file' in source && !isNamed
		? ['content', await digestOf(context, source)]
		: contentKey(source);
}

/**
 * A UUID made from an identity. It is the same for the same account in the same n8n, so a document that was sent before is found
 * again, and nobody else's has it.
 */
export function derivedId(
	{ functions, account }: Pick<OperationContext, 'functions' | 'account'>,
	key: string[],
): string {
	const credentialId = functions.getNode().credentials?.[account.credentialType]?.id ?? '';
	const hex = createHash('sha256')
		.update(
			JSON.stringify([
				functions.getInstanceId(),
				account.baseUrl,
				account.segments,
				credentialId,
				...key,
			]),
		)
		.digest('hex');
	// Version 8 is for UUIDs with a custom scheme (RFC 9562)
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What identifies the content of an item within one execution, without reading files. */
export function contentKey(source: DocumentInput['source']): string[] {
	if ('file' in source) return ['file', source.file.fileName || source.file.id || source.file.data];
	return 'rawText' in source ? ['text', source.rawText] : ['chunks', ...source.chunks];
}

/** The SHA-256 of the content, since the location of a stored file changes with each execution. */
export async function digestOf(
	context: OperationContext,
	source: DocumentInput['source'],
): Promise<string> {
	const hash = createHash('sha256');
	if ('file' in source) {
		const { content } = await readFile(context, source.file, 'file', source.file.fileName ?? '');
		for await (const bytes of content) hash.update(bytes);
	} else hash.update('rawText' in source ? source.rawText : JSON.stringify(source.chunks));
	return hash.digest('hex');
}

/** The hash of its content that a document shows: a text where this node has stored it. */
export function storedHash({ metadata }: IDataObject): unknown {
	return (metadata as IDataObject | null | undefined)?.n8n_sha256;
}

/** As {@link digestOf}, of the item, whose content is read once. */
export async function ownDigest(
	context: OperationContext,
	source: DocumentInput['source'],
): Promise<string> {
	return await context.once(
		`content of ${context.itemIndex}`,
		async () => await digestOf(context, source),
	);
}

/** Largest document in bytes that is downloaded to compare it: one without a hash, of an earlier version of this node. */
const COMPARED_BYTES = 1024 * 1024;

/**
 * Whether the content of an item differs from that of a stored document; null where that cannot be told.
 * @param isRefused whether the service has refused the content with a conflict: R2R has stored its file all the same, and hands it out
 * in place of the document's own, so that the size has to be the same, too
 */
export async function isChanged(
	context: OperationContext,
	{ source }: DocumentInput,
	documentId: string,
	document: IDataObject,
	isRefused = false,
): Promise<boolean | null> {
	const { size_in_bytes: size } = document;
	const stored = storedHash(document);
	const digest = await ownDigest(context, source);
	if (typeof stored === 'string') return stored !== digest;
	if ('chunks' in source || Number(size) > COMPARED_BYTES) return null;
	const reply = await send(context, {
		method: 'GET',
		path: `${RAG}/documents/{documentId}/download`,
		params: { documentId },
		retry: 'idempotent',
		headers: { Accept: '*/*' },
		largestFileBytes: COMPARED_BYTES,
	});
	if (reply.kind !== 'answer' || !reply.file) return null;
	const { bytes } = reply.file;
	if (createHash('sha256').update(bytes).digest('hex') !== digest) return true;
	// The engine counts a text in characters
	const sizes = [bytes.length, [...bytes.toString('utf8')].length];
	return isRefused && numberOf(size) !== undefined && !sizes.includes(Number(size));
}
