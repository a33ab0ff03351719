import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaFault, violations } from '../../nodes/ChatCompletion/schema.ts';

/** The validator that fastify brings along: a full one, as the judge of ours. */
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

describe('the check of an answer against a JSON schema', () => {
	it('judges as a full validator does: 1,000 schemas and values', () => {
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
			{ numRuns: 1_000, seed: 20_261_121 },
		);
		expect(fitting).toBeGreaterThan(100);
		expect(fitting).toBeLessThan(900);
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
		expect(violations({}, { $ref: '#' })).toEqual([]);
	});

	it('knows contains, which the judge itself gets wrong beside items and in oneOf', () => {
		const rules = { items: [{ type: 'integer' }], contains: { type: 'null' } };
		expect([violations([], rules), violations([1], rules), violations([1, null], rules)]).toEqual([
			[expect.stringContaining('contain')],
			[expect.stringContaining('contain')],
			[],
		]);
	});

	it('takes prefixItems, and tells at most five violations', () => {
		expect(
			violations([1, 'a', 2], {
				prefixItems: [{ type: 'integer' }, { type: 'string' }],
				items: { type: 'string' },
			}),
		).toEqual(['[2]: must be string, got 2']);
		expect(violations(['a', 'b', 'c', 'd', 'e', 'f'], { items: { type: 'integer' } })).toHaveLength(
			5,
		);
		expect(violations('x', { type: 'object' })).toEqual(['the answer must be object, got "x"']);
	});

	it('takes patterns of either kind of regular expression', () => {
		const mail = '^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$';
		const rules = {
			properties: { to: { pattern: mail }, name: { pattern: '^\\p{L}+$' } },
			patternProperties: { '^[\\w-\\.]+\\.id$': { type: 'integer' } },
			additionalProperties: false,
		};
		expect(schemaFault(rules)).toBeUndefined();
		expect(violations({ to: 'a.b@c-d.org', name: 'größe', 'x-1.id': 1 }, rules)).toEqual([]);
		expect(violations({ to: 'nobody', name: '1', 'x-1.id': 'a' }, rules)).toEqual([
			expect.stringMatching(/^to: must match/),
			expect.stringMatching(/^name: must match/),
			'x-1.id: must be integer, got "a"',
		]);
	});

	it('finds what is wrong with a schema before anything is sent', () => {
		expect(schemaFault({ items: { patternProperties: { '(': {} } } })).toBe(
			'the pattern "(" is no regular expression',
		);
		expect(schemaFault({ properties: { patternProperties: { pattern: '[' } } })).toBe(
			'the pattern "[" is no regular expression',
		);
		const named = {
			patternProperties: {
				properties: { '(': {} },
				pattern: { type: 'string' },
				default: { enum: ['('] },
			},
		};
		expect(
			schemaFault({ properties: named, default: { pattern: '(' }, enum: [{ $ref: 'x' }] }),
		).toBeUndefined();
		expect(schemaFault({ properties: { a: { pattern: '(' } } })).toBe(
			'the pattern "(" is no regular expression',
		);
		expect(schemaFault({ items: [{ $ref: '#/$defs/gone' }] })).toBe(
			'$ref "#/$defs/gone" leads nowhere in the schema',
		);
		expect(
			schemaFault({ type: 'object', $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a' } } }),
		).toBeUndefined();
	});
});
