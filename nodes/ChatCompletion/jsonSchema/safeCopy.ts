import type { Schema } from '@cfworker/json-schema';
import { compileRegex, type Regex, type StepBudget } from '../../shared/regex';
import { isRecord, show } from '../../shared/guards';
import { FORMATS, isTexts, kindOf, SHAPES, TYPES } from './keywords';

/** Deepest schema that is read. */
const DEEPEST = 100;
/** Within one document a dynamic reference means what a plain one means. */
const RENAMED = new Map([
	['$dynamicRef', '$ref'],
	['$dynamicAnchor', '$anchor'],
]);

/** A schema that cannot be used, and why. */
export class SchemaError extends Error {}

/** Not a part of the schema that may be left out, but a schema without end. */
export class NestingError extends Error {}

/**
 * A copy of a schema for the library. A `pattern` is a `format` in it, whose check is in `patterns`. `patternProperties` are
 * still there, for references into them, and compiled in `names`: they must be taken out before anything is validated.
 */
export class SafeCopy {
	readonly root: Schema | boolean;
	/** Every schema of the copy but `true`. */
	readonly parts: Schema[] = [];
	readonly patterns = new Map<string, Regex>();
	/** By the part that has them: what the fields whose names match must be. */
	readonly names = new Map<Schema, Array<[name: Regex, schema: unknown]>>();

	/** @throws {SchemaError | NestingError} */
	constructor(
		schema: unknown,
		private readonly budget: StepBudget,
	) {
		this.root = this.copy(schema, '#');
	}

	private copy(schema: unknown, path: string, depth = 0): Schema | boolean {
		if (depth > DEEPEST) throw new NestingError(`it is nested more than ${DEEPEST} levels deep`);
		if (schema === true) return true;
		// The library names the place of a false schema in the answer, but not in the schema
		if (schema === false) return this.added({ not: {} });
		if (!isRecord(schema)) throw new SchemaError(`${path} must be a schema, got ${show(schema)}`);
		const keywords = new Map(
			Object.entries(schema).map(([name, value]) => [RENAMED.get(name) ?? name, value]),
		);
		withoutFlags(keywords);
		for (const [name, value] of keywords)
			keywords.set(name, this.value(name, value, `${path}/${name}`, depth + 1));
		this.replacePattern(keywords);
		const part = this.added(Object.fromEntries(keywords));
		if (isRecord(part.patternProperties))
			this.names.set(
				part,
				Object.entries(part.patternProperties).map(([name, inner]) => [this.compile(name), inner]),
			);
		return part;
	}

	private added(part: Schema): Schema {
		this.parts.push(part);
		return part;
	}

	private value(name: string, value: unknown, path: string, depth: number): unknown {
		const kind = kindOf(name, value);
		if (kind === 'data') return value;
		if (kind === undefined) return this.unknown(value, path, depth);
		const [isRight, what] = SHAPES[kind] ?? [];
		if (isRight) {
			const wrong =
				kind === 'textOrTexts' && [value].flat().find((one) => !TYPES.includes(String(one)));
			if (isRight(value) && typeof wrong === 'string')
				throw new SchemaError(`${path} must be one of ${TYPES.join(', ')}, got ${show(wrong)}`);
			if (isRight(value)) return value;
			throw new SchemaError(`${path} must be ${what}, got ${show(value)}`);
		}
		if (kind === 'schema') return this.copy(value, path, depth);
		if (kind === 'schemas') {
			if (!Array.isArray(value))
				throw new SchemaError(`${path} must be a list of schemas, got ${show(value)}`);
			return value.map((entry, index) => this.copy(entry, `${path}/${index}`, depth));
		}
		if (!isRecord(value)) throw new SchemaError(`${path} must be an object, got ${show(value)}`);
		return Object.fromEntries(
			Object.entries(value).map(([key, entry]) => [
				key,
				kind === 'dependencies' && isTexts(entry)
					? entry
					: this.copy(entry, `${path}/${key}`, depth),
			]),
		);
	}

	/** What is under a keyword that no draft has: schemas for a `$ref`, or something else, which is left out. */
	private unknown(value: unknown, path: string, depth: number): unknown {
		try {
			return this.copy(value, path, depth);
		} catch (error) {
			return leftOut(error);
		}
	}

	private replacePattern(keywords: Map<string, unknown>): void {
		if (!FORMATS.includes(String(keywords.get('format')))) keywords.delete('format');
		const source = keywords.get('pattern');
		if (typeof source !== 'string') return;
		this.patterns.set(formatOf(source), this.compile(source));
		keywords.delete('pattern');
		const others = (keywords.get('allOf') ?? []) as unknown[];
		keywords.set('allOf', [...others, { format: formatOf(source) }]);
	}

	private compile(pattern: string): Regex {
		const regex = compileRegex(pattern, { unicode: true }, { budget: this.budget });
		if ('test' in regex) return regex;
		throw new SchemaError(`the pattern ${show(pattern)} ${regex.problem}`);
	}
}

function leftOut(error: unknown): undefined {
	if (!(error instanceof SchemaError)) throw error;
}

const FORMAT_OF_PATTERN = 'pattern ';

/** The name of the format that stands for a pattern. */
const formatOf = (pattern: string): string => `${FORMAT_OF_PATTERN}${pattern}`;

/** The pattern that a format stands for. */
export function patternOf(name: string): string | undefined {
	return name.startsWith(FORMAT_OF_PATTERN) ? name.slice(FORMAT_OF_PATTERN.length) : undefined;
}

/** Draft 4 has `exclusiveMinimum: true` beside `minimum`, the drafts after it a number of its own. */
function withoutFlags(keywords: Map<string, unknown>): void {
	for (const end of ['Minimum', 'Maximum']) {
		const [exclusive, inclusive] = [`exclusive${end}`, end.toLowerCase()];
		const flag = keywords.get(exclusive);
		if (typeof flag !== 'boolean') continue;
		const limit = keywords.get(inclusive);
		keywords.delete(exclusive);
		if (!flag || limit === undefined) continue;
		keywords.delete(inclusive);
		keywords.set(exclusive, limit);
	}
}
