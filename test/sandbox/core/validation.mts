import { z } from 'zod';

/** Path to a value in a request: `['body', 'location_ids', 1]`. */
export type Loc = readonly (string | number)[];

/** One entry of the validation error body (compute-api.md, "Validation error body"). */
export interface Issue {
	loc: Loc;
	msg: string;
	type: string;
	/** What was sent, where the service repeats it. */
	input?: unknown;
}

/** The request fails validation: all its issues, answered as 422. */
export class Invalid extends Error {
	constructor(readonly issues: readonly Issue[]) {
		super(issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
	}
}

type Words = Pick<Issue, 'msg' | 'type'>;

const MISSING: Words = { msg: 'Field required', type: 'missing' };
const NO_INTEGER: Words = { msg: 'must be an integer', type: 'int_type' };

/** What the service says where zod expected another type. */
const EXPECTED: Record<string, Words> = {
	array: { msg: 'must be a list', type: 'list_type' },
	boolean: { msg: 'must be true or false', type: 'bool_type' },
	integer: {
		msg: 'must be an integer, got a number with a fractional part',
		type: 'int_from_float',
	},
	number: { msg: 'must be a number', type: 'float_type' },
	object: { msg: 'must be an object', type: 'dict_type' },
	string: { msg: 'must be a string', type: 'string_type' },
};

/** What the service says of a text that does not match its format. In this service only integers of a query have a pattern. */
const FORMATS: Record<string, Words> = {
	cidr: { msg: 'must be an address range in CIDR form', type: 'value_error' },
	date: {
		msg: 'must be a valid date in the form YYYY-MM-DD',
		type: 'date_from_datetime_parsing',
	},
	regex: { msg: 'must be a valid integer', type: 'int_parsing' },
	uuid: { msg: 'must be a valid UUID', type: 'uuid_parsing' },
};

/** An integer of JSON: neither a text of digits nor a fraction. zod alone reports a text as "not a number". */
export const integer = () => z.number({ invalid_type_error: NO_INTEGER.msg }).int();

/** A value of one of two types. @param message what the service says of any other value */
export const oneOf = <T extends [z.ZodTypeAny, z.ZodTypeAny]>(message: string, ...forms: T) =>
	z.union(forms, { errorMap: () => ({ message }) });

/** A text that is JSON; what is in it is checked by `schema`. */
export const jsonText = <T extends z.ZodTypeAny>(schema: T) =>
	z
		.string()
		.transform((text, context): unknown => {
			try {
				return JSON.parse(text);
			} catch {
				context.addIssue({
					code: 'custom',
					message: 'must be valid JSON',
					params: { type: 'json_invalid' },
				});
				return z.NEVER;
			}
		})
		.pipe(schema);

/**
 * Reads a whole part of a request.
 * @param rules rules that look at more than one field; they run even when single fields are wrong, so that one answer lists all
 * @throws Invalid with every violation at once
 */
export function parse<T>(
	schema: z.ZodType<T, z.ZodTypeDef, unknown>,
	value: unknown,
	part: 'body' | 'query' | 'path',
	rules: (value: unknown) => Issue[] = () => [],
): T {
	const result = schema.safeParse(value, { errorMap });
	const issues = [
		...(result.error?.issues ?? []).flatMap((issue) => translated(issue, part)),
		...rules(value),
	];
	if (!result.success || issues.length > 0) throw new Invalid(issues);
	return result.data;
}

/** zod reports all unknown keys of an object in one issue, the service one by one. */
function translated(issue: z.ZodIssue, part: string): Issue[] {
	const { type } = wordsFor(issue);
	const paths =
		issue.code === 'unrecognized_keys'
			? issue.keys.map((key) => [...issue.path, key])
			: [issue.path];
	return paths.map((path) => ({ loc: [part, ...path], msg: issue.message, type }));
}

/** The service's message for each issue, unless the schema has a message of its own. */
const errorMap: z.ZodErrorMap = (issue, { data, defaultError }) => ({
	message: data === undefined ? MISSING.msg : wordsFor({ ...issue, message: defaultError }).msg,
});

function wordsFor(issue: z.ZodIssue): Words {
	if (issue.message === MISSING.msg) return MISSING;
	switch (issue.code) {
		case 'invalid_type':
			if (issue.expected === 'number' && issue.message === NO_INTEGER.msg) return NO_INTEGER;
			return EXPECTED[issue.expected] ?? choice(issue.expected);
		case 'invalid_enum_value':
			return choice(issue.options.map((option) => `'${option}'`).join(' | '));
		case 'invalid_string':
			return FORMATS[String(issue.validation)] ?? { msg: issue.message, type: 'value_error' };
		case 'invalid_union':
			return { msg: issue.message, type: 'union_type' };
		case 'unrecognized_keys':
			return { msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
		case 'too_small':
			return tooSmall(issue.type, Number(issue.minimum));
		case 'too_big':
			return issue.type === 'array'
				? { msg: `must have at most ${issue.maximum} items`, type: 'too_long' }
				: { msg: `must be at most ${issue.maximum}`, type: 'less_than_equal' };
		case 'custom':
			return { msg: issue.message, type: String(issue.params?.type ?? 'value_error') };
		default:
			return { msg: issue.message, type: 'value_error' };
	}
}

/** @param values as zod joins them: `'tcp' | 'udp'` */
const choice = (values: string): Words => ({
	msg: `must be ${values.replaceAll(' | ', ' or ')}`,
	type: 'enum',
});

function tooSmall(kind: string, minimum: number): Words {
	const plural = minimum === 1 ? '' : 's';
	switch (kind) {
		case 'string':
			return { msg: `must have at least ${minimum} character${plural}`, type: 'string_too_short' };
		case 'array':
			return { msg: `must have at least ${minimum} item${plural}`, type: 'too_short' };
		default:
			return { msg: `must be at least ${minimum}`, type: 'greater_than_equal' };
	}
}
