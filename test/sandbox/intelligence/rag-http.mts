import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal, queryInteger, queryOf } from '../core/http.mts';

/** Refusal in the retrieval engine's form, `{message, error_type}` (beyond-the-spec.md section 6). */
export const ragRefusal = (status: number, message: string): Refusal =>
	new Refusal(status, {
		message,
		error_type: status === 404 ? 'NotFound' : status === 409 ? 'Conflict' : 'BadRequest',
	});

const listQuery = z.object({
	offset: queryInteger(z.number().min(0)).optional(),
	limit: queryInteger(z.number().min(1).max(1_000)).optional(),
});

/** The list envelope with `offset` and `limit` (beyond-the-spec.md section 6). */
export function listed<T>(
	request: FastifyRequest,
	entries: readonly T[],
): { results: T[]; total_entries: number } {
	const { offset = 0, limit = 100 } = queryOf(request, listQuery);
	return { results: entries.slice(offset, offset + limit), total_entries: entries.length };
}

/** The entry of a map, or a 404. */
export function existing<T>(entries: ReadonlyMap<string, T>, key: string, what: string): T {
	const entry = entries.get(key);
	if (entry === undefined) throw ragRefusal(404, `${what} not found`);
	return entry;
}

export const iso = (at: number): string => new Date(at).toISOString();

export const message = (text: string) => ({ results: { message: text } });
export const success = { results: { success: true } };
