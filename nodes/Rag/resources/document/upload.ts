import type { IBinaryData } from 'n8n-workflow';
import { FILE_DEADLINE_MS, readFile } from '../../files';
import { multipart } from '../../multipart';
import { send, type Payload } from '../../../shared/http/request';
import { RAG } from '../../paths';
import type { DocumentInput } from './createFields';
import type { OperationContext } from '../../../shared/operation/context';
import type { Reply } from '../../../shared/http/reply';

/**
 * The body of an upload: exactly one of file, raw text and chunks, and the fields that describe it. It is read before an earlier
 * document is deleted, since a file that cannot be read must not cost that one.
 * @returns undefined if the file changed while it was read
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

/**
 * The service detects the type of a document from its extension and rejects a name that it has already, so a file without a
 * name gets the ID of its document.
 */
function fileNameOf({ fileName, fileExtension }: IBinaryData, documentId: string): string {
	return fileName || `${documentId}${fileExtension ? `.${fileExtension}` : ''}`;
}
