import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag, RETRY } from '../../engine/nodes.mts';
import { event, type Json, lost, type Reply, whole } from '../intelligence4/service.mts';
import { askDocuments, GENERATE, SEARCH, useStage } from '../intelligence4/stage.mts';
import { pieces, word } from './service.mts';
import { KEY, R } from './stage.mts';

const stage = useStage(KEY);
const RAG = R('POST', '/retrieval/rag');
const AGENT = R('POST', '/retrieval/agent');

describe('RAG Query in a stream', () => {
	const final = event(
		{ id: 'f', object: 'rag.final_answer', generated_answer: 'Grüße', citations: [] },
		'final_answer',
	);
	const query = (settings = {}) =>
		rag('retrieval', 'rag', { query: 'q', topK: 2, options: { stream: true } }, settings);

	it('keeps an answer that an error comes after', async () => {
		const late = event({ error: 'metering failed' }, 'error');
		stage.service.on(RAG, pieces([word('Grü'), word('ße'), final, late]));
		const { items } = await stage.run(query(RETRY));
		expect(stage.service.of(RAG)).toHaveLength(1);
		expect(items).toMatchObject([{ generated_answer: 'Grüße' }]);
	});

	it('reads byte by byte, with CRLF and comments, and keeps an answer that the connection is cut after', async () => {
		const lines = `: hi\n\n${word('Grü')}:\n${word('ße')}${final}`.replaceAll('\n', '\r\n');
		const bytes = Array.from(Buffer.from(lines), (byte) => Buffer.from([byte]));
		stage.service.on(RAG, pieces(bytes, 'cut'));
		const { items } = await stage.run(query());
		expect(items).toMatchObject([{ generated_answer: 'Grüße' }]);
	});

	it('has the words that came in the error, where it is cut before the answer', async () => {
		stage.service.on(RAG, pieces([word('Grü'), word('ße')], 'cut'));
		const { message, known } = await stage.run(query());
		expect(message).toContain('ended early');
		expect(known).toMatchObject({ partial: { generated_answer: 'Grüße' } });
	});
});

it.each<[string, Reply, string]>([
	['a page', whole('<html><title>Sign in</title></html>', 200, 'text/event-stream'), 'ended early'],
	['a no in a 200', whole({ detail: `No ${KEY}` }), 'says no: No ***'],
	['an error event', pieces([event({ detail: 'quota' }, 'error')]), 'with an error: quota'],
])('what is no answer of an agent in a stream is an error: %s', async (_world, reply, words) => {
	stage.service.on(AGENT, reply);
	const { message, all } = await stage.run(
		rag('retrieval', 'agent', { message: 'x', options: { stream: true } }),
	);
	expect(message).toContain(words);
	expect(all).not.toContain(KEY);
});

it('the ID of a conversation keeps its 19 digits', async () => {
	const body =
		'{"results":{"messages":[{"role":"assistant","content":"ok"}],"conversation_id":1234567890123456789}}';
	stage.service.on(AGENT, whole(body));
	const { items } = await stage.run(rag('retrieval', 'agent', { message: 'x', options: {} }));
	expect(String(items[0]?.conversation_id)).toBe('1234567890123456789');
});

