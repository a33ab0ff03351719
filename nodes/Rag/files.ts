import type { IBinaryData } from 'n8n-workflow';
import { refusalAlone } from '../shared/http/refusal';
import { parseJson } from '../shared/json';
import { type Files } from '../shared/operation/operation';
import { replyError, send, type ApiRequest } from '../shared/http/request';
import type { FormFile } from './multipart';
import type { Parameters } from '../shared/operation/parameters';
import { type OperationContext, contextError } from '../shared/operation/context';
import { FileItem } from '../shared/operation/items';
import { isSuccess } from '../shared/http/reply';

/** Largest file to upload or download, since a file is in memory during its transfer. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Deadline of a request with a file. */
export const FILE_DEADLINE_MS = 600_000;

/**
 * The file in the input field that a parameter names. Its content is not read yet.
 * @throws where there is none, or where it is known to be empty or too large
 */
export function pickFile(parameters: Parameters, files: Files, name: string): IBinaryData {
	const field = parameters.text(name);
	const file = files(field);
	if (!file)
		parameters.fail(
			name,
			`must name a field with a file, but the item has no file in "${field}"`,
			'Add a node that outputs a file before this one, such as n8n Form Trigger or HTTP Request, and enter the name of its output field.',
		);
	const size = knownSize(file);
	if (size === 0)
		parameters.fail(name, `must name a field with a file, but ${file.fileName ?? field} is empty`);
	if (size !== undefined && size > MAX_FILE_BYTES)
		parameters.fail(name, `must be a file of at most ${sizes(size)}`);
	return file;
}

/**
 * The content of a file as {@link multipart} takes it; read in chunks if n8n stores it outside of memory.
 * @param field name of the form field that it is sent in
 * @throws where it is empty or too large
 */
export async function readFile(
	context: OperationContext,
	file: IBinaryData,
	field: string,
	fileName: string,
): Promise<FormFile> {
	const { helpers } = context.functions;
	const inMemory = file.id ? undefined : await helpers.getBinaryDataBuffer(context.itemIndex, file);
	const size = inMemory?.length ?? (await helpers.getBinaryMetadata(file.id ?? '')).fileSize;
	if (size === 0) throw contextError(context, { message: `The file ${fileName} is empty` });
	if (size > MAX_FILE_BYTES)
		throw contextError(context, {
			message: `The file ${fileName} must have at most ${sizes(size)}`,
		});
	const content = inMemory ? [inMemory] : await helpers.getBinaryStream(file.id ?? '');
	return { field, fileName, mimeType: file.mimeType || 'application/octet-stream', size, content };
}

/**
 * Downloads a file.
 * @param field name of the output field for the file
 * @param fileName overrides the name that the service sends
 * @param json fields of the output item beside those of the file
 */
export async function downloadFile(
	context: OperationContext,
	spec: ApiRequest,
	field: string,
	fileName: string | undefined,
	json: FileItem['json'],
): Promise<FileItem> {
	const reply = await send(context, {
		...spec,
		largestFileBytes: MAX_FILE_BYTES,
		deadlineMs: FILE_DEADLINE_MS,
	});
	if (reply.kind !== 'answer' || !isSuccess(reply.status) || !reply.file)
		throw replyError(context, reply);
	const { bytes, disposition } = reply.file;
	// A gateway may say no with a 200, but it names no file
	const text = disposition === '' && bytes.length < MAX_REFUSAL_BYTES ? bytes.toString('utf8') : '';
	if (refusalAlone(parseJson(text)) !== undefined) throw replyError(context, { ...reply, text });
	const mimeType = reply.contentType.split(';')[0]?.trim();
	const name = fileName ?? dispositionName(disposition);
	// Without a type from the service, n8n detects it from the name or the content
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

/** The size in bytes, if it is known without reading the file; a file in memory is base64 text. */
function knownSize(file: IBinaryData): number | undefined {
	return file.id ? file.bytes : Buffer.byteLength(file.data, 'base64');
}

function sizes(size: number): string {
	const mebibytes = (bytes: number) => Math.ceil((bytes / 1024 / 1024) * 10) / 10;
	return `${mebibytes(MAX_FILE_BYTES)} MiB, got ${mebibytes(size)} MiB`;
}

function dispositionName(disposition: string): string | undefined {
	const encoded = /filename\*\s*=\s*utf-8'[^']*'([^;]+)/i.exec(disposition)?.[1];
	try {
		if (encoded !== undefined) return decodeURIComponent(encoded);
	} catch {
		// A wrongly encoded name must not lose the file
	}
	const [, quoted, token] = /filename\s*=\s*(?:"([^"]*)"|([^;"]+))/i.exec(disposition) ?? [];
	return quoted ?? token?.trim();
}
