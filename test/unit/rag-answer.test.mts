import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answerText, checkAnswer, endsIn, plainText, truncation } from '../../nodes/Rag/answer.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { node } from './parameters-form.mts';

const PARTS = [
	{ type: 'text', text: 'two ' },
	{ type: 'image_url', image_url: 'x' },
	{ type: 'text', text: 'parts' },
];

describe('the text of an answer', () => {
	it.each<[unknown, string | undefined]>([
		['plain', 'plain'],
		['', ''],
		[PARTS, 'two parts'],
		[[{ type: 'image_url' }], undefined],
		[['first', 'second'], 'first'],
		[[{ answer: 'in a list' }], 'in a list'],
		[{ generated_answer: 'a', answer: 'b' }, 'a'],
		[{ answer: 'b', text: 'c' }, 'b'],
		[{ text: 'c' }, 'c'],
		[{ content: PARTS }, 'two parts'],
		[{ response: 'd' }, 'd'],
		[{ output: 'e' }, 'e'],
		[{ answer: 7, output: 'e' }, 'e'],
		[{ completion: { choices: [{ message: { content: 'f' } }] } }, 'f'],
		[{ choices: [{ message: { content: 'g' } }, { message: { content: 'h' } }] }, 'g'],
		[{ completion: 'i', choices: [{ message: 'g' }], message: 'j' }, 'i'],
		[{ message: 'j' }, 'j'],
		[{ message: { content: 'k' } }, 'k'],
		[{ task_id: '1', message: 'Generation queued' }, undefined],
		[{ other: 'l' }, undefined],
		[7, undefined],
		[null, undefined],
		[undefined, undefined],
		[[], undefined],
	])('%j: %j', (results, text) => expect(answerText(results)).toBe(text));

	it('is plain where it is text, or parts with text', () => {
		expect([plainText('x'), plainText(PARTS), plainText([{ text: 'x' }])]).toEqual([
			'x',
			'two parts',
			undefined,
		]);
		expect([plainText({ type: 'text', text: 'x' }), plainText(['x']), plainText(7)]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});
});

describe('a response is an answer', () => {
	/** The error of a response that is none. */
	function errorOf(response: unknown): NodeApiError | undefined {
		const functions = { getNode: () => node };
		try {
			checkAnswer({ functions, known: { id: 1 } } as unknown as OperationContext, response);
			return undefined;
		} catch (error) {
			return error as NodeApiError;
		}
	}

	it.each<[unknown]>([
		['text'],
		[{ results: 'text' }],
		[{ results: { answer: 'text', generated_answer: null } }],
		[{ results: { other: 1 } }],
		[{ results: { answer: 'text' }, answer: '' }],
		[{ results: { text: null, other: 1 } }],
		[{ custom: 'form' }],
	])('%j', (response) => {
		expect(errorOf(response)).toBeUndefined();
	});

	it.each<[unknown]>([
		[7],
		[''],
		['  \n'],
		[{}],
		[{ results: {} }],
		[{ results: null }],
		[{ results: [] }],
		[{ results: { answer: ' ' } }],
		[{ results: { answer: null, sources: [1] } }],
		[{ results: { generated_answer: null, sources: [1] } }],
	])('not: %j', (response) => {
		const error = errorOf(response);
		expect(error?.message).toBe('The response contains no answer');
		expect(error?.context.known).toEqual({ id: 1, response });
	});
});

describe('how an answer has ended', () => {
	it.each<[unknown, boolean]>([
		[{ finish_reason: 'length' }, true],
		[{ finish_reason: 'stop' }, false],
		[{ choices: [{ finish_reason: 'length' }] }, true],
		[{ results: { completion: { choices: [{ finish_reason: 'length' }] } } }, true],
		[{ results: { metadata: { finish_reason: 'length' } } }, true],
		[{ results: { message: { metadata: { finish_reason: 'length' } } } }, true],
		[{ messages: [{ finish_reason: 'length' }, { finish_reason: 'stop' }] }, false],
		[{ messages: [{ finish_reason: 'stop' }, { finish_reason: 'length' }] }, true],
		[[{ finish_reason: 'length' }], true],
		[{ results: { results: { results: { finish_reason: 'length' } } } }, true],
		[{ results: { results: { results: { results: { finish_reason: 'length' } } } } }, false],
		[{ other: { finish_reason: 'length' } }, false],
		['text', false],
		[[], false],
	])('%j is cut off: %s', (response, isCut) =>
		expect(truncation(response)).toEqual(isCut ? { truncated: true } : {}),
	);

	it('has the error beside each reason', () => {
		const choice = { finish_reason: 'error', error: 'x' };
		expect(endsIn({ results: { choices: [choice] } })).toContainEqual(choice);
		expect([endsIn(null), endsIn('x')]).toEqual([[], []]);
	});
});
