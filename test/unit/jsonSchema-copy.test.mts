import { describe, expect, it } from 'vitest';
import {
	NestingError,
	patternOf,
	SafeCopy,
	SchemaError,
} from '../../nodes/ChatCompletion/jsonSchema/safeCopy.ts';
import { StepBudget } from '../../nodes/shared/regex/index.ts';

const copyOf = (schema: unknown) => new SafeCopy(schema, new StepBudget(1_000_000));

/** A schema in so many others. */
const nested = (levels: number) => {
	let schema: object = {};
	for (let level = 0; level < levels; level++) schema = { not: schema };
	return schema;
};

describe('the copy of a schema for the library', () => {
	it.each<[string, object, object]>([
		[
			'draft 4: more than the minimum',
			{ minimum: 1, exclusiveMinimum: true },
			{ exclusiveMinimum: 1 },
		],
		[
			'draft 4: less than the maximum',
			{ maximum: 1, exclusiveMaximum: true },
			{ exclusiveMaximum: 1 },
		],
		['draft 4: the minimum, too', { minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
		['draft 4: a flag without a limit', { exclusiveMaximum: true }, {}],
		[
			'later drafts: two limits',
			{ minimum: 1, exclusiveMinimum: 0 },
			{ minimum: 1, exclusiveMinimum: 0 },
		],
		['a format of the drafts', { format: 'date' }, { format: 'date' }],
		['another format, which is not checked', { format: 'int32', minLength: 1 }, { minLength: 1 }],
		['a pattern', { pattern: '^a' }, { allOf: [{ format: 'pattern ^a' }] }],
		[
			'a pattern beside other conditions',
			{ pattern: '^a', allOf: [{ minLength: 1 }, true] },
			{ allOf: [{ minLength: 1 }, true, { format: 'pattern ^a' }] },
		],
		['dynamic references', { $dynamicRef: '#a' }, { $ref: '#a' }],
		['what nothing passes', { not: false }, { not: { not: {} } }],
		[
			'a schema under another keyword',
			{ 'x-form': { pattern: '^a' } },
			{ 'x-form': { allOf: [{ format: 'pattern ^a' }] } },
		],
		['no schema under another keyword', { 'x-form': 5, title: 't' }, { title: 't' }],
	])('has %s', (_, schema, expected) => {
		expect(copyOf(schema).root).toEqual(expected);
	});

	it('knows its parts, and the check of each pattern', () => {
		expect(copyOf(true)).toMatchObject({ root: true, parts: [] });
		const copy = copyOf({ anyOf: [{ pattern: 'a' }, true], properties: { b: { pattern: 'c$' } } });
		expect(copy.parts).toHaveLength(3);
		expect([...copy.patterns].map(([name, regex]) => [patternOf(name), regex.test('xc')])).toEqual([
			['a', false],
			['c$', true],
		]);
		expect(patternOf('date')).toBeUndefined();
	});

	it('is none of what is no schema', () => {
		expect(() => copyOf(5)).toThrow(new SchemaError('# must be a schema, got 5'));
		expect(() => copyOf({ oneOf: [{}, 5] })).toThrow(
			new SchemaError('#/oneOf/1 must be a schema, got 5'),
		);
	});

	it.each([
		['', (schema: object) => schema],
		[' under another keyword', (schema: object) => ({ 'x-form': schema })],
	])('has an end: 100 levels%s', (_, within) => {
		expect(() => copyOf(within(nested(99)))).not.toThrow();
		expect(() => copyOf(within(nested(101)))).toThrow(NestingError);
	});
});
