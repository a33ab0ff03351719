import { format } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { schemaFault, violations } from '../../nodes/ChatCompletion/jsonSchema/index.ts';

describe('patterns in a JSON schema', () => {
	const CATASTROPHIC = '^(\\w+\\s?)*$';
	const LETTERS = `${'a'.repeat(200)}!`;

	it('do not stop n8n: RegExp takes longer than a life for this one', () => {
		expect(violations(LETTERS, { pattern: CATASTROPHIC })).toEqual([
			expect.stringContaining(`the answer must match ${CATASTROPHIC}, got "aaa`),
		]);
		expect(
			violations(
				{ [LETTERS]: 1 },
				{ patternProperties: { [CATASTROPHIC]: false, '!$': { type: 'null' } } },
			),
		).toEqual([expect.stringMatching(/^a+!: must be null, got 1$/)]);
		expect(violations({ [LETTERS]: 1 }, { propertyNames: { pattern: CATASTROPHIC } })).toHaveLength(
			1,
		);
		const inside = { anyOf: [{ pattern: CATASTROPHIC }, { not: { pattern: '!$' } }] };
		expect(violations(LETTERS, inside)).toHaveLength(1);
		expect(
			violations(LETTERS, { components: { a: { pattern: CATASTROPHIC } }, $ref: '#/components/a' }),
		).toHaveLength(1);
	});

	it('see code points, and take what is valid with the flag u and without', () => {
		const mail = '^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$';
		const rules = {
			properties: { to: { pattern: mail }, sign: { pattern: '^.$' } },
			patternProperties: { '^[\\w-\\.]+\\.id$': { type: 'integer' } },
			additionalProperties: false,
		};
		expect(schemaFault(rules)).toBeUndefined();
		expect(violations({ to: 'a.b@c-d.org', sign: '😀', 'x-1.id': 1 }, rules)).toEqual([]);
		expect(violations({ to: 'nobody', sign: '12', 'x-1.id': 'a', y: 1 }, rules)).toEqual([
			expect.stringMatching(/^to: must match/),
			'sign: must match ^.$, got "12"',
			'x-1.id: must be integer, got "a"',
			'y: is not allowed',
		]);
	});

	it('have flags and slashes in no other way than as characters', () => {
		expect(violations('/a/i', { pattern: '^/a/i$' })).toEqual([]);
		expect(schemaFault({ pattern: '(?i)a' })).toContain('unknown group "(?i" at position 1');
	});

	it('that several properties match are all kept, beside properties', () => {
		const rules = {
			properties: { ab: { minimum: 1 } },
			patternProperties: { a: { minimum: 2 }, b$: { minimum: 3 } },
		};
		expect(violations({ ab: 0, a: 1, b: 2 }, rules)).toEqual([
			'ab: must be at least 1, got 0',
			'ab: must be at least 2, got 0',
			'ab: must be at least 3, got 0',
			'a: must be at least 2, got 1',
			'b: must be at least 3, got 2',
		]);
		expect(violations({ ab: 3, a: 2, b: 3 }, rules)).toEqual([]);
	});

	it('leave no trace in the library', () => {
		const before = Object.keys(format);
		expect(violations('a', { pattern: 'b' })).toHaveLength(1);
		expect(Object.keys(format)).toEqual(before);
	});

	it('end where an answer is too large for them', () => {
		let state = 1;
		const letters = Array.from({ length: 200_000 }, () => {
			state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
			return 'abdefghij'[(state >>> 16) % 9];
		}).join('');
		const tooLarge = ['the answer is too large to be checked against the schema'];
		expect(violations(letters, { pattern: '[^x]*a[^x]{480}c' })).toEqual(tooLarge);
		expect(violations(letters, { pattern: 'a$|c' })).toHaveLength(1);
		expect(violations(letters, { pattern: 'a$|c' })).not.toEqual(tooLarge);
		const rules = { items: { patternProperties: { '^k': { type: 'integer' } } } };
		const rows = Array.from({ length: 3_000 }, (_, index) => ({ [`k${index}`]: index }));
		expect(violations(rows, rules)).toEqual(tooLarge);
		expect(violations(rows.slice(2_000), rules)).toEqual([]);
	});
});

describe('formats in a JSON schema', () => {
	it.each(['int32', 'url', 'constructor', '__proto__', 'hasOwnProperty', 'pattern a'])(
		'%s, which is none of the standard, is not checked',
		(name) => {
			expect(
				violations('http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_', { format: name }),
			).toEqual([]);
		},
	);
});

