import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, chat, locator, rag, RETRY } from '../../engine/nodes.mts';
import type { Call, Json, Said } from '../intelligence7/service.mts';
import { useStage } from '../intelligence7/stage.mts';
import { deleteMany, onShelf } from './shelf.mts';

const stage = useStage();

const shelf = onShelf(stage);

describe('Delete Many deletes no document', () => {
	it.each<[world: string, value: unknown, condition: IDataObject]>([
		['whose per cent sign is escaped in the pattern', '100\\x', { $like: '100\\%' }],
		['whose underscore is escaped in the pattern', 'a\\Xb', { $like: 'a\\_b' }],
		['of a list of lists, where none of is asked', [['a']], { $nin: ['a'] }],
		['of an object, where none of is asked', { a: 1 }, { $nin: ['a'] }],
		['of a number with other digits at its end', '9007199254740993', { $lte: '9007199254740992' }],
	])('%s', async (_world, value, condition) => {
		const documents: Record<string, Json> = { a: { metadata: { k: value } } };
		shelf(documents);
		await stage.run(deleteMany({ k: condition }));
		expect(Object.keys(documents)).toEqual(['a']);
	});
});

describe('Delete Many of several items', () => {
	const documents = (): Record<string, Json> => ({
		a: { metadata: { k: 'v1' } },
		b: { metadata: { k: 'v2' } },
	});
	const node = deleteMany('={{ JSON.stringify({ k: { $eq: $json.v } }) }}');
	const items = [{ v: 'v1' }, { v: 'v2' }];

	it.each<[string, Said]>([
		['refused', { status: 403, body: { detail: 'locked' } }],
		['refused with 200', { body: { results: { success: false } } }],
		['lost', { isCut: true }],
	])('tells what the first has deleted where the second is %s', async (_world, said) => {
		const left = documents();
		shelf(left, ({ id }) => (id === 'b' ? said : undefined));
		const told = await stage.run(node, items);
		expect(left).not.toHaveProperty('a');
		expect(told.message).not.toBe('');
		expect(told.all).toContain('"document_id":"a"');
	});

	it('goes on with the next one, if the node continues', async () => {
		const left = documents();
		shelf(left, ({ id }) => (id === 'a' ? { status: 403, body: {} } : undefined));
		const told = await stage.run({ ...node, ...CONTINUE }, items);
		expect(Object.keys(left)).toEqual(['a']);
		expect(told.items).toHaveLength(2);
	});
});

it.each([
	['Delete', rag('document', 'delete', { documentId: 'a' })],
	['Delete Many', deleteMany({ k: { $eq: 'v' } })],
])(
	'%s does not call its own deletion one of somebody else, where its answer is lost',
	async (_name, node) => {
		const documents: Record<string, Json> = { a: { metadata: { k: 'v' } } };
		shelf(documents, ({ nth }) => {
			if (nth > 0) return undefined;
			delete documents.a;
			return { status: 502, body: 'Bad gateway' };
		});
		const { items } = await stage.run(node);
		expect(items).toMatchObject([{ document_id: 'a', deleted: true }]);
		expect(items[0]?.already_gone).not.toBe(true);
	},
);

