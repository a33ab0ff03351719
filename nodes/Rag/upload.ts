import { createHash } from 'node:crypto';
import type { Call } from '../shared/execute';
import { FILE_DEADLINE_MS, readFile } from '../shared/files';
import { multipart } from '../shared/multipart';
import { send, type Outcome } from '../shared/request';
import { RAG } from './api';
import type { DocumentInput } from './documentForm';

/** The same file name, or the same text, gives the same id in the same account of the same n8n: so a second one is noticed. */
export function derivedId({ ctx, account }: Call, { source }: DocumentInput): string {
	const credentialId = ctx.getNode().credentials?.[account.credentialType]?.id ?? '';
	const hex = createHash('sha256')
		.update(JSON.stringify([ctx.getInstanceId(), account.baseUrl, account.segments, credentialId, ...contentKey(source)]))
		.digest('hex');
	// A UUID of version 8: made by a rule of one's own
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function contentKey(source: DocumentInput['source']): string[] {
	if ('file' in source) return ['file', source.file.fileName ?? source.file.id ?? source.file.data];
	return 'rawText' in source ? ['text', source.rawText] : ['chunks', ...source.chunks];
}

/**
 * `POST /documents` as a form: exactly one of file, raw text and chunks, and what goes with it.
 * @param before what to do once the form is whole: a file that cannot be read must not cost the earlier document
 */
export async function upload(call: Call, { source, ...input }: DocumentInput, documentId: string, before: () => Promise<void>): Promise<Outcome> {
	const fields: Record<string, string> = { id: documentId };
	if ('rawText' in source) fields.raw_text = source.rawText;
	if ('chunks' in source) fields.chunks = JSON.stringify(source.chunks);
	if (input.collectionIds.length > 0) fields.collection_ids = JSON.stringify(input.collectionIds);
	if (input.metadata) fields.metadata = JSON.stringify(input.metadata);
	if (input.ingestionMode !== undefined) fields.ingestion_mode = input.ingestionMode;
	if (input.runWithOrchestration !== undefined) fields.run_with_orchestration = String(input.runWithOrchestration);
	const file = 'file' in source ? await readFile(call, source.file, 'file', fileNameOf(source.file.fileName, source.file.fileExtension)) : undefined;
	const payload = await multipart(fields, file);
	if (!payload) return { kind: 'unsent', reason: `The file ${file?.fileName ?? ''} changed while it was read`, permanent: true };
	await before();
	return await send(call, { method: 'POST', path: `${RAG}/documents`, payload, retry: 'once', deadlineMs: FILE_DEADLINE_MS });
}

/** The service tells the kind of a document by the end of its name. */
function fileNameOf(name: string | undefined, extension: string | undefined): string {
	return name ?? `document${extension ? `.${extension}` : ''}`;
}
