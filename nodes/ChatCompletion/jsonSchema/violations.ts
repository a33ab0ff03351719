import type { OutputUnit } from '@cfworker/json-schema';
import { isRecord, show } from '../../shared/guards';
import { patternOf } from './safeCopy';

/** Most violations that are told: the first ones say enough. */
const MOST_VIOLATIONS = 5;

/** Errors that only say that there are errors below. */
const WRAPPERS = new Set(
	`$ref $recursiveRef additionalItems additionalProperties allOf dependentSchemas if items prefixItems properties
	unevaluatedItems unevaluatedProperties`.split(/\s+/),
);
/** Errors whose details are of alternatives, not of the answer. */
const ALTERNATIVES = /\/(?:anyOf|oneOf|contains|minContains|maxContains|propertyNames)$/;

type Words = (limit: unknown, value: unknown) => string;

const counted = (words: string, unit: string, count: (value: unknown) => number): Words => {
	return (limit, value) => `must have ${words} ${String(limit)} ${unit}, got ${count(value)}`;
};
const compared = (words: string): Words => {
	return (limit, value) => `must be ${words} ${String(limit)}, got ${show(value)}`;
};
const characters = (value: unknown) => [...String(value)].length;
const entries = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const fields = (value: unknown) => Object.keys(value as object).length;

const WORDS = new Map<string, Words>([
	['type', (type, value) => `must be ${[type].flat().join(' or ')}, got ${show(value)}`],
	[
		'enum',
		(options, value) =>
			`must be one of ${[options].flat().map(show).join(', ')}, got ${show(value)}`,
	],
	['const', (expected, value) => `must be ${show(expected)}, got ${show(value)}`],
	[
		'format',
		(name, value) => {
			const pattern = patternOf(String(name));
			return `must ${pattern === undefined ? `have the format ${name}` : `match ${pattern}`}, got ${show(value)}`;
		},
	],
	['minimum', compared('at least')],
	['maximum', compared('at most')],
	['exclusiveMinimum', compared('above')],
	['exclusiveMaximum', compared('below')],
	['multipleOf', compared('a multiple of')],
	['minLength', counted('at least', 'characters', characters)],
	['maxLength', counted('at most', 'characters', characters)],
	['minItems', counted('at least', 'entries', entries)],
	['maxItems', counted('at most', 'entries', entries)],
	['minProperties', counted('at least', 'fields', fields)],
	['maxProperties', counted('at most', 'fields', fields)],
	['uniqueItems', () => 'must not contain the same entry twice'],
	['contains', () => 'must contain an entry that matches the schema in contains'],
	['anyOf', () => 'must match at least one of the schemas in anyOf'],
	['oneOf', () => 'must match exactly one of the schemas in oneOf'],
	[
		'not',
		(schema) => (fields(schema) === 0 ? 'is not allowed' : 'must not match the schema in not'),
	],
]);

/**
 * The library's errors as lines such as `items[0].price: must be at least 0`, the first five.
 * @param keywordAt what the schema says at a place that the library names
 */
export function describeErrors(
	errors: OutputUnit[],
	answer: unknown,
	keywordAt: (location: string) => unknown,
): string[] {
	const places = new Set(errors.map(({ keywordLocation }) => keywordLocation));
	const hidden = [...places]
		.filter((location) => ALTERNATIVES.test(location))
		.map((location) => `${location.replace(/(?:min|max)Contains$/, 'contains')}/`);
	const lines = new Set<string>();
	for (const error of errors) {
		if (lines.size >= MOST_VIOLATIONS) break;
		if (WRAPPERS.has(error.keyword)) continue;
		if (hidden.some((location) => error.keywordLocation.startsWith(location))) continue;
		for (const line of linesOf(error, answer, keywordAt(error.keywordLocation))) lines.add(line);
	}
	return [...lines].slice(0, MOST_VIOLATIONS);
}

function linesOf(error: OutputUnit, answer: unknown, limit: unknown): string[] {
	const { path, value } = locate(answer, error.instanceLocation);
	if (error.keyword === 'required' && Array.isArray(limit) && isRecord(value))
		return limit
			.map(String)
			.filter((name) => !Object.hasOwn(value, name))
			.map((name) => line(path === '' ? name : `${path}.${name}`, 'is missing'));
	const words = WORDS.get(error.keyword);
	if (words && limit !== undefined) return [line(path, words(limit, value))];
	return [path === '' ? `the answer: ${error.error}` : `${path}: ${error.error}`];
}

function line(path: string, words: string): string {
	return path === '' ? `the answer ${words}` : `${path}: ${words}`;
}

/** The value that a location such as `#/items/0/price` leads to, and its path as people write it. */
function locate(answer: unknown, location: string): { path: string; value: unknown } {
	let [path, value] = ['', answer];
	for (const name of namesOf(location)) {
		if (Array.isArray(value)) path += `[${name}]`;
		else path = path === '' ? name : `${path}.${name}`;
		value = childOf(value, name);
	}
	return { path, value };
}

/** The names in a JSON pointer that is the fragment of a URI. */
export function namesOf(location: string): string[] {
	return location
		.split('/')
		.slice(1)
		.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function childOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
		? (value as Record<string, unknown>)[name]
		: undefined;
}
