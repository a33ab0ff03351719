import { expect, it } from 'vitest';
import { countTokens, hintTokens, totalOf } from '../../nodes/intelligence/tokens.ts';

/** The hints of an execution of the node that got these usages. */
function hintsOf(...usages: unknown[]): unknown[] {
	const hints: unknown[] = [];
	const functions = { addExecutionHints: (hint: unknown) => hints.push(hint) };
	for (const usage of usages) countTokens(functions, usage);
	hintTokens(functions as never);
	return hints;
}
const usage = (prompt: unknown, completion: unknown, total?: unknown) => ({
	prompt_tokens: prompt,
	completion_tokens: completion,
	total_tokens: total,
});

it.each<[string, unknown[], string]>([
	['one', [usage(7, 5, 12)], '12 tokens (7 prompt, 5 completion) in 1 request'],
	['two', [usage(7, 5, 12), usage(1, 2, 3)], '15 tokens (8 prompt, 7 completion) in 2 requests'],
	['embeddings', [usage(7, undefined, 7)], '7 tokens in 1 request'],
	['a total of its own', [usage(7, 5, 20)], '20 tokens (7 prompt, 5 completion) in 1 request'],
	['no total', [usage(7, 5)], '12 tokens (7 prompt, 5 completion) in 1 request'],
	['numbers in texts', [usage('7', '5', '12')], '12 tokens (7 prompt, 5 completion) in 1 request'],
	['one without a usage', [usage(7, 5), null], '12 tokens (7 prompt, 5 completion) in 2 requests'],
	[
		'many',
		[usage(1_234_567, 1), ...Array.from({ length: 1_000 }, () => ({}))],
		'1,234,568 tokens (1,234,567 prompt, 1 completion) in 1,001 requests',
	],
])('the hint sums up the tokens of all requests: %s', (_, usages, message) => {
	expect(hintsOf(...usages)).toEqual([{ message, type: 'info', location: 'outputPane' }]);
});

it.each([[[]], [[null]], [[{}, usage(0, 0, 0)]], [['none']]])(
	'there is no hint where no tokens are reported: %j',
	(usages) => expect(hintsOf(...usages)).toEqual([]),
);

it('each execution has a sum of its own', () => {
	expect(hintsOf(usage(1, 1))).toEqual(hintsOf(usage(1, 1)));
});

it.each([
	[usage(7, 5, 13), 13],
	[usage(7, 5), 12],
	[usage(null, 5), 5],
	[{}, 0],
])('the total of %j is %i', (sent, total) => expect(totalOf(sent)).toBe(total));
