import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	entriesOf,
	listOffsets,
	listPages,
	type PagedList,
} from '../../nodes/shared/http/pagination.ts';
import { broken, json, text, useApi, type Received } from '../engine/api.mts';

const service = useApi();
const LIST: PagedList = {
	path: '/{service}/things',
	query: { state: 'up' },
	firstPage: 1,
	entries: ({ things }) => things,
	key: ({ id }) => (typeof id === 'string' ? id : undefined),
};
const idsOf = (entries: IDataObject[]) => entries.map(({ id }) => id);
const queryOf = ({ url }: Received) => Object.fromEntries(new URL(url, 'http://x').searchParams);
const page = (...ids: unknown[]) =>
	json({ data: { things: ids.map((id) => (typeof id === 'object' ? id : { id })) } });
/** The service has these pages, by number; a page that it does not have is refused or empty. */
function servePages(pages: Record<number, ReturnType<typeof json>>, otherwise = page()): void {
	service.answers = [
		(response, request) => (pages[Number(queryOf(request).page)] ?? otherwise)(response, request),
	];
}
const pagesAsked = () => service.received.map((request) => Number(queryOf(request).page));

describe('a list in pages', () => {
	it('is read until a page brings nothing new', async () => {
		servePages({ 1: page('a', 'b'), 2: page('c') });
		expect(idsOf(await listPages(await service.api(), LIST))).toEqual(['a', 'b', 'c']);
		expect(service.received.map(queryOf)).toEqual(
			[1, 2, 3].map((number) => ({ state: 'up', page: String(number), page_size: '100' })),
		);
		expect(service.received[0]?.url).toMatch(/^\/svc\/things\?/);
	});

	it('is read no further than is needed', async () => {
		servePages({ 1: page('a', 'b'), 2: page('c', 'd') });
		expect(idsOf(await listPages(await service.api(), LIST, 3))).toEqual(['a', 'b', 'c']);
		expect(await listPages(await service.api(), LIST, 2)).toHaveLength(2);
		expect(pagesAsked()).toEqual([1, 2, 1]);
	});

	it('ends where the service repeats itself for ever', async () => {
		servePages({}, page('a', 'b'));
		expect(idsOf(await listPages(await service.api(), LIST))).toEqual(['a', 'b']);
		expect(pagesAsked()).toEqual([1, 2]);
	});

	it('is not looked for behind a first page that brings nothing', async () => {
		servePages({ 1: page({ other: 1 }), 2: page('a') });
		expect(await listPages(await service.api(), LIST)).toEqual([]);
		expect(pagesAsked()).toEqual([1]);
		servePages({}, page('a'));
		expect(idsOf(await listPages(await service.api(), { ...LIST, firstPage: 0 }))).toEqual(['a']);
		expect(pagesAsked()).toEqual([1, 0, 1, 2]);
	});

	it('is asked for again where the service is busy', async () => {
		service.answers = [text('', 503, { 'retry-after': '0' }), page('a'), page()];
		expect(idsOf(await listPages(await service.api(), LIST))).toEqual(['a']);
		expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
	});

	it.each([
		['counts from 0', { 0: page('a'), 1: page('b') }, page(), ['a', 'b'], [0, 1, 2]],
		[
			'counts from 1, and refuses page 0',
			{ 0: json({ detail: 'no' }, 422), 1: page('a'), 2: page('b') },
			page(),
			['a', 'b'],
			[0, 1, 2, 3],
		],
		['does not know page 0', { 0: text('', 404), 1: page('a') }, page(), ['a'], [0, 1, 2]],
		['calls page 0 bad', { 0: text('', 400), 1: page('a') }, page(), ['a'], [0, 1, 2]],
		[
			'counts from 1, and gives page 1 for page 0',
			{ 0: page('a'), 1: page('a'), 2: page('b') },
			page(),
			['a', 'b'],
			[0, 1, 2, 3],
		],
		['has an empty page 0', { 1: page('a') }, page(), ['a'], [0, 1, 2]],
		['has nothing', {}, page(), [], [0, 1]],
	])('of a service that %s', async (_, pages, otherwise, ids, asked) => {
		servePages(pages, otherwise);
		expect(idsOf(await listPages(await service.api(), { ...LIST, firstPage: 0 }))).toEqual(ids);
		expect(pagesAsked()).toEqual(asked);
	});

	it('is an error where a page is refused: a part must not look like all', async () => {
		servePages({ 1: page('a'), 2: json({ detail: 'no' }, 422) });
		await expect(listPages(await service.api(), LIST)).rejects.toMatchObject({ message: 'no' });
		servePages({ 0: text('', 403) });
		await expect(listPages(await service.api(), { ...LIST, firstPage: 0 })).rejects.toMatchObject({
			message: 'The account may not do this (403)',
		});
		service.answers = [broken('{', 422)];
		await expect(listPages(await service.api(), { ...LIST, firstPage: 0 })).rejects.toThrow(
			'The connection broke in the middle of the answer',
		);
		await expect(
			listPages(await service.api(AbortSignal.abort()), { ...LIST, firstPage: 0 }),
		).rejects.toThrow('The execution was cancelled');
	});

	it.each([
		[{ things: [] }],
		[{ data: { other: [] } }],
		[{ data: { things: {} } }],
		[[]],
		[{ data: [] }],
	])('%j is no list', async (body) => {
		service.answers = [json(body)];
		await expect(listPages(await service.api(), LIST)).rejects.toMatchObject({
			message: 'The answer does not hold the list that was expected',
			description: expect.stringContaining('Check the Base URL'),
			context: { itemIndex: 2 },
		});
	});

	it('has no entries without a key, and none twice', async () => {
		servePages({ 1: page('a', { other: 1 }, 7, 'a', 'b'), 2: page('b', 'c') });
		expect(idsOf(await listPages(await service.api(), LIST))).toEqual(['a', 'b', 'c']);
	});

	it('without a key tells entries by all that they hold; equal ones of one page stay apart', async () => {
		const { key: _, ...list } = LIST;
		servePages({ 1: page('a', 'a', 'b'), 2: page('a', 'a', 'a') });
		expect(idsOf(await listPages(await service.api(), list))).toEqual(['a', 'a', 'b', 'a']);
	});
});

