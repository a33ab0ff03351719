import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Retriever } from '../../nodes/RetrieverCompute/retriever.ts';
import { useFixture } from '../engine/fixture.mts';
import { INTELLIGENCE, locator, rag, subNode } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';

/** Collections by their names, wherever a form takes their IDs. */
const fixture = useFixture();
const run = async (resource: string, operation: string, parameters: IDataObject = {}) =>
	await fixture.run(rag(resource, operation, parameters));
const one = async (resource: string, operation: string, parameters: IDataObject = {}) =>
	onlyJson(await run(resource, operation, parameters));

let manuals: string;
let inside: IDataObject['x'];

beforeEach(async () => {
	manuals = String((await one('collection', 'create', { name: 'manuals' })).id);
	({ document_id: inside } = await one('document', 'create', {
		source: 'rawText',
		rawText: 'The hour in the manual.',
		additionalFields: { runWithOrchestration: false, collectionIds: 'manuals' },
	}));
	await one('document', 'create', {
		source: 'rawText',
		rawText: 'The hour outside.',
		additionalFields: { runWithOrchestration: false },
	});
	fixture.sandbox.requests.length = 0;
});

const listed = () => fixture.sent('GET', /\/collections$/);
const filterSent = (path: RegExp) =>
	fixture.sent('POST', path).map(({ body }) => {
		const { search_settings: settings } = body as { search_settings: IDataObject };
		return settings.filters;
	});
const inManuals = () => ({ $and: [{ collection_ids: { $overlap: [manuals] } }] });

describe('several collections', () => {
	it('a new document is in the collection that has the name', async () => {
		const found = jsonOf(
			await run('collection', 'getDocuments', { collectionId: manuals, returnAll: true }),
		);
		expect(found.map(({ id }) => id)).toEqual([inside]);
	});

	it.each<[string, string, IDataObject, RegExp]>([
		['retrieval', 'search', { query: 'hour', topK: 5 }, /retrieval\/search$/],
		['retrieval', 'ask', { query: 'hour', topK: 5, promptName: 'rag' }, /retrieval\/search$/],
		['retrieval', 'rag', { query: 'hour', topK: 5 }, /retrieval\/rag$/],
		['retrieval', 'agent', { message: 'hour' }, /retrieval\/agent$/],
		['chunk', 'search', { query: 'hour', topK: 5 }, /chunks\/search$/],
		['document', 'search', { query: 'hour', limit: 5 }, /documents\/search$/],
	])('%s > %s sends their IDs', async (resource, operation, parameters, path) => {
		for (const options of [
			{ collectionIds: 'manuals' },
			{ collections: ['manuals'] },
			{ collectionIds: manuals, collections: [manuals, 'manuals'] },
		])
			jsonOf(await run(resource, operation, { ...parameters, options }));
		expect(filterSent(path)).toEqual([inManuals(), inManuals(), inManuals()]);
	});

	it('Delete Many lists the documents of the collection', async () => {
		const items = jsonOf(
			await run('document', 'deleteMany', {
				filters: { collectionIds: 'manuals' },
				limit: 5,
				dryRun: true,
			}),
		);
		expect(items).toMatchObject([{ document_id: inside, dry_run: true }]);
	});

	it('the retriever finds documents in it alone', async () => {
		const { response } = await fixture.engine.supply(
			subNode('retrieverCompute', { topK: 5, options: { collections: ['manuals'] } }),
		);
		const found = await (response as Retriever).invoke('hour');
		expect(found.map(({ metadata }) => metadata.document_id)).toEqual([inside]);
	});

	it('IDs are sent without a look, names of many items with one', async () => {
		jsonOf(await run('retrieval', 'search', { query: 'a', options: { collectionIds: manuals } }));
		expect(listed()).toEqual([]);
		const search = rag('retrieval', 'search', {
			query: 'hour',
			topK: 5,
			options: { collectionIds: 'manuals' },
		});
		jsonOf(await fixture.run(search, [{}, {}, {}]));
		expect(listed()).toHaveLength(1);
	});

	it('the list to choose from has their names', async () => {
		const node = { ...rag('retrieval', 'search'), credentials: INTELLIGENCE };
		expect(await fixture.engine.options(node, 'loadCollections')).toEqual([
			{ name: 'Default · 1 document', value: expect.any(String) },
			{ name: 'manuals · 1 document', value: manuals },
		]);
	});
});

