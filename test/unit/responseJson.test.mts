import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../nodes/ChatCompletion/responseJson.ts';

const NO_JSON = { value: undefined, problem: 'is not valid JSON' };
const NO_OBJECT = { value: undefined, problem: 'is not a JSON object' };

describe('the JSON of a response', () => {
	it.each<[string, object]>([
		['{"a": 1}', { value: { a: 1 } }],
		[' \n{"a": 1}\n', { value: { a: 1 } }],
		['```json\n{"a": 1}\n```', { value: { a: 1 } }],
		['```\n{"a": 1}\n```', { value: { a: 1 } }],
		['Here you are:\n```JSON\n{"a": [1]}\n```\nDone.', { value: { a: [1] } }],
		['The answer is {"a": {"b": 1}}. Bye.', { value: { a: { b: 1 } } }],
		['<think>{"b": 2}</think>{"a": 1}', { value: { a: 1 } }],
		['<think>{"b": 2}</think> no </think>{"a": 1}', { value: { a: 1 } }],
		['{"a": 1}<think>{"b": 2', { value: { a: 1 } }],
		['{"a": "<think>"}', { value: { a: '<think>' } }],
		['{"id": 1234567890123456789}', { value: { id: '1234567890123456789' } }],
		['[1] is a number', NO_OBJECT],
		['7', NO_OBJECT],
		['null', NO_OBJECT],
		['no JSON', NO_JSON],
		['', NO_JSON],
		['```', NO_JSON],
		['``` ```', NO_JSON],
		['{"a": 1', NO_JSON],
		['} {', NO_JSON],
	])('of %j', (text, expected) => expect(parseResponse(text)).toEqual(expected));

	it.each<[string, object, object]>([
		['[1, 2]', { type: 'array' }, { value: [1, 2] }],
		['7', { type: 'number' }, { value: 7 }],
		['The list: [1, 2]', { type: 'array' }, { value: [1, 2] }],
		['1234567890123456789', { type: 'integer' }, { value: '1234567890123456789' }],
		[
			'{"a": "x", "b": 1}',
			{ properties: { a: { type: 'number' }, b: { type: 'string' } } },
			{
				value: { a: 'x', b: 1 },
				problem:
					'does not match the JSON schema: a: must be number, got "x"; b: must be string, got 1',
			},
		],
		['no JSON', { type: 'array' }, NO_JSON],
	])('of %j with the schema %j', (text, schema, expected) =>
		expect(parseResponse(text, schema as never)).toEqual(expected),
	);
});
