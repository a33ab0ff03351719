import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';

const { fixture, run, lastBody } = useRetrieval();

describe('ask', () => {
	it('sends the chunk texts joined by line breaks, and names its sources', async () => {
		const answer = onlyJson(
			await run('ask', { query: 'Is the first hour refunded?', topK: 2, promptName: 'rag' }),
		);
		expect(fixture.sandbox.requests.map(({ path }) => path.split('/v3')[1])).toEqual([
			'/retrieval/search',
			'/rag/generate',
		]);
		expect(lastBody()).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Is the first hour refunded?', context: `${TEXTS[0]}\n${TEXTS[1]}` },
		});
		expect(answer).toMatchObject({
			answer: expect.stringContaining('never refunded'),
			found: true,
			context_characters: `${TEXTS[0]}\n${TEXTS[1]}`.length,
			sources: [
				{
					source: TEXTS[0],
					text: TEXTS[0],
					score: expect.any(Number),
					chunk_id: expect.any(String),
					document_id: expect.any(String),
				},
				{ source: TEXTS[1] },
			],
		});
	});

	it('cuts the context between chunks', async () => {
		const first = TEXTS[0]?.length ?? 0;
		const cut = async (maxContextCharacters: number) =>
			await run('ask', {
				query: 'Is the first hour refunded?',
				topK: 10,
				promptName: 'rag',
				options: { maxContextCharacters },
			});
		expect(onlyJson(await cut(first + 5))).toMatchObject({
			context_characters: first,
			sources: [{ text: TEXTS[0] }],
		});
		expect(onlyJson(await cut(first + 1 + (TEXTS[1]?.length ?? 0))).sources).toHaveLength(2);
		expect(errorOf(await cut(first - 1)).message).toBe(
			`Max Context Characters must be at least the length of the best chunk (${first}), got ${first - 1}`,
		);
	});

	it('answers with the refusal text where nothing is found, without a model', async () => {
		const nothing = {
			answer: 'I do not know.',
			found: false,
			query: 'Zebras?',
			prompt_name: 'rag',
			context_characters: 0,
			sources: [],
		};
		expect(
			onlyJson(
				await run('ask', {
					query: 'Zebras?',
					topK: 3,
					promptName: 'rag',
					options: { refusalText: 'I do not know.' },
				}),
			),
		).toEqual(nothing);
		const [best] = jsonOf(await run('search', { query: 'harbour hour', topK: 1 }));
		const score = Number(best?.score);
		const asked = async (minScore: number) =>
			onlyJson(
				await run('ask', {
					query: 'harbour hour',
					topK: 3,
					promptName: 'rag',
					options: { minScore },
				}),
			);
		expect(await asked(score + 0.001)).toMatchObject({
			found: false,
			answer: 'I found nothing about this in the documents.',
		});
		expect(await asked(score)).toMatchObject({ found: true });
		expect(fixture.sent('POST', /generate$/)).toHaveLength(1);
	});

	it('a minimum score without scores is an error, and nothing is sent', async () => {
		const asked = async (options: IDataObject) =>
			await run('ask', { query: 'hour', topK: 1, promptName: 'rag', options });
		expect(errorOf(await asked({ minScore: 0.1, includeScores: false })).message).toBe(
			'Options: Minimum Score needs the option Include Scores',
		);
		expect(fixture.sandbox.requests).toEqual([]);
		for (const options of [{ includeScores: false }, { minScore: 0.1, includeScores: true }])
			expect(onlyJson(await asked(options)).found).toBe(true);
	});

	it('a chunk without a score is below every minimum score; if none has one, nobody can tell', async () => {
		const chunks = [{ id: 'a', text: 'b' }];
		const weak = { id: 'c', text: 'd', score: -1 };
		const body = { results: { chunk_search_results: [...chunks, weak] } };
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			status: 200,
			body,
			times: 1,
		});
		expect(
			onlyJson(
				await run('ask', { query: 'a', topK: 2, promptName: 'rag', options: { minScore: 0 } }),
			).found,
		).toBe(false);
		const without = { results: { chunk_search_results: chunks } };
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			status: 200,
			body: without,
			times: 2,
		});
		const error = errorOf(
			await run('ask', { query: 'a', topK: 1, promptName: 'rag', options: { minScore: 0 } }),
		);
		expect([error.message, error.description, error.context.known]).toEqual([
			'The search found 1 chunks, but no score in them that is known',
			'Retrieval > Search shows them as they were sent.',
			{ response: chunks },
		]);
		expect(onlyJson(await run('ask', { query: 'a', topK: 1, promptName: 'rag' }))).toMatchObject({
			found: true,
			sources: [{ source: 'unknown', score: null }],
		});
	});

	it('a chunk without a text is left out', async () => {
		const body = { results: { chunk_search_results: [{ id: 'a' }, { id: 'b', text: 'Boats.' }] } };
		fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
		const item = onlyJson(await run('ask', { query: 'a', topK: 2, promptName: 'rag' }));
		expect(item).toMatchObject({ found: true, sources: [{ chunk_id: 'b' }] });
		expect(lastBody()).toMatchObject({ inputs: { context: 'Boats.' } });
	});

	it('a score that is a text counts as its number', async () => {
		const chunks = ['0.9', ' 0.2', '', 'high'].map((score) => ({ id: score, text: 'b', score }));
		const body = { results: { chunk_search_results: chunks } };
		fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
		const options = { minScore: 0.5 };
		expect(
			onlyJson(await run('ask', { query: 'a', topK: 4, promptName: 'rag', options })),
		).toMatchObject({ found: true, sources: [{ chunk_id: '0.9', score: '0.9' }] });
	});

	it.each([
		['{}', '{}'],
		['empty results', '{"results":{}}'],
		['null', '{"results":null}'],
		['an answer without words', '{"results":" "}'],
		['an answer that is null', '{"results":{"answer":null}}'],
		['a form that nobody knows', '{"results":{"words":"Yes."}}'],
		['an empty list', '{"results":[]}'],
	])('a response that is %s is an error with what came', async (_, rawBody) => {
		fixture.sandbox.faults.add({
			match: { path: '/rag/generate' },
			status: 200,
			rawBody,
			contentType: 'application/json',
		});
		const error = errorOf(await run('ask', { query: 'hour', topK: 1, promptName: 'rag' }));
		expect(error.message).toBe('The response contains no answer');
		expect(error.context.known).toHaveProperty('response');
		expect(fixture.sent('POST', /generate$/)).toHaveLength(1);
	});
});
