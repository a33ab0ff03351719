import { createHash } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import { readFile } from '../../files';
import type { DocumentInput } from './createFields';

/** The ID of an item's document: the Document ID parameter, or else a derived one. */
export async function documentIdOf(
	context: OperationContext,
	itemIndex: number,
	input: DocumentInput,
): Promise<string> {
	return (
		input.documentId ??
		(await context.once(`id of ${itemIndex}`, async () => await derivedId(context, input)))
	);
}

/**
 * A UUID made from the file name, or from the content if there is no name. It is the same for the same account in the same n8n,
 * so a document that was sent before is found again.
 */
export async function derivedId(
	context: OperationContext,
	{ source }: DocumentInput,
): Promise<string> {
	const { functions, account } = context;
	const credentialId = functions.getNode().credentials?.[account.credentialType]?.id ?? '';
	const key =
		'file' in source && !source.file.fileName
			? ['content', await digestOf(context, source.file)]
			: contentKey(source);
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

/** A hash of the content, since the location of a stored file changes with each execution. */
async function digestOf(context: OperationContext, file: IBinaryData): Promise<string> {
	const { content } = await readFile(context, file, 'file', 'without a name');
	const hash = createHash('sha256');
	for await (const bytes of content) hash.update(bytes);
	return hash.digest('hex');
}
