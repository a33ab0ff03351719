import { describe, expect, it } from 'vitest';
import { guidedProblem } from '../../nodes/ChatCompletion/guided.ts';
import { schemaFault } from '../../nodes/ChatCompletion/jsonSchema/index.ts';

describe('a response whose form was asked for', () => {
	const schema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } };

	it.each<[string, object, string | undefined]>([
		['anything', {}, undefined],
		['yes', { guided_choice: ['yes', 'no'] }, undefined],
		[' yes\n', { guided_choice: ['yes ', 'no'] }, undefined],
		['7', { guided_choice: [7] }, undefined],
		['maybe', { guided_choice: ['yes', 'no'] }, 'is none of the texts in Guided Choice: "maybe"'],
		['maybe', { guided_choice: [] }, undefined],
		['maybe', { guided_choice: 'yes' }, undefined],
		['{"a": 1}', { guided_json: schema }, undefined],
		['{"a"', { guided_json: schema }, 'is not valid JSON, although Guided JSON asks for it'],
		[
			'{"a": "x"}',
			{ guided_json: schema },
			'does not match Guided JSON: a: must be number, got "x"',
		],
		['{"a": "x"}', { guided_json: { type: 'nothing' } }, undefined],
		['{"a"', { guided_json: 'no schema' }, undefined],
		['maybe', { guided_regex: '^yes$', guided_grammar: 'root ::= "yes"' }, undefined],
	])('%j with %j', (text, body, problem) =>
		expect(guidedProblem(text, body as never)).toBe(problem),
	);
});

describe('a schema that cannot be used', () => {
	const faults: Array<[object, string]> = [
		[{ minimum: '1' }, '#/minimum must be a number, got "1"'],
		[{ uniqueItems: 1 }, '#/uniqueItems must be true or false, got 1'],
		[{ $ref: 1 }, '#/$ref must be text, got 1'],
		[{ required: 'a' }, '#/required must be a list of texts, got "a"'],
		[{ required: ['a', 1] }, '#/required must be a list of texts, got ["a",1]'],
		[{ enum: 'a' }, '#/enum must be a list, got "a"'],
		[{ type: 1 }, '#/type must be text or a list of texts, got 1'],
		[{ type: ['string', 1] }, '#/type must be text or a list of texts, got ["string",1]'],
		[
			{ type: 'text' },
			'#/type must be one of array, boolean, integer, null, number, object, string, got "text"',
		],
		[
			{ type: ['string', 'text'] },
			'#/type must be one of array, boolean, integer, null, number, object, string, got "text"',
		],
		[{ anyOf: {} }, '#/anyOf must be a list of schemas, got {}'],
		[{ anyOf: [true, 1] }, '#/anyOf/1 must be a schema, got 1'],
		[{ items: [true, { type: 1 }] }, '#/items/1/type must be text or a list of texts, got 1'],
		[{ items: 1 }, '#/items must be a schema, got 1'],
		[{ properties: [] }, '#/properties must be an object, got []'],
		[{ properties: { a: 1 } }, '#/properties/a must be a schema, got 1'],
		[{ dependencies: { a: 1 } }, '#/dependencies/a must be a schema, got 1'],
		[{ properties: { a: ['b'] } }, '#/properties/a must be a schema, got ["b"]'],
	];

	it.each(faults)('%j', (schema, words) => expect(schemaFault(schema)).toContain(words));

	it.each([
		{ type: ['string', 'null'], enum: ['a', null] },
		{ dependencies: { a: ['b'], c: { type: 'object' } } },
		{ dependentRequired: { a: ['b'] } },
		{ items: [true, { type: 'string' }], additionalItems: false },
		{ notAKeyword: [{ type: 1 }], other: { type: 1 } },
		{ exclusiveMinimum: true, minimum: 1 },
		{ default: { type: 1 }, examples: [{ type: 1 }] },
	])('%j can be', (schema) => expect(schemaFault(schema)).toBeUndefined());
});
