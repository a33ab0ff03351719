import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import {
	Invalid,
	choice,
	integer,
	isRecord,
	issue,
	list,
	object,
	optional,
	parse,
	text,
	within,
} from './schema.mts';
import type { Check, OptionalCheck, Range } from './schema.mts';

/** Every value of every query key, in order: keys may be repeated (beyond-the-spec.md section 1). */
export type Query = Record<string, string[]>;

/** The service refuses; thrown by handlers, answered by {@link answerErrors}. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		readonly body: unknown,
		readonly contentType = 'application/json',
		readonly headers: Record<string, string> = {},
	) {
		super(`refused with ${status}`);
	}
}

/** `{detail: string}`, the form of plain refusals (beyond-the-spec.md section 7). */
export const refusal = (status: number, detail: string): Refusal => new Refusal(status, { detail });

/** Turns everything thrown into the service's answers: 422 in the given body, refusals as they are, 500 for our own mistakes. */
export function answerErrors(app: FastifyInstance): void {
	app.setErrorHandler((error: FastifyError, _request, reply) => {
		if (error instanceof Invalid) return reply.code(422).send({ detail: error.issues });
		if (error instanceof Refusal)
			return reply
				.code(error.status)
				.type(error.contentType)
				.headers(error.headers)
				.send(error.body);
		const status = error.statusCode ?? 500;
		return reply
			.code(status)
			.send({ detail: status < 500 ? error.message : 'Internal Server Error' });
	});
	app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
}

/** Reads a raw query string; the same key may stand several times. */
export function readQuery(search: string): Query {
	const query: Query = {};
	for (const [key, value] of new URLSearchParams(search)) (query[key] ??= []).push(value);
	return query;
}

/** The path and the query of a request target, the path still encoded. */
export function splitTarget(target: string): { path: string; query: Query } {
	const mark = target.indexOf('?');
	return mark < 0
		? { path: target, query: {} }
		: { path: target.slice(0, mark), query: readQuery(target.slice(mark + 1)) };
}

/** Reads the query of a request; unknown keys are ignored, as the service's own framework does. */
export function queryOf<T>(request: FastifyRequest, check: Check<T>): T {
	return parse(check, splitTarget(request.raw.url ?? '').query, 'query');
}

/** Of a key that stands several times the last one counts. */
function last<T>(check: Check<T>): Check<T> {
	return (values, loc, issues) =>
		check(Array.isArray(values) ? values.at(-1) : values, loc, issues);
}

/** A whole number in a query, in decimal digits. */
export function queryInteger(range: Range = {}): Check<number> {
	return last((value, loc, issues) => {
		if (typeof value !== 'string' || !/^[+-]?\d+$/.test(value))
			return issue(issues, loc, 'int_parsing', 'must be a valid integer');
		return within(Number(value), range, loc, issues);
	});
}

export const queryText = (range?: Range): Check<string> => last(text(range));
export const queryChoice = <const T extends string>(options: readonly T[]): Check<T> =>
	last(choice(options));
export const queryList = (): Check<string[]> => list(text());

/** A query value that is itself JSON: `["a","b"]`, URL-encoded on the wire. */
export function queryJson<T>(check: Check<T>): Check<T> {
	return last((value, loc, issues) => {
		try {
			return check(JSON.parse(String(value)), loc, issues);
		} catch {
			return issue(issues, loc, 'json_invalid', 'must be valid JSON');
		}
	});
}

/** `page`, from the list's first page on, and `page_size` up to 100. */
export function pageQuery(first: number): {
	page: OptionalCheck<number>;
	page_size: OptionalCheck<number>;
} {
	return {
		page: optional(queryInteger({ min: first })),
		page_size: optional(queryInteger({ min: 1, max: 100 })),
	};
}

/** The entries of one page; `page` counts from 0. */
export function pageOf<T>(entries: readonly T[], page: number, size: number): T[] {
	return entries.slice(page * size, (page + 1) * size);
}

/** The JSON body of a request; what is no JSON is a 422 like any other violation. */
export function jsonBody(request: FastifyRequest): unknown {
	const raw = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
	const type = request.headers['content-type'] ?? '';
	if (raw === '') throw new Invalid([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
	// A body that is not declared as JSON is not read as JSON
	if (!/^application\/(.+\+)?json\b/i.test(type))
		throw new Invalid([{ loc: ['body'], msg: 'must be an object', type: 'dict_type' }]);
	try {
		return JSON.parse(raw);
	} catch {
		throw new Invalid([{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }]);
	}
}

/** A path parameter, decoded. */
export function param(request: FastifyRequest, name: string): string {
	const value = isRecord(request.params) ? request.params[name] : undefined;
	return typeof value === 'string' ? value : '';
}

/** Body of `extend` (beyond-the-spec.md section 1): hours that are added. */
export const extendBody = object({ duration_hours: integer({ min: 1 }) });
