import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { FILE_DEADLINE_MS, readFile } from '../../files';
import { multipart } from '../../multipart';
import { send, type Payload } from '../../../shared/http/request';
import { RAG } from '../../../intelligence/retrieval/paths';
import type { DocumentInput } from './createFields';
import { digestOf, type Identity } from './documentId';
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
	{ ids }: Identity,
): Promise<Payload | undefined> {
	const name = 'file' in source ? fileNameOf(source.file, documentId) : '';
	const isMarked = input.ifExists === 'replaceIfChanged' || input.identity !== 'fileName';
	const metadata = {
		...titled(input.metadata, name),
		...(isMarked && { n8n_sha256: await digestOf(context, source), n8n_identity: ids[0] }),
	};
	const values: IDataObject = {
		id: documentId,
		...('rawText' in source && { raw_text: source.rawText }),
		...('chunks' in source && { chunks: source.chunks }),
		collection_ids: input.collectionIds.length > 0 ? input.collectionIds : undefined,
		metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
		...input.fields,
	};
	const fields = Object.entries(values).flatMap(([key, value]): Array<[string, string]> =>
		value === undefined ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)]],
	);
	const file = 'file' in source ? await readFile(context, source.file, 'file', name) : undefined;
	return await multipart(Object.fromEntries(fields), file);
}

/**
 * The service takes a title for the name of the file, and the type from its end: a title without it is refused with 415
 * (beyond-the-spec.md section 9).
 */
function titled(metadata: IDataObject | undefined, fileName: string): IDataObject {
	const { title } = metadata ?? {};
	const extension = /\.[^./]+$/.exec(fileName)?.[0] ?? '';
	if (!title || extension === '') return { ...metadata };
	const name = String(title);
	const isComplete = name.toLowerCase().endsWith(extension.toLowerCase());
	return { ...metadata, title: isComplete ? name : `${name}${extension}` };
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