describe('Generate', () => {
	const generate = async () =>
		await stage.run(
			rag('retrieval', 'generate', { promptName: locator('p'), query: 'q', context: 'c' }, RETRY),
		);
	const choices = [{ message: { content: 'the answer' }, finish_reason: 'stop' }];

	it.each<[string, unknown]>([
		['a text', '"the answer"'],
		['in a completion', { results: { completion: { choices } } }],
		['a text as results', { results: 'the answer' }],
	])('finds the answer: %s', async (_world, body) => {
		stage.service.on(GENERATE, whole(body));
		expect((await generate()).items).toMatchObject([{ answer: 'the answer' }]);
		expect(stage.service.of(GENERATE)).toHaveLength(1);
	});

	it.each<[string, unknown, string, IDataObject]>([
		['a number', { results: 42 }, 'contains no answer', { response: { results: 42 } }],
		['null', { results: null }, 'contains no answer', { response: { results: null } }],
		[
			'a no',
			{ success: false, error: null, results: {} },
			'contains no answer',
			{ response: { success: false } },
		],
		[
			'cut',
			'{"results":{"answer":"the ans',
			'its JSON is cut off',
			{ partial: '{"results":{"answer":"the ans' },
		],
		[
			'cut in a list',
			'[{"answer":"the ans"},',
			'its JSON is cut off',
			{ partial: '[{"answer":"the ans"},' },
		],
	])('is tried again, and has in the error what came: %s', async (_world, body, words, came) => {
		stage.service.on(GENERATE, whole(body));
		const { message, known } = await generate();
		expect(message).toContain(words);
		expect(known).toMatchObject(came);
		expect(stage.service.of(GENERATE)).toHaveLength(3);
	});

	it('has no answer where it is queued with 202, and is sent once', async () => {
		stage.service.on(GENERATE, whole({ results: { message: 'queued', task_id: 't' } }, 202));
		expect((await generate()).items).toMatchObject([{ answer: null, task_id: 't' }]);
		expect(stage.service.of(GENERATE)).toHaveLength(1);
	});
});

describe('Ask', () => {
	const search = (chunks: Json[], more: Json = {}): Json => ({
		results: { chunk_search_results: chunks, ...more },
	});

	it('searches again after a loss, and does not pay again for a lost answer', async () => {
		const found = search([
			{ id: 1, document_id: 7, score: '0.9', text: 'c', metadata: null },
			{ id: 2, document_id: 7, score: null, text: null },
		]);
		stage.service.on(SEARCH, lost, lost, whole(found));
		stage.service.on(GENERATE, lost, whole({ results: { answer: 'yes' } }));
		const { message } = await stage.run(askDocuments());
		expect(stage.service.of(GENERATE)).toHaveLength(1);
		expect(message).toMatch(/lost/);
	});

	it('takes no word about a queue for the answer', async () => {
		stage.service.on(SEARCH, whole(search([{ id: 1, document_id: 'd', text: 'c', score: 1 }])));
		stage.service.on(GENERATE, whole({ results: { message: 'queued', task_id: 't1' } }, 202));
		const { items, message } = await stage.run(askDocuments());
		expect(items).toEqual([]);
		expect(message).toContain('contains no answer');
	});

	const words = 'vector index is being built';
	it.each<[string, Json]>([
		['an error in the results', search([], { error: words })],
		['an error beside them', { ...search([]), error: { message: words } }],
		['no success', { ...search([]), success: false, message: words }],
	])('tells why nothing was found: %s', async (_world, body) => {
		stage.service.on(SEARCH, whole(body));
		expect((await stage.run(askDocuments())).message).toContain(words);
	});
});

describe('the retriever', () => {
	const invoke = async (body: unknown) => {
		stage.service.on(SEARCH, whole(body));
		return await (await stage.retriever()).invoke('q');
	};

	it.each<[string, unknown, string[]]>([
		[
			'scores as text, null, and none',
			{
				results: {
					chunk_search_results: [
						{ id: 1, text: 'b', score: '0.2' },
						{ id: 2, text: 'a', score: '0.9' },
						{ id: 3, text: 'c', score: null },
						null,
					],
				},
			},
			['a', 'b', 'c'],
		],
		['a list alone', { results: [{ id: 'x', text: 'a', score: 1 }] }, ['a']],
		['under data', { data: { chunk_search_results: [{ id: 1, text: 'b', score: 1 }] } }, ['b']],
	])('has what was found, the best first: %s', async (_world, body, found) => {
		expect((await invoke(body)).map(({ pageContent }) => pageContent)).toEqual(found);
	});

	it.each<[string, unknown, string]>([
		['a page', '<html></html>', 'an HTML page instead of JSON'],
		['a form that is not known', { results: { hits: [{ body: 'x' }] } }, 'no search results'],
		['an error', { results: { error: 'index is being built' } }, 'index is being built'],
		[
			'nothing, and an error',
			{ results: { chunk_search_results: [], error: 'index is being built' } },
			'found nothing, but the service says no: index is being built',
		],
	])('tells what is no result: %s', async (_world, body, words) => {
		await expect(invoke(body)).rejects.toThrow(words);
	});
});
