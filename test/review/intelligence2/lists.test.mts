import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import { useStage } from './play.mts';
import { hangUp, json, type Answer, type Fields } from './service.mts';
import { Documents } from './store.mts';

const stage = useStage();
let documents: Documents;
beforeEach(() => (documents = new Documents(stage.service).serve()));
const LIST = /^GET \/api\/rag\/v3\/documents$/;
const ONE = /^DELETE \/api\/rag\/v3\/documents\/[^/]+$/;
const filters = (value: unknown) => ({ filtersJson: JSON.stringify(value) });
const deleteMany = (filter: unknown, dryRun = false, limit = 1_000, settings = {}) =>
	rag('document', 'deleteMany', { filters: filters(filter), limit, dryRun }, settings);
const getMany = (parameters: IDataObject = { returnAll: true }) =>
	rag('document', 'getAll', parameters);
const page = (results: unknown, total?: unknown): Answer =>
	json({ results, ...(total !== undefined && { total_entries: total }) });
const docs = (from: number, to: number): Fields[] =>
	Array.from({ length: to - from }, (_, n) => ({
		id: `d${from + n}`,
		title: 't',
		metadata: { n: from + n },
	}));
const idsOf = (items: IDataObject[]) => items.map(({ id }) => id);

describe('a list is whole, or there is an error', () => {
	const total = 230;
	const paged =
		(size: number, totalOf: (offset: number) => unknown = () => total): Answer =>
		(response, heard, nth) => {
			const offset = Number(heard.query.get('offset') ?? 0);
			return page(docs(offset, Math.min(total, offset + size)), totalOf(offset))(
				response,
				heard,
				nth,
			);
		};
	it.each<[string, Answer]>([
		['pages of 50, whatever is asked for', paged(50)],
		['a total as text', paged(100, () => String(total))],
		['no total', paged(100, () => undefined)],
		[
			'pages that overlap by one',
			(response, heard, nth) => {
				const offset = Math.max(0, Number(heard.query.get('offset') ?? 0) - 1);
				return page(docs(offset, Math.min(total, offset + 100)), total)(response, heard, nth);
			},
		],
		[
			'null after the last page',
			(response, heard, nth) => {
				const offset = Number(heard.query.get('offset') ?? 0);
				return (offset >= total ? page(null) : page(docs(offset, Math.min(total, offset + 100))))(
					response,
					heard,
					nth,
				);
			},
		],
		[
			'entries that are no objects between',
			(response, heard, nth) => {
				const offset = Number(heard.query.get('offset') ?? 0);
				return page([null, 'x', ...docs(offset, Math.min(total, offset + 100))], total)(
					response,
					heard,
					nth,
				);
			},
		],
	])('%s', async (_, answer) => {
		stage.service.when(LIST, answer);
		const { items, error } = await stage.run(getMany());
		expect(error?.message).toBeUndefined();
		expect(new Set(idsOf(items)).size).toBe(total);
		expect(items).toHaveLength(total);
		expect(stage.service.heard.length).toBeLessThan(20);
	});

	it.each<[string, Answer]>([
		['a service that ignores the offset', page(docs(0, 100), total)],
		['the same without a total', page(docs(0, 100))],
		[
			'an error in the middle',
			(response, heard, nth) =>
				(nth < 1 ? page(docs(0, 100), total) : json({ detail: 'x' }, 403))(response, heard, nth),
		],
		[
			'a reset in the middle',
			(response, heard, nth) =>
				(nth < 1 ? page(docs(0, 100), total) : hangUp)(response, heard, nth),
		],
		['text in place of the list', page('none')],
		['an error with 200', json({ message: 'index is gone', error_type: 'X' })],
		['a page', json('<html><title>Login</title></html>', 200, { 'content-type': 'text/html' })],
	])('%s is an error', async (_, answer) => {
		stage.service.when(LIST, answer);
		expect((await stage.run(getMany())).error).toBeDefined();
	});

	it('a list that grows for ever ends', async () => {
		stage.service.when(LIST, (response, heard, nth) => {
			const offset = Number(heard.query.get('offset') ?? 0);
			return page(docs(offset, offset + 1))(response, heard, nth);
		});
		expect((await stage.run(getMany())).error?.message).toMatch(/more than 1000 pages/);
		expect(stage.service.heard.length).toBeLessThan(1_100);
	});

	it('entries without IDs stay, each of them', async () => {
		stage.service.when(LIST, page([{ title: 'a' }, { title: 'b' }, { title: 'a', n: 1 }], 3));
		expect((await stage.run(getMany())).items).toHaveLength(3);
	});

	it('a limit asks for no more', async () => {
		stage.service.when(LIST, paged(100));
		expect((await stage.run(getMany({ returnAll: false, limit: 7 }))).items).toHaveLength(7);
		expect(stage.service.heard).toHaveLength(1);
	});
});

