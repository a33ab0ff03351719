import { describe, expect, it } from 'vitest';
import { errorOf, onlyJson } from '../engine/results.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';

const { fixture, run, lastBody } = useRetrieval();

describe('generate', () => {
	it('answers from the context, beside what the service sent', async () => {
		const answer = onlyJson(
			await run('generate', {
				promptName: 'rag',
				query: 'Where are the boats?',
				context: TEXTS.join('\n'),
			}),
		);
		expect(answer).toMatchObject({
			answer: expect.stringContaining(`${TEXTS[2]} [3]`),
			generated_answer: expect.stringContaining('harbour'),
			metadata: { prompt_name: 'rag' },
		});
		expect(lastBody()).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Where are the boats?', context: TEXTS.join('\n') },
		});
	});

	it('a list of texts from an expression is joined by line breaks', async () => {
		await run('generate', {
			promptName: 'rag',
			query: 'a',
			context: `={{ ${JSON.stringify(['one ', 'two'])} }}`,
		});
		expect(lastBody()).toMatchObject({ inputs: { context: 'one \ntwo' } });
	});

	it.each([
		['a text', '"Yes."', 'Yes.'],
		['plain text', 'Yes.', 'Yes.'],
		['a text in the envelope', '{"results":"Yes."}', 'Yes.'],
		[
			'a chat completion',
			'{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}',
			'Yes.',
		],
		[
			'a completion inside',
			'{"results":{"completion":{"choices":[{"message":{"content":"Yes."}}]}}}',
			'Yes.',
		],
		['an answer under another name', '{"results":{"answer":"Yes."}}', 'Yes.'],
	])('reads an answer that is %s', async (_, rawBody, answer) => {
		fixture.sandbox.faults.add({
			match: { path: '/rag/generate' },
			status: 200,
			rawBody,
			contentType: 'application/json',
		});
		expect(
			onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).answer,
		).toBe(answer);
	});

	it('keeps what the service sends beside an answer that is text', async () => {
		const body = { results: 'Yes.', citations: [{ id: 'a' }], usage: { total_tokens: 3 } };
		fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, status: 200, body });
		expect(
			onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })),
		).toEqual({
			answer: 'Yes.',
			...body,
		});
	});

	it('an answer that is null beside the text is not the answer', async () => {
		for (const body of [
			{ results: 'Yes.', answer: null },
			{ results: { answer: null, text: 'Yes.' } },
		]) {
			fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, status: 200, body });
			expect(
				onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).answer,
			).toBe('Yes.');
		}
	});

	it('a form that is not known comes as it is, with no answer; one with nothing in it is an error', async () => {
		const generate = async (body: object) => {
			fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, status: 200, body });
			return await run('generate', { promptName: 'rag', query: 'a', context: 'b' });
		};
		expect(onlyJson(await generate({ results: { words: 'Yes.' } }))).toEqual({
			answer: null,
			words: 'Yes.',
		});
		for (const body of [{}, { results: {} }, { results: { answer: '' } }])
			expect(errorOf(await generate(body)).message).toBe('The response contains no answer');
	});

	it('takes a prompt by any name', async () => {
		for (const name of ['Answer with sources', 'größe/2?', '../x']) {
			fixture.sandbox.faults.add({
				match: { path: '/rag/generate' },
				status: 200,
				body: { results: 'Yes.' },
				times: 2,
			});
			expect(
				onlyJson(await run('generate', { promptName: name, query: 'a', context: 'b' })).answer,
			).toBe('Yes.');
			expect(lastBody().prompt_name).toBe(name);
			expect(
				onlyJson(await run('ask', { promptName: name, query: 'first hour', topK: 1 })).answer,
			).toBe('Yes.');
			expect(lastBody().prompt_name).toBe(name);
		}
		expect(
			errorOf(await run('generate', { promptName: '={{ " " }}', query: 'a', context: 'b' }))
				.message,
		).toBe('Prompt is required: choose one from the list or enter its ID');
	});

	it('a prompt that does not exist is an error', async () => {
		expect(
			errorOf(await run('generate', { promptName: 'nobody', query: 'a', context: 'b' })).message,
		).toBe('Not found (404): Prompt not found');
	});

	it('a lost answer is not requested again: its tokens are billed', async () => {
		fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, drop: 'after' });
		expect(
			errorOf(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).message,
		).toContain('was lost before a response arrived');
		expect(fixture.sent('POST', /generate$/)).toHaveLength(1);
	});
});
