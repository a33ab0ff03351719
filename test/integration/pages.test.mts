import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../nodes/shared/http/pages.ts';
import { listEntries, numberedPages } from '../../nodes/shared/http/pagination.ts';
import { isTransient } from '../../nodes/shared/http/request.ts';
import { broken, json, text } from '../engine/api.mts';
import { idsOf, LIST, page, queryOf, usePages } from './listPages.mts';

const { pagesAsked, servePages, service } = usePages();

const FROM_0 = { ...LIST, paging: numberedPages(0) };
const busy = (more: object = {}, ...ids: string[]) =>
	json({ data: { things: ids.map((id) => ({ id })) }, error: 'busy', ...more });

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

	it('is an error where it is refused in every size', async () => {
		const no = json({ detail: 'no' }, 422);
		service.answers = [no, no, no, page('a')];
		await expect(listEntries(await service.api(), LIST)).rejects.toMatchObject({ message: 'no' });
		expect(service.received.map(queryOf).map((query) => query.page_size)).toEqual([
			'100',
			'20',
			'10',
		]);
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

	it.each([
		['page 0 is empty beside a refusal, and so is the list', { 0: busy() }, 'it is empty'],
		['the same holds in its data', { 0: busy({ data: { ok: false, things: [] } }) }, 'it is empty'],
		['a page has entries', { 0: page('a'), 1: busy({}, 'b') }, 'a page after entry 1 has entries'],
		['the last page is empty', { 0: page('a'), 1: busy() }, 'a page after entry 1 is empty'],
	])('is incomplete beside a refusal: %s', async (_, pages, problem) => {
		servePages(pages);
		const error = await listEntries(await service.api(), FROM_0).catch((thrown: Error) => thrown);
		expect((error as Error).message).toContain(`The list is incomplete: ${problem}`);
		expect(isTransient(error as Error)).toBe(true);
	});

	it('begins at page 1, if that has entries, whatever the service says of page 0', async () => {
		servePages({ 0: busy(), 1: page('a') });
		expect(idsOf(await listEntries(await service.api(), FROM_0))).toEqual(['a']);
	});

	it('is an error where a page is refused: a part must not look like all', async () => {
		servePages({ 1: page('a'), 2: json({ detail: 'no' }, 422) });
		await expect(listEntries(await service.api(), LIST)).rejects.toMatchObject({
			message: 'The list is incomplete: a page after entry 1 could not be read: no',
			description: expect.stringContaining('Correct the fields'),
		});
		servePages({ 0: text('', 403) });
		await expect(
			listEntries(await service.api(), { ...LIST, paging: numberedPages(0) }),
		).rejects.toMatchObject({
			message: 'Permission denied (403)',
		});
		service.received.length = 0;
		service.answers = [broken('{', 422)];
		await expect(
			listEntries(await service.api(), { ...LIST, paging: numberedPages(0) }),
		).rejects.toThrow('The connection was lost while reading the response');
		// What broke says nothing of the number of the page
		expect(pagesAsked()).toEqual([0, 0, 0]);
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

	it('of which a later page cannot be read may be complete a moment later', async () => {
		for (const [problem, later] of [
			['The response does not contain the expected list', json({ data: {} })],
			['no', json({ detail: 'no' }, 422)],
		] as const) {
			servePages({ 1: page('a'), 2: later });
			const error = await listEntries(await service.api(), LIST).catch((thrown: Error) => thrown);
			expect(error).toMatchObject({
				message: `The list is incomplete: a page after entry 1 could not be read: ${problem}`,
			});
			expect(isTransient(error as Error)).toBe(true);
		}
	});

	it('is not called incomplete where a person ends the execution', async () => {
		const controller = new AbortController();
		servePages({ 1: page('a'), 2: () => controller.abort() });
		await expect(listEntries(await service.api(controller.signal), LIST)).rejects.toMatchObject({
			message: 'The execution was cancelled',
		});
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
		servePages({ 1: page({}) });
		await expect(listEntries(await service.api(), LIST)).rejects.toThrow('it has no fields');
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
