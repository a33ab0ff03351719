import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isRecord } from './guards.mts';
import { Invalid, integer, jsonText, parse } from './validation.mts';

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

/** Turns errors into the service's answers: 422 with its issues, refusals as they are, 500 for bugs of the sandbox. */
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

/** Parses a raw query string; keys may be repeated. */
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
export function queryOf<T>(
	request: FastifyRequest,
	schema: z.ZodType<T, z.ZodTypeDef, unknown>,
): T {
	return parse(schema, splitTarget(request.raw.url ?? '').query, 'query');
}

/** One value in a query. Of a repeated key the last value counts. */
export const queryValue = <T extends z.ZodTypeAny>(schema: T) =>
	z.preprocess((values) => (Array.isArray(values) ? values.at(-1) : values), schema);

/** A whole number in a query, in decimal digits, within the limits of `range`. */
export const queryInteger = (range = z.number()) =>
	queryValue(
		z
			.string()
			.regex(/^[+-]?\d+$/)
			.transform(Number)
			.pipe(range),
	);

/** Every value of a repeated key. */
export const queryList = () => z.array(z.string());

/** A query value that is itself JSON: `["a","b"]`, URL-encoded on the wire. */
export const queryJson = <T extends z.ZodTypeAny>(schema: T) => queryValue(jsonText(schema));

/** `page`, from the list's first page on, and `page_size` up to 100. */
export const pageQuery = (first: number) => ({
	page: queryInteger(z.number().min(first)).optional(),
	page_size: queryInteger(z.number().min(1).max(100)).optional(),
});

/** The entries of one page; `page` counts from 0. */
export function pageOf<T>(entries: readonly T[], page: number, size: number): T[] {
	return entries.slice(page * size, (page + 1) * size);
}

/** The JSON body of a request; a body that is not JSON is a 422 like any other violation. */
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

/** Body of `extend` (beyond-the-spec.md section 1): the hours to add. */
export const extendBody = z.object({ duration_hours: integer().min(1) }).strict();
