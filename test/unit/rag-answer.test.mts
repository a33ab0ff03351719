import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	answerText,
	checkAnswer,
	endsIn,
	plainText,
	sendGenerate,
	truncation,
} from '../../nodes/Rag/answer.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { Body, type Answered } from './log-parts.mts';
import { node } from './parameters-form.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, outcomeOf } from './rag-service.mts';

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
		expect([plainText({ type: 'text', text: 'x' }), plainText({ text: 'x' })]).toEqual(['x', 'x']);
		expect(plainText([{ type: 'text', text: 'x' }, null])).toBe('x');
		expect([plainText({ text: 'x', other: 1 }), plainText(['x']), plainText(7)]).toEqual([
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

describe('an answer from a context', () => {
	const request = {
		promptName: 'rag',
		query: 'q',
		context: 'text',
		promptInputs: { tone: 'kind' },
	};
	async function generated(...answers: Answered[]) {
		const documents = new Answers(...answers);
		const work = sendGenerate(await contextOf({ documents }), { ...request, extra: { seed: 1 } });
		const { value: item, error } = await outcomeOf(work);
		return { item, error, documents };
	}
	const plain = (text: string) => ({ body: new Body().write(text, undefined) });

	it('is asked for with the prompt and its inputs', async () => {
		const { documents } = await generated({ json: { results: { answer: 'a' } } });
		expect(documents.asked).toEqual(['POST /api/rag/v3/rag/generate']);
		expect(documents.sent).toEqual([
			{ prompt_name: 'rag', inputs: { query: 'q', context: 'text', tone: 'kind' }, seed: 1 },
		]);
	});

	it.each<[Answered, object]>([
		[
			{ json: { results: { generated_answer: 'a', usage: 7 } } },
			{ generated_answer: 'a', usage: 7 },
		],
		[{ json: { results: 'a', citations: [1] } }, { results: 'a', citations: [1] }],
		[{ json: { text: 'a', finish_reason: 'length' } }, { text: 'a', truncated: true }],
		[plain('a'), {}],
	])('is in the item as text, beside what came with it: %j', async (answer, fields) => {
		const { item } = await generated(answer);
		expect(item).toMatchObject({ answer: 'a', ...fields });
	});

	it('is a plain text as it is, with nothing beside it', async () => {
		expect((await generated(plain('Yes, it is.'))).item).toEqual({ answer: 'Yes, it is.' });
	});

	it('is null in a form that is not known', async () => {
		const { item } = await generated({ json: { results: { custom: [1] } } });
		expect(item).toEqual({ answer: null, custom: [1] });
	});

	it.each<[object]>([[{ answer: 'a' }], [{ answer: 'a', error: 'low memory' }]])(
		'has the error beside it as a field: %j',
		async (results) => {
			const error = { message: 'upstream died' };
			const { item } = await generated({ json: { error, results } });
			expect(item).toEqual({ answer: 'a', error });
		},
	);

	it('without words is an error, in the words of the service where it says why', async () => {
		const { error } = await generated({
			json: { error: { message: 'upstream died' }, results: { answer: '' } },
		});
		expect(error?.message).toBe('The response contains no answer: upstream died');
	});

	it('without words is an error', async () => {
		const { error } = await generated({ json: { results: { answer: ' ' } } });
		expect(error?.message).toBe('The response contains no answer');
	});

	it('that breaks off is an error with what came', async () => {
		const { error } = await generated(plain('{"results": {"answer": "a'));
		expect(error?.message).toBe('The answer ended early: its JSON is cut off');
		expect(error?.context.known).toEqual({ partial: '{"results": {"answer": "a' });
	});

	it('is not sent again after an error, since it may be billed', async () => {
		const { error, documents } = await generated(
			{ status: 500, json: {} },
			{ json: { text: 'a' } },
		);
		expect(error?.message).toBe('Server error (500)');
		expect(documents.asked).toHaveLength(1);
	});

	it.each([
		[404, true],
		[403, false],
	])('may not be offered by the service: %s', async (status, isAdvised) => {
		const { error } = await generated({ status, json: {} });
		expect(error?.httpCode).toBe(String(status));
		expect(error?.description?.endsWith('use RAG Query.')).toBe(isAdvised);
	});
});
