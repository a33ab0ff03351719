import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRecord } from '../../nodes/shared/guards.ts';
import { entriesOf, type PagedList } from '../../nodes/shared/http/pages.ts';
import {
	announcedPages,
	completeEntries,
	listEntries,
	numberedPages,
	offsetPages,
	type CompleteList,
} from '../../nodes/shared/http/pagination.ts';
import { broken, json, text, useApi, type Received } from '../engine/api.mts';

/** The pauses of reads take no time: those after a busy answer have up to half a minute, and a request has longer. */
const LONGEST_PAUSE_MS = 30_000;
beforeEach(() => {
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
		timeout(ms > LONGEST_PAUSE_MS ? ms : 0),
	);
});
afterEach(() => void vi.restoreAllMocks());

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

	it('ends where the service repeats itself without end', async () => {
		servePages({}, page('a', 'b'));
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a', 'b']);
		expect(pagesAsked()).toEqual([1, 2]);
	});

	it('is not looked for behind a first page that brings nothing', async () => {
		servePages({ 1: page(), 2: page('a') });
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
		await expect(listEntries(await service.api(), LIST)).rejects.toMatchObject({
			message: 'The list is incomplete: a page after entry 1 could not be read: no',
		});
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

	it('may be null after the last page, and where the total is there, but not in place of the first one', async () => {
		const none = json({ data: { things: null } });
		servePages({ 1: page('a'), 2: none });
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a']);
		expect(pagesAsked()).toEqual([1, 2]);
		servePages({ 1: json({ data: { things: null, total: 0 } }) });
		expect(await listEntries(await service.api(), LIST)).toEqual([]);
		servePages({ 1: none });
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
			'The response does not contain the expected list',
		);
	});

	it('that does not exist is not asked for in smaller pages', async () => {
		servePages({}, json({ detail: 'gone' }, 404));
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow('gone');
		expect(pagesAsked()).toEqual([1]);
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

	it('has no entry twice', async () => {
		servePages({ 1: page('a', 'a', 'b'), 2: page('b', 'c') });
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a', 'b', 'c']);
	});

	it('with an entry without an ID is an error that names its fields: it must not look shorter', async () => {
		servePages({ 1: page('a', { uuid: 'b', name: 'x' }) });
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
			'An entry of the list has no ID that is known; it has uuid, name',
		);
	});

	it('is asked for in smaller pages where a service refuses the larger ones', async () => {
		const sizes: string[] = [];
		service.answers = [
			(response, request) => {
				const { page: number, page_size: size } = queryOf(request);
				sizes.push(`${number}:${size}`);
				const answer = Number(size) > 10 ? json({ detail: 'too large' }, 422) : page();
				(number === '1' && size === '10' ? page('a') : answer)(response, request);
			},
		];
		expect(idsOf(await listEntries(await service.api(), LIST))).toEqual(['a']);
		expect(sizes).toEqual(['1:100', '1:20', '1:10', '2:10']);
		sizes.length = 0;
		const fromZero = { ...LIST, paging: numberedPages(0) };
		expect(idsOf(await listEntries(await service.api(), fromZero))).toEqual(['a']);
		expect(sizes).toEqual(['0:100', '1:100', '0:20', '1:20', '0:10', '1:10', '2:10']);
	});

	it('is an error above 1,000 pages', async () => {
		service.answers = [(response, request) => page(queryOf(request).page)(response, request)];
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
			'The list has more than 1000 pages',
		);
	});

	it('without a key tells entries by all that they hold; equal ones of one page stay apart', async () => {
		const { key: _, ...list } = LIST;
		servePages({ 1: page('a', 'a', 'b'), 2: page('a', 'a', 'a') });
		expect(idsOf(await listEntries(await service.api(), list))).toEqual(['a', 'a', 'b', 'a']);
	});
});

