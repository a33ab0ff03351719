import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, locator, rag } from '../../engine/nodes.mts';
import type { Call, Json, Said } from './service.mts';
import { KEY, useStage } from './stage.mts';

const stage = useStage();

const search = rag('retrieval', 'search', { query: 'What?', topK: 5 });
const askDocuments = rag('retrieval', 'ask', {
	query: 'What?',
	topK: 5,
	promptName: locator('p'),
	options: {},
});
const many = (resource: string, more: IDataObject = {}) =>
	rag(resource, 'getAll', { returnAll: true, ...more });

const SEARCH = 'POST /retrieval/search';
const chunks = [
	{ id: 'a', document_id: 'd', text: 'one', score: 0.9, metadata: {} },
	{ id: 'b', document_id: 'd', text: 'two', score: 0.4, metadata: {} },
];

/** What a search answers with 200 that has found nothing to speak of. */
const NOTHING: Array<[world: string, body: unknown]> = [
	['false', false],
	['false as its results', { results: false }],
	['false as its chunks', { results: { chunk_search_results: false } }],
	['0 as its results', { results: 0 }],
	['a text as its results', { results: 'none' }],
	['an error as its results', { results: { error: { message: `no ${KEY}` } } }],
	['an error beside no results', { error: { message: `no ${KEY}` }, results: null }],
	['an error beside an empty list', { detail: `no ${KEY}`, results: [] }],
	['a refusal beside an empty list', { success: false, results: { chunk_search_results: [] } }],
	[
		'an error inside of an empty result',
		{ results: { chunk_search_results: [], error: 'index is gone' } },
	],
	['the error form of the engine', { message: `no ${KEY}`, error_type: 'R2RException' }],
	['a status of 500 in the body', { status: 500, results: { chunk_search_results: [] } }],
	['an object as its chunks', { results: { chunk_search_results: { a: chunks[0] } } }],
	['a page', '<html><title>Sign in</title></html>'],
];

describe.each(NOTHING)('a search that answers %s', (_world, body) => {
	it('is an error, and never "nothing found"', async () => {
		stage.service.answer = () => ({ body });
		const first = await stage.run(search);
		expect(first.message).not.toBe('');
		expect(first.all).not.toContain(KEY);
		const { items } = await stage.run({ ...search, ...CONTINUE });
		expect(items).toHaveLength(1);
		expect(items[0]?.error).toBe(first.message);
	});

	it('lets no prompt be answered without documents', async () => {
		stage.service.answer = ({ line }) =>
			line === SEARCH ? { body } : { body: { results: { completion: 'made up' } } };
		const { message, all } = await stage.run(askDocuments);
		expect(message).not.toBe('');
		expect(all).not.toContain('made up');
		expect(stage.service.sent('POST /rag/generate')).toEqual([]);
	});
});

it.each<[string, unknown, string[]]>([
	['as documented', { results: { chunk_search_results: chunks } }, ['a', 'b']],
	['a list', { results: chunks.toReversed() }, ['a', 'b']],
	['nothing', { results: { chunk_search_results: null } }, []],
	['nothing, with success', { success: true, results: { chunk_search_results: [] } }, []],
	['an empty error', { error: null, results: { chunk_search_results: chunks } }, ['a', 'b']],
])('a search that answers %s is read', async (_world, body, ids) => {
	stage.service.answer = () => ({ body });
	const { items, message } = await stage.run(search);
	expect(message).toBe('');
	expect(items.map(({ id }) => id)).toEqual(ids);
});

/** A list of so many, by offset and limit. */
const documents = (count: number): Json[] =>
	Array.from({ length: count }, (_, n) => ({ id: `d${n}`, title: `t${n}` }));
const page = ({ query }: Call, all: Json[], more: Json = {}): Said => {
	const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
	return {
		body: { results: all.slice(offset, offset + limit), total_entries: all.length, ...more },
	};
};

/** Lists of which less comes than there is: each says it in its own way. */
const SHORT: Array<[world: string, answer: (call: Call) => Said]> = [
	[
		'there are more, and no page has them',
		(call) =>
			Number(call.query.get('offset') ?? 0) > 0
				? { body: { results: [], total_entries: 150 } }
				: page(call, documents(100), { total_entries: 150 }),
	],
	[
		'a flag says more, and the next page has none',
		() => ({ body: { results: documents(3), has_more: true } }),
	],
	[
		'a next page is named, and the same comes',
		() => ({ body: { results: documents(3), next: '/x' } }),
	],
	[
		'the next page is false',
		(call) =>
			Number(call.query.get('offset') ?? 0) > 0
				? { body: 'false' }
				: page(call, documents(100), { total_entries: 150 }),
	],
	[
		'the next page is an error with 200',
		(call) =>
			Number(call.query.get('offset') ?? 0) > 0
				? { body: { error: { message: 'busy' } } }
				: page(call, documents(100), { total_entries: 150 }),
	],
	['the first page says more, and has none', () => ({ body: { results: [], total_entries: 5 } })],
	[
		'an empty list beside an error',
		() => ({ body: { results: [], error: { message: 'index is gone' } } }),
	],
	['an empty list that says that there is more', () => ({ body: { results: [], has_more: true } })],
];

describe.each(SHORT)('a list where %s', (_world, answer) => {
	it.each(['document', 'collection', 'prompt', 'conversation'])(
		'of %ss is never told as whole',
		async (resource) => {
			stage.service.answer = answer;
			const { message, items } = await stage.run(many(resource));
			expect(message).not.toBe('');
			expect(items).toEqual([]);
			expect(stage.service.calls.length).toBeLessThan(40);
		},
	);
});

it.each<[string, (call: Call) => Said]>([
	['one copy has ten less', (call) => page(call, documents(call.nth % 2 === 0 ? 250 : 240))],
	['the first copy has nothing yet', (call) => page(call, documents(call.nth === 0 ? 0 : 250))],
	['the first copy has a part', (call) => page(call, documents(call.nth === 0 ? 120 : 250))],
])(
	'a list that two copies answer, where %s, is what one of them has, with nothing twice',
	async (_world, answer) => {
		stage.service.answer = answer;
		const { items } = await stage.run(many('document'));
		const ids = items.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		expect([0, 120, 240, 250]).toContain(ids.length);
	},
);
