import { isRecord } from '../core/guards.mts';
import { stableNumber } from '../core/ids.mts';

type Schema = Record<string, unknown>;

/**
 * A value that fits a JSON schema, made from a text and a seed: the first option of an enum that the text names, numbers
 * within their limits, strings from the text.
 */
export function instanceOf(schema: Schema, text: string, seed: string): unknown {
	const first = [schema.anyOf, schema.oneOf].find(Array.isArray)?.[0];
	const merged = isRecord(first) ? { ...schema, ...first } : schema;
	if ('const' in merged) return merged.const;
	if (Array.isArray(merged.enum))
		return (
			merged.enum.find((option) => text.includes(String(option))) ??
			merged.enum[stableNumber(seed, merged.enum.length)]
		);
	const type = Array.isArray(merged.type) ? merged.type[0] : merged.type;
	switch (type) {
		case 'object':
			return objectOf(merged, text, seed);
		case 'array':
			return listOf(merged, text, seed);
		case 'integer':
		case 'number':
			return numberOf(merged, text);
		case 'boolean':
			return stableNumber(seed, 2) === 1;
		case 'null':
			return null;
		default:
			return textOf(merged, text);
	}
}

function objectOf({ properties }: Schema, text: string, seed: string): unknown {
	const entries = Object.entries(isRecord(properties) ? properties : {});
	return Object.fromEntries(
		entries.map(([key, sub]) => [
			key,
			isRecord(sub) ? instanceOf(sub, text, `${seed} ${key}`) : text,
		]),
	);
}

function listOf({ items, minItems }: Schema, text: string, seed: string): unknown[] {
	const length = Math.max(1, typeof minItems === 'number' ? minItems : 1);
	return Array.from({ length }, (_, index) =>
		isRecord(items) ? instanceOf(items, text, `${seed} ${index}`) : text,
	);
}

function numberOf({ minimum, maximum }: Schema, text: string): number {
	const found = Number(/\d+/.exec(text)?.[0] ?? 1);
	const low = typeof minimum === 'number' ? minimum : -Infinity;
	return Math.min(Math.max(found, low), typeof maximum === 'number' ? maximum : Infinity);
}

function textOf({ minLength, maxLength }: Schema, text: string): string {
	const long = typeof minLength === 'number' ? text.padEnd(minLength, '.') : text;
	return typeof maxLength === 'number' ? long.slice(0, maxLength) : long;
}
