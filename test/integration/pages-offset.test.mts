import { describe, expect, it } from 'vitest';
import type { PagedList } from '../../nodes/shared/http/pages.ts';
import { listEntries, offsetPages } from '../../nodes/shared/http/pagination.ts';
import { json, text } from '../engine/api.mts';
import { idsOf, queryOf, usePages } from './listPages.mts';

const { service } = usePages();

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

	it('that comes at once is complete where as many entries come for a page of one', async () => {
		const paging = { ...offsetPages, defaultSize: undefined, mayComeAtOnce: true };
		service.answers = [json({ results: ids(0, 1_000) })];
		const list = { ...OFFSETS, paging };
		expect(await listEntries(await service.api(), list)).toHaveLength(1_000);
		expect(asked()).toEqual(['0+1000', '1000+1000', '0+1']);
	});

	it('of as many entries as come where nothing is asked for is complete where the next page is empty', async () => {
		service.answers = [json({ results: ids(0, 100) }), json({ results: [] })];
		expect(await listEntries(await service.api(), OFFSETS)).toHaveLength(100);
		expect(asked()).toEqual(['0+1000', '100+1000']);
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

	it('is whole where each page tells its own entries in place of a total, and the last one is empty', async () => {
		const own = (from: number, to: number) => part(to - from, ...ids(from, to));
		service.answers = [own(0, 100), own(100, 200), own(200, 250), part(0)];
		expect(await listEntries(await service.api(), OFFSETS)).toHaveLength(250);
	});

	it('without an entry is no empty list where it has a total', async () => {
		service.answers = [part(5)];
		await expect(listEntries(await service.api(), OFFSETS)).rejects.toThrow(
			'The list is incomplete: 0 of 5 entries came in the last of 4 tries',
		);
		expect(asked()).toEqual(['0+1000', '0+1000', '0+1000', '0+1000']);
		service.answers = [part(0)];
		expect(await listEntries(await service.api(), OFFSETS)).toEqual([]);
	});

	it('is read again where an entry came twice, in the place of another', async () => {
		const overlapping = [part(4, { id: 'a' }, { id: 'b' }), part(4, { id: 'b' }, { id: 'c' })];
		service.answers = [
			...overlapping,
			part(4, { id: 'a' }, { id: 'b' }),
			part(4, { id: 'c' }, { id: 'd' }),
		];
		expect(idsOf(await listEntries(await service.api(), OFFSETS))).toEqual(['a', 'b', 'c', 'd']);
		// As many came as the total, though the page with the overlap is not the last one
		const behind = [part(5, { id: 'a' }, { id: 'b' }), part(5, { id: 'b' }, { id: 'c' })];
		service.answers = [1, 2, 3, 4].flatMap(() => [...behind, part(5, { id: 'd' })]);
		await expect(listEntries(await service.api(), OFFSETS)).rejects.toThrow(
			'The list had entries twice in each of 4 tries to read it, so entries may be missing',
		);
	});

	it.each([
		{ is: 'of which no key is known', key: undefined },
		{ is: 'that may lack its key', key: () => undefined, mayLackKey: true },
	])('tells equal entries $is by their places, but not those of a page again', async (keys) => {
		const list = { ...OFFSETS, ...keys };
		const line = { text: 'same' };
		service.answers = [part(3, line, line), part(3, line)];
		expect(await listEntries(await service.api(), list)).toEqual([line, line, line]);
		service.answers = [part(undefined, line), part(undefined, line, { text: 'other' })];
		expect(await listEntries(await service.api(), list, 4)).toEqual([line, { text: 'other' }]);
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
