import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';

const fixture = useFixture();
const LONG = 'The harbour is deep. '.repeat(20).trim();

const ingest = async (texts: string[]) => {
	for (const rawText of texts) onlyJson(await fixture.run(textDocument(rawText)));
};
const QUERY = '={{ $fromAI("query", "What to look for", "string") }}';

describe('as tools of an AI agent', () => {
	it('search returns what a model needs, and no more than it can read', async () => {
		await ingest(Array.from({ length: 60 }, (_, index) => `${LONG} Place ${index}.`));
		const text = await fixture.engine.tool(rag('retrieval', 'search', { query: QUERY, topK: 60 }))({
			query: 'How deep is the harbour?',
		});
		const found = JSON.parse(text) as IDataObject[];
		expect(found[0]).toEqual({
			source: expect.any(String),
			score: expect.any(Number),
			text: expect.stringContaining('deep'),
			document_id: expect.any(String),
		});
		expect(found.map((chunk) => String(chunk.text)).join('\n').length).toBeLessThanOrEqual(12_000);
		expect(found.length).toBeGreaterThan(20);
	});

	it('search cuts the best chunk where it alone is too long', async () => {
		const chunks = [{ text: 'a'.repeat(12_001), document_id: 'd', score: 1 }, { text: 'b' }];
		const found = async (text: string) => {
			fixture.sandbox.faults.add({
				status: 200,
				body: { results: { chunk_search_results: [{ ...chunks[0], text }, chunks[1]] } },
			});
			return JSON.parse(
				await fixture.engine.tool(rag('retrieval', 'search', { query: QUERY, topK: 60 }))({
					query: 'a',
				}),
			) as IDataObject[];
		};
		expect(await found('a'.repeat(12_001))).toEqual([
			{ source: 'd', score: 1, text: `${'a'.repeat(12_000)}…`, document_id: 'd' },
		]);
		expect(await found('a'.repeat(12_000))).toMatchObject([{ text: 'a'.repeat(12_000) }]);
	});

	it.each(['search', 'raw'])('so it does with Output = %s', async (output) => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				results: {
					chunk_search_results: [
						{ text: 'a'.repeat(9_000), document_id: 'd', score: 1 },
						{ text: 'b'.repeat(9_000) },
					],
				},
			},
		});
		const text = await fixture.engine.tool(
			rag('retrieval', 'search', { query: QUERY, topK: 60, options: { output } }),
		)({ query: 'a' });
		expect(JSON.parse(text)).toEqual([
			{ source: 'd', score: 1, text: 'a'.repeat(9_000), document_id: 'd' },
		]);
	});

	it('ask returns the answer with short quotes', async () => {
		await ingest([LONG]);
		const [answer] = JSON.parse(
			await fixture.engine.tool(
				rag('retrieval', 'ask', { query: QUERY, topK: 3, promptName: 'rag' }),
			)({ query: 'How deep is the harbour?' }),
		) as [IDataObject];
		expect(answer).toMatchObject({
			found: true,
			answer: expect.stringContaining('The harbour is deep.'),
		});
		expect(JSON.stringify(answer.sources).length).toBeLessThan(500);
	});

	it('both do where n8n runs the tool for its agent', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				results: {
					chunk_search_results: [
						{ text: 'a'.repeat(9_000), document_id: 'd', score: 1 },
						{ text: 'b'.repeat(9_000) },
					],
				},
			},
			times: 2,
		});
		const [found] = answersOf(
			await runAsTool(
				fixture.engine,
				rag('retrieval', 'search', { query: QUERY, topK: 60, options: { output: 'raw' } }),
				[{ query: 'a' }],
			),
		);
		expect(found).toEqual([{ source: 'd', score: 1, text: 'a'.repeat(9_000), document_id: 'd' }]);
		fixture.sandbox.faults.add({
			match: { path: '/rag/generate' },
			status: 200,
			body: { results: 'Yes.' },
		});
		const [answered] = answersOf(
			await runAsTool(
				fixture.engine,
				rag('retrieval', 'ask', { query: QUERY, topK: 3, promptName: 'rag' }),
				[{ query: 'a' }],
			),
		);
		expect(answered).toMatchObject([
			{ answer: 'Yes.', sources: [{ text: `${'a'.repeat(200)}…` }, {}] },
		]);
	});

	it('a wrong argument is an error with the limit', async () => {
		await expect(
			fixture.engine.tool(rag('retrieval', 'search', { query: QUERY, topK: 3 }))({ query: ' ' }),
		).rejects.toThrow('Query is required and must not be empty');
	});
});
