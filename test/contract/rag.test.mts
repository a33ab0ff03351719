import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, Client, listAt, violations } from '../sandbox/testing/client.mts';

/** intelligence-api.md, what it says on retrieval: What the service does, Retrieval search, RAG generate, Other retrieval resource groups, Authentication, Errors, Limits, Versioning. */
const fixture = useFixture({ part: 'rag' });
const BASE = '/intelligence/api/rag/v3';
const TEXTS = [
	'The first hour is never refunded.',
	'After the first hour the exact time is charged.',
];

let plain: Client;
beforeAll(() => {
	plain = new Client(`${fixture.sandbox.intelligenceUrl}/api/rag/v3`);
});
afterAll(async () => await plain.close());

const search = (parameters: IDataObject = {}) =>
	rag('retrieval', 'search', { query: 'first hour', topK: 2, ...parameters });
const generate = (parameters: IDataObject = {}) =>
	rag('retrieval', 'generate', {
		promptName: 'rag',
		query: 'Is it refunded?',
		context: TEXTS.join('\n'),
		...parameters,
	});
const ingest = async () => {
	for (const rawText of TEXTS) onlyJson(await fixture.run(textDocument(rawText)));
	fixture.sandbox.requests.length = 0;
};
const sent = () => fixture.sandbox.requests.at(-1);

describe('retrieval search', () => {
	it('[search.path] POST /api/rag/v3/retrieval/search, no query', async () => {
		await fixture.run(search());
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'POST', path: `${BASE}/retrieval/search`, query: {}, status: 200 },
		]);
		expect((await fixture.client.post('/retrieval/search', { query: 'a' })).status).toBe(200);
		expect((await fixture.client.get('/retrieval/search')).status).toBe(404);
	});

	it('[search.headers] Authorization: Bearer <API_KEY> and Content-Type: application/json', async () => {
		await fixture.run(search());
		expect(sent()?.headers).toMatchObject({
			authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
			'content-type': 'application/json',
		});
		expect((await plain.post('/retrieval/search', { query: 'a' })).status).toBe(401);
		expect(
			(
				await fixture.client.call('/retrieval/search', {
					method: 'POST',
					raw: '{"query":"a"}',
					headers: { 'content-type': 'text/plain' },
				})
			).status,
		).toBe(422);
	});

	it('[search.query] query, a string', async () => {
		await fixture.run(search({ query: '={{ 42 }}' }));
		expect(sent()?.body).toMatchObject({ query: '42' });
		expect(violations(await fixture.client.post('/retrieval/search', { query: 42 }))).toEqual([
			'body.query: string_type',
		]);
		expect(violations(await fixture.client.post('/retrieval/search', {}))).toEqual([
			'body.query: missing',
		]);
	});

	it('[search.top_k] [search.limit] top_k, an integer: the number of chunks to return; the engine limit beside it is equal', async () => {
		await ingest();
		expect(jsonOf(await fixture.run(search({ topK: '={{ "1" }}' })))).toHaveLength(1);
		expect(sent()?.body).toEqual({ query: 'first hour', top_k: 1, search_settings: { limit: 1 } });
		expect(
			listAt(
				(await fixture.client.post('/retrieval/search', { query: 'hour', top_k: 1 })).json,
				'results',
				'chunk_search_results',
			),
		).toHaveLength(1);
		expect(
			violations(await fixture.client.post('/retrieval/search', { query: 'a', top_k: '1' })),
		).toEqual(['body.top_k: int_type']);
		expect(errorOf(await fixture.run(search({ topK: 1.5 }))).message).toContain(
			'Top K must be a whole number',
		);
	});

	it('[search.200] the response body is not shown: the output is what was sent', async () => {
		const chunk = { id: 'a', text: 'b', of_tomorrow: [null] };
		fixture.sandbox.faults.add({
			match: { path: /search$/ },
			status: 200,
			body: { results: { chunk_search_results: [chunk] } },
		});
		expect(jsonOf(await fixture.run(search()))).toEqual([chunk]);
	});
});

describe('RAG generate', () => {
	it('[generate.path] POST /api/rag/v3/rag/generate, no query', async () => {
		await fixture.run(generate());
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'POST', path: `${BASE}/rag/generate`, query: {}, status: 200 },
		]);
		expect((await fixture.client.get('/rag/generate')).status).toBe(404);
	});

	it('[generate.headers] Authorization: Bearer <API_KEY> and Content-Type: application/json', async () => {
		await fixture.run(generate());
		expect(sent()?.headers).toMatchObject({
			authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
			'content-type': 'application/json',
		});
		expect((await plain.post('/rag/generate', {})).status).toBe(401);
	});

	it('[generate.prompt_name] prompt_name, a string: the name of a prompt template', async () => {
		onlyJson(
			await fixture.run(
				rag('prompt', 'create', { name: 'short', template: '{query} {context}', inputTypes: '{}' }),
			),
		);
		expect(onlyJson(await fixture.run(generate({ promptName: 'short' })))).toMatchObject({
			metadata: { prompt_name: 'short' },
		});
		expect(sent()?.body).toMatchObject({ prompt_name: 'short' });
		const inputs = { query: 'a', context: 'b' };
		expect(
			violations(await fixture.client.post('/rag/generate', { prompt_name: 1, inputs })),
		).toEqual(['body.prompt_name: string_type']);
		expect(
			(await fixture.client.post('/rag/generate', { prompt_name: 'nobody', inputs })).status,
		).toBe(404);
	});

	it('[generate.inputs] inputs, an object with the strings query and context', async () => {
		await fixture.run(generate());
		expect(sent()?.body).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Is it refunded?', context: TEXTS.join('\n') },
		});
		expect(
			violations(
				await fixture.client.post('/rag/generate', { prompt_name: 'rag', inputs: { query: 1 } }),
			).sort(),
		).toEqual(['body.inputs.context: missing', 'body.inputs.query: string_type']);
		expect(
			violations(await fixture.client.post('/rag/generate', { prompt_name: 'rag', inputs: 'a' })),
		).toEqual(['body.inputs: dict_type']);
	});

	it('[generate.context] retrieved chunk texts joined by line breaks, from a search of this node or by ask', async () => {
		await ingest();
		const [found] = jsonOf(await fixture.run(search({ options: { output: 'search' } })));
		expect(found?.context).toBe(
			(found?.chunks as IDataObject[]).map(({ text }) => text).join('\n'),
		);
		await fixture.run(rag('retrieval', 'ask', { query: 'first hour', topK: 2, promptName: 'rag' }));
		expect(at(sent()?.body, 'inputs', 'context')).toBe(found?.context);
	});

	it('[generate.200] the response body is not shown: the output is what was sent, with its text as answer', async () => {
		const results = { of_tomorrow: [1], completion: 'Yes.' };
		fixture.sandbox.faults.add({ match: { path: /generate$/ }, status: 200, body: { results } });
		expect(onlyJson(await fixture.run(generate()))).toEqual({ answer: 'Yes.', ...results });
	});
});
