/** Where a value stands in a request: `['body', 'location_ids', 1]`. */
export type Loc = readonly (string | number)[];

/** One entry of the validation error body (compute-api.md, "Validation error body"). */
export interface Issue {
	loc: Loc;
	msg: string;
	type: string;
}

/** Reads a value; what is wrong with it goes into `issues`, and then the result is undefined. */
export type Check<T> = (value: unknown, loc: Loc, issues: Issue[]) => T | undefined;

/** A check of a key that may be absent. */
export interface OptionalCheck<T> extends Check<T> {
	readonly optional: true;
}

type Shape = Record<string, Check<unknown>>;
type OptionalKey<S extends Shape> = {
	[K in keyof S]: S[K] extends OptionalCheck<unknown> ? K : never;
}[keyof S];
type Value<C> = C extends Check<infer T> ? T : never;

/** The type that an object's shape reads into. */
export type Parsed<S extends Shape> = { [K in Exclude<keyof S, OptionalKey<S>>]: Value<S[K]> } & {
	[K in OptionalKey<S>]?: Value<S[K]>;
};

/** The request fails validation: all its issues, answered as 422. */
export class Invalid extends Error {
	constructor(readonly issues: readonly Issue[]) {
		super(issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
	}
}

/** Notes an issue; the result of a check that failed. */
export function issue(issues: Issue[], loc: Loc, type: string, msg: string): undefined {
	issues.push({ loc, msg, type });
	return undefined;
}

/**
 * Reads a whole part of a request or throws every violation at once.
 * @param rules rules that look at more than one field; they run also when single fields are wrong, so that one answer lists all
 */
export function parse<T>(
	check: Check<T>,
	value: unknown,
	part: 'body' | 'query' | 'path',
	rules?: (value: unknown, issues: Issue[]) => void,
): T {
	const issues: Issue[] = [];
	const parsed = check(value, [part], issues);
	rules?.(value, issues);
	if (parsed === undefined || issues.length > 0) throw new Invalid(issues);
	return parsed;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Marks a key that may be absent. Present but `null` is not absent. */
export function optional<T>(check: Check<T>): OptionalCheck<T> {
	const copy: Check<T> = (value, loc, issues) => check(value, loc, issues);
	return Object.assign(copy, { optional: true as const });
}

const isOptional = (check: Check<unknown>): check is OptionalCheck<unknown> => 'optional' in check;

/** An object with known keys; an unknown one is an issue unless `extra` allows it. */
export function object<S extends Shape>(
	shape: S,
	extra: 'forbid' | 'allow' = 'forbid',
): Check<Parsed<S>> {
	return (value, loc, issues) => {
		if (!isRecord(value)) return issue(issues, loc, 'dict_type', 'must be an object');
		const before = issues.length;
		const result: Record<string, unknown> = extra === 'allow' ? { ...value } : {};
		for (const [key, check] of Object.entries(shape)) {
			const at = [...loc, key];
			if (Object.hasOwn(value, key)) result[key] = check(value[key], at, issues);
			else if (!isOptional(check)) issue(issues, at, 'missing', 'Field required');
		}
		if (extra === 'forbid') {
			for (const key of Object.keys(value)) {
				if (!Object.hasOwn(shape, key))
					issue(issues, [...loc, key], 'extra_forbidden', 'Extra inputs are not permitted');
			}
		}
		// Each key was read by the check that its type comes from; the compiler cannot follow that through the loop
		return issues.length > before ? undefined : (result as Parsed<S>);
	};
}

/** An object with free keys and equal values. */
export function mapOf<T>(entry: Check<T>): Check<Record<string, T>> {
	return (value, loc, issues) => {
		if (!isRecord(value)) return issue(issues, loc, 'dict_type', 'must be an object');
		const result: Record<string, T> = {};
		for (const [key, item] of Object.entries(value)) {
			const read = entry(item, [...loc, key], issues);
			if (read !== undefined) result[key] = read;
		}
		return result;
	};
}

export interface Range {
	min?: number;
	max?: number;
}

/** A number of JSON, no text that looks like one. */
export function decimal(range: Range = {}): Check<number> {
	return (value, loc, issues) => {
		if (typeof value !== 'number') return issue(issues, loc, 'float_type', 'must be a number');
		return within(value, range, loc, issues);
	};
}

/** An integer of JSON: neither a text of digits nor a fraction. */
export function integer(range: Range = {}): Check<number> {
	return (value, loc, issues) => {
		if (typeof value !== 'number') return issue(issues, loc, 'int_type', 'must be an integer');
		if (!Number.isInteger(value))
			return issue(
				issues,
				loc,
				'int_from_float',
				'must be an integer, got a number with a fractional part',
			);
		return within(value, range, loc, issues);
	};
}

/** Checks a number against its limits; both are inclusive. */
export function within(
	value: number,
	{ min, max }: Range,
	loc: Loc,
	issues: Issue[],
): number | undefined {
	if (min !== undefined && value < min)
		return issue(issues, loc, 'greater_than_equal', `must be at least ${min}`);
	if (max !== undefined && value > max)
		return issue(issues, loc, 'less_than_equal', `must be at most ${max}`);
	return value;
}

export function text({ min = 0 }: Range = {}): Check<string> {
	return (value, loc, issues) => {
		if (typeof value !== 'string') return issue(issues, loc, 'string_type', 'must be a string');
		if (value.length < min)
			return issue(
				issues,
				loc,
				'string_too_short',
				`must have at least ${min} character${min === 1 ? '' : 's'}`,
			);
		return value;
	};
}

/** A text that a function finds fault with or not; `fault` gives the message. */
export function checkedText(
	type: string,
	fault: (value: string) => string | undefined,
): Check<string> {
	return (value, loc, issues) => {
		if (typeof value !== 'string') return issue(issues, loc, 'string_type', 'must be a string');
		const msg = fault(value);
		return msg === undefined ? value : issue(issues, loc, type, msg);
	};
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const uuid: Check<string> = checkedText('uuid_parsing', (value) =>
	UUID.test(value) ? undefined : 'must be a valid UUID',
);

export const flag: Check<boolean> = (value, loc, issues) =>
	typeof value === 'boolean' ? value : issue(issues, loc, 'bool_type', 'must be true or false');

export function choice<const T extends string>(options: readonly T[]): Check<T> {
	return (value, loc, issues) =>
		options.find((option) => option === value) ??
		issue(issues, loc, 'enum', `must be ${options.map((option) => `'${option}'`).join(' or ')}`);
}

/** A list of equal entries. @param tooMany message for a list that is too long, where the service has words of its own */
export function list<T>(
	entry: Check<T>,
	{ min = 0, max = Infinity }: Range = {},
	tooMany = `must have at most ${max} items`,
): Check<T[]> {
	return (value, loc, issues) => {
		if (!Array.isArray(value)) return issue(issues, loc, 'list_type', 'must be a list');
		if (value.length < min)
			issue(issues, loc, 'too_short', `must have at least ${min} item${min === 1 ? '' : 's'}`);
		if (value.length > max) issue(issues, loc, 'too_long', tooMany);
		return value.flatMap((item: unknown, index) => {
			const read = entry(item, [...loc, index], issues);
			return read === undefined ? [] : [read];
		});
	};
}

/** The first of several forms that fits; otherwise one issue with the given message. */
export function oneOf<T extends readonly unknown[]>(
	msg: string,
	...checks: { [K in keyof T]: Check<T[K]> }
): Check<T[number]> {
	return (value, loc, issues) => {
		for (const check of checks) {
			const own: Issue[] = [];
			const read = check(value, loc, own);
			if (own.length === 0) return read;
		}
		return issue(issues, loc, 'union_type', msg);
	};
}

/** Any value that is there. */
export const anything: Check<unknown> = (value) => value ?? null;