describe('one collection', () => {
	const named = { collectionId: locator('manuals', 'name') };

	it('is read, changed and deleted by its name', async () => {
		expect(await one('collection', 'get', named)).toMatchObject({ id: manuals });
		expect(await one('graph', 'get', named)).toMatchObject({ collection_id: manuals });
		await one('collection', 'update', { ...named, description: 'All of them' });
		expect(await one('collection', 'get', { collectionId: manuals })).toMatchObject({
			description: 'All of them',
		});
		expect(await one('collection', 'delete', named)).toEqual({
			deleted: true,
			collection_id: manuals,
			already_gone: false,
		});
	});

	it('a name that an earlier item has given it is found', async () => {
		const update = rag('collection', 'update', {
			collectionId: locator('={{ $json.collection }}', 'name'),
			name: '={{ $json.name }}',
		});
		const renames = [
			{ collection: 'manuals', name: 'papers' },
			{ collection: 'papers', name: 'books' },
		];
		expect(jsonOf(await fixture.run(update, renames))).toMatchObject([
			{ collection_id: manuals, name: 'papers' },
			{ collection_id: manuals, name: 'books' },
		]);
		expect(listed()).toHaveLength(2);
	});

	it('a name is not the ID of another collection', async () => {
		const results = [
			{ id: 5, name: 'five' },
			{ id: 6, name: '5' },
		];
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/collections$/ },
			status: 200,
			body: { results, total_entries: 2 },
		});
		errorOf(await run('collection', 'get', { collectionId: locator('5', 'name') }));
		expect(fixture.sent('GET', /\/collections\/6$/)).toHaveLength(1);
	});

	it('an ID that looks like a name is sent as it is', async () => {
		errorOf(await run('collection', 'get', { collectionId: locator('manuals', 'id') }));
		expect(listed()).toEqual([]);
		expect(fixture.sent('GET', /\/collections\/manuals$/)).toHaveLength(1);
	});
});

describe('a name that is not that of one collection is an error, and nothing else is sent', () => {
	const search = async (collectionIds: string) =>
		errorOf(await run('retrieval', 'search', { query: 'a', options: { collectionIds } }));

	it('none has it', async () => {
		const error = await search('Manuals');
		expect([error.message, error.description]).toEqual([
			'No collection has the name "Manuals"',
			'Case and whitespace are significant. Choose the collection from the list.',
		]);
		const get = await run('collection', 'get', { collectionId: locator(' manuals', 'name') });
		expect(errorOf(get).message).toBe('No collection has the name " manuals"');
		expect(fixture.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	it('two have it', async () => {
		// Of a service that allows it
		const results = [manuals, 'other'].map((id) => ({ id, name: 'manuals' }));
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/collections$/ },
			status: 200,
			body: { results, total_entries: 2 },
		});
		const error = await search('manuals');
		expect(error.message).toBe('2 collections have the name "manuals"');
		expect(error.description).toBe(`Use the ID of one of them: ${manuals}, other`);
		expect(fixture.sent('POST', /./)).toEqual([]);
	});

	it('the list cannot be read', async () => {
		fixture.sandbox.faults.add({ match: { path: /\/collections$/ }, status: 403, body: {} });
		expect((await search('manuals')).message).toMatch(/^Permission denied \(403\)/);
		expect(fixture.sent('POST', /./)).toEqual([]);
	});

	it('it is empty', async () => {
		const get = await run('collection', 'get', { collectionId: locator(' ', 'name') });
		expect(errorOf(get).message).toBe('Collection must be a name, got " "');
	});
});