describe('a list of which no entry may be missing', () => {
	const COMPLETE: CompleteList = {
		...LIST,
		key: ({ id }) => (typeof id === 'string' ? id : undefined),
		total: ({ data }) => isRecord(data) && data.total,
	};
	const part = (total: unknown, ...ids: string[]) =>
		json({ data: { things: ids.map((id) => ({ id })), total } });
	/** Each reading of the list has its pages; the last reading is repeated. */
	const serveReadings = (...readings: Array<Array<ReturnType<typeof json>>>) => {
		let reading = -1;
		service.answers = [
			(response, request) => {
				const number = Number(queryOf(request).page);
				if (number === 1) reading++;
				const pages = readings[Math.min(reading, readings.length - 1)] ?? [];
				(pages[number - 1] ?? part(0))(response, request);
			},
		];
	};
	const read = async () => idsOf(await completeEntries(await service.api(), COMPLETE));

	it('is read once where all that it tells has come', async () => {
		serveReadings([part(3, 'a', 'b'), part('3', 'c')]);
		expect(await read()).toEqual(['a', 'b', 'c']);
		expect(pagesAsked()).toEqual([1, 2, 3]);
	});

	it('is read again where one ended meanwhile, and another moved past the border', async () => {
		serveReadings([part(4, 'a', 'b'), part(3, 'd')], [part(3, 'b', 'c'), part(3, 'd')]);
		expect(await read()).toEqual(['b', 'c', 'd']);
	});

	it('without a total is read until the same entries came twice', async () => {
		serveReadings(
			[part(null, 'a', 'b'), part(null, 'd')],
			[part(null, 'b', 'c'), part(null, 'd')],
			[part(null, 'b', 'c'), part(null, 'd')],
		);
		expect(await read()).toEqual(['b', 'c', 'd']);
		serveReadings([part(null, 'a')]);
		expect(await read()).toEqual(['a']);
	});

	it('is an error where it stays incomplete', async () => {
		serveReadings([part(3, 'a', 'b')]);
		await expect(read()).rejects.toThrow(
			'The list is incomplete: 2 of 3 entries came in the last of 4 tries',
		);
	});

	it.each([10, 20, 100])(
		'without a total is an error where a full page of %i comes for every number',
		async (size) => {
			const ids = Array.from({ length: size }, (_, index) => `id-${index}`);
			servePages({}, page(...ids));
			await expect(read()).rejects.toThrow(`The list is incomplete: ${size} entries came`);
			servePages({}, page(...ids, 'last'));
			expect(await read()).toHaveLength(size + 1);
		},
	);

	it('is read no further than to the entry that is looked for', async () => {
		serveReadings([part(9, 'a', 'b'), part(9, 'c')]);
		const found = await completeEntries(await service.api(), COMPLETE, ({ id }) => id === 'b');
		expect(idsOf(found)).toEqual(['a', 'b']);
		expect(pagesAsked()).toEqual([1]);
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

	const ids = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, index) => ({ id: `d-${from + index}` }));
	it.each<[string, object, number]>([
		['tells a larger total', { results: ids(0, 3), total_entries: 9 }, 3],
		['tells a larger total as a text', { results: ids(0, 3), total_entries: '9' }, 3],
		['says that there is more', { results: ids(0, 3), has_more: true }, 3],
		['sends as many as where nothing is asked for', { results: ids(0, 100) }, 100],
		['sends as many as it may', { results: ids(0, 1_000) }, 1_000],
	])('where the offset is ignored and the service %s is not complete', async (_, body, count) => {
		service.answers = [json(body)];
		await expect(listEntries(await service.api(), OFFSETS)).rejects.toThrow(
			`The service sends the same ${count} entries for every page: the list may be incomplete`,
		);
		expect(service.received).toHaveLength(2);
		await expect(listEntries(await service.api(), OFFSETS, count + 1)).rejects.toThrow(
			'the list may be incomplete',
		);
		expect(await listEntries(await service.api(), OFFSETS, count)).toHaveLength(count);
	});

	it('ends at a total that is a text', async () => {
		service.answers = [json({ results: ids(0, 2), total_entries: '2' })];
		expect(await listEntries(await service.api(), OFFSETS)).toHaveLength(2);
		expect(service.received).toHaveLength(1);
	});

	it('is read again where it got shorter: an entry may have moved to a page that was read before', async () => {
		service.answers = [
			part(4, { id: 'a' }, { id: 'b' }),
			part(3, { id: 'd' }),
			part(3, { id: 'b' }, { id: 'c' }),
			part(3, { id: 'd' }),
		];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['b', 'c', 'd']);
		service.answers = [4, 4, 4, 4].flatMap(() => [
			part(4, { id: 'a' }, { id: 'b' }),
			part(3, { id: 'd' }),
		]);
		await expect(listEntries(await service.api(), OFFSETS)).rejects.toThrow(
			'The list got shorter in each of 4 tries to read it, so entries may be missing',
		);
	});

	it('is read again where an entry came twice, in the place of another', async () => {
		const overlapping = [part(4, { id: 'a' }, { id: 'b' }), part(4, { id: 'b' }, { id: 'c' })];
		service.answers = [
			...overlapping,
			part(4, { id: 'a' }, { id: 'b' }),
			part(4, { id: 'c' }, { id: 'd' }),
		];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a', 'b', 'c', 'd']);
		service.answers = [1, 2, 3, 4].flatMap(() => overlapping);
		await expect(listEntries(await service.api(), OFFSETS)).rejects.toThrow(
			'The list had entries twice in each of 4 tries to read it, so entries may be missing',
		);
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
		{ page: 'one', has_next: true },
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
