import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { INTELLIGENCE, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const GONE = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
const ALL = { returnAll: true };

const run = async (
	resource: string,
	operation: string,
	parameters: IDataObject = {},
	settings = {},
) => await fixture.run(rag(resource, operation, parameters, settings));
const one = async (resource: string, operation: string, parameters: IDataObject = {}) =>
	onlyJson(await run(resource, operation, parameters));
const many = async (resource: string, operation = 'getAll', parameters: IDataObject = ALL) =>
	jsonOf(await run(resource, operation, parameters));
const lastBody = () => fixture.sandbox.requests.at(-1)?.body;

let documentId: IDataObject['x'];
let collectionId: IDataObject['x'];
beforeEach(async () => {
	({ document_id: documentId } = await one('document', 'create', {
		source: 'rawText',
		rawText: 'In the evening Anna meets Boris in Cologne.\n\nBoats lie there.',
		additionalFields: { runWithOrchestration: false },
	}));
	collectionId = (await many('collection'))[0]?.id;
});

describe('errors of every resource', () => {
	it.each<[string, string, IDataObject, string]>([
		['chunk', 'get', { chunkId: GONE }, `Not found (404): Chunk ${GONE} not found`],
		['chunk', 'update', { chunkId: GONE, text: 'a' }, `Not found (404): Chunk ${GONE} not found`],
		['collection', 'get', { collectionId: GONE }, 'Not found (404): Collection not found'],
		[
			'collection',
			'getDocuments',
			{ collectionId: GONE, ...ALL },
			'Not found (404): Collection not found',
		],
		[
			'conversation',
			'get',
			{ conversationId: GONE, ...ALL },
			'Not found (404): Conversation not found',
		],
		[
			'conversation',
			'addMessage',
			{ conversationId: GONE, role: 'user', content: 'a' },
			'Not found (404): Conversation not found',
		],
		['graph', 'get', { collectionId: GONE }, 'Not found (404): Graph not found'],
		['graph', 'pull', { collectionId: GONE }, 'Not found (404): Graph not found'],
		['graph', 'getEntities', { collectionId: GONE, ...ALL }, 'Not found (404): Graph not found'],
		[
			'index',
			'get',
			{ tableName: 'chunks', indexName: 'nothing' },
			'Not found (404): Index not found',
		],
		['prompt', 'get', { promptName: 'nobody' }, 'Not found (404): Prompt not found'],
		[
			'prompt',
			'update',
			{ promptName: 'nobody', template: 'a' },
			'Not found (404): Prompt not found',
		],
		['user', 'get', { userId: GONE }, 'Not found (404): User not found'],
		['user', 'getLimits', { userId: GONE }, 'Not found (404): User not found'],
	])('%s %s', async (resource, operation, parameters, message) => {
		expect(errorOf(await run(resource, operation, parameters)).message).toBe(message);
	});

	it.each([
		['document', '/documents'],
		['chunk', '/chunks'],
		['collection', '/collections'],
		['conversation', '/conversations'],
		['graph', '/graphs'],
		['index', '/indices'],
		['prompt', '/prompts'],
	])('%s: a list that is refused', async (resource, path) => {
		fixture.sandbox.faults.add({
			match: { method: 'GET', path },
			...errorForms.messageAndType(403, 'closed'),
		});
		expect(errorOf(await run(resource, 'getAll', ALL)).message).toBe(
			'Permission denied (403): closed',
		);
	});

	it.each<[string, string, IDataObject, string]>([
		[
			'chunk',
			'get',
			{ chunkId: 'a/../b' },
			'Chunk must contain only letters, digits and . _ ~ : @ + = -, got "a/../b"',
		],
		['collection', 'create', { name: ' ' }, 'Name is required and must not be empty'],
		[
			'collection',
			'get',
			{ collectionId: '={{ "" }}' },
			'Collection is required: choose one from the list or enter its ID',
		],
		[
			'collection',
			'update',
			{ collectionId: GONE },
			'Name or Description must be set: there is nothing to change',
		],
		[
			'collection',
			'getAll',
			{ returnAll: false, limit: 0 },
			'Limit must be a whole number of at least 1, got 0',
		],
		[
			'conversation',
			'addMessage',
			{ conversationId: GONE, role: 'boss', content: 'a' },
			'Role must be one of user, assistant, system, got "boss"',
		],
		[
			'prompt',
			'create',
			{ name: 'two words', template: 'a' },
			'Name must contain only letters, digits and . _ ~ : @ + = -, got "two words"',
		],
		[
			'prompt',
			'create',
			{ name: 'a', template: '={{ " " }}', inputTypes: '{}' },
			'Template is required and must not be empty',
		],
		[
			'prompt',
			'create',
			{ name: 'a', template: 'b', inputTypes: '[]' },
			'Input Types (JSON) must be a JSON object such as {"key": "value"}, got []',
		],
	])(
		'%s %s with a wrong parameter %j: nothing is sent',
		async (resource, operation, parameters, message) => {
			fixture.sandbox.requests.length = 0;
			expect(errorOf(await run(resource, operation, parameters)).message).toBe(message);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);
});

describe('collections', () => {
	it('are created, read, updated, filled, emptied and deleted', async () => {
		const { id } = await one('collection', 'create', { name: 'papers', description: 'all' });
		expect(
			await one('collection', 'create', { name: 'papers', ifExists: 'useExisting' }),
		).toMatchObject({ id, existing: true });
		expect(errorOf(await run('collection', 'create', { name: 'papers' })).message).toContain(
			'already exists',
		);
		await one('collection', 'update', { collectionId: id, name: 'articles' });
		expect(await one('collection', 'get', { collectionId: id })).toMatchObject({
			name: 'articles',
			description: 'all',
		});
		expect(await one('collection', 'addDocument', { collectionId: id, documentId })).toMatchObject({
			collection_id: id,
			document_id: documentId,
		});
		expect(await many('collection', 'getDocuments', { collectionId: id, ...ALL })).toMatchObject([
			{ id: documentId },
		]);
		expect(await one('collection', 'removeDocument', { collectionId: id, documentId })).toEqual({
			deleted: true,
			collection_id: id,
			document_id: documentId,
			already_gone: false,
		});
		expect(await one('collection', 'delete', { collectionId: id })).toMatchObject({
			deleted: true,
		});
		expect(await many('collection')).toHaveLength(1);
	});

	it('a create whose answer is lost is not sent again', async () => {
		fixture.sandbox.faults.add({ match: { method: 'POST', path: '/collections' }, drop: 'after' });
		const error = errorOf(await run('collection', 'create', { name: 'papers' }, RETRY));
		expect(error.message).toMatch(/^Create collection "papers": outcome unknown\. /);
		expect(fixture.sent('POST', /\/collections$/)).toHaveLength(1);
		fixture.sandbox.faults.add({ match: { method: 'POST', path: '/collections' }, drop: 'after' });
		expect(
			onlyJson(
				await run('collection', 'create', { name: 'books', ifExists: 'useExisting' }, RETRY),
			),
		).toMatchObject({ name: 'books', existing: true });
	});

	it('a refusal may be sent again', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: '/collections' },
			...errorForms.detailString(403, 'wait'),
		});
		expect(onlyJson(await run('collection', 'create', { name: 'papers' }, RETRY))).toMatchObject({
			name: 'papers',
		});
	});
});

