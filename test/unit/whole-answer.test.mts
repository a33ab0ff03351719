import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { requireWhole } from '../../nodes/intelligence/wholeAnswer.ts';
import type { RequestContext } from '../../nodes/shared/http/request.ts';

/** What an answer that the request gave back like this is an error for; undefined where it is none. */
function errorOf(answer: unknown): NodeApiError | undefined {
	const node = { name: 'Chat', type: 'chat', typeVersion: 1, parameters: {} };
	const context = { functions: { getNode: () => node } } as unknown as RequestContext;
	try {
		requireWhole(context, answer, 'The answer');
		return undefined;
	} catch (error) {
		return error as NodeApiError;
	}
}

describe('an answer that is no JSON', () => {
	it.each([
		'{',
		'[',
		'{"a',
		'{"a"',
		'{"a":',
		'{"a": tr',
		'{"a": 1',
		'{"a": -12.5e+3',
		'{"a": 1,',
		'[{"a": [1, "b"',
		'[{}, [], Infin',
		'[{}, nul',
		' {"a": NaN, ',
		'["}]{[,: "',
	])('%j is cut off', (text) => {
		const error = errorOf(text);
		expect(error?.message).toBe('The answer ended early: its JSON is cut off');
		expect(error?.description).toContain('may be billed');
		expect(error?.context.known).toEqual({ partial: text });
	});

	it.each([
		'{"a": NaN}',
		'[{}, [], -Infinity]',
		'{"a": [1,]} ',
		'[0123]',
		'[1.2.3, true, false, null]',
	])('%j looks like JSON', (text) =>
		expect(errorOf(text)?.message).toBe('The answer is not valid JSON, though it looks like it'),
	);

	it.each([
		'',
		'  ',
		'Hello',
		'"a',
		'12',
		'[1] says so',
		'{"a": 1} and more',
		'{"a": 1]',
		'[1}',
		'[1 2]',
		'{x"a": 1}',
		'{1: 2}',
		'{"a" "b"}',
		'{"a": 1, 2}',
		'[word, 1]',
		'[tr, 1]',
		'[hello',
		'[truely',
		'{name}',
		{ a: 1 },
		['{'],
		7,
		undefined,
	])('%j is an answer of another form', (answer) => expect(errorOf(answer)).toBeUndefined());
});
