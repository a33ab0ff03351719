import type { IDataObject, ISupplyDataFunctions, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	relevant,
	sendSearch,
	sourceOf,
	textOf,
} from '../../nodes/intelligence/retrieval/search.ts';
import { chunksIn, documentsIn } from '../../nodes/intelligence/retrieval/searchResults.ts';
import type { Retriever } from '../../nodes/RetrieverCompute/retriever.ts';
import { RetrieverCompute } from '../../nodes/RetrieverCompute/RetrieverCompute.node.ts';
import type { RequestContext } from '../../nodes/shared/http/request.ts';
import { Body, functionsOf, type Answered, type Asked } from './log-parts.mts';
import { message } from './parameters-form.mts';
import { contextOf, Documents } from './rag-parts.mts';
import { pass, useStillTime } from './still-time.mts';

const SEARCH = { query: 'q', top_k: 3, search_settings: { limit: 3 } };

describe('a search', () => {
	useStillTime();

	/** What becomes of it at a service that gives these answers, one after the other, the last one for good. */
	async function searched(...answers: Answered[]) {
		const documents = new Documents();
		documents.instead = () => (answers.length > 1 ? answers.shift() : answers[0]);
		const context = await contextOf({ documents });
		let outcome: unknown = 'none';
		void sendSearch(context, SEARCH).then(
			(response) => (outcome = response),
			(error: NodeApiError) => (outcome = error.message),
		);
		for (let seconds = 0; seconds < 20; seconds++) await pass(1_000);
		return { outcome, asked: documents.asked };
	}
	const REQUEST = 'POST /retrieval/search';
	const found = { results: { chunk_search_results: [] } };

	it('whose answer is lost is sent again', async () => {
		const lost = { body: new Body().write('{', new Error('reset')) };
		expect(await searched(lost, { json: found })).toEqual({
			outcome: found,
			asked: [REQUEST, REQUEST],
		});
	});

	it('is sent three times to a service that is down', async () => {
		expect(await searched({ status: 503, json: { detail: 'down' } })).toEqual({
			outcome: 'Server error (503): down',
			asked: [REQUEST, REQUEST, REQUEST],
		});
	});

	it.each([
		[{ other: 1 }, 'The response contains no search results'],
		[{ message: 'Hello', other: 1 }, 'The response contains no search results: Hello'],
	])('at another service is an error: %j', async (json, words) => {
		expect((await searched({ json })).outcome).toBe(words);
	});
});

describe('the results of a search', () => {
	const functions = functionsOf(() => ({}));
	const context = { functions } as unknown as RequestContext;
	const none = { chunk_search_results: [], document_search_results: [] };

	it.each<[string, IDataObject]>([
		['beside the results', { success: false, message: 'no index', results: none }],
		['among the results', { results: { ...none, error: 'no index' } }],
	])('are not taken for none where the service says no %s', (_, response) => {
		const words = 'The search found nothing, but the service says no: no index';
		expect(() => chunksIn(context, response)).toThrow(words);
		expect(() => documentsIn(context, response)).toThrow(words);
	});

	it('may be none', () => {
		expect(chunksIn(context, { results: none })).toEqual([]);
		expect(documentsIn(context, { results: none })).toEqual([]);
	});

	it('are taken although the service says no beside them', () => {
		const response = { success: false, results: { chunk_search_results: [{ id: 'a' }] } };
		expect(chunksIn(context, response)).toEqual([{ id: 'a' }]);
	});

	const one = { id: 'a', text: 'A' };
	const two = { id: 'b', content: 'B' };

	it.each<[string, unknown, unknown[]]>([
		['a list alone', [one], [one]],
		['a list in an envelope', { results: [one] }, [one]],
		['null in an envelope', { results: null }, []],
		['nothing in an envelope', { results: {} }, []],
		['lists without an envelope', { chunk_search_results: [one] }, [one]],
		['lists as data', { data: { chunk_search_results: [one] } }, [one]],
		['a list with nulls', { results: [null, one, null] }, [one]],
		['a list of another name', { results: { hybrid_search_results: [one, two] } }, [one, two]],
		[
			'a list of another name beside empty ones',
			{ a_search_results: null, b_search_results: [], c_search_results: [one] },
			[one],
		],
		['nothing under another name', { a_search_results: null }, []],
		['lists of another kind', { graph_search_results: [one], others: [two] }, []],
		['chunks beside another list', { a_search_results: [one], b_search_results: [{}] }, [one]],
	])('are chunks in %s', (_, response, chunks) => {
		expect(chunksIn(context, response)).toEqual(chunks);
	});

	const UNKNOWN = 'search results, but not in a form that is known';

	it.each<[string, unknown]>([
		['no search results', 'Hello'],
		['no search results', {}],
		['no search results', { results: 'Hello' }],
		['no search results', { results: { total: 1 } }],
		[UNKNOWN, { results: ['Hello'] }],
		[UNKNOWN, { a_search_results: [one, {}] }],
		[UNKNOWN, { a_search_results: [one], b_search_results: [two] }],
	])('are in the error where they cannot be read: %s in %j', (words, response) => {
		let error: NodeApiError | undefined;
		try {
			chunksIn(context, response);
		} catch (caught) {
			error = caught as NodeApiError;
		}
		expect(error?.message).toBe(`The response contains ${words}`);
		expect(error?.description).toBe(
			'The node may not know this version of the service. The details of this error contain the response.',
		);
		expect(error?.context.known).toEqual({ response });
	});

	it.each([
		[{ text: 'a', content: 'b' }, 'a'],
		[{ content: 'b' }, 'b'],
		[{ text: null, content: 'b' }, 'b'],
		[{ text: 7, content: 'b' }, 'b'],
		[{ text: 7 }, ''],
		[{}, ''],
	])('have a text under two names: that of %j is %j', (chunk, text) =>
		expect(textOf(chunk)).toBe(text),
	);

	it.each<[IDataObject, string]>([
		[{ metadata: { title: 'T', file_name: 'f.pdf' }, document_id: 'd' }, 'T'],
		[{ metadata: { title: 2025, file_name: 'f.pdf' }, document_id: 'd' }, '2025'],
		[{ metadata: { title: '', file_name: 'f.pdf' }, document_id: 'd' }, 'f.pdf'],
		[{ metadata: { title: null, source: 'https://a' }, document_id: 'd' }, 'https://a'],
		[{ metadata: 'none', document_id: 'd' }, 'd'],
		[{}, 'unknown'],
	])('have a source: that of %j is %s', (chunk, source) => expect(sourceOf(chunk)).toBe(source));

	it('are relevant from the minimum score on, as number or text', () => {
		const chunks = [0.9, '0.5', 0.4, null].map((score, index) => ({ id: index, text: 'x', score }));
		const ids = (minScore?: number) => relevant(context, chunks, minScore).map(({ id }) => id);
		expect(ids(0.5)).toEqual([0, 1]);
		expect(ids()).toEqual([0, 1, 2, 3]);
	});
});