describe('conversations', () => {
	it('are created, filled, read, renamed and deleted', async () => {
		const { id: conversationId } = await one('conversation', 'create', { name: 'first' });
		const message = await one('conversation', 'addMessage', {
			conversationId,
			role: 'user',
			content: ' hi ',
			metadata: { values: [{ key: 'a', value: 'b' }] },
		});
		expect(message).toMatchObject({
			conversation_id: conversationId,
			message: { role: 'user', content: ' hi ' },
			metadata: { a: 'b' },
		});
		await one('conversation', 'addMessage', {
			conversationId,
			role: 'assistant',
			content: 'hello',
			parentId: message.id,
		});
		expect(await many('conversation', 'get', { conversationId, ...ALL })).toMatchObject([
			{ content: ' hi ' },
			{ content: 'hello', parent_id: message.id },
		]);
		await one('conversation', 'update', { conversationId, name: 'second' });
		expect(await many('conversation')).toMatchObject([{ id: conversationId, name: 'second' }]);
		expect(await one('conversation', 'delete', { conversationId })).toEqual({
			deleted: true,
			conversation_id: conversationId,
			already_gone: false,
		});
		expect(await one('conversation', 'create')).toMatchObject({ name: null });
		expect(lastBody()).toEqual({});
	});
});

describe('indices and system', () => {
	it.each([{ message: 'ok' }, { indices: null }, 'ok'])(
		'%j is not a list of indices',
		async (results) => {
			const answerWith = (body: object) =>
				fixture.sandbox.faults.add({ match: { path: '/indices' }, status: 200, body });
			answerWith({ results });
			expect(errorOf(await run('index', 'getAll', ALL)).message).toBe(
				'The response does not contain the expected list',
			);
			answerWith({ results: [{ index: { name: 'a' } }], total_entries: 1 });
			expect(await many('index')).toMatchObject([{ name: 'a' }]);
		},
	);

	it('a health check of a service that is down is an error', async () => {
		fixture.sandbox.faults.add({ match: { path: '/health' }, times: 3, ...errorForms.html(503) });
		expect(errorOf(await run('system', 'getHealth')).message).toMatch(/^Server error \(503\)/);
	});
});

