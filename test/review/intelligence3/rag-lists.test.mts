import { describe, expect, it } from 'vitest';
import { chat, locator, rag, subNode } from '../../engine/nodes.mts';
import { useStage } from '../intelligence2/play.mts';
import { hangUp, json, type Answer, type Fields } from '../intelligence2/service.mts';

const stage = useStage();
const DOCUMENTS = /^GET \/api\/rag\/v3\/documents$/;
const MESSAGES = /^GET \/api\/rag\/v3\/conversations\/c$/;
const MODELS = /^GET \/api\/v1\/models$/;
const all = { returnAll: true };
const getMessages = rag('conversation', 'get', { conversationId: locator('c'), ...all });
const message = (content: string): Fields => ({ message: { role: 'user', content } });
const texts = (items: unknown[]) =>
	items.map((item) => ((item as Fields).message as Fields | undefined)?.content);

/** A list in pages of so many entries, with the total or without it. */
function paged(entries: unknown[], size: number, total?: unknown): Answer {
	return (response, heard, nth) => {
		const offset = Number(heard.query.get('offset') ?? 0);
		const results = entries.slice(offset, offset + size);
		return json({ results, ...(total !== undefined && { total_entries: total }) })(
			response,
			heard,
			nth,
		);
	};
}

describe('entries without an ID', () => {
	const SAID = ['yes', 'yes', 'no', 'yes', 'no'];
	it.each([
		['in one page', 100, 5],
		['in one page without a total', 100, undefined],
		['in pages of two', 2, 5],
		['in pages of two without a total', 2, undefined],
	])('that are equal stay several, %s', async (_, size, total) => {
		stage.service.when(MESSAGES, paged(SAID.map(message), size, total));
		expect(texts((await stage.run(getMessages)).items)).toEqual(SAID);
	});

	it('come once where the service sends all of them for each offset', async () => {
		stage.service.when(MESSAGES, json({ results: SAID.map(message) }));
		expect(texts((await stage.run(getMessages)).items)).toEqual(SAID);
	});

	it('come once, too, where one was added meanwhile', async () => {
		const longer = [...SAID, 'new'];
		stage.service.inTurn(
			MESSAGES,
			json({ results: SAID.map(message) }),
			json({ results: longer.map(message) }),
		);
		expect(texts((await stage.run(getMessages)).items)).toEqual(longer);
	});

	it('the memory stores a message once whose answer is lost, also if it is equal to the one before', async () => {
		const stored: Fields[] = [message('again')];
		const list = /^GET \/api\/rag\/v3\/conversations$/;
		stage.service.when(list, json({ results: [{ id: 'c', name: 'equal' }], total_entries: 1 }));
		stage.service.when(MESSAGES, (response, heard, nth) =>
			json({ results: stored, total_entries: stored.length })(response, heard, nth),
		);
		stage.service.when(/^POST .*messages$/, (response, heard, nth) => {
			stored.push(message(String(heard.body?.content)));
			return hangUp(response, heard, nth);
		});
		const parameters = { sessionIdType: 'customKey', sessionKey: 'equal', contextWindowLength: 5 };
		const { response } = await stage.engine.supply(subNode('memoryCompute', parameters));
		const history = response as unknown as {
			addMessages(messages: Fields[]): Promise<void>;
			getMessages(): Promise<unknown[]>;
		};
		await history.addMessages([{ role: 'user', content: [{ type: 'text', text: 'again' }] }]);
		expect(stored).toHaveLength(2);
		expect(await history.getMessages()).toHaveLength(2);
	});
});

describe('a list that ends before its total', () => {
	const some = [{ id: 'a' }, { id: 'b' }];
	const getMany = rag('document', 'getAll', all);

	it.each([
		['a number', 5],
		['a text', '5'],
	])('as %s is an error', async (_, total) => {
		stage.service.when(DOCUMENTS, paged(some, 100, total));
		const { items, words } = await stage.run(getMany);
		expect(items).toEqual([]);
		expect(words).toMatch(/The list is incomplete: 2 of 5 entries/);
		expect(words).toMatch(/set Limit to 2 or less/);
	});

	it('is read again: entries may have been deleted meanwhile', async () => {
		stage.service.inTurn(
			DOCUMENTS,
			json({ results: some, total_entries: 3 }),
			json({ results: [], total_entries: 2 }),
			json({ results: some, total_entries: 2 }),
		);
		expect((await stage.run(getMany)).items).toHaveLength(2);
	});

	it('gives as many as Limit says where they came', async () => {
		stage.service.when(DOCUMENTS, paged(some, 100, 5));
		const node = rag('document', 'getAll', { returnAll: false, limit: 2 });
		expect((await stage.run(node)).items).toHaveLength(2);
	});

	it('does not prove that a collection is not there', async () => {
		stage.service.when(/^GET \/api\/rag\/v3\/collections$/, paged(some, 100, 5));
		const node = rag('collection', 'get', { collectionId: locator('x', 'name') });
		const { words } = await stage.run(node);
		expect(words).toMatch(/incomplete/);
		expect(words).not.toMatch(/No collection/);
	});

	const models = (pagination: Fields, ...ids: string[]) =>
		json({ data: ids.map((id) => ({ id })), pagination });
	const getModels = chat('model', 'getAll', all);

	it('of models: the next page is asked for although it is not announced', async () => {
		stage.service.inTurn(
			MODELS,
			models({ total: 3, page: 1, page_size: 2 }, 'a', 'b'),
			models({ total: 3, page: 2, page_size: 2 }, 'c'),
		);
		expect((await stage.run(getModels)).items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});

	it.each([
		['the service says that no page follows', { has_next: false, page: 1 }],
		['the service does not number its pages', {}],
	])('of models is an error, where %s', async (_, pagination) => {
		stage.service.when(MODELS, (response, heard, nth) =>
			(heard.query.has('page')
				? models({ ...pagination, total: 3 })
				: models({ ...pagination, total: 3 }, 'a', 'b'))(response, heard, nth),
		);
		expect((await stage.run(getModels)).words).toMatch(/incomplete: 2 of 3 entries/);
	});
});
