import { createHash } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';
import { FILE_DEADLINE_MS, readFile } from '../../files';
import { multipart } from '../../multipart';
import { send, type Payload } from '../../../shared/http/request';
import { RAG } from '../../envelope';
import type { DocumentInput } from './fields';
import type { OperationContext } from '../../../shared/operation/context';
import type { Reply } from '../../../shared/http/reply';

/**
 * The same file name, or the same content where there is no name, gives the same id in the same account of the same n8n: so a
 * second one is noticed.
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
	// A UUID of version 8: made by a rule of one's own
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What tells contents of one run apart without reading them. */
export function contentKey(source: DocumentInput['source']): string[] {
	if ('file' in source) return ['file', source.file.fileName || source.file.id || source.file.data];
	return 'rawText' in source ? ['text', source.rawText] : ['chunks', ...source.chunks];
}

/** Of the content: the place of a stored file changes with each execution. */
async function digestOf(context: OperationContext, file: IBinaryData): Promise<string> {
	const { content } = await readFile(context, file, 'file', 'without a name');
	const hash = createHash('sha256');
	for await (const bytes of content) hash.update(bytes);
	return hash.digest('hex');
}

/**
 * The body of an upload: exactly one of file, raw text and chunks, and what goes with it. The file is read here, so
 * that one which cannot be read does not cost the earlier document.
 * @returns undefined where the file changed while it was read
 */
export async function readUpload(
	context: OperationContext,
	{ source, ...input }: DocumentInput,
	documentId: string,
): Promise<Payload | undefined> {
	const fields: Record<string, string> = { id: documentId };
	if ('rawText' in source) fields.raw_text = source.rawText;
	if ('chunks' in source) fields.chunks = JSON.stringify(source.chunks);
	if (input.collectionIds.length > 0) fields.collection_ids = JSON.stringify(input.collectionIds);
	if (input.metadata) fields.metadata = JSON.stringify(input.metadata);
	if (input.ingestionMode !== undefined) fields.ingestion_mode = input.ingestionMode;
	if (input.runWithOrchestration !== undefined)
		fields.run_with_orchestration = String(input.runWithOrchestration);
	const file =
		'file' in source
			? await readFile(context, source.file, 'file', fileNameOf(source.file, documentId))
			: undefined;
	return await multipart(fields, file);
}

/** `POST /documents` (beyond-the-spec.md section 6 "Documents"). */
export async function sendUpload(context: OperationContext, payload: Payload): Promise<Reply> {
	return await send(context, {
		method: 'POST',
		path: `${RAG}/documents`,
		payload,
		retry: 'ifUnsent',
		deadlineMs: FILE_DEADLINE_MS,
	});
}

/** The service tells the kind of a document by the end of its name, and takes two of one name for the same: without a name the id is one. */
function fileNameOf({ fileName, fileExtension }: IBinaryData, documentId: string): string {
	return fileName || `${documentId}${fileExtension ? `.${fileExtension}` : ''}`;
}
