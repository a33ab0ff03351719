import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import type { Call, Json, Said } from '../intelligence7/service.mts';
import { useStage } from '../intelligence7/stage.mts';
import { deleteMany, onShelf } from '../intelligence8/shelf.mts';

// Independent review: documents, deletions, lists and answers
const stage = useStage();

const shelf = onShelf(stage);

const ID = '3e157b3a-8469-51db-90d9-52e7d896b49b';
const COMPOSED = 'r\u00e9sum\u00e9.pdf';
const DECOMPOSED = 're\u0301sume\u0301.pdf';

/** What may match as well as not is not deleted (docs/rag.md "Delete documents by a filter"). */
describe('Delete Many keeps a document', () => {
	it.each<[world: string, document: Json, filter: Json]>([
		[
			'whose value is no number, compared with the text of one ($gt)',
			{ metadata: { pages: 'unknown' } },
			{ pages: { $gt: '9' } },
		],
		[
			'whose version has three numbers, compared with one ($lt)',
			{ metadata: { release: '10.1.2' } },
			{ release: { $lt: '9' } },
		],
		[
			'whose number has a comma between its digits ($lt)',
			{ metadata: { pages: '1,000' } },
			{ pages: { $lt: '2' } },
		],
		[
			'of the version that the engine gives, compared with a number ($gte)',
			{ version: 'v0', metadata: {} },
			{ version: { $gte: '2' } },
		],
		[
			'whose owner is written in capitals in the filter ($ne)',
			{ owner_id: ID, metadata: {} },
			{ owner_id: { $ne: ID.toUpperCase() } },
		],
		[
			'whose ID is in the list to keep, in capitals ($nin)',
			{ metadata: {} },
			{ document_id: { $nin: [ID.toUpperCase()] } },
		],
		[
			'whose title is in the list of files, its accents written apart ($nin)',
			{ title: COMPOSED, metadata: {} },
			{ title: { $nin: [DECOMPOSED] } },
		],
		['without the field ($nin)', { metadata: {} }, { k: { $nin: ['a'] } }],
		['with null in the field ($ne)', { metadata: { k: null } }, { k: { $ne: 'a' } }],
	])('%s', async (_world, document, filter) => {
		const documents: Record<string, Json> = { [ID]: document };
		shelf(documents);
		await stage.run(deleteMany(filter));
		expect(Object.keys(documents)).toEqual([ID]);
	});
});

/** Answers with 200 of a service that has deleted nothing. */
const KEPT: Array<[world: string, body: unknown]> = [
	['deleted: 0', { results: { deleted: 0 } }],
	['a list with a no', { results: [{ document_id: ID, deleted: false, reason: 'locked' }] }],
	['a success with a no in it', { success: true, results: { deleted: 'false' } }],
	['status failed', { results: { status: 'failed', message: 'Document is locked' } }],
	['deleted_count: 0', { results: { deleted_count: 0 } }],
	['deleted: [] beside what failed', { results: { deleted: [], failed: [ID] } }],
	['is_deleted: false', { results: { is_deleted: false, message: 'Document is locked' } }],
	['an error type', { message: 'Document is locked', error_type: 'R2RException' }],
];

describe.each(KEPT)('a deletion that is answered with %s', (_world, body) => {
	it.each([
		['Delete', rag('document', 'delete', { documentId: ID })],
		['Delete Many', deleteMany({ k: { $eq: 'v' } })],
	])('is not called done: %s', async (_name, node) => {
		const documents: Record<string, Json> = { [ID]: { metadata: { k: 'v' } } };
		shelf(documents, () => ({ body }));
		const { items } = await stage.run(node);
		expect(items.map(({ deleted }) => deleted)).not.toContain(true);
	});
});

/** What the pages of a service say of their number. */
const TOTALS: Array<[world: string, total: (all: number, page: number) => Json]> = [
	['nothing', () => ({})],
	['all of them', (all) => ({ total_entries: all })],
	['all of them, as text', (all) => ({ total_entries: String(all) })],
	['null', () => ({ total_entries: null })],
	['none', () => ({ total_entries: 0 })],
	['those of the page', (_all, page) => ({ total_entries: page })],
];

describe.each(TOTALS)('a list of 250 in pages of 100 that tell %s', (_world, totalOf) => {
	const all = Array.from({ length: 250 }, (_, at) => ({ id: `d${at}`, title: `t${at}` }));
	const pages = ({ query }: Call): Said => {
		const offset = Number(query.get('offset') ?? 0);
		const size = Math.min(100, Number(query.get('limit') ?? 100));
		const results = all.slice(offset, offset + size);
		return { body: { results, ...totalOf(all.length, results.length) } };
	};

	it.each<[string, IDataObject, number]>([
		['Return All', { returnAll: true }, 250],
		['a limit of 150', { returnAll: false, limit: 150 }, 150],
		['a limit of 100', { returnAll: false, limit: 100 }, 100],
	])('is read as it is asked for: %s', async (_name, parameters, count) => {
		stage.service.answer = pages;
		const { items, message } = await stage.run(rag('document', 'getAll', parameters));
		expect(message).toBe('');
		expect(new Set(items.map(({ id }) => id)).size).toBe(count);
	});
});

/** Asks with a search of one answer and an answer of another. */
async function ask(found: unknown, answered: unknown, options: IDataObject = {}) {
	stage.service.answer = ({ line }) => ({ body: line.includes('generate') ? answered : found });
	const parameters = { query: 'why?', topK: 3, promptName: locator('rag'), options };
	return await stage.run(rag('retrieval', 'ask', parameters));
}

const CHUNK = { id: 'k1', document_id: 'a', text: 'because', score: 0.9 };
const searchOf = (...chunks: Json[]) => ({ results: { chunk_search_results: chunks } });

describe('Ask', () => {
	it.each<[string, unknown]>([
		['null beside an error', { results: { chunk_search_results: null }, error: 'index is down' }],
		['an empty list beside a no', { success: false, results: [], message: 'index is down' }],
		['nothing but words', { message: 'index is down' }],
	])('does not say that nothing is found where the search answers %s', async (_world, found) => {
		const told = await ask(found, { results: { answer: 'x' } });
		expect(told.items).toEqual([]);
		expect(told.message).not.toBe('');
	});

	it.each<[string, unknown]>([
		['no words', { results: { answer: ' ' }, error: 'GPU was lost' }],
		[
			'a refusal of the model',
			{ choices: [{ message: { content: null, refusal: 'GPU was lost' } }] },
		],
		['a no', { results: { success: false, message: 'GPU was lost' } }],
	])('has no answer where the service answers %s, and says why', async (_world, answered) => {
		const told = await ask(searchOf(CHUNK), answered);
		expect(told.items).toEqual([]);
		expect(told.all).toContain('GPU was lost');
	});

	it('compares scores that are texts', async () => {
		const chunks = searchOf({ ...CHUNK, score: '0.9' }, { ...CHUNK, id: 'k2', score: '0.1' });
		const told = await ask(chunks, { results: { answer: 'so' } }, { minScore: 0.5 });
		expect(told.message).toBe('');
		expect(told.items).toMatchObject([{ answer: 'so', sources: [{ chunk_id: 'k1' }] }]);
	});

	it('says that an answer is not whole', async () => {
		const answered = {
			results: { choices: [{ message: { content: 'so' }, finish_reason: 'length' }] },
		};
		const { items } = await ask(searchOf(CHUNK), answered);
		expect(items).toMatchObject([{ answer: 'so', truncated: true }]);
	});
});
