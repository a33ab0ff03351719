import { randomUUID } from 'node:crypto';
import type { Payload } from '../shared/http/request';

/** The file in a form. */
export interface FormFile {
	/** Name of the form field. */
	field: string;
	fileName: string;
	mimeType: string;
	/** Exact number of bytes in `content`. */
	size: number;
	content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Builds a `multipart/form-data` body in one Buffer and reads the file straight into it, so that each request holds one copy of its
 * file. It is a Buffer because n8n cannot send a stream or a form object again after an OAuth2 refresh.
 * @returns undefined if the content did not have its announced size
 */
export async function multipart(
	fields: Record<string, string>,
	file?: FormFile,
): Promise<Payload | undefined> {
	const boundary = `form-${randomUUID()}`;
	const texts = Object.entries(fields).map(
		([name, value]) => `${head(boundary, name)}\r\n\r\n${value}\r\n`,
	);
	if (file) {
		texts.push(
			`${head(boundary, file.field)}; filename="${escaped(file.fileName)}"\r\nContent-Type: ${safeType(file.mimeType)}\r\n\r\n`,
		);
	}
	const before = Buffer.from(texts.join(''));
	const after = Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`);
	const size = file?.size ?? 0;
	const bytes = Buffer.allocUnsafe(before.length + size + after.length);
	bytes.set(before);
	let filled = 0;
	for await (const chunk of file?.content ?? []) {
		if (filled + chunk.byteLength > size) return undefined;
		bytes.set(chunk, before.length + filled);
		filled += chunk.byteLength;
	}
	if (filled !== size) return undefined;
	bytes.set(after, before.length + size);
	return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

function head(boundary: string, name: string): string {
	return `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`;
}

/** The type comes with the file, from outside: one with a line break could inject form fields. */
function safeType(mimeType: string): string {
	return /^[\x20-\x7E]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
}

/** As browsers encode names: UTF-8, with the three characters escaped that would end the header. */
function escaped(name: string): string {
	return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