describe('Delete Many deletes what it shows, and shows what it deletes', () => {
	const fill = () => {
		documents.add('a', { topic: 'x', n: 1 });
		documents.add('b', { topic: 'y', n: 2 });
		documents.add('c', { n: 3 });
		documents.add('d', { topic: 'x', n: '4', tags: ['p', 'q'] });
	};
	it.each<[string, unknown, string[]]>([
		['equals', { topic: { $eq: 'x' } }, ['a', 'd']],
		['the short form', { topic: 'x' }, ['a', 'd']],
		['not equals leaves those without the field', { topic: { $ne: 'x' } }, ['b']],
		['none of leaves those without the field', { topic: { $nin: ['x'] } }, ['b']],
		['numbers, also as text', { n: { $gte: 2 } }, ['b', 'c', 'd']],
		[
			'and, or',
			{ $or: [{ topic: 'y' }, { $and: [{ topic: 'x' }, { n: { $lt: 2 } }] }] },
			['a', 'b'],
		],
		['like', { topic: { $like: '_' } }, ['a', 'b', 'd']],
		['tags', { tags: { $overlap: ['q', 'z'] } }, ['d']],
		['the ID', { document_id: { $in: ['c', 'zz'] } }, ['c']],
		['__proto__', { __proto__: { $eq: 'x' }, topic: 'zz' }, []],
	])('%s', async (_, filter, wanted) => {
		fill();
		const dry = await stage.run(deleteMany(filter, true));
		expect(documents.deleted).toEqual([]);
		expect(dry.items.flatMap(({ document_id: id }) => id ?? [])).toEqual(wanted);
		const { items } = await stage.run(deleteMany(filter));
		expect(documents.deleted).toEqual(wanted);
		expect(items.flatMap(({ document_id: id, deleted }) => (deleted ? id : []) ?? [])).toEqual(
			wanted,
		);
	});

	it.each<[string, unknown]>([
		['nothing', {}],
		['an empty value', { topic: '' }],
		['an empty list', { topic: { $nin: [] } }],
		['an operator that is not known', { topic: { $regex: '.*' } }],
		['a top-level operator', { $not: { topic: 'x' } }],
		['a condition without an operator', { topic: {} }],
		['an empty $or', { $or: [] }],
		['null', { topic: { $ne: null } }],
	])('%s is refused before anything is read', async (_, filter) => {
		fill();
		expect((await stage.run(deleteMany(filter))).error).toBeDefined();
		expect(stage.service.heard).toEqual([]);
	});

	it('more than the limit: none', async () => {
		fill();
		expect((await stage.run(deleteMany({ topic: 'x' }, false, 1))).error?.message).toMatch(
			/2 documents match, and Limit is 1/,
		);
		expect(documents.deleted).toEqual([]);
	});

	it('a failure in the middle says what is gone, and a retry deletes the rest', async () => {
		for (let n = 0; n < 10; n++) documents.add(`d${n}`, { topic: 'x' });
		stage.service.when(/^DELETE .*d4$/, json({ detail: 'locked' }, 403));
		const { error, details } = await stage.run(deleteMany({ topic: 'x' }));
		expect(error).toBeDefined();
		expect(details).toMatchObject({ document_id: 'd4', deleted_before: ['d0', 'd1', 'd2', 'd3'] });
	});

	it('a 404 of a gateway for a document that is there is no deletion', async () => {
		fill();
		stage.service.when(ONE, json({ detail: 'no upstream' }, 404));
		const { error } = await stage.run(deleteMany({ topic: 'y' }));
		expect(error).toBeDefined();
	});

	it.each([
		['numbers', 5],
		['numbers beyond 2^53', '12345678901234567890'],
	])('documents whose IDs are %s are deleted, too', async (_, id) => {
		const list = JSON.stringify({
			results: [{ id: 'ID', metadata: { topic: 'x' } }],
			total_entries: 1,
		}).replace('"ID"', String(id));
		stage.service.when(LIST, json(list));
		stage.service.when(ONE, json({ results: { success: true } }));
		const { items } = await stage.run(deleteMany({ topic: 'x' }));
		expect(items).toMatchObject([{ deleted: true, document_id: String(id) }]);
		expect(stage.service.asked(ONE).map(({ line }) => line)).toEqual([
			`DELETE /api/rag/v3/documents/${id}`,
		]);
	});

	it('one that matches and has no ID is an error, not left out', async () => {
		stage.service.when(LIST, page([{ title: 'a', metadata: { topic: 'x' } }], 1));
		const { error, items } = await stage.run(deleteMany({ topic: 'x' }));
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/no ID/);
	});
});

