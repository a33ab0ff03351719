import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { locator, rag, subNode } from '../../engine/nodes.mts';
import { rejection, useStage } from '../intelligence2/play.mts';
import { json, type Answer, type Fields } from '../intelligence2/service.mts';
import { Documents } from '../intelligence2/store.mts';

const stage = useStage();
const NOT_FOUND = json({ detail: 'Not Found' }, 404);
const page = (results: unknown[]): Answer => json({ results, total_entries: results.length });
const list = (path: string) => new RegExp(`^GET /api/rag/v3/${path}$`);

/** Each deletion of the node, with the list that has its thing. */
const DELETIONS: Array<[resource: string, operation: string, IDataObject, path: string, Fields]> = [
	['document', 'delete', { documentId: 'a' }, 'documents', { id: 'a' }],
	['chunk', 'delete', { chunkId: locator('a') }, 'chunks', { id: 'a' }],
	['collection', 'delete', { collectionId: locator('a') }, 'collections', { id: 'a' }],
	[
		'collection',
		'removeDocument',
		{ collectionId: locator('c'), documentId: 'a' },
		'collections/c/documents',
		{ id: 'a' },
	],
	['conversation', 'delete', { conversationId: 'a' }, 'conversations', { id: 'a' }],
	['prompt', 'delete', { promptName: 'a' }, 'prompts', { id: '7', name: 'a' }],
	[
		'index',
		'delete',
		{ tableName: 'chunks', indexName: locator('a') },
		'indices',
		{ index: { table_name: 'chunks', name: 'a' } },
	],
];

describe.each(DELETIONS)(
	'%s > %s, answered with 404',
	(resource, operation, given, path, entry) => {
		const node = rag(resource, operation, given);
		const others = [
			{
				...entry,
				id: 'b',
				name: 'b',
				...(entry.index ? { index: { table_name: 'chunks', name: 'b' } } : {}),
			},
		];
		const listed = (entries: unknown[]) =>
			path === 'indices' ? json({ results: { indices: entries } }) : page(entries);

		it('by a service that answers so to every path: the error says 404', async () => {
			const { items, words } = await stage.run(node);
			expect(items).toEqual([]);
			expect(words).toMatch(/Not found \(404\).*not known to be gone: its list could not be read/i);
		});

		it('is gone where its list does not have it', async () => {
			stage.service.when(list(path), listed(others));
			expect((await stage.run(node)).items).toMatchObject([{ deleted: true, already_gone: true }]);
		});

		it('is not gone where its list has it', async () => {
			stage.service.when(list(path), listed([...others, entry]));
			const { items, words } = await stage.run(node);
			expect(items).toEqual([]);
			expect(words).toMatch(/\(404\).*its list has it/i);
		});

		it('is not gone where an entry of its list does not show which it is', async () => {
			stage.service.when(list(path), listed([{ size: 1 }]));
			expect((await stage.run(node)).items).toEqual([]);
		});
	},
);

describe('documents that answer with 404', () => {
	let documents: Documents;
	beforeEach(() => (documents = new Documents(stage.service).serve()));
	const create = (options: IDataObject) =>
		rag('document', 'create', {
			source: 'rawText',
			rawText: '={{ $json.text }}',
			additionalFields: {},
			options,
		});
	const one = /^GET \/api\/rag\/v3\/documents\/[^/]+$/;
	const wait = create({ waitUntilIngested: true, pollInterval: 1, timeout: 60 });
	/** The document is seen once, then its details are 404. */
	const seenOnce: Answer = (response, heard, nth) =>
		(documents.all.size > 0 && stage.service.asked(/^POST .*documents$/).length > 0 && nth === 1
			? json({ results: { ...documents.shown(documents.only()), ingestion_status: 'parsing' } })
			: NOT_FOUND)(response, heard, nth);

	it('while they are ingested, and the list has it: waited for, and not called deleted', async () => {
		stage.service.when(one, seenOnce);
		const { words } = await stage.run(wait, [{ text: 'Hello' }]);
		expect(words).toMatch(/was still "not found \(404\)" after 60 seconds/);
		expect(words).not.toMatch(/was deleted/);
	});

	it('while they are ingested, and nothing else answers: not called deleted', async () => {
		stage.service.when(one, seenOnce);
		stage.service.when(list('documents'), NOT_FOUND);
		const { words } = await stage.run(wait, [{ text: 'Hello' }]);
		expect(words).toMatch(/\(404\)/);
		expect(words).not.toMatch(/was deleted/);
	});

	it('while they are ingested, and the list does not have it: deleted', async () => {
		stage.service.when(one, seenOnce);
		stage.service.when(list('documents'), page([]));
		const { words } = await stage.run(wait, [{ text: 'Hello' }]);
		expect(words).toMatch(/was deleted while it was ingested/);
	});

	it('when the earlier version is to be deleted: it is not, and not called so', async () => {
		const replace = create({ ifExists: 'replace', identity: 'key', documentKey: 'k' });
		await stage.run(replace, [{ text: 'Hello' }]);
		const first = documents.only().id;
		let isHidden = false;
		stage.service.when(new RegExp(`/documents/${first}$`), (response, heard, nth) => {
			isHidden ||= documents.all.size === 2;
			const shown = json({ results: { id: first, ingestion_status: 'success' } });
			return (isHidden ? NOT_FOUND : shown)(response, heard, nth);
		});
		const { items, words } = await stage.run(replace, [{ text: 'new' }]);
		expect(items).toEqual([]);
		expect(words).toMatch(/the earlier one is not deleted: Not found \(404\)/);
		expect(documents.all.has(first)).toBe(true);
	});
});

describe('a conversation that answers with 404', () => {
	interface History {
		getMessages(): Promise<unknown[]>;
		addMessages(messages: Fields[]): Promise<void>;
		clear(): Promise<void>;
	}
	let sessions = 0;
	let session = '';
	beforeEach(() => (session = `absence ${sessions++}`));
	const memory = async () =>
		(
			await stage.engine.supply(
				subNode('memoryCompute', {
					sessionIdType: 'customKey',
					sessionKey: session,
					contextWindowLength: 5,
				}),
			)
		).response as unknown as History;
	const said = [{ role: 'user', content: [{ type: 'text', text: 'q' }] }];
	const conversation = () => page([{ id: 'c1', name: session }]);

	it('but is listed: no second one is begun, and it is not called cleared', async () => {
		stage.service.when(list('conversations'), conversation());
		const history = await memory();
		expect((await rejection(history.getMessages()))?.message).toMatch(/\(404\)/);
		expect((await rejection(history.addMessages(said)))?.message).toMatch(/\(404\)/);
		expect((await rejection(history.clear()))?.message).toMatch(/\(404\)/);
		expect(stage.service.asked(/^POST/)).toEqual([]);
	});

	it('and no list answers: an error', async () => {
		stage.service.inTurn(list('conversations'), conversation(), NOT_FOUND);
		const history = await memory();
		expect((await rejection(history.getMessages()))?.message).toMatch(/\(404\)/);
		expect((await rejection(history.clear()))?.message).toMatch(/\(404\)/);
	});

	it('and is not listed any more: it is gone', async () => {
		stage.service.inTurn(list('conversations'), conversation(), page([]));
		const history = await memory();
		expect(await history.getMessages()).toEqual([]);
		await history.clear();
	});

	it('and is not listed any more when it is cleared', async () => {
		stage.service.inTurn(list('conversations'), conversation(), page([]));
		await (await memory()).clear();
		expect(stage.service.asked(/^DELETE/)).toHaveLength(1);
	});
});
