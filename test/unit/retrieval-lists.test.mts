import type { IDataObject, ILoadOptionsFunctions, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { confirmAbsent } from '../../nodes/intelligence/retrieval/absence.ts';
import { listResults } from '../../nodes/intelligence/retrieval/list.ts';
import { searchIndices } from '../../nodes/intelligence/retrieval/listSearch.ts';
import { vectorIndex } from '../../nodes/Rag/resources/vectorIndex.ts';
import { apiError } from '../../nodes/shared/http/errors.ts';
import { findOperation } from '../../nodes/shared/operation/operation.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import type { Answered } from './log-parts.mts';
import { node } from './parameters-form.mts';
import { contextOf, Documents } from './rag-parts.mts';

/** What an operation gets at a service that answers so. */
async function contextAt(answers: Record<string, Answered>) {
	const documents = new Documents();
	documents.instead = (request) => answers[request];
	return { documents, context: await contextOf({ documents }) };
}

/** A list that comes whole, and its path. */
const PATH = '/conversations';
const listOf = (...results: IDataObject[]) => ({ [`GET ${PATH}`]: whole(results) });
const whole = (results: IDataObject[]): Answered => ({
	json: { results, total_entries: results.length },
});

describe('that a thing is gone', () => {
	/** What the error of the 404 says in the end; undefined where the thing is gone. */
	async function found(
		answers: Record<string, Answered>,
		fields: Record<string, string> = { id: 'D1' },
		advice: string | undefined = 'Check the ID.',
	) {
		const { context } = await contextAt(answers);
		const notFound = apiError(node, { message: 'Not found (404)', description: advice });
		const error = await confirmAbsent(context, { list: { path: PATH }, fields }, notFound).then(
			() => undefined,
			(caught: NodeApiError) => caught,
		);
		if (error) expect(error).toBe(notFound);
		return error?.description;
	}
	const THERE = 'It is not known to be gone: its list has it. Check the ID.';

	it('is known where its list does not have it', async () => {
		expect(await found(listOf())).toBeUndefined();
		expect(await found(listOf({ id: 'other' }))).toBeUndefined();
	});

	it('is not known where its list has it, in whatever case', async () => {
		expect(await found(listOf({ id: 'other' }, { id: 'd1' }))).toBe(THERE);
	});

	it('is not known where an entry may be it', async () => {
		expect(await found(listOf({ title: 'without an ID' }))).toBe(THERE);
	});

	it('is known where each entry differs in one field', async () => {
		const fields = { table_name: 'chunks', name: 'a' };
		const others = listOf({ table_name: 'chunks', name: 'b' }, { table_name: 'graphs', name: 'a' });
		expect(await found(others, fields)).toBeUndefined();
		expect(await found(listOf(fields), fields)).toBe(THERE);
	});

	it('is not known where its list cannot be read', async () => {
		const refused = { status: 403, json: { detail: 'not yours.' } };
		expect(await found({ [`GET ${PATH}`]: refused })).toBe(
			'It is not known to be gone: its list could not be read: Permission denied (403): not yours. Check the ID.',
		);
	});

	it('is not asked for once the execution is cancelled', async () => {
		const { context, documents } = await contextAt(listOf());
		const cancelled = { ...context, signal: AbortSignal.abort() };
		const notFound = apiError(node, { message: 'Not found (404)' });
		await expect(
			confirmAbsent(cancelled, { list: { path: PATH }, fields: { id: 'd' } }, notFound),
		).rejects.toThrow('The execution was cancelled');
		expect(documents.asked).toEqual([]);
	});
});

describe('a list of the service', () => {
	const at = (id: string, day: number) => ({ id, created_at: `2026-03-0${day}T10:00:00Z` });

	async function newestLast(entries: IDataObject[], limit?: number) {
		const { context } = await contextAt(listOf(...entries));
		const all = await listResults(context, { path: PATH, isNewestLast: true }, limit);
		return all.map(({ id }) => id);
	}

	it('with its newest entry first is turned round where they are wanted last', async () => {
		expect(await newestLast([at('b', 2), at('c', 3), at('a', 1)])).toEqual(['a', 'c', 'b']);
		expect(await newestLast([at('c', 3), at('b', 2), at('a', 1)], 2)).toEqual(['b', 'c']);
	});

	it('with its newest entry last stays as it is', async () => {
		expect(await newestLast([at('a', 1), at('b', 2), at('c', 3)], 2)).toEqual(['b', 'c']);
	});

	it('that is empty or shows no times stays as it is', async () => {
		expect(await newestLast([])).toEqual([]);
		expect(await newestLast([{ id: 'b' }, { id: 'a' }])).toEqual(['b', 'a']);
	});

	/** What comes of pages of at most 100 entries, each with what it tells as the total. */
	async function pagesOf(...pages: Array<[from: number, to: number, total: number]>) {
		const documents = new Documents();
		const queue = [...pages];
		documents.instead = () => {
			const [from, to, total] = queue.shift() ?? [0, 0, 0];
			const results = Array.from({ length: to - from }, (_, at) => ({ id: `d${from + at}` }));
			return { json: { results, total_entries: total } };
		};
		const context = await contextOf({ documents });
		return await listResults(context, { path: PATH }).then(
			(all) => all.length,
			({ message }: Error) => message,
		);
	}

	it('is whole where the total of each page is that of its own entries, up to an empty page', async () => {
		expect(await pagesOf([0, 100, 100], [100, 200, 100], [200, 250, 50], [250, 250, 0])).toBe(250);
	});

	it('is read again where a page tells a smaller total than the one before, and has fewer', async () => {
		expect(
			await pagesOf(
				[0, 2, 4],
				[2, 3, 3],
				[0, 2, 4],
				[2, 3, 3],
				[0, 2, 4],
				[2, 3, 3],
				[0, 2, 3],
				[2, 3, 3],
			),
		).toBe(3);
	});

	it.each([
		['text', ['1', '2', '3']],
		['numbers', [1, 2, 3]],
	])('has an entry once that comes on two pages, by IDs that are %s', async (_, ids) => {
		const [first, second, third] = ids;
		const pages = [
			[{ id: first }, { id: second, state: 'old' }],
			[{ id: second, state: 'new' }, { id: third }],
		];
		const documents = new Documents();
		documents.instead = () => ({ json: { results: pages.shift() ?? [] } });
		const context = await contextOf({ documents });
		expect(await listResults(context, { path: PATH })).toEqual([
			{ id: first },
			{ id: second, state: 'new' },
			{ id: third },
		]);
	});
});

const INDICES = (...indices: IDataObject[]): Record<string, Answered> => ({
	'GET /indices': { json: { results: { indices }, total_entries: indices.length } },
});

describe('the choice of an index', () => {
	/** The names that the list shows where the form names this table. */
	async function shown(table: unknown, ...indices: IDataObject[]) {
		const { context } = await contextAt(INDICES(...indices));
		const functions = { ...context.functions, getCurrentNodeParameter: () => table };
		const { results } = await searchIndices.call(functions as unknown as ILoadOptionsFunctions);
		return results;
	}
	const row = (name: string) => ({ name, value: name });
	const all = [
		{ name: 'c', table_name: 'chunks' },
		{ name: 'a', table_name: 'graphs' },
		{ name: 'b' },
	];

	it('has those of the table, and those of which no table is shown, by name', async () => {
		expect(await shown('chunks', ...all)).toEqual([row('b'), row('c')]);
	});

	it.each([undefined, ''])('has all where the table is %j', async (table) => {
		expect(await shown(table, ...all)).toEqual([row('a'), row('b'), row('c')]);
	});
});

describe('an index', () => {
	const operation = (value: string) => {
		const found = findOperation([vectorIndex], 'index', value);
		if (!found) throw new Error(`No operation ${value}`);
		return found;
	};
	const form = (name: string, values: Record<string, unknown>) => {
		const { fields } = operation(name);
		return new Parameters(node, 0, fields, (field) => values[field]);
	};

	it.each([
		['', undefined],
		[' mine ', 'mine'],
	])('is made with a name or without one: %j', (name, sent) => {
		const values = { indexTable: 'chunks', indexMethod: 'hnsw', indexMeasure: 'l2', name };
		const input = operation('create').input(form('create', values), () => undefined);
		expect(input).toMatchObject({
			body: {
				config: { table_name: 'chunks', name: sent, index_method: 'hnsw', index_measure: 'l2' },
			},
		});
	});

	async function removed(...indices: IDataObject[]) {
		const gone = { status: 404, json: { detail: 'no such index' } };
		const { context } = await contextAt({
			'DELETE /indices/chunks/a': gone,
			...INDICES(...indices),
		});
		const { input, run } = operation('delete');
		const values = { tableName: 'chunks', indexName: 'a' };
		return await run(
			context,
			input(form('delete', values), () => undefined),
		);
	}

	it('counts as deleted where its list has others of its table or its name alone', async () => {
		const others = [
			{ table_name: 'chunks', name: 'b' },
			{ table_name: 'graphs', name: 'a' },
		];
		expect(await removed(...others)).toEqual([
			{ deleted: true, already_gone: true, table_name: 'chunks', index_name: 'a' },
		]);
	});

	it('does not count as deleted where its list has it', async () => {
		await expect(removed({ index: { table_name: 'chunks', name: 'a' } })).rejects.toMatchObject({
			message: 'Not found (404): no such index',
			description: expect.stringContaining('its list has it') as string,
		});
	});
});
