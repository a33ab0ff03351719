import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, Client, listAt, violations } from '../sandbox/testing/client.mts';

/** intelligence-api.md, what it says on retrieval: What the service does, Retrieval search, RAG generate, Other retrieval resource groups, Authentication, Errors, Limits, Versioning. */
const fixture = useFixture();
const BASE = '/intelligence/api/rag/v3';
const TEXTS = [
	'The first hour is never refunded.',
	'After the first hour the exact time is charged.',
];

let direct: Client;
let plain: Client;
beforeAll(() => {
	direct = new Client(`${fixture.sandbox.intelligenceUrl}/api/rag/v3`, {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	});
	plain = new Client(`${fixture.sandbox.intelligenceUrl}/api/rag/v3`);
});
afterAll(async () => {
	await direct.close();
	await plain.close();
});

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
	for (const rawText of TEXTS)
		onlyJson(
			await fixture.run(
				rag('document', 'create', {
					source: 'rawText',
					rawText,
					additionalFields: { runWithOrchestration: false },
				}),
			),
		);
	fixture.sandbox.requests.length = 0;
};
const sent = () => fixture.sandbox.requests.at(-1);

describe('retrieval search', () => {
	it('[search.path] POST /api/rag/v3/retrieval/search, no query', async () => {
		await fixture.run(search());
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'POST', path: `${BASE}/retrieval/search`, query: {}, status: 200 },
		]);
		expect((await direct.post('/retrieval/search', { query: 'a' })).status).toBe(200);
		expect((await direct.get('/retrieval/search')).status).toBe(404);
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
				await direct.call('/retrieval/search', {
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
		expect(violations(await direct.post('/retrieval/search', { query: 42 }))).toEqual([
			'body.query: string_type',
		]);
		expect(violations(await direct.post('/retrieval/search', {}))).toEqual(['body.query: missing']);
	});

	it('[search.top_k] [search.limit] top_k, an integer: the number of chunks to return; the engine limit beside it is equal', async () => {
		await ingest();
		expect(jsonOf(await fixture.run(search({ topK: '={{ "1" }}' })))).toHaveLength(1);
		expect(sent()?.body).toEqual({ query: 'first hour', top_k: 1, search_settings: { limit: 1 } });
		expect(
			listAt(
				(await direct.post('/retrieval/search', { query: 'hour', top_k: 1 })).json,
				'results',
				'chunk_search_results',
			),
		).toHaveLength(1);
		expect(violations(await direct.post('/retrieval/search', { query: 'a', top_k: '1' }))).toEqual([
			'body.top_k: int_type',
		]);
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
		expect((await direct.get('/rag/generate')).status).toBe(404);
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
		expect(violations(await direct.post('/rag/generate', { prompt_name: 1, inputs }))).toEqual([
			'body.prompt_name: string_type',
		]);
		expect((await direct.post('/rag/generate', { prompt_name: 'nobody', inputs })).status).toBe(
			404,
		);
	});

	it('[generate.inputs] inputs, an object with the strings query and context', async () => {
		await fixture.run(generate());
		expect(sent()?.body).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Is it refunded?', context: TEXTS.join('\n') },
		});
		expect(
			violations(
				await direct.post('/rag/generate', { prompt_name: 'rag', inputs: { query: 1 } }),
			).sort(),
		).toEqual(['body.inputs.context: missing', 'body.inputs.query: string_type']);
		expect(
			violations(await direct.post('/rag/generate', { prompt_name: 'rag', inputs: 'a' })),
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

describe('what the service does', () => {
	it('[rag.flow] chunks by search, then an answer from a named prompt template and inputs', async () => {
		await ingest();
		const answer = onlyJson(
			await fixture.run(
				rag('retrieval', 'ask', {
					query: 'Is the first hour refunded?',
					topK: 1,
					promptName: 'rag',
				}),
			),
		);
		expect(fixture.sandbox.requests.map(({ path }) => path)).toEqual([
			`${BASE}/retrieval/search`,
			`${BASE}/rag/generate`,
		]);
		expect(answer.answer).toContain('never refunded');
	});

	const groups = [
		'retrieval',
		'document',
		'graph',
		'index',
		'chunk',
		'user',
		'collection',
		'conversation',
		'prompt',
		'system',
	];
	it.each(groups)('[rag.group.%s] the resource group exists in the node', (group) => {
		const { properties } = fixture.engine.nodeType('rag').description;
		const values = (name: string, resource?: string) =>
			properties
				.filter(
					(property) =>
						property.name === name &&
						(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)),
				)
				.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ value }) => value));
		expect(values('resource')).toContain(group);
		expect(values('operation', group).length).toBeGreaterThan(1);
		expect(values('resource')).toHaveLength(groups.length);
	});

	it.each([
		['documents', '/documents'],
		['graphs', '/graphs'],
		['indices', '/indices'],
		['chunks', '/chunks'],
		['users', '/users/me'],
		['collections', '/collections'],
		['conversations', '/conversations'],
		['prompts', '/prompts'],
		['system', '/health'],
	])(
		'[rag.service.%s] the service answers, and refuses a request without a key',
		async (_, path) => {
			expect((await direct.get(path)).status).toBe(200);
			expect((await plain.get(path)).status).toBe(401);
		},
	);

	it('[rag.documents] documents and chunks ingest and segment text', async () => {
		const { document_id: documentId } = onlyJson(
			await fixture.run(
				rag('document', 'create', {
					source: 'rawText',
					rawText: 'one\n\ntwo',
					additionalFields: { runWithOrchestration: false },
				}),
			),
		);
		expect(
			jsonOf(await fixture.run(rag('document', 'getChunks', { documentId, returnAll: true }))).map(
				({ text }) => text,
			),
		).toEqual(['one', 'two']);
	});
});

