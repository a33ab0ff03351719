/**
 * Checks what a model answered against a person's JSON schema. The rules are those of `@cfworker/json-schema`: drafts 4 to
 * 2020-12, 6.5 kB after gzip, no generated code.
 *
 * The library matches `pattern` and `patternProperties` with RegExp, though: `^(\w+\s?)*$` and 40 letters stop n8n for an
 * hour. So it gets a copy of the schema, in which a `pattern` is a `format`, whose check is our regex engine, and
 * `patternProperties` are `properties`, one for each name in the answer that a pattern matches. The formats of the drafts
 * are the library's: their expressions take linear time (measured with 3.6 million generated texts of 4,000 to 28,000
 * characters, and with some of 2 million). Its format `url`, which no draft has, takes exponential time and is left out.
 */
import {
	dereference,
	format,
	validate,
	type OutputUnit,
	type Schema,
	type SchemaDraft,
} from '@cfworker/json-schema';
import { StepBudget, StepLimitError } from '../../shared/regex';
import { isRecord, show } from '../../shared/guards';
import { NestingError, SafeCopy, SchemaError } from './safeCopy';
import { childOf, describeErrors, namesOf } from './violations';

/** For one answer: some tenths of a second in the regex engine. An ordinary answer takes a step for each character. */
const MOST_STEPS = 20_000_000;
const STEPS_A_PROPERTY = 5;

/** One value of each type: a reference that leads back to itself does so for one of them. */
const SAMPLES = [null, true, 0, '', [], {}];

/** What is wrong with a schema, before anything is sent with it; undefined where it can be used. */
export function schemaFault(schema: unknown): string | undefined {
	try {
		new JsonSchema(schema).trySamples();
		return undefined;
	} catch (error) {
		if (error instanceof SchemaError || error instanceof NestingError) return error.message;
		if (error instanceof RangeError) return 'a $ref in it leads back to itself';
		return `it is not a valid JSON schema: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** What in an answer violates a schema, as lines such as `items[0].price: must be at least 0`. */
export function violations(answer: unknown, schema: unknown): string[] {
	return new JsonSchema(schema).violations(answer);
}

class JsonSchema {
	private readonly budget = new StepBudget(MOST_STEPS);
	private readonly copy: SafeCopy;
	private readonly draft: SchemaDraft;
	private readonly lookup: ReturnType<typeof dereference>;
	/** The `properties` of parts with `patternProperties`, as the schema has them. */
	private readonly properties = new Map<Schema, Record<string, unknown>>();

	constructor(schema: unknown) {
		this.copy = new SafeCopy(schema, this.budget);
		// To the library, drafts 4 to 7 are one, but for what the copy translates
		const isOld = isRecord(schema) && /draft-0[467]/.test(String(schema.$schema));
		this.draft = isOld ? '7' : '2020-12';
		this.lookup = dereference(this.copy.root);
		for (const part of this.copy.parts) {
			if (part.$ref !== undefined && this.referred(part) === undefined)
				throw new SchemaError(
					part.$ref.startsWith('#')
						? `$ref ${show(part.$ref)} leads nowhere in the schema`
						: `$ref ${show(part.$ref)} is not in the schema, and other documents are not loaded: move it into $defs`,
				);
		}
		for (const part of this.copy.names.keys()) {
			this.properties.set(part, part.properties ?? {});
			delete part.patternProperties;
		}
	}

	/** @throws {RangeError} where a reference leads back to itself */
	trySamples(): void {
		for (const sample of SAMPLES) this.errorsOf(sample);
	}

	violations(answer: unknown): string[] {
		this.budget.used = 0;
		try {
			this.expand(answer);
			return describeErrors(this.errorsOf(answer), answer, (location) => this.keywordAt(location));
		} catch (error) {
			return [uncheckable(error)];
		}
	}

	private errorsOf(answer: unknown): OutputUnit[] {
		// Formats are global in the library. Nothing else runs in between, so nothing else sees these
		for (const [name, regex] of this.copy.patterns) format[name] = (text) => regex.test(text);
		try {
			return validate(answer, this.copy.root, this.draft, this.lookup, false).errors;
		} finally {
			for (const name of this.copy.patterns.keys()) delete format[name];
		}
	}

	/** Gives each part with `patternProperties` a property for every name in the answer that one of them matches. */
	private expand(answer: unknown): void {
		if (this.properties.size === 0) return;
		const names = new Set<string>();
		const objects = collectNames(answer, names);
		for (const [part, own] of this.properties) {
			const schemas = new Map(Object.entries(own).map(([name, schema]) => [name, [schema]]));
			for (const name of names) {
				for (const [regex, schema] of this.copy.names.get(part) ?? [])
					if (regex.test(name)) schemas.set(name, [...(schemas.get(name) ?? []), schema]);
			}
			// The library looks for each of them in each object, which takes as long as some steps
			this.budget.spend(schemas.size * objects * STEPS_A_PROPERTY);
			part.properties = Object.fromEntries(
				[...schemas].map(([name, list]) => [name, list.length === 1 ? list[0] : { allOf: list }]),
			) as Schema['properties'];
		}
	}

	private keywordAt(location: string): unknown {
		let value: unknown = this.copy.root;
		for (const name of namesOf(location)) {
			const isReference = name === '$ref' && typeof childOf(value, '$ref') === 'string';
			value = isReference ? this.referred(value as Schema) : childOf(value, name);
		}
		return value;
	}

	private referred({ $ref, __absolute_ref__: uri = $ref }: Schema): Schema | boolean | undefined {
		return uri === undefined ? undefined : this.lookup[uri];
	}
}

/** Why an answer cannot be checked. */
function uncheckable(error: unknown): string {
	if (error instanceof StepLimitError || error instanceof RangeError)
		return 'the answer is too large to be checked against the schema';
	// The library writes the names of fields as URIs, which half of a surrogate pair does not fit into
	if (error instanceof URIError) return 'the answer has a field whose name is not valid Unicode';
	throw error;
}

/** Adds the names of all fields; the number of objects. */
function collectNames(value: unknown, names: Set<string>): number {
	if (typeof value !== 'object' || value === null) return 0;
	if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
	return Object.values(value).reduce<number>(
		(objects, inner) => objects + collectNames(inner, names),
		Array.isArray(value) ? 0 : 1,
	);
}