it('the entries of a list are objects', async () => {
	expect(entriesOf(await service.api(), [{ a: 1 }, null, 'x', [1], { b: 2 }])).toEqual([
		{ a: 1 },
		{ b: 2 },
	]);
});

describe('a list by offset', () => {
	const OFFSETS = { path: '/things', query: { name: 'x' } };
	const part = (total: number | undefined, ...results: unknown[]) =>
		json({ results, ...(total !== undefined && { total_entries: total }) });
	const asked = () =>
		service.received.map(queryOf).map(({ offset, limit }) => `${offset}+${limit}`);

	it('is read until the total is there', async () => {
		service.answers = [part(3, { id: 'a' }, { id: 'b' }), part(3, { id: 'c' })];
		expect(idsOf(await listOffsets(await service.api(), OFFSETS))).toEqual(['a', 'b', 'c']);
		expect(asked()).toEqual(['0+1000', '2+1000']);
		expect(service.received.map(queryOf)[0]?.name).toBe('x');
	});

	it('is read until nothing new comes, where there is no total', async () => {
		service.answers = [part(undefined, { id: 'a' }), part(undefined, { id: 'b' }), part(undefined)];
		expect(idsOf(await listOffsets(await service.api(), OFFSETS))).toEqual(['a', 'b']);
		service.answers = [part(undefined, { id: 'a' }), part(undefined, { id: 'a' })];
		expect(idsOf(await listOffsets(await service.api(), OFFSETS))).toEqual(['a']);
		expect(service.received).toHaveLength(5);
	});

	it('asks for no more than is needed', async () => {
		service.answers = [part(9, { id: 'a' }, { id: 'b' }), part(9, { id: 'c' }, { id: 'd' })];
		expect(idsOf(await listOffsets(await service.api(), OFFSETS, 3))).toEqual(['a', 'b', 'c']);
		expect(asked()).toEqual(['0+3', '2+1']);
		await listOffsets(await service.api(), OFFSETS, 0);
		expect(service.received).toHaveLength(2);
	});

	it('has an ID once', async () => {
		service.answers = [part(2, { id: 'a', state: 'old' }, { id: 'a', state: 'new' })];
		expect(await listOffsets(await service.api(), OFFSETS)).toEqual([{ id: 'a', state: 'new' }]);
	});

	it('is asked for again where the service is busy, and a total that is no number counts for nothing', async () => {
		const unknown = (...results: unknown[]) => json({ results, total_entries: null });
		service.answers = [
			text('', 503, { 'retry-after': '0' }),
			unknown({ id: 'a' }),
			unknown({ id: 'b' }),
			unknown(),
		];
		expect(idsOf(await listOffsets(await service.api(), OFFSETS))).toEqual(['a', 'b']);
		expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
	});

	it('tells entries without an ID by all that they hold', async () => {
		service.answers = [part(4, { name: 'a' }, { name: 'a' }, { id: 7 }, { id: 8 })];
		expect(await listOffsets(await service.api(), OFFSETS)).toEqual([
			{ name: 'a' },
			{ id: 7 },
			{ id: 8 },
		]);
	});

	it('may have its entries elsewhere', async () => {
		service.answers = [json({ rows: [{ id: 'a' }], total_entries: 1 })];
		expect(
			idsOf(await listOffsets(await service.api(), { ...OFFSETS, entries: ({ rows }) => rows })),
		).toEqual(['a']);
		await expect(listOffsets(await service.api(), OFFSETS)).rejects.toThrow(
			'does not hold the list',
		);
	});
});
