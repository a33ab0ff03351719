import type { IBinaryData } from 'n8n-workflow';
import { type Files } from '../shared/operation/operation';
import { replyError, send, type ApiRequest } from '../shared/http/request';
import type { FormFile } from './multipart';
import type { Parameters } from '../shared/operation/parameters';
import { type OperationContext, contextError } from '../shared/operation/context';
import { FileItem } from '../shared/operation/items';
import { isSuccess } from '../shared/http/reply';

/** Largest file that is sent or fetched: it stands in memory while it is under way. */
export const LARGEST_FILE_BYTES = 100 * 1024 * 1024;
/** Time for a request with a large file. */
export const FILE_DEADLINE_MS = 600_000;

/** The file that a form's field names; nothing of it is read yet. */
export function pickFile(parameters: Parameters, files: Files, name: string): IBinaryData {
	const field = parameters.text(name);
	const file = files(field);
	if (!file)
		parameters.fail(
			name,
			`must name a file of the item, and the item has none called "${field}"`,
			'Put a node that brings a file before this one, and enter the name of its output field.',
		);
	const size = knownSize(file);
	if (size === 0)
		parameters.fail(name, `must name a file with content, and ${file.fileName ?? field} is empty`);
	if (size !== undefined && size > LARGEST_FILE_BYTES) parameters.fail(name, tooLarge(size));
	return file;
}

/** The content of a picked file, as a form takes it; read in pieces where n8n stores it outside of memory. */
export async function readFile(
	context: OperationContext,
	file: IBinaryData,
	field: string,
	fileName: string,
): Promise<FormFile> {
	const { helpers } = context.functions;
	const inMemory = file.id ? undefined : await helpers.getBinaryDataBuffer(context.itemIndex, file);
	const size = inMemory?.length ?? (await helpers.getBinaryMetadata(file.id ?? '')).fileSize;
	if (size === 0) throw contextError(context, { message: `The file ${fileName} is empty` }, {});
	if (size > LARGEST_FILE_BYTES)
		throw contextError(context, { message: `The file ${fileName} ${tooLarge(size)}` }, {});
	const content = inMemory ? [inMemory] : await helpers.getBinaryStream(file.id ?? '');
	return { field, fileName, mimeType: file.mimeType || 'application/octet-stream', size, content };
}

/** Fetches a file as the binary data of one output item. */
export async function downloadFile(
	context: OperationContext,
	spec: ApiRequest,
	field: string,
	fileName: string | undefined,
	json: FileItem['json'],
): Promise<FileItem> {
	const reply = await send(context, {
		...spec,
		largestFileBytes: LARGEST_FILE_BYTES,
		deadlineMs: FILE_DEADLINE_MS,
	});
	if (reply.kind !== 'answer' || !isSuccess(reply.status) || !reply.file)
		throw replyError(context, reply);
	const { bytes, disposition } = reply.file;
	const mimeType = reply.contentType.split(';')[0]?.trim();
	const name = fileName ?? dispositionName(disposition);
	// n8n knows the type by the name or the content where the service does not say
	const binary = await context.functions.helpers.prepareBinaryData(
		bytes,
		name,
		mimeType === 'application/octet-stream' ? undefined : mimeType,
	);
	return new FileItem(
		{
			...json,
			file_name: binary.fileName ?? null,
			mime_type: binary.mimeType,
			size_in_bytes: bytes.length,
		},
		{ [field]: binary },
	);
}

/** The size as far as it is known without reading: the text of a file in memory is base64. */
function knownSize(file: IBinaryData): number | undefined {
	return file.id ? file.bytes : Buffer.byteLength(file.data, 'base64');
}

function tooLarge(size: number): string {
	const mebibytes = (bytes: number) => Math.ceil((bytes / 1024 / 1024) * 10) / 10;
	return `must be a file of at most ${mebibytes(LARGEST_FILE_BYTES)} MiB, got ${mebibytes(size)} MiB`;
}

function dispositionName(disposition = ''): string | undefined {
	const encoded = /filename\*\s*=\s*utf-8'[^']*'([^;]+)/i.exec(disposition)?.[1];
	try {
		if (encoded !== undefined) return decodeURIComponent(encoded);
	} catch {
		// A name that is wrongly encoded is no reason to lose the file
	}
	const [, quoted, token] = /filename\s*=\s*(?:"([^"]*)"|([^;"]+))/i.exec(disposition) ?? [];
	return quoted ?? token?.trim();
}