describe('other claims', () => {
	it.each<[string, Answer]>([
		['success: false', json({ success: false, results: { id: 'a', metadata: { k: 'old' } } })],
		['an error', json({ error: 'locked', results: { id: 'a' } })],
		['an error alone', json({ results: { error: 'locked' } })],
	])('Update Metadata: 200 with %s is no update', async (_, answer) => {
		stage.service.when(/^PATCH /, answer);
		const { items, error } = await stage.run(
			rag('document', 'updateMetadata', { documentId: 'a', metadataJson: '{"k":"new"}' }),
		);
		expect(items.filter((item) => !item.error)).toEqual([]);
		expect(error).toBeDefined();
	});

	it('a collection by a name that two have, or none, is an error, and nothing else is sent', async () => {
		stage.service.when(
			/^GET \/api\/rag\/v3\/collections$/,
			page(
				[
					{ id: '1', name: 'a' },
					{ id: '2', name: 'a' },
					{ id: '3', name: 'A' },
				],
				3,
			),
		);
		for (const name of ['a', 'b', 'A ']) {
			const node = rag('collection', 'delete', { collectionId: locator(name, 'name') });
			expect((await stage.run(node)).error?.message).toMatch(/collections? ha(?:s|ve) the name/);
		}
		expect(stage.service.asked(/^DELETE/)).toEqual([]);
	});

	it('Delete: a 404 is gone only where the list says so, too', async () => {
		stage.service.when(/documents\/a$/, json({ detail: 'x' }, 404));
		const node = rag('document', 'delete', { documentId: 'a' });
		stage.service.when(LIST, json({ detail: 'x' }, 404));
		expect((await stage.run(node)).error).toBeDefined();
		stage.service.when(LIST, page([], 0));
		expect((await stage.run(node)).items[0]).toMatchObject({ deleted: true, already_gone: true });
		stage.service.when(LIST, page([{ id: 'a' }], 1));
		expect((await stage.run(node)).error).toBeDefined();
	});

	it('Download: nothing, an error and a page are told apart from a file', async () => {
		const node = rag('document', 'download', { documentId: 'a', binaryPropertyName: 'data' });
		const DOWNLOAD = /download$/;
		stage.service.when(DOWNLOAD, json({ detail: 'no file' }));
		expect((await stage.run(node)).error).toBeDefined();
		stage.service.when(DOWNLOAD, json('', 200, { 'content-type': 'text/plain' }));
		expect((await stage.run(node)).items[0]).toMatchObject({ size_in_bytes: 0 });
		stage.service.when(
			DOWNLOAD,
			json('x', 200, { 'content-type': 'text/plain', 'content-length': '9' }),
		);
		expect((await stage.run(node)).error).toBeDefined();
	});
});
