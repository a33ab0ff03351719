import { describe, expect, it } from 'vitest';
import type { PagedList } from '../../nodes/shared/http/pages.ts';
import { announcedPages, listEntries } from '../../nodes/shared/http/pagination.ts';
import { json } from '../engine/api.mts';
import { queryOf, usePages } from './listPages.mts';

const { service } = usePages();

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

	it.each([{ total: 3 }, { total_entries: 3 }, { total_pages: 2 }, { has_next: 'true' }])(
		'has a second page where it says %j beside its entries',
		async (more) => {
			const pageOf = (page: number, ...names: string[]) =>
				json({ data: names.map((name) => ({ name })), ...more, page });
			service.answers = [pageOf(1, 'a', 'b'), json({ data: [{ name: 'c' }], page: 2 })];
			expect(await namesOf()).toEqual(['a', 'b', 'c']);
			expect(asked()).toEqual([{}, { page: '2' }]);
		},
	);

	it.each([undefined, null, { page: 1 }, { page: 1, has_next: 'false' }])(
		'has one page where it says %j',
		async (pagination) => {
			service.answers = [part(pagination, 'a')];
			expect(await namesOf()).toEqual(['a']);
			expect(asked()).toEqual([{}]);
		},
	);

	it.each([
		[
			{ page: 1, total: 3 },
			{ page: 2, total: 3 },
		],
		[
			{ page: 1, total: '3' },
			{ page: 2, total: '3' },
		],
		[
			{ page: 1, total_pages: 2 },
			{ page: 2, total_pages: 2 },
		],
		// One of both is enough
		[
			{ page: 1, has_next: false, total_pages: '2' },
			{ page: 2, has_next: false, total_pages: '2' },
		],
	])('has a second page where it says %j, and no third one where that says %j', async (...said) => {
		service.answers = [part(said[0], 'a', 'b'), part(said[1], 'c'), part(undefined, 'never')];
		expect(await namesOf()).toEqual(['a', 'b', 'c']);
		expect(asked()).toEqual([{}, { page: '2' }]);
	});

	it('may come as an array alone', async () => {
		service.answers = [json([{ name: 'a' }, { name: 'b' }])];
		expect(await namesOf()).toEqual(['a', 'b']);
		expect(asked()).toEqual([{}]);
	});

	it('is read no further than is needed', async () => {
		service.answers = [part({ page: 1, has_next: true }, 'a', 'b')];
		expect(await namesOf(2)).toEqual(['a', 'b']);
		expect(asked()).toEqual([{}]);
	});

	it.each([
		['cannot be asked for', { page: 'one', has_next: true }, 'more than these 2 entries'],
		['is the same', { page: 1, has_next: true }, 'the list may be incomplete'],
	])('is an error where the next page %s', async (_, pagination, words) => {
		service.answers = [part(pagination, 'a', 'b')];
		await expect(namesOf()).rejects.toThrow(words);
		expect(await namesOf(2)).toEqual(['a', 'b']);
	});

	it('that repeats itself is whole where its total says so', async () => {
		service.answers = [part({ page: 1, has_next: true, total: 2 }, 'a', 'b')];
		expect(await namesOf()).toEqual(['a', 'b']);
	});
});