describe('list searches', () => {
	const form = { ...rag('document', 'get', { documentId: '' }), credentials: INTELLIGENCE };
	const rows = async (method: string, filter?: string, node = form) =>
		(await fixture.engine.search(node, method, filter)).results;

	it('offer documents, collections, conversations and prompts by name', async () => {
		expect(await rows('searchDocuments', 'ANNA')).toEqual([
			{ name: 'In the evening Anna meets Boris in Cologne. Boats lie there', value: documentId },
		]);
		expect(await rows('searchDocuments', 'boris anna')).toMatchObject([{ value: documentId }]);
		expect(await rows('searchDocuments', 'anna zebra')).toEqual([]);
		expect(await rows('searchCollections')).toEqual([
			{ name: 'Default · 1 document', value: collectionId },
		]);
		await one('document', 'create', { source: 'rawText', rawText: 'slow' });
		expect(await rows('searchDocuments', 'slow')).toMatchObject([{ name: 'slow · pending' }]);
		const { id } = await one('conversation', 'create', { name: 'talk' });
		expect(await rows('searchConversations')).toEqual([{ name: 'talk', value: id }]);
		expect(await rows('searchPrompts')).toEqual([{ name: 'rag', value: 'rag' }]);
	});

	it('offer chunks by their text, models with their tokens, and the indices of the chosen table', async () => {
		const chunks = await many('chunk');
		expect(await rows('searchChunks', 'anna')).toMatchObject([
			{ name: expect.stringMatching(/^In the evening Anna/) as string, value: chunks[0]?.id },
		]);
		expect(await rows('searchModels')).toContainEqual({
			name: expect.stringContaining('tokens') as string,
			value: 'meta-llama/Llama-3.3-70B-Instruct',
		});
		await one('index', 'create', { indexTable: 'entities', name: 'other' });
		const of = (tableName: string) => ({
			...rag('index', 'get', { tableName, indexName: '' }),
			credentials: INTELLIGENCE,
		});
		expect((await rows('searchIndices', '', of('entities'))).map(({ value }) => value)).toEqual([
			'other',
		]);
		expect((await rows('searchIndices', '', of(''))).length).toBeGreaterThan(1);
	});
});
