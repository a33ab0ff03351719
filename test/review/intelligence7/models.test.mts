import { describe, expect, it } from 'vitest';
import { chat } from '../../engine/nodes.mts';
import { NOT_FOUND, type Call, type Json, type Said } from './service.mts';
import { complete, useStage } from './stage.mts';

const stage = useStage();
const models = chat('model', 'getAll', { returnAll: true });
const rows = (...ids: string[]) => ids.map((id) => ({ model_id: id, name: id }));
const page = (data: Json[], pagination: Json, more: Json = {}): Said => ({
	body: { data, pagination, ...more },
});
const numberIn = ({ query }: Call, first: number) => Number(query.get('page') ?? first);

/** Lists that come whole. */
const WHOLE: Array<[world: string, answer: (call: Call) => Said, names: string[]]> = [
	[
		'of pages from 0, with 404 for the page after the last',
		(call) => {
			const at = numberIn(call, 0);
			if (at > 1) return NOT_FOUND;
			const more = { page: at, page_size: 2, total: 3, total_pages: 2, has_next: at === 0 };
			return page(at === 0 ? rows('a', 'b') : rows('c'), more);
		},
		['a', 'b', 'c'],
	],
	[
		'of one page, which is page 0',
		(call) =>
			call.query.has('page')
				? { status: 422, body: { detail: 'page is out of range' } }
				: page(rows('a'), { page: 0, page_size: 20, total: 1, total_pages: 1, has_next: false }),
		['a'],
	],
	[
		'whose last page is full, and is followed by an empty one',
		(call) => {
			const at = numberIn(call, 1);
			return page(at === 1 ? rows('a', 'b') : [], { page: at, page_size: 2, has_next: at === 1 });
		},
		['a', 'b'],
	],
	[
		'that tells its total, where a next page is announced, and is empty',
		(call) => {
			const at = numberIn(call, 1);
			const more = { page: at, page_size: 2, total: 2, has_next: at === 1 };
			return page(at === 1 ? rows('a', 'b') : [], more);
		},
		['a', 'b'],
	],
	[
		'with its numbers as text',
		(call) => {
			const at = numberIn(call, 1);
			const more = { page: String(at), page_size: '1', total: '2', has_next: at === 1 };
			return page(rows(`m${at}`), more);
		},
		['m1', 'm2'],
	],
];

describe.each(WHOLE)('a list %s', (_world, answer, names) => {
	it('is told whole, and is in the form', async () => {
		stage.service.answer = answer;
		const { items, message } = await stage.run(models);
		expect(message).toBe('');
		expect(items.map(({ name }) => name)).toEqual(names);
		const { results } = await stage.engine.search(complete(), 'searchModels');
		expect(results.map(({ value }) => value)).toEqual(names);
	});
});

/** The second page of a list whose first one announces it, and which has more than these two. */
const SHORT: Array<[world: string, second: Said, words: string]> = [
	[
		'announces another one without its number',
		page(rows('c', 'd'), { page_size: 2, has_next: true }),
		'',
	],
	['has more', { body: { data: rows('c', 'd'), has_more: true } }, ''],
	['is refused', { status: 403, body: { detail: 'plan too low' } }, 'plan too low'],
	['is an error with 200', { body: { error: { message: 'plan too low' } } }, 'plan too low'],
	[
		'is empty beside an error',
		{ body: { data: [], error: { message: 'plan too low' } } },
		'plan too low',
	],
];

it.each(SHORT)('a list whose second page %s is an error', async (_world, second, words) => {
	const first = page(rows('a', 'b'), { page: 1, page_size: 2, total_pages: 3, has_next: true });
	stage.service.answer = ({ query }) => (query.has('page') ? second : first);
	const { items, message } = await stage.run(models);
	expect(items).toEqual([]);
	expect(message).not.toBe('');
	expect(message).toContain(words);
});
