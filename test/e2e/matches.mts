import { inspect } from 'node:util';

/** What a value must be: itself, a text that fits, or an object with at least these fields. An array has exactly these entries */
export type Expected =
	string | number | boolean | null | RegExp | Expected[] | { [field: string]: Expected };

/** Where a value is not as expected, for people; nothing when it is */
export function difference(actual: unknown, expected: Expected, path = ''): string | undefined {
	const here = path || 'the value';
	if (expected instanceof RegExp) {
		return typeof actual === 'string' && expected.test(actual)
			? undefined
			: `${here} is ${inspect(actual)}, not like ${String(expected)}`;
	}
	if (Array.isArray(expected)) {
		if (!Array.isArray(actual) || actual.length !== expected.length) {
			return `${here} is ${inspect(actual, { depth: 2, breakLength: Infinity })}, not an array of ${expected.length}`;
		}
		return first(
			expected.map((entry, index) => difference(actual[index], entry, `${path}[${index}]`)),
		);
	}
	if (typeof expected === 'object' && expected !== null) {
		if (typeof actual !== 'object' || actual === null)
			return `${here} is ${inspect(actual)}, not an object`;
		return first(
			Object.entries(expected).map(([name, value]) =>
				difference(Reflect.get(actual, name), value, `${path}.${name}`),
			),
		);
	}
	return Object.is(actual, expected)
		? undefined
		: `${here} is ${inspect(actual)}, not ${inspect(expected)}`;
}

function first(found: Array<string | undefined>): string | undefined {
	return found.find((entry) => entry !== undefined);
}
