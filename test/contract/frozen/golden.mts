import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the golden files instead of comparing with them; README.md says when that is allowed. */
export const isUpdate = process.env.UPDATE_FROZEN === '1';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const WIDTH = 100;

function fileOf(folder: string, name: string): string {
	return path.join(import.meta.dirname, folder, `${name}.json`);
}

/** Names of the golden files in a folder, without `.json`, sorted. */
export function goldenNames(folder: string): string[] {
	if (!existsSync(path.join(import.meta.dirname, folder))) return [];
	const files = readdirSync(path.join(import.meta.dirname, folder));
	return files
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.slice(0, -'.json'.length))
		.sort();
}

/** The content of a golden file. */
export function readGolden<T>(folder: string, name: string): T {
	return JSON.parse(readFileSync(fileOf(folder, name), 'utf8')) as T;
}

/**
 * The golden file to compare `present` with; with `UPDATE_FROZEN=1` it is written first.
 * @throws when there is no such file yet
 */
export function golden<T>(folder: string, name: string, present: T): T {
	if (isUpdate) {
		mkdirSync(path.dirname(fileOf(folder, name)), { recursive: true });
		writeFileSync(fileOf(folder, name), `${printed(asJson(present))}\n`);
	}
	if (!existsSync(fileOf(folder, name))) {
		throw new Error(`There is no golden file ${folder}/${name}.json: see README.md`);
	}
	return readGolden<T>(folder, name);
}

/** A value as it comes back from JSON: without what is undefined. */
export function asJson(value: unknown): Json {
	return JSON.parse(JSON.stringify(value)) as Json;
}

/** JSON in the layout of Prettier, so that a written file is a formatted one. */
function printed(value: Json, depth = 0, taken = 0): string {
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const isList = Array.isArray(value);
	const entries = isList
		? value.map((one): [string, Json] => ['', one])
		: Object.entries(value).map(([key, one]): [string, Json] => [`${JSON.stringify(key)}: `, one]);
	if (entries.length === 0) return isList ? '[]' : '{}';
	const inner = '\t'.repeat(depth + 1);
	const parts = entries.map(([key, one]) => key + printed(one, depth + 1, key.length));
	const line = `[${parts.join(', ')}]`;
	const fits = depth * 2 + taken + line.length + 1 <= WIDTH;
	if (isList && fits && !line.includes('\n')) return line;
	const [open, close] = isList ? ['[', ']'] : ['{', '}'];
	return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${'\t'.repeat(depth)}${close}`;
}
