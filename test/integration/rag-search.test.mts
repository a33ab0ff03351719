import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';
import { errorForms } from '../sandbox/index.mts';

const { fixture, run, lastBody } = useRetrieval();

describe('search', () => {
	it('one item per chunk, best first, as the service sent it', async () => {
		const chunks = jsonOf(await run('search', { query: 'Is the first hour refunded?', topK: 2 }));
		expect(chunks.map(({ text }) => text)).toEqual(TEXTS.slice(0, 2));
		expect(chunks[0]).toEqual({
			id: expect.any(String),
			document_id: expect.any(String),
			owner_id: expect.any(String),
			collection_ids: [expect.any(String)],
			score: expect.any(Number),
			text: TEXTS[0],
			metadata: { title: TEXTS[0], number: 0, topic: 'money' },
		});
		expect(lastBody()).toEqual({
			query: 'Is the first hour refunded?',
			top_k: 2,
			search_settings: { limit: 2 },
		});
	});

	it('Output: one item per search with its context, or the whole response', async () => {
		const [found] = jsonOf(
			await run('search', { query: 'first hour', topK: 10, options: { output: 'search' } }),
		);
		expect(found).toMatchObject({
			query: 'first hour',
			found: 2,
			context: `${TEXTS[0]}\n${TEXTS[1]}`,
			chunks: [{ text: TEXTS[0] }, { text: TEXTS[1] }],
		});
		const [raw] = jsonOf(
			await run('search', { query: 'first hour', topK: 10, options: { output: 'raw' } }),
		);
		expect(raw).toEqual({
			results: {
				chunk_search_results: expect.any(Array),
				graph_search_results: null,
				web_page_search_results: null,
				document_search_results: null,
			},
		});
	});
});

describe('search: responses', () => {
	it.each([{ results: { chunk_search_results: null } }, { results: [] }, { results: null }])(
		'%j is an empty result',
		async (body) => {
			fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
			expect(jsonOf(await run('search', { query: 'hour', topK: 1 }))).toEqual([]);
		},
	);

	it.each<[IDataObject, string]>([
		[{ status: 'ok' }, 'The response contains no search results'],
		[{ results: { documents: [] } }, 'The response contains no search results'],
		[
			{ results: 'x', detail: 'maintenance' },
			'The response contains no search results: maintenance',
		],
	])('%j is not the response of a search', async (body, message) => {
		for (const operation of ['search', 'ask']) {
			fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
			const error = errorOf(
				await run(operation, {
					query: 'hour',
					topK: 1,
					...(operation === 'ask' && { promptName: 'rag' }),
				}),
			);
			expect([error.message, error.description]).toEqual([
				message,
				expect.stringContaining('Retrieval Segment'),
			]);
		}
	});

	it('a web page is an error for a deletion and a streamed answer', async () => {
		const page = () => fixture.sandbox.faults.add({ ...errorForms.html(200, 'Log in') });
		page();
		expect(
			errorOf(
				await fixture.run(
					rag('document', 'delete', { documentId: '11111111-2222-4333-8444-555555555555' }),
				),
			).message,
		).toContain('an HTML page');
		page();
		expect(
			errorOf(await run('rag', { query: 'hour', topK: 1, options: { stream: true } })).message,
		).toContain('an HTML page');
	});

	it('a short Retry-After is waited for', async () => {
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			...errorForms.tooManyRequests(7),
		});
		expect(jsonOf(await run('search', { query: 'boats', topK: 1 }))).toHaveLength(1);
		expect(fixture.time.waits).toEqual([7_000]);
	});
});
