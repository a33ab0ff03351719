import { describe, expect, it } from 'vitest';
import { chat, rag } from '../../engine/nodes.mts';
import { fresh, stored, talks } from './talks.mts';
import { type Json, whole } from '../intelligence4/service.mts';
import { complete, DOCUMENTS, useStage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { agents, KEY, R, texts } from './stage.mts';

const stage = useStage(KEY);
const INCOMPLETE = 'the list may be incomplete';

describe('models', () => {
	const MODELS = /^GET \/api\/v1\/models$/;
	const getAll = async () => await stage.run(chat('model', 'getAll', { returnAll: true }));
	const page = (from: number, count: number) =>
		Array.from({ length: count }, (_, n) => ({ id: `m${from + n}` }));

	it.each<[string, Json, string]>([
		['has_more', { has_more: true, last_id: 'm2' }, 'there are more than these 3 entries'],
		[
			'pages without a total',
			{ pagination: { page: 1, page_size: 3, has_next: true } },
			INCOMPLETE,
		],
	])('the same page each time is an error: %s', async (_world, more, words) => {
		stage.service.on(MODELS, whole({ object: 'list', data: page(0, 3), ...more }));
		const { items, message } = await getAll();
		expect(items).toEqual([]);
		expect(message).toContain(words);
	});

	it('as many are read as the total says, though it grows from page to page', async () => {
		stage.service.on(
			MODELS,
			by(({ query }) => {
				const at = Number(query.get('page') ?? 1);
				const pagination = { page: at, page_size: 3, total: 6 + at, has_next: at < 3 };
				return whole({ data: page((at - 1) * 3, at === 3 ? 1 : 3), pagination });
			}),
		);
		const { items } = await getAll();
		expect(new Set(items.map(({ id }) => id)).size).toBe(10);
	});

	it('the list of the form is an error, too, where the total counts a model that is hidden', async () => {
		const pagination = { page: 1, page_size: 100, total: 4, has_next: false };
		stage.service.on(MODELS, whole({ data: page(0, 3), pagination }));
		await expect(stage.engine.search(complete(), 'searchModels')).rejects.toThrow(INCOMPLETE);
	});
});

describe('agents', () => {
	const NONE = 'does not contain a list of agents';

	it.each<[string, Json, string]>([
		['a list', { agents: [{ name: 'a' }] }, NONE],
		['null', { agents: null }, NONE],
		['without the word', { reasoning_agent: { name: 'r' } }, NONE],
		['an error with 200', { error: `no ${KEY}` }, 'answered 200, but says no: no ***'],
	])('an answer of another form is an error: %s', async (_world, body, words) => {
		stage.service.on(/^GET \/api\/v1\/agents$/, whole(body));
		const { message, all } = await stage.run(agents());
		expect(message).toContain(words);
		expect(all).not.toContain(KEY);
	});

	it('a key in another case is as the service has it', async () => {
		const body = { agents: { Reasoning_Agent: { name: 'r', metadata: null } } };
		stage.service.on(/^GET \/api\/v1\/agents$/, whole(body));
		const { items } = await stage.run(agents());
		expect(items).toEqual([{ agent_key: 'Reasoning_Agent', name: 'r', metadata: null }]);
	});
});

describe('conversations', () => {
	/** So many others, and then the conversation of a session, whose key this is. */
	const fill = ({ create }: ReturnType<typeof talks>, count: number) => {
		for (let n = 0; n < count; n++) create(`other ${n}`);
		const key = fresh();
		create(key, [stored('m1', 'user', 'before')]);
		return key;
	};
	const getAll = async () => await stage.run(rag('conversation', 'getAll', { returnAll: true }));

	it('all are read where the total is that of the page', async () => {
		const key = fill(talks(stage, { total: (count) => Math.min(count, 100) }), 130);
		expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:before']);
		expect((await getAll()).items).toHaveLength(131);
	});

	it.each<Json>([
		{ next_cursor: 'abc' },
		{ pagination: { has_next: true, page: 1, page_size: 50 } },
		{ next: '/conversations?page=2' },
	])('pages of 50 that ignore the offset are an error: %j', async (extra) => {
		const key = fill(talks(stage, { pageCap: 50, ignoresOffset: true, extra }), 60);
		await expect((await stage.memory(key)).getMessages()).rejects.toThrow(INCOMPLETE);
		expect((await getAll()).message).toContain(INCOMPLETE);
	});
});

describe('what follows from a list of pages of 50 that ignore the offset', () => {
	const rows = Array.from({ length: 50 }, (_, n) => ({
		id: `id-${n}`,
		name: `c${n}`,
		metadata: { n: 1 },
	}));

	it('no collection is created that may be on a later page', async () => {
		stage.service.on(R('GET', '/collections'), whole({ results: rows, next_cursor: 'x' }));
		const { message } = await stage.run(
			rag('collection', 'create', { name: 'c59', ifExists: 'useExisting' }),
		);
		expect(message).toContain(INCOMPLETE);
		expect(stage.service.of(R('POST', '/collections'))).toHaveLength(0);
	});

	it('Delete Many names no document, as it knows of some only', async () => {
		stage.service.on(DOCUMENTS, whole({ results: rows, next_cursor: 'x' }));
		const { items, message } = await stage.run(
			rag('document', 'deleteMany', {
				dryRun: true,
				limit: 1000,
				filters: { filtersJson: '{"n":{"$eq":1}}' },
			}),
		);
		expect(items).toEqual([]);
		expect(message).toContain(INCOMPLETE);
	});
});
