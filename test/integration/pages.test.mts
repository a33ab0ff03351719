import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../nodes/shared/guards.ts';
import {
	announcedPages,
	entriesOf,
	listEntries,
	numberedPages,
	offsetPages,
	type PagedList,
} from '../../nodes/shared/http/pagination.ts';
import { broken, json, text, useApi, type Received } from '../engine/api.mts';

const service = useApi();
const LIST: PagedList = {
	path: '/{service}/things',
	query: { state: 'up' },
	paging: numberedPages(1),
	entries: ({ data }) => isRecord(data) && data.things,
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
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a', 'b', 'c']);
		expect(service.received.map(queryOf)).toEqual(
			[1, 2, 3].map((number) => ({ state: 'up', page: String(number), page_size: '100' })),
		);
		expect(service.received[0]?.url).toMatch(/^\/svc\/things\?/);
	});

	it('is read no further than is needed', async () => {
		servePages({ 1: page('a', 'b'), 2: page('c', 'd') });
		expect(idsOf(await listEntries(await service.api(), LIST, 3))).toEqual(['a', 'b', 'c']);
		expect(await listEntries(await service.api(), LIST, 2)).toHaveLength(2);
		expect(pagesAsked()).toEqual([1, 2, 1]);
	});

	it('ends where the service repeats itself for ever', async () => {
		servePages({}, page('a', 'b'));
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a', 'b']);
		expect(pagesAsked()).toEqual([1, 2]);
	});

	it('is not looked for behind a first page that brings nothing', async () => {
		servePages({ 1: page({ other: 1 }), 2: page('a') });
		expect(await listEntries(await service.api(), LIST)).toEqual([]);
		expect(pagesAsked()).toEqual([1]);
		servePages({}, page('a'));
		expect(
			idsOf(await listEntries(await service.api(), { ...LIST, paging: numberedPages(0) })),
		).toEqual(['a']);
		expect(pagesAsked()).toEqual([1, 0, 1, 2]);
	});

	it('is asked for again where the service is busy', async () => {
		service.answers = [text('', 503, { 'retry-after': '0' }), page('a'), page()];
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a']);
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
		expect(
			idsOf(await listEntries(await service.api(), { ...LIST, paging: numberedPages(0) })),
		).toEqual(ids);
		expect(pagesAsked()).toEqual(asked);
	});

	it('is an error where a page is refused: a part must not look like all', async () => {
		servePages({ 1: page('a'), 2: json({ detail: 'no' }, 422) });
		await expect(listEntries(await service.api(), LIST)).rejects.toMatchObject({ message: 'no' });
		servePages({ 0: text('', 403) });
		await expect(
			listEntries(await service.api(), { ...LIST, paging: numberedPages(0) }),
		).rejects.toMatchObject({
			message: 'Permission denied (403)',
		});
		service.answers = [broken('{', 422)];
		await expect(
			listEntries(await service.api(), { ...LIST, paging: numberedPages(0) }),
		).rejects.toThrow('The connection was lost while reading the response');
		await expect(
			listEntries(await service.api(AbortSignal.abort()), { ...LIST, paging: numberedPages(0) }),
		).rejects.toThrow('The execution was cancelled');
	});

	it.each([
		[{ things: [] }],
		[{ data: { other: [] } }],
		[{ data: { things: {} } }],
		[{ data: [] }],
	])('%j is no list', async (body) => {
		service.answers = [json(body)];
		await expect(listEntries(await service.api(), LIST)).rejects.toMatchObject({
			message: 'The response does not contain the expected list',
			description: expect.stringContaining('Check the Base URL'),
			context: { itemIndex: 2 },
		});
	});

	it('is no web page and no list alone: the error shows what came', async () => {
		service.answers = [text('<html><title>Log in</title>', 200)];
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
			'The response is not a JSON object: an HTML page titled "Log in" instead of JSON',
		);
		service.answers = [json(['a'])];
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
			'The response is not a JSON object: a',
		);
	});

	it('has no entries without a key, and none twice', async () => {
		servePages({ 1: page('a', { other: 1 }, 7, 'a', 'b'), 2: page('b', 'c') });
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a', 'b', 'c']);
	});

	it('without a key tells entries by all that they hold; equal ones of one page stay apart', async () => {
		const { key: _, ...list } = LIST;
		servePages({ 1: page('a', 'a', 'b'), 2: page('a', 'a', 'a') });
		expect(idsOf(await listEntries(await service.api(), list))).toEqual(['a', 'a', 'b', 'a']);
	});
});

