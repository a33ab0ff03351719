import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaFault, violations } from '../../nodes/ChatCompletion/jsonSchema/index.ts';

/** The validator that fastify brings along, as the judge of what is made of a schema here. */
interface Judge {
	compile(schema: object): (value: unknown) => boolean;
}
const require = createRequire(import.meta.url);
const Ajv = createRequire(
	createRequire(require.resolve('fastify')).resolve('@fastify/ajv-compiler'),
)('ajv/dist/2019.js') as { default: new (options: object) => Judge };
const judge = new Ajv.default({ strict: false, logger: false });

/** Undefined for the few schemas that the judge makes faulty code of. */
function judged(rules: object, answer: unknown): boolean | undefined {
	try {
		return judge.compile(rules)(answer);
	} catch (error) {
		if (error instanceof ReferenceError) return undefined;
		throw error;
	}
}

const scalar = fc.oneof(
	fc.constant(null),
	fc.boolean(),
	fc.integer({ min: -5, max: 5 }),
	fc.constantFrom(0.5, 1.5),
	fc.constantFrom('', 'a', 'ab', 'abc', '🚀'),
);
const key = fc.constantFrom('a', 'b', 'c');
const { value } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		scalar,
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(key, tie('value'), { maxKeys: 3 }),
	),
}));
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');
const small = fc.nat({ max: 3 });
const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => {
	const sub = tie('schema');
	const several = fc.array(sub, { minLength: 1, maxLength: 3 });
	return {
		schema: fc.oneof(
			{ maxDepth: 3, withCrossShrink: true },
			fc.boolean(),
			fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
			fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }) }),
			fc.record({ const: scalar }),
			fc.record(
				{ minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b$', '^.$') },
				{ requiredKeys: [] },
			),
			fc.record(
				{
					minimum: fc.integer({ min: -3, max: 3 }),
					maximum: small,
					exclusiveMinimum: fc.integer({ min: -3, max: 3 }),
					exclusiveMaximum: small,
					multipleOf: fc.constantFrom(0.5, 1, 2),
				},
				{ requiredKeys: [] },
			),
			fc.record(
				{
					properties: fc.dictionary(key, sub),
					patternProperties: fc.dictionary(fc.constantFrom('^a', 'c'), sub),
					additionalProperties: sub,
					required: fc.uniqueArray(key),
					minProperties: small,
					maxProperties: small,
				},
				{ requiredKeys: [] },
			),
			fc.record(
				{
					propertyNames: fc.constantFrom({ pattern: '^[ab]$' }, { enum: ['a'] }, { maxLength: 1 }),
					patternProperties: fc.dictionary(fc.constantFrom('^[ab]', 'c|a'), sub),
					properties: fc.dictionary(key, sub, { maxKeys: 1 }),
					unevaluatedProperties: fc.boolean(),
					dependentRequired: fc.dictionary(key, fc.uniqueArray(key)),
					dependentSchemas: fc.dictionary(key, sub, { maxKeys: 1 }),
				},
				{ requiredKeys: [] },
			),
			fc.record(
				{ items: sub, minItems: small, maxItems: small, uniqueItems: fc.boolean() },
				{ requiredKeys: [] },
			),
			fc.record({ items: several, additionalItems: sub }, { requiredKeys: ['items'] }),
			fc.record(
				{ anyOf: several, oneOf: several, allOf: several, not: sub, if: sub, then: sub, else: sub },
				{ requiredKeys: [] },
			),
		),
	};
});

