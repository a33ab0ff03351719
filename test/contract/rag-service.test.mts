import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { Client } from '../sandbox/testing/client.mts';

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
const ingest = async () => {
	for (const rawText of TEXTS) onlyJson(await fixture.run(textDocument(rawText)));
	fixture.sandbox.requests.length = 0;
};
const sent = () => fixture.sandbox.requests.at(-1);

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
			expect((await fixture.client.get(path)).status).toBe(200);
			expect((await plain.get(path)).status).toBe(401);
		},
	);

	it('[rag.documents] documents and chunks ingest and segment text', async () => {
		const { document_id: documentId } = onlyJson(await fixture.run(textDocument('one\n\ntwo')));
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

	it('[rag.quota] the quota is daily or hourly: its end is in the error, and not waited for', async () => {
		fixture.sandbox.faults.add({
			match: { path: /search$/ },
			...errorForms.tooManyRequests(7_200, 'Hourly quota used up'),
		});
		const error = errorOf(await fixture.run(search()));
		expect([error.message, error.description]).toEqual([
			'Rate limit or quota exceeded (429): Hourly quota used up',
			expect.stringContaining('Retry after 2 hours'),
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
