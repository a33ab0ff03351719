import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, fileItem, rag, RETRY } from '../../engine/nodes.mts';
import { askDocuments, outcomeOf, usePlay } from './setup.mts';

const play = usePlay();
const ID = '11111111-1111-4111-8111-111111111111';

const uploadFile = (options = {}, settings = {}) =>
	rag('document', 'create', { source: 'file', binaryPropertyName: 'data', options }, settings);

async function run(node: ReturnType<typeof uploadFile>, items: INodeExecutionData[]) {
	return outcomeOf(await play.engine.runItems(node, items));
}

const stored = () =>
	[...play.service.documents.values()].map(({ title, content }) => [title, content]);

describe('world: files with odd names, equal names, no content', () => {
	it('names and contents arrive as they are', async () => {
		const names = ['ünï ☃.txt', 'a b;c.txt', '.hidden', 'x'.repeat(200) + '.md', 'dir/in/name.txt'];
		const { error } = await run(
			uploadFile(),
			names.map((name) => fileItem(name, `of ${name}`)),
		);
		expect(error?.message).toBeUndefined();
		expect(stored()).toEqual(names.map((name) => [name, `of ${name}`]));
	});
	it('two files of one name in one execution, Replace: one stays, and the other is not called done', async () => {
		const { items } = await run(uploadFile({ ifExists: 'replace' }, CONTINUE), [
			fileItem('a.txt', 'one'),
			fileItem('a.txt', 'two'),
		]);
		const done = items.filter(({ error }) => !error);
		expect(done).toHaveLength(play.service.documents.size);
		for (const { document_id: id } of done)
			expect(play.service.documents.has(String(id))).toBe(true);
	});
	it('an empty file: nothing is sent', async () => {
		const { error } = await run(uploadFile(), [fileItem('a.txt', '')]);
		expect(error?.message).toMatch(/empty/);
		expect(play.service.calls).toEqual([]);
	});
	it('the service has lower-cased the name, and refuses it the second time without an ID', async () => {
		const { service } = play;
		service.add({ id: ID, title: 'report.txt', content: 'of another person' });
		service.on('POST /documents', {
			status: 409,
			json: { message: 'a document with this name exists' },
		});
		const { error } = await run(uploadFile({ ifExists: 'replace' }), [
			fileItem('Report.txt', 'mine'),
		]);
		expect(error?.message).toMatch(/Conflict/);
		expect(service.documents.get(ID)?.content).toBe('of another person');
		expect(service.sent('DELETE /documents')).toEqual([]);
	});
	it('413 for one of three: the others are done, and a retry sends that one alone', async () => {
		const { service } = play;
		service.on('POST /documents', ({ form }) =>
			form.file_name === 'large.txt'
				? { status: 413, type: 'text/html', parts: ['<html>'] }
				: undefined,
		);
		const { error } = await run(
			uploadFile({}, RETRY),
			['a.txt', 'large.txt', 'c.txt'].map((name) => fileItem(name, name)),
		);
		expect(error?.message).toMatch(/413/);
		expect(
			stored()
				.map(([title]) => title)
				.sort(),
		).toEqual(['a.txt', 'c.txt']);
		const sent = (name: string) =>
			service.sent('POST /documents').filter(({ form }) => form.file_name === name).length;
		expect([sent('a.txt'), sent('c.txt')]).toEqual([1, 1]);
	});
	it('a download that is a no in 200: no file', async () => {
		play.service.add({ id: ID });
		play.service.on('GET /download', { json: { message: 'over quota', error_type: 'X' } });
		const { error } = await run(
			rag('document', 'download', { documentId: ID, binaryPropertyName: 'data' }),
			[{ json: {} }],
		);
		expect(error?.message).toContain('over quota');
	});
	it('a JSON file that looks like one is a file where it is named', async () => {
		play.service.add({ id: ID });
		play.service.on('GET /download', {
			json: { error: 'of a log' },
			headers: { 'content-disposition': 'attachment; filename="a.json"' },
		});
		const { items } = await run(
			rag('document', 'download', { documentId: ID, binaryPropertyName: 'data' }),
			[{ json: {} }],
		);
		expect(items[0]).toMatchObject({ file_name: 'a.json' });
	});
	it('a collection cannot take the document although 200 says something: said', async () => {
		const { service } = play;
		service.collections.set(ID, 'c');
		service.on('POST /collections', {
			json: { results: { success: false, message: 'collection is locked' } },
		});
		const getDocument = (path: string) =>
			[...service.documents.values()].find(({ id }) => path.endsWith(id));
		service.on('GET /documents/', ({ path }) => {
			const found = getDocument(path);
			return found && { json: { results: { ...found, collection_ids: [] } } };
		});
		const node = rag('document', 'create', {
			source: 'rawText',
			rawText: 'a',
			additionalFields: { collectionIds: ID },
			options: { waitUntilIngested: true },
		});
		const { error } = await run(node, [{ json: {} }]);
		expect(error?.message).toContain('collection is locked');
	});
});

describe('world: the service does not know the limit of a search', () => {
	it('as many chunks as asked for, in the output and in the question', async () => {
		for (let number = 0; number < 12; number++) play.service.add({ content: `text ${number}` });
		const search = rag('retrieval', 'search', { query: 'q', topK: 3 });
		expect((await run(search, [{ json: {} }])).items).toHaveLength(3);
		const { items } = await run(askDocuments(), [{ json: {} }]);
		expect(items[0]?.sources).toHaveLength(5);
		const [sent] = play.service.sent('POST /rag/generate');
		expect(String((sent?.body.inputs as { context: string }).context).split('\n')).toHaveLength(5);
	});
});