it('Delete Many with Retry On Fail tells all that every try has deleted, where each try ends at another one', async () => {
	const documents = Object.fromEntries(
		['a', 'b', 'c', 'd'].map((id): [string, Json] => [id, { metadata: { k: 'v' } }]),
	);
	const failures = new Set(['b', 'c']);
	shelf(documents, ({ id }) =>
		failures.delete(id) ? { status: 403, body: { detail: 'locked' } } : undefined,
	);
	const { items, message } = await stage.run({ ...deleteMany({ k: { $eq: 'v' } }), ...RETRY });
	expect(message).toBe('');
	expect(documents).toEqual({});
	expect(items.map(({ document_id: id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

/** Pages of the documents a to e, two in each. */
const IDS = ['a', 'b', 'c', 'd', 'e'];
const slice = ({ query }: Call, size = 2) => {
	const offset = Number(query.get('offset') ?? 0);
	return IDS.slice(offset, offset + size).map((id) => ({ id, title: id, metadata: { k: 'v' } }));
};

describe.each<[string, (call: Call) => unknown]>([
	['whose total is null', (call) => ({ results: slice(call), total_entries: null })],
	['whose total is 0', (call) => ({ results: slice(call), total_entries: 0 })],
	['whose total is text', (call) => ({ results: slice(call), total_entries: '5' })],
	['that are bare', (call) => slice(call)],
	['whose last page is null', (call) => ({ results: slice(call).length > 0 ? slice(call) : null })],
	[
		'whose has_more is right',
		(call) => ({ data: slice(call), has_more: slice(call).at(-1)?.id !== 'e' }),
	],
])('pages of a list %s', (_world, body) => {
	it('are all of it, or an error', async () => {
		stage.service.answer = (call) => ({ body: body(call) });
		const told = await stage.run(rag('document', 'getAll', { returnAll: true }));
		expect(told.message === '' ? told.items.map(({ id }) => id) : IDS).toEqual(IDS);
	});
});

describe.each<[string, unknown, string]>([
	[
		'says that it is empty in a message',
		{ results: [], total_entries: 0, message: 'No documents' },
		'',
	],
	['has a flag beside it', { results: [], total_entries: 0, partial: false }, ''],
	['has nothing but flags', { results: [], has_more: false }, ''],
	['is beside an error', { results: [], total_entries: 0, error: 'down' }, 'down'],
	['is beside a no', { results: [], total_entries: 0, success: false, message: 'down' }, 'down'],
])('an empty list that %s', (_world, body, words) => {
	it(words === '' ? 'is empty' : 'is an error in its words', async () => {
		stage.service.answer = () => ({ body });
		const told = await stage.run(rag('document', 'getAll', { returnAll: true }));
		expect(told.message === '').toBe(words === '');
		expect(told.message).toContain(words);
	});
});

describe.each<[string, Json]>([
	['has its total beside the list', { total: 3, page: 1, page_size: 2 }],
	['has its total_entries beside the list', { total_entries: 3 }],
	['says as text that it goes on', { pagination: { page: 1, page_size: 2, has_next: 'true' } }],
	['counts its pages beside the list', { page: 1, page_size: 2, total_pages: 2 }],
])('a list of two models of three that %s', (_world, more) => {
	it('is not told as all of them', async () => {
		const rows = ['a', 'b'].map((id) => ({ id, object: 'model' }));
		stage.service.answer = ({ query }) => ({
			body: query.has('page')
				? { object: 'list', data: [{ id: 'c', object: 'model' }], ...more, page: 2 }
				: { object: 'list', data: rows, ...more },
		});
		const told = await stage.run(chat('model', 'getAll', { returnAll: true }));
		expect(told.message === '' ? told.items.map(({ id }) => id) : ['a', 'b', 'c']).toEqual([
			...['a', 'b', 'c'],
		]);
	});
});

const embed = chat('embedding', 'create', {
	model: locator('e'),
	input: '={{ $json.t }}',
	options: { batchSize: 2, includeText: true },
});
const TEXTS = ['x', 'y', 'z', 'w'].map((t) => ({ t }));

describe('embeddings in batches', () => {
	const vectors = (texts: unknown) =>
		(texts as string[]).map((text, index) => ({ index, embedding: [text.charCodeAt(0), 1] }));

	it.each<[string, Said]>([
		['500', { status: 500, body: { detail: 'GPU was lost' } }],
		['200 and false', { body: 'false' }],
		['200 and an error', { body: { error: { message: 'GPU was lost' } } }],
	])('whose second one is answered with %s are not paid twice by a retry', async (_world, said) => {
		const paid: string[] = [];
		let failures = 1;
		stage.service.answer = ({ body }) => {
			const texts = body.input as string[];
			if (texts.includes('z') && failures-- > 0) {
				return said;
			}
			paid.push(...texts);
			return { body: { object: 'list', data: vectors(texts), model: 'e' } };
		};
		const { items, message } = await stage.run({ ...embed, ...RETRY }, TEXTS);
		expect(message).toBe('');
		expect(items.map(({ text }) => text)).toEqual(['x', 'y', 'z', 'w']);
		expect(items.map(({ embedding }) => (embedding as number[])[0])).toEqual([120, 121, 122, 119]);
		expect(paid.toSorted()).toEqual(['w', 'x', 'y', 'z']);
	});

	it.each<[string, (texts: string[]) => unknown]>([
		['a list without its envelope', (texts) => vectors(texts)],
		['a list under another name', (texts) => ({ embeddings: vectors(texts) })],
	])('that come as %s are read, or in the error: they are paid for', async (_form, bodyOf) => {
		stage.service.answer = ({ body }) => ({ body: bodyOf(body.input as string[]) });
		const told = await stage.run(embed, TEXTS);
		expect(told.all).toContain('[120,1]');
		expect(told.message).not.toContain('is empty');
	});
});
