import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import { useStage } from './play.mts';
import { json, pieces, type Fields } from './service.mts';

const stage = useStage();
const SEARCH = /POST \/api\/rag\/v3\/retrieval\/search$/;
const GENERATE = /POST \/api\/rag\/v3\/rag\/generate$/;
const AGENT = /POST \/api\/rag\/v3\/retrieval\/agent$/;

const askNode = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'ask', { query: 'What?', topK: 5, promptName: locator('p'), options }, settings);
const agentNode = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'agent', { message: 'What?', options }, settings);
const searchNode = (options: IDataObject = {}) =>
	rag('retrieval', 'search', { query: 'What?', topK: 5, options });

const found = (chunks: unknown) => json({ results: { chunk_search_results: chunks } });
const CHUNKS = [
	{ id: 'a', document_id: 'd', score: 0.9, text: 'first', metadata: { title: 'T' } },
	{ id: 'b', document_id: 'd', score: 0.2, text: 'second', metadata: null },
];
const event = (type: string, data: unknown) =>
	`event: ${type}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (value: string) => ({ delta: { content: [{ type: 'text', payload: { value } }] } });

describe('Search', () => {
	it.each<[string, unknown]>([
		['null', { chunk_search_results: null }],
		['a list', []],
		['null in all', null],
		['nothing', {}],
		['other lists alone', { graph_search_results: [{ id: 'g' }] }],
	])('results that are %s are no chunk', async (_, results) => {
		stage.service.when(SEARCH, json({ results }));
		const { items, error } = await stage.run(searchNode());
		expect(error?.message).toBeUndefined();
		expect(items).toEqual([]);
		expect((await stage.run(askNode())).items[0]).toMatchObject({ found: false, sources: [] });
		expect(stage.service.asked(GENERATE)).toEqual([]);
	});

	it.each<[string, unknown]>([
		['no envelope', { data: 1 }],
		['results that are text', { results: 'x' }],
		['an error with 200', { results: { message: 'index is gone' } }],
		['chunks under another name', { results: { hits: [{ text: 'x' }] } }],
	])('%s is an error, not a search that found nothing', async (_, body) => {
		stage.service.when(SEARCH, json(body));
		expect((await stage.run(searchNode())).error).toBeDefined();
	});

	it('scores as text count, those that are none do not reach a minimum', async () => {
		stage.service.when(
			SEARCH,
			found([
				{ ...CHUNKS[0], score: '0.9' },
				{ ...CHUNKS[1], score: 'high' },
				{ id: 'c', text: 'x', score: null },
			]),
		);
		stage.service.when(GENERATE, json({ results: 'yes' }));
		const { items } = await stage.run(askNode({ minScore: 0.5 }));
		expect((items[0]?.sources as Fields[]).map(({ chunk_id: id }) => id)).toEqual(['a']);
	});

	it('is sent with both limits, and a service that heeds none brings no more', async () => {
		stage.service.when(
			SEARCH,
			found(Array.from({ length: 50 }, (_, n) => ({ id: String(n), text: 'x', score: 1 }))),
		);
		expect((await stage.run(searchNode())).items).toHaveLength(5);
		expect(stage.service.asked(SEARCH)[0]?.body).toMatchObject({
			top_k: 5,
			search_settings: { limit: 5 },
		});
	});
});

describe('Agent', () => {
	it('a conversation that is gone is the error of the service, and nothing is asked again', async () => {
		stage.service.when(AGENT, json({ detail: { message: 'Conversation not found' } }, 404));
		const { words } = await stage.run(
			agentNode({ conversationId: locator('11111111-1111-4111-8111-111111111111') }),
		);
		expect(words).toMatch(/Conversation not found/);
		expect(stage.service.asked(AGENT)).toHaveLength(1);
	});

	it.each<[string, unknown]>([
		[
			'with tool messages in between',
			[
				{ role: 'user', content: 'What?' },
				{ role: 'assistant', content: 'I look' },
				{ role: 'tool', content: '{}' },
				{ role: 'assistant', content: 'Hello' },
			],
		],
		['with metadata of null', [{ role: 'assistant', content: 'Hello', metadata: null }]],
	])('the last message is the answer: %s', async (_, messages) => {
		stage.service.when(AGENT, json({ results: { messages, conversation_id: 'c' } }));
		expect((await stage.run(agentNode())).items[0]).toMatchObject({
			answer: 'Hello',
			conversation_id: 'c',
		});
	});

	it.each<[string, unknown]>([
		[
			'of the last turn',
			[
				{ role: 'assistant', content: 'Hello' },
				{ role: 'user', content: 'What?' },
			],
		],
		['null', [{ role: 'assistant', content: null, tool_calls: [] }]],
		['none', []],
	])('an answer that is %s is none', async (_, messages) => {
		stage.service.when(AGENT, json({ results: { messages, conversation_id: 'c' } }));
		const { error, details } = await stage.run(agentNode());
		expect(error?.message).toMatch(/no answer/);
		expect(JSON.stringify(details)).toContain('"c"');
	});

	it('a streamed one says which conversation it is', async () => {
		stage.service.when(
			AGENT,
			pieces([
				event('thinking', delta('hm')),
				event('tool_call', { name: 'search', arguments: '{}' }),
				event('tool_result', { content: 'x' }),
				event('message', delta('Hel')),
				event('message', delta('lo')),
				event('final_answer', { generated_answer: 'Hello', conversation_id: 'c' }),
				'data: [DONE]\n\n',
			]),
		);
		expect((await stage.run(agentNode({ stream: true }))).items[0]).toMatchObject({
			answer: 'Hello',
			conversation_id: 'c',
		});
	});
});
