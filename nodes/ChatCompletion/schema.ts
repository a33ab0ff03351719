import { isRecord, show } from '../shared/guards';

type Schema = Record<string, unknown>;
/** Says what is wrong with a value at a path; nothing when it fits. */
type Check = (value: unknown, schema: Schema, path: string, root: unknown) => string[];

/** Most violations that are told: the first ones say enough. */
const MOST_VIOLATIONS = 5;
/** A schema that refers to itself without end is not followed further. */
const DEEPEST = 100;

/** Keywords whose value is data, and those that hold schemas under names that people have chosen. */
const DATA = ['const', 'default', 'enum', 'examples'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * What in a value goes against a JSON schema, as lines such as `items[0].price: must be at least 0`.
 * A full validator is larger than this whole node (see the size bars), so these keywords are checked and others are not:
 * type enum const · properties required additionalProperties patternProperties minProperties maxProperties ·
 * items prefixItems minItems maxItems uniqueItems contains · minLength maxLength pattern ·
 * minimum maximum exclusiveMinimum exclusiveMaximum multipleOf · anyOf oneOf allOf not if then else · $ref within the schema.
 */
export function violations(value: unknown, schema: unknown): string[] {
	return check(value, schema, '', schema, 0).slice(0, MOST_VIOLATIONS);
}

/** What is wrong with a schema itself, as far as it would break the check: a pattern or a reference that leads nowhere. */
export function schemaFault(
	schema: unknown,
	root: unknown = schema,
	depth = 0,
): string | undefined {
	if (typeof schema !== 'object' || schema === null || depth > DEEPEST) return undefined;
	if (isRecord(schema)) {
		const keys = isRecord(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
		const wrong = [schema.pattern, ...keys].find(
			(pattern) => typeof pattern === 'string' && !regex(pattern),
		);
		if (wrong !== undefined) return `the pattern ${show(wrong)} is no regular expression`;
		if (typeof schema.$ref === 'string' && resolve(schema.$ref, root) === undefined)
			return `$ref ${show(schema.$ref)} leads nowhere in the schema`;
	}
	for (const [key, value] of Object.entries(schema)) {
		if (DATA.includes(key)) continue;
		for (const inner of NAMED.includes(key) && isRecord(value) ? Object.values(value) : [value]) {
			const fault = schemaFault(inner, root, depth + 1);
			if (fault !== undefined) return fault;
		}
	}
	return undefined;
}

function check(
	value: unknown,
	schema: unknown,
	path: string,
	root: unknown,
	depth: number,
): string[] {
	if (schema === false) return [said(path, 'must not be there')];
	if (!isRecord(schema) || depth > DEEPEST) return [];
	const inner: Check = (innerValue, innerSchema, innerPath) =>
		check(innerValue, innerSchema, innerPath, root, depth + 1);
	const referred =
		typeof schema.$ref === 'string'
			? check(value, resolve(schema.$ref, root), path, root, depth + 1)
			: [];
	const kind = [...typeCheck(value, schema, path), ...valueCheck(value, schema, path)];
	if (referred.length + kind.length > 0) return [...referred, ...kind];
	return [
		...(isRecord(value) ? objectCheck(value, schema, path, inner) : []),
		...(Array.isArray(value) ? arrayCheck(value, schema, path, inner) : []),
		...(typeof value === 'string' ? textCheck(value, schema, path) : []),
		...(typeof value === 'number' ? numberCheck(value, schema, path) : []),
		...logicCheck(value, schema, path, inner),
	];
}

function said(path: string, words: string): string {
	return path === '' ? `the answer ${words}` : `${path}: ${words}`;
}

function typeCheck(value: unknown, { type }: Schema, path: string): string[] {
	const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined;
	if (!types || types.some((one) => isOfType(value, one))) return [];
	return [said(path, `must be ${types.join(' or ')}, got ${show(value)}`)];
}

function isOfType(value: unknown, type: unknown): boolean {
	if (type === 'null') return value === null;
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return isRecord(value);
	if (type === 'integer') return Number.isInteger(value);
	return typeof value === type;
}

function valueCheck(value: unknown, schema: Schema, path: string): string[] {
	if (Array.isArray(schema.enum) && !schema.enum.some((option) => isEqual(option, value))) {
		return [said(path, `must be one of ${schema.enum.map(show).join(', ')}, got ${show(value)}`)];
	}
	if ('const' in schema && !isEqual(schema.const, value))
		return [said(path, `must be ${show(schema.const)}, got ${show(value)}`)];
	return [];
}

function objectCheck(value: Schema, schema: Schema, path: string, inner: Check): string[] {
	const at = (key: string) => (path === '' ? key : `${path}.${key}`);
	const keys = Object.keys(value);
	const properties = isRecord(schema.properties) ? schema.properties : {};
	const patterns = Object.entries(
		isRecord(schema.patternProperties) ? schema.patternProperties : {},
	);
	const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
	const found = required
		.filter((key) => !Object.hasOwn(value, key))
		.map((key) => said(at(key), 'is missing'));
	found.push(...bounds(keys.length, schema.minProperties, schema.maxProperties, path, 'fields'));
	for (const key of keys) {
		const matching = patterns
			.filter(([pattern]) => regex(pattern)?.test(key))
			.map(([, sub]) => sub);
		const known = [...(Object.hasOwn(properties, key) ? [properties[key]] : []), ...matching];
		const rules =
			known.length > 0
				? known
				: schema.additionalProperties === undefined
					? []
					: [schema.additionalProperties];
		for (const rule of rules)
			found.push(
				...(rule === false
					? [said(at(key), 'is not allowed')]
					: inner(value[key], rule as Schema, at(key), undefined)),
			);
	}
	return found;
}

function arrayCheck(value: unknown[], schema: Schema, path: string, inner: Check): string[] {
	const found = bounds(value.length, schema.minItems, schema.maxItems, path, 'entries');
	const first = Array.isArray(schema.prefixItems)
		? schema.prefixItems
		: Array.isArray(schema.items)
			? schema.items
			: [];
	const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
	for (const [index, entry] of value.entries()) {
		const rule = index < first.length ? first[index] : rest;
		if (rule !== undefined)
			found.push(...inner(entry, rule as Schema, `${path}[${index}]`, undefined));
	}
	if (
		schema.uniqueItems === true &&
		value.some((entry, index) => value.slice(0, index).some((other) => isEqual(entry, other)))
	) {
		found.push(said(path, 'must not hold the same entry twice'));
	}
	if (
		schema.contains !== undefined &&
		!value.some((entry) => inner(entry, schema.contains as Schema, path, undefined).length === 0)
	) {
		found.push(said(path, 'does not hold an entry of the kind that it must contain'));
	}
	return found;
}

function textCheck(value: string, schema: Schema, path: string): string[] {
	const found = bounds([...value].length, schema.minLength, schema.maxLength, path, 'characters');
	if (typeof schema.pattern === 'string' && regex(schema.pattern)?.test(value) === false)
		found.push(said(path, `must match ${schema.pattern}, got ${show(value)}`));
	return found;
}

function numberCheck(value: number, schema: Schema, path: string): string[] {
	const {
		minimum,
		maximum,
		exclusiveMinimum: above,
		exclusiveMaximum: below,
		multipleOf: step,
	} = schema;
	const rules: Array<[limit: unknown, fits: (limit: number) => boolean, words: string]> = [
		[minimum, (limit) => value >= limit, 'must be at least'],
		[maximum, (limit) => value <= limit, 'must be at most'],
		[above, (limit) => value > limit, 'must be above'],
		[below, (limit) => value < limit, 'must be below'],
		// 0.3 / 0.1 is not quite 3
		[
			step,
			(limit) => limit <= 0 || Math.abs(value / limit - Math.round(value / limit)) < 1e-9,
			'must be a multiple of',
		],
	];
	return rules.flatMap(([limit, fits, words]) =>
		typeof limit === 'number' && !fits(limit)
			? [said(path, `${words} ${limit}, got ${value}`)]
			: [],
	);
}

function logicCheck(value: unknown, schema: Schema, path: string, inner: Check): string[] {
	const against = (sub: unknown) =>
		sub === false ? ['never'] : inner(value, sub as Schema, path, undefined);
	const fitting = (list: unknown) =>
		Array.isArray(list) ? list.filter((sub) => against(sub).length === 0).length : 0;
	const found = Array.isArray(schema.allOf) ? schema.allOf.flatMap(against) : [];
	if (Array.isArray(schema.anyOf) && fitting(schema.anyOf) === 0)
		found.push(said(path, 'fits none of the forms that are allowed (anyOf)'));
	if (Array.isArray(schema.oneOf) && fitting(schema.oneOf) !== 1)
		found.push(
			said(
				path,
				`fits ${fitting(schema.oneOf)} of the forms, where exactly one is allowed (oneOf)`,
			),
		);
	if (schema.not !== undefined && against(schema.not).length === 0)
		found.push(said(path, 'has a form that is not allowed (not)'));
	const branch =
		schema.if === undefined
			? undefined
			: against(schema.if).length === 0
				? schema.then
				: schema.else;
	return branch === undefined ? found : [...found, ...against(branch)];
}

function bounds(count: number, min: unknown, max: unknown, path: string, unit: string): string[] {
	if (typeof min === 'number' && count < min)
		return [said(path, `must have at least ${min} ${unit}, got ${count}`)];
	if (typeof max === 'number' && count > max)
		return [said(path, `must have at most ${max} ${unit}, got ${count}`)];
	return [];
}

function isEqual(a: unknown, b: unknown): boolean {
	if (Array.isArray(a))
		return (
			Array.isArray(b) &&
			a.length === b.length &&
			a.every((entry, index) => isEqual(entry, b[index]))
		);
	if (isRecord(a))
		return (
			isRecord(b) &&
			Object.keys(a).length === Object.keys(b).length &&
			Object.keys(a).every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
		);
	return a === b;
}

/** Many a pattern that works elsewhere, such as `[\w-.]`, is none with the flag. */
function regex(pattern: string): RegExp | undefined {
	for (const flags of ['u', '']) {
		try {
			return new RegExp(pattern, flags);
		} catch {
			continue;
		}
	}
	return undefined;
}

/** The part of the schema that `#/$defs/offer` names; undefined where it leads nowhere or outside. */
function resolve(reference: string, root: unknown): unknown {
	if (!reference.startsWith('#')) return undefined;
	let part: unknown = root;
	for (const key of reference.slice(1).split('/').slice(1)) {
		const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
		part =
			typeof part === 'object' && part !== null && Object.hasOwn(part, name)
				? (part as Schema)[name]
				: undefined;
	}
	return part;
}
