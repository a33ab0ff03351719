import type { FastifyRequest } from 'fastify';
import { Invalid } from '../core/validation.mts';

/** Parses a multipart body with the parser of Node.js. */
export async function formOf(request: FastifyRequest): Promise<FormData> {
	const body = Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : new Uint8Array();
	try {
		return await new Response(body, {
			headers: { 'content-type': request.headers['content-type'] ?? '' },
		}).formData();
	} catch {
		throw new Invalid([{ loc: ['body'], msg: 'must be multipart form data', type: 'value_error' }]);
	}
}

/** The text of a field; undefined when it is absent or a file. */
export function fieldOf(form: FormData, name: string): string | undefined {
	const value = form.get(name);
	return typeof value === 'string' ? value : undefined;
}