describe('what an answer may hold', () => {
	it('names that objects have by nature', () => {
		const answer: unknown = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}');
		const rules: unknown = JSON.parse(
			'{"properties": {"__proto__": {"type": "null"}}, "patternProperties": {"^con|^to": {"type": "integer"}}, "additionalProperties": false}',
		);
		expect(schemaFault(rules)).toBeUndefined();
		expect(violations(answer, rules)).toEqual(['__proto__: must be null, got 1']);
		expect(violations({}, { required: ['toString'] })).toEqual(['toString: is missing']);
	});

	it('half of a character as a name is a violation, not a crash', () => {
		expect(violations({ '\ud800': 1 }, { additionalProperties: { type: 'integer' } })).toEqual([
			'the answer has a field whose name is not valid Unicode',
		]);
	});

	it('more errors than a call can take', () => {
		// Also of a thread, whose stack is larger than that of a process
		const answer = Array.from({ length: 600_000 }, () => 'a');
		expect(violations({ answer }, { properties: { answer: { items: { type: 'null' } } } })).toEqual(
			['the answer is too large to be checked against the schema'],
		);
	});
});

describe('a schema that cannot be used', () => {
	let deep: object = {};
	for (let depth = 0; depth < 101; depth++) deep = { items: deep };

	it.each<[object, string]>([
		[
			{ items: { patternProperties: { '(': {} } } },
			'the pattern "(" is not a supported regular expression: unterminated group "(" at position 1',
		],
		[
			{ properties: { a: { pattern: 'a(' } } },
			'the pattern "a(" is not a supported regular expression: unterminated group "(" at position 2',
		],
		[
			{ properties: { patternProperties: { pattern: '[' } } },
			'the pattern "[" is not a supported regular expression: unterminated character class "[" at position 1',
		],
		[
			{ pattern: '^(?=.*\\d)' },
			'the pattern "^(?=.*\\d)" is not a supported regular expression: lookahead "(?=" at position 2',
		],
		[
			{ pattern: '^\\p{L}+$' },
			'the pattern "^\\p{L}+$" is not a supported regular expression: Unicode property escape "\\p" at position 2',
		],
		[
			{ pattern: '\\ud83d\\ude00' },
			'the pattern "\\ud83d\\ude00" is not a supported regular expression: half of a character "\\ud83d" at position 1',
		],
		[{ items: [{ $ref: '#/$defs/gone' }] }, '$ref "#/$defs/gone" leads nowhere in the schema'],
		[
			{ $ref: 'https://example.com/a.json' },
			'$ref "https://example.com/a.json" is not in the schema, and other documents are not loaded: move it into $defs',
		],
		[{ $ref: '#' }, 'a $ref in it leads back to itself'],
		[
			{ $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
			'a $ref in it leads back to itself',
		],
		[
			{ properties: { a: { type: 'string', required: true } } },
			'#/properties/a/required must be a list of texts, got true',
		],
		[{ properties: { a: 'string' } }, '#/properties/a must be a schema, got "string"'],
		[{ properties: { a: ['b'] } }, '#/properties/a must be a schema, got ["b"]'],
		[{ properties: [] }, '#/properties must be an object, got []'],
		[{ anyOf: [true, { minLength: '3' }] }, '#/anyOf/1/minLength must be a number, got "3"'],
		[{ enum: 'a' }, '#/enum must be a list, got "a"'],
		[{ type: 5 }, '#/type must be text or a list of texts, got 5'],
		[{ anyOf: { type: 'string' } }, '#/anyOf must be a list of schemas, got {"type":"string"}'],
		[{ minLength: '3' }, '#/minLength must be a number, got "3"'],
		[{ pattern: 5 }, '#/pattern must be text, got 5'],
		[{ dependentRequired: { a: 'b' } }, '#/dependentRequired/a must be a schema, got "b"'],
		[{ $id: 'http://[' }, 'it is not a valid JSON schema: Invalid URL'],
		[deep, 'it is nested more than 100 levels deep'],
		[{ 'x-form': deep }, 'it is nested more than 100 levels deep'],
	])('number %#', (rules, fault) => {
		expect(schemaFault(rules)).toBe(fault);
	});

	it('is none for what is only data, or under a keyword that no draft has', () => {
		const named = {
			patternProperties: { properties: { '(': {} } },
			pattern: { type: 'string' },
			default: { enum: ['('], const: { pattern: '(' } },
		};
		expect(
			schemaFault({ properties: named, default: { pattern: '(' }, enum: [{ $ref: 'x' }] }),
		).toBeUndefined();
		expect(
			schemaFault({ 'x-form': { type: 5, items: { pattern: '(' } }, nullable: true }),
		).toBeUndefined();
	});
});