describe('authentication, errors, limits, versioning', () => {
	it('[rag.auth] exactly one header carries the key', async () => {
		await fixture.run(search());
		expect(sent()?.headers).not.toHaveProperty('x-api-key');
		expect(sent()?.headers).not.toHaveProperty('token');
	});

	it('[rag.oauth2] the node takes an OAuth 2.0 credential as well', () => {
		expect(fixture.engine.nodeType('rag').description.credentials?.map(({ name }) => name)).toEqual(
			['computeIntelligenceApi', 'computeIntelligenceOAuth2Api'],
		);
	});

	it('[rag.422] a validation error: each field and what is wrong with it', async () => {
		fixture.sandbox.faults.add({
			match: { path: /search$/ },
			...errorForms.detailList(422, [
				{ loc: ['body', 'query'], msg: 'is too long', type: 'x' },
				{ loc: ['body', 'top_k'], msg: 'is too much', type: 'y' },
			]),
		});
		expect(errorOf(await fixture.run(search())).message).toBe(
			'query: is too long; top_k: is too much',
		);
	});

	it('[rag.quota] the quota is daily or hourly: its end is told, not waited for', async () => {
		fixture.sandbox.faults.add({
			match: { path: /search$/ },
			...errorForms.tooManyRequests(7_200, 'Hourly quota used up'),
		});
		const error = errorOf(await fixture.run(search()));
		expect([error.message, error.description]).toEqual([
			'The limit of requests or credits is used up (429): Hourly quota used up',
			expect.stringContaining('in 2 hours'),
		]);
		expect(fixture.time.waits).toEqual([]);
	});

	it('[rag.version] retrieval paths carry /api/rag/v3/', async () => {
		await fixture.run(rag('system', 'getHealth'));
		await fixture.run(rag('prompt', 'getAll', { returnAll: true }));
		expect(fixture.sandbox.requests.map(({ path, status }) => [path, status])).toEqual([
			[`${BASE}/health`, 200],
			[`${BASE}/prompts`, 200],
		]);
	});
});