describe('the retriever', () => {
	const chunk = (id: string, score: number) => ({ id, text: `Text ${id}`, score });

	/** A retriever with these options, and what it sends and shows in the log of n8n. */
	async function supplied(options: IDataObject) {
		const sent: IDataObject[] = [];
		const logs: unknown[] = [];
		const answer = (asked: Asked) => {
			sent.push(JSON.parse((asked as unknown as { body: string }).body) as IDataObject);
			return { json: { results: { chunk_search_results: [chunk('a', 0.9), chunk('b', 0.1)] } } };
		};
		const values: IDataObject = { authentication: 'apiKey', topK: 5, options };
		const functions = functionsOf(answer, {
			getNodeParameter: (name: string) => values[name],
			getExecutionCancelSignal: () => undefined,
			getCredentials: async () =>
				await Promise.resolve({
					baseUrl: 'https://service.test',
					ragSegment: 'rag',
					apiKey: 'k-1',
				}),
			addInputData: (...data: unknown[]) => ({ index: logs.push(data) + 6 }),
			addOutputData: (...data: unknown[]) => void logs.push(data),
		}) as unknown as ISupplyDataFunctions;
		const { response } = await new RetrieverCompute().supplyData.call(functions, 0);
		return { retriever: response as Retriever, sent, logs };
	}
	const ids = async (options: IDataObject) => {
		const { retriever } = await supplied(options);
		return (await retriever.invoke('Why?')).map(({ id }) => id);
	};

	it('searches for what it is asked', async () => {
		const { retriever, sent } = await supplied({});
		await retriever.invoke('Why?');
		await retriever({ input: 'How?' });
		expect(sent).toMatchObject([
			{ query: 'Why?', top_k: 5 },
			{ query: 'How?', top_k: 5 },
		]);
	});

	it('gives the chunks that reach the minimum score, if there is one', async () => {
		expect(await ids({})).toEqual(['a', 'b']);
		expect(await ids({ minScore: 0.5 })).toEqual(['a']);
		expect(await ids({ minScore: 0.5, includeScores: true })).toEqual(['a']);
		expect(await ids({ includeScores: false })).toEqual(['a', 'b']);
	});

	it('needs the scores for a minimum', async () => {
		const error = await supplied({ minScore: 0, includeScores: false }).catch(
			(caught: Error) => caught,
		);
		const thrown = () => {
			throw error as Error;
		};
		expect(message(thrown)).toBe('Options: Minimum Score needs the option Include Scores');
	});

	it('shows the query and the documents in the log of n8n', async () => {
		const { retriever, logs } = await supplied({ minScore: 0.5 });
		const response = await retriever.invoke('Why?');
		expect(response).toHaveLength(1);
		expect(logs).toEqual([
			['ai_retriever', [[{ json: { query: 'Why?' } }]]],
			['ai_retriever', 7, [[{ json: { response } }]]],
		]);
	});

	it('shows its error in the log of n8n', async () => {
		const { retriever, logs, sent } = await supplied({});
		const error = await retriever.invoke(' ').catch((caught: Error) => caught);
		expect(error).toMatchObject({ message: 'The query is empty or not a text' });
		expect(logs).toEqual([
			['ai_retriever', [[{ json: { query: ' ' } }]]],
			['ai_retriever', 7, error],
		]);
		expect(sent).toEqual([]);
	});
});