it('the entries of a list are objects', async () => {
	expect(entriesOf(await service.api(), [{ a: 1 }, null, 'x', [1], { b: 2 }])).toEqual([
		{ a: 1 },
		{ b: 2 },
	]);
});

describe('a list by offset', () => {
	const OFFSETS: PagedList = {
		path: '/things',
		query: { name: 'x' },
		paging: offsetPages,
		entries: ({ results }) => results,
		key: (entry) => (typeof entry.id === 'string' ? entry.id : JSON.stringify(entry)),
	};
	const part = (total: number | undefined, ...results: unknown[]) =>
		json({ results, ...(total !== undefined && { total_entries: total }) });
	const asked = () =>
		service.received.map(queryOf).map(({ offset, limit }) => `${offset}+${limit}`);

	it('is read until the total is there', async () => {
		service.answers = [part(3, { id: 'a' }, { id: 'b' }), part(3, { id: 'c' })];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a', 'b', 'c']);
		expect(asked()).toEqual(['0+1000', '2+1000']);
		expect(service.received.map(queryOf)[0]?.name).toBe('x');
	});

	it('is read until nothing new comes, where there is no total', async () => {
		service.answers = [part(undefined, { id: 'a' }), part(undefined, { id: 'b' }), part(undefined)];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a', 'b']);
		service.answers = [part(undefined, { id: 'a' }), part(undefined, { id: 'a' })];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a']);
		expect(service.received).toHaveLength(5);
	});

	it('asks for no more than is needed', async () => {
		service.answers = [part(9, { id: 'a' }, { id: 'b' }), part(9, { id: 'c' }, { id: 'd' })];
		expect(idsOf(await listEntries(await service.api(), OFFSETS, 3))).toEqual(['a', 'b', 'c']);
		expect(asked()).toEqual(['0+3', '2+1']);
		await listEntries(await service.api(), OFFSETS, 0);
		expect(service.received).toHaveLength(2);
	});

	it('has a key once, as it came last', async () => {
		service.answers = [part(2, { id: 'a', state: 'old' }, { id: 'a', state: 'new' })];
		expect(await listEntries(await service.api(), OFFSETS)).toEqual([{ id: 'a', state: 'new' }]);
	});

	it('is asked for again where the service is busy, and a total that is no number counts for nothing', async () => {
		const unknown = (...results: unknown[]) => json({ results, total_entries: null });
		service.answers = [
			text('', 503, { 'retry-after': '0' }),
			unknown({ id: 'a' }),
			unknown({ id: 'b' }),
			unknown(),
		];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a', 'b']);
		expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
	});
});

describe('a list that says whether there is a next page', () => {
	const ANNOUNCED: PagedList = {
		path: '/things',
		paging: announcedPages,
		entries: ({ data }) => data,
		key: ({ name }) => String(name),
	};
	const part = (pagination: unknown, ...names: string[]) =>
		json({ data: names.map((name) => ({ name })), pagination });
	const namesOf = async (limit?: number) =>
		(await listEntries(await service.api(), ANNOUNCED, limit)).map(({ name }) => name);
	const asked = () => service.received.map(queryOf);

	it('is asked for without a query first, then by the number and size that it names', async () => {
		service.answers = [
			part({ page: 1, page_size: 2, has_next: true }, 'a', 'b'),
			part({ page: 2, has_next: true }, 'c'),
			part({ page: 3, has_next: false }, 'd'),
		];
		expect(await namesOf()).toEqual(['a', 'b', 'c', 'd']);
		expect(asked()).toEqual([{}, { page: '2', page_size: '2' }, { page: '3' }]);
	});

	it.each([
		undefined,
		null,
		{ page: 1 },
		{ page: 1, has_next: 'true' },
		{ page: '1', has_next: true },
	])('has one page where it says %j', async (pagination) => {
		service.answers = [part(pagination, 'a')];
		expect(await namesOf()).toEqual(['a']);
		expect(asked()).toEqual([{}]);
	});

	it('is read no further than is needed, nor where it repeats itself', async () => {
		service.answers = [part({ page: 1, has_next: true }, 'a', 'b')];
		expect(await namesOf(2)).toEqual(['a', 'b']);
		expect(await namesOf()).toEqual(['a', 'b']);
		expect(asked()).toEqual([{}, {}, { page: '2' }]);
	});
});
