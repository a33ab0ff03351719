import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../nodes/ChatCompletion/responseJson.ts';

const JSON_TEXT = '{"a":1}';

describe('the JSON of a response', () => {
	it.each([
		[JSON_TEXT],
		[`\ufeff${JSON_TEXT}`],
		[`Here it is: ${JSON_TEXT}`],
		[`${JSON_TEXT} That is all.`],
		[`\`\`\`json\n${JSON_TEXT}\n\`\`\``],
		[`\`\`\`json ${JSON_TEXT} \`\`\``],
		[`Say {"x"}:\n\`\`\`\n${JSON_TEXT}\n\`\`\`\nDone.`],
		[`<think>{"a":2}</think>${JSON_TEXT}`],
		[`{"a":2}</think>\n${JSON_TEXT}`],
	])('%j', (text) => expect(parseResponse(text)).toEqual({ value: { a: 1 } }));

	it.each([
		[''],
		['Sorry.'],
		['{"a":1'],
		[`${JSON_TEXT} or {"a":2}`],
		[`<think>${JSON_TEXT}`],
		[`\`\`\`json\n${JSON_TEXT}\n\`\`\`\n\`\`\`json\n{"a":2}\n\`\`\``],
	])('none, or more than one: %j', (text) =>
		expect(parseResponse(text).problem).toBe('is not valid JSON'),
	);

	it.each([['['], ['{ '], ['```'], ['``` '], ['a'], ['<think>'], [' ']])(
		'a million of %j takes no time',
		(piece) => expect(parseResponse(`\`\`\`${piece.repeat(1_000_000)}`).value).toBeUndefined(),
	);
});
