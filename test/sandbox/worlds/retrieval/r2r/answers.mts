import type { FastifyRequest } from 'fastify';
import { FilterError } from './filters.mts';
import type { R2rHabits } from './store.mts';

/** An error of the engine in its form: `{message, error_type}`, or what it calls unexpected. */
export class R2rError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly isUnexpected = false,
	) {
		super(message);
	}
}

/** Status and body of an error (`base_router`: what is no R2RException is a 500 with its words in `detail`). */
export function errorAnswer(error: unknown): [status: number, body: object] {
	if (error instanceof R2rError && !error.isUnexpected)
		return [error.status, { message: error.message, error_type: 'R2RException' }];
	const text = error instanceof Error ? error.message : String(error);
	const type = error instanceof FilterError ? 'FilterError' : 'ValueError';
	return [
		500,
		{ detail: { message: `An error '${text}' occurred`, error: text, error_type: type } },
	];
}

/** `{results: …}` around an object, or the bare object. */
export function envelope({ isPlain }: R2rHabits, results: object): object {
	return isPlain ? results : { results };
}

/** One page of a list. */
export function page(
	{ isBare, pageLimit }: R2rHabits,
	request: FastifyRequest,
	entries: object[],
): object {
	const query = request.query as Record<string, string | string[] | undefined>;
	const [offset, limit] = [Number(query.offset ?? 0), Number(query.limit ?? 100)];
	if (limit < 1 || limit > 1000) throw new R2rError(422, 'limit: Input should be at most 1000');
	const ids = query.ids === undefined ? undefined : [query.ids].flat();
	const wanted = entries.filter((entry) => ids?.includes((entry as { id: string }).id) ?? true);
	if (isBare) return wanted.slice(offset, offset + limit);
	const start = pageLimit === undefined ? offset : 0;
	const results = wanted.slice(start, start + Math.min(limit, pageLimit ?? limit));
	return { results, total_entries: wanted.length };
}
