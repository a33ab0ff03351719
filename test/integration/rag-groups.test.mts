import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { INTELLIGENCE, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { ALL, useGroups } from './groups.mts';

const groups = useGroups();
const { fixture, run, one, many } = groups;

const lastBody = () => fixture.sandbox.requests.at(-1)?.body;

let documentId: IDataObject['x'];
let collectionId: IDataObject['x'];
beforeEach(() => void ({ documentId, collectionId } = groups));

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