describe('an answer is checked against a JSON schema', () => {
	it('as another validator does: 500 schemas and values', () => {
		let fitting = 0;
		fc.assert(
			fc.property(schema, value, (rules, answer) => {
				const fits = judged(
					typeof rules === 'boolean' ? (rules ? {} : { not: {} }) : rules,
					answer,
				);
				fc.pre(fits !== undefined);
				fitting += Number(fits);
				expect(violations(answer, rules).length === 0).toBe(fits);
			}),
			{ numRuns: 500, seed: 20_261_121 },
		);
		expect(fitting).toBeGreaterThan(50);
		expect(fitting).toBeLessThan(450);
	});

	it('follows references, also of a schema to itself', () => {
		const tree = {
			$ref: '#/$defs/tree',
			$defs: {
				tree: {
					type: 'object',
					properties: { 'left/right': { $ref: '#/$defs/tree' }, n: { type: 'integer' } },
				},
				'~': { const: 1 },
			},
			properties: { x: { $ref: '#/$defs/~0' } },
		};
		expect(violations({ n: 1, 'left/right': { n: 2 } }, tree)).toEqual([]);
		expect(violations({ n: 1, 'left/right': { n: 'two' } }, tree)).toEqual([
			'left/right.n: must be integer, got "two"',
		]);
		expect(violations({ x: 2 }, tree)).toEqual(['x: must be 1, got 2']);
	});

	it.each<[string, object]>([
		['an ID', { $defs: { a: { $id: 'other', const: 1 } }, items: { $ref: 'other' } }],
		['an anchor', { $defs: { a: { $anchor: 'one', const: 1 } }, items: { $ref: '#one' } }],
		[
			'a dynamic anchor',
			{ $defs: { a: { $dynamicAnchor: 'one', const: 1 } }, items: { $dynamicRef: '#one' } },
		],
		[
			'a keyword that no draft has',
			{
				components: { a: { const: 1 }, b: true },
				items: { $ref: '#/components/a' },
				contains: { $ref: '#/components/b' },
			},
		],
		[
			'patternProperties',
			{ patternProperties: { '^a': { const: 1 } }, items: { $ref: '#/patternProperties/%5Ea' } },
		],
	])('follows a reference to %s', (_, rules) => {
		expect(schemaFault(rules)).toBeUndefined();
		expect(violations([1, 2], rules)).toEqual(['[1]: must be 1, got 2']);
	});

	it('follows a recursive reference of draft 2019-09', () => {
		const rules = {
			$recursiveAnchor: true,
			if: { type: 'array' },
			then: { items: { $recursiveRef: '#' } },
			else: { const: 1 },
		};
		expect(violations([[1], 1], rules)).toEqual([]);
		expect(violations([[1, 2], 1], rules)).toEqual(['[0][1]: Instance does not match 1.']);
	});

	it('as the draft says that $schema names', () => {
		const rules = { items: { $ref: '#/definitions/a', type: 'null' }, definitions: { a: {} } };
		const $schema = 'http://json-schema.org/draft-07/schema#';
		expect(violations([1], { $schema, ...rules })).toEqual([]);
		expect(violations([1], rules)).toEqual(['[0]: must be null, got 1']);
	});

	it('knows contains, which the judge itself gets wrong beside items and in oneOf', () => {
		const rules = { items: [{ type: 'integer' }], contains: { type: 'null' } };
		const wrong = 'the answer must contain an entry that matches the schema in contains';
		expect([violations([], rules), violations([1], rules), violations([1, null], rules)]).toEqual([
			[wrong],
			[wrong],
			[],
		]);
	});

	it('tells at most five violations', () => {
		expect(violations(['a', 'b', 'c', 'd', 'e', 'f'], { items: { type: 'integer' } })).toHaveLength(
			5,
		);
		expect(violations({}, { required: ['a', 'b', 'c', 'd', 'e', 'f'] })).toHaveLength(5);
	});

	it.each<[answer: unknown, rules: object, ...lines: string[]]>([
		['x', { type: 'object' }, 'the answer must be object, got "x"'],
		[
			{ a: [{ b: 1.5 }] },
			{ properties: { a: { items: { properties: { b: { type: ['integer', 'null'] } } } } } },
			'a[0].b: must be integer or null, got 1.5',
		],
		[
			{ a: 'T4' },
			{ properties: { a: { enum: ['A100', 'H100'] } } },
			'a: must be one of "A100", "H100", got "T4"',
		],
		[
			{ a: { b: {} } },
			{ properties: { a: { properties: { b: { required: ['c', 'd'] } } } } },
			'a.b.c: is missing',
			'a.b.d: is missing',
		],
		[{ a: 1, b: 2 }, { properties: { a: {} }, additionalProperties: false }, 'b: is not allowed'],
		[
			{ a: 1, b: 2 },
			{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
			'b: is not allowed',
		],
		[{ a: 1 }, { properties: { a: false } }, 'a: is not allowed'],
		[
			[1, 'a', 2],
			{ prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
			'[2]: must be string, got 2',
		],
		[
			[1, 1],
			{ minItems: 3, uniqueItems: true },
			'the answer must have at least 3 entries, got 2',
			'the answer must not contain the same entry twice',
		],
		[{ a: 1 }, { minProperties: 2 }, 'the answer must have at least 2 fields, got 1'],
		['🚀🚀', { maxLength: 1 }, 'the answer must have at most 1 characters, got 2'],
		[
			5,
			{ maximum: 4, multipleOf: 2 },
			'the answer must be at most 4, got 5',
			'the answer must be a multiple of 2, got 5',
		],
		[5, { exclusiveMaximum: 5 }, 'the answer must be below 5, got 5'],
		[5, { minimum: 5, exclusiveMinimum: true }, 'the answer must be above 5, got 5'],
		[
			5,
			{ $schema: 'http://json-schema.org/draft-04/schema#', maximum: 4, exclusiveMaximum: false },
			'the answer must be at most 4, got 5',
		],
		['a', { pattern: '^b' }, 'the answer must match ^b, got "a"'],
		['a', { format: 'email' }, 'the answer must have the format email, got "a"'],
		[
			{ a: 1 },
			{ anyOf: [{ type: 'string' }, { properties: { a: false } }] },
			'the answer must match at least one of the schemas in anyOf',
		],
		[
			1,
			{ oneOf: [{ type: 'integer' }, { type: 'number' }] },
			'the answer must match exactly one of the schemas in oneOf',
		],
		[1, { not: { type: 'integer' } }, 'the answer must not match the schema in not'],
		[
			[1],
			{ contains: { const: 2 }, minContains: 1 },
			'the answer: Array must contain at least 1 items matching schema. Only 0 items were found.',
		],
		[
			{ b: 1 },
			{ propertyNames: { const: 'a' } },
			'the answer: Property name "b" does not match schema.',
		],
		[
			{ x: { a: 1 } },
			{ properties: { x: { dependentRequired: { a: ['b'] } } } },
			'x: Instance has "a" but does not have "b".',
		],
		[{ a: 1 }, { required: ['a', 'b'] }, 'b: is missing'],
		[{ a: 1 }, { if: { required: ['a'] }, then: { required: ['b'] } }, 'b: is missing'],
		[
			{ 'a b/c~d%': 1 },
			{ properties: { 'a b/c~d%': { type: 'null' } } },
			'a b/c~d%: must be null, got 1',
		],
		[
			{ contains: { anyOf: 1 } },
			{ properties: { contains: { properties: { anyOf: { type: 'null' } } } } },
			'contains.anyOf: must be null, got 1',
		],
		[
			{ $ref: 1 },
			{ properties: { $ref: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'null' } } },
			'$ref: must be null, got 1',
		],
	])('%j goes against %j', (answer, rules, ...lines) => {
		expect(schemaFault(rules)).toBeUndefined();
		expect(violations(answer, rules)).toEqual(lines);
	});
});
