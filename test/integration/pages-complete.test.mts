import { describe, expect, it } from 'vitest';
import { isRecord } from '../../nodes/shared/guards.ts';
import { completeEntries, type CompleteList } from '../../nodes/shared/http/pagination.ts';
import { json } from '../engine/api.mts';
import { idsOf, LIST, page, queryOf, usePages } from './listPages.mts';

const { pagesAsked, servePages, service } = usePages();

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
		expect(pagesAsked()).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
	});

	it('whose pages tell their own entries in place of a total is read as one without', async () => {
		serveReadings([part(2, 'a', 'b'), part(1, 'c')]);
		expect(await read()).toEqual(['a', 'b', 'c']);
		expect(pagesAsked()).toEqual([1, 2, 3, 1, 2, 3]);
	});

	it('without a total, and with fewer entries than before, is read once more', async () => {
		serveReadings([part(null, 'a', 'b'), part(null, 'c')], [part(null, 'a'), part(null, 'c')]);
		expect(await read()).toEqual(['a', 'c']);
		expect(pagesAsked()).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
	});

	it.each([{ ids: [] }, { ids: ['a', 'b'] }])(
		'without a total is read once where one page has all of $ids',
		async ({ ids }) => {
			serveReadings([part(null, ...ids)]);
			expect(await read()).toEqual(ids);
			expect(pagesAsked()).toEqual(ids.length > 0 ? [1, 2] : [1]);
		},
	);

	it('without a total is an error where the service says that there is more, and repeats itself', async () => {
		service.answers = [json({ data: { things: [{ id: 'a' }], has_more: true } })];
		await expect(read()).rejects.toMatchObject({
			message: 'The list is incomplete: 1 entries came in the last of 4 tries',
			description: expect.stringContaining('Try again'),
		});
	});

	it('is read again where another total was told meanwhile', async () => {
		serveReadings(
			[part(3, 'a', 'b'), part(4, 'c', 'd')],
			[part(4, 'new', 'a'), part(4, 'b', 'c'), part(4, 'd')],
			[part(5, 'new', 'a'), part(5, 'b', 'c'), part(5, 'd')],
		);
		expect(await read()).toEqual(['new', 'a', 'b', 'c', 'd']);
	});

	it('is read again where the page behind the last one, which has no list, knows of more', async () => {
		const behind = json({ data: { things: null, total: 2 } });
		serveReadings([part(1, 'a'), behind], [part(2, 'a', 'b')]);
		expect(await read()).toEqual(['a', 'b']);
	});

	it('of two copies that answer in turn is that of the one that knows more', async () => {
		const sizes: Array<string | undefined> = [];
		service.answers = [
			(response, request) => {
				const { page: number, page_size: size } = queryOf(request);
				const ids = sizes.push(size) % 2 === 1 ? ['a'] : ['a', 'b'];
				part(ids.length, ...(number === '1' ? ids : []))(response, request);
			},
		];
		expect(await read()).toEqual(['a', 'b']);
		// The third request is there so that the next reading begins at the other copy
		expect(pagesAsked()).toEqual([1, 2, 1, 1, 2]);
		expect(new Set(sizes)).toEqual(new Set(['100']));
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
