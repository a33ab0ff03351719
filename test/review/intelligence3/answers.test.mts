import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import { useStage } from '../intelligence2/play.mts';
import { json, pieces } from '../intelligence2/service.mts';

const stage = useStage();
const GENERATE = /POST \/api\/rag\/v3\/rag\/generate$/;
const RAG_QUERY = /POST \/api\/rag\/v3\/retrieval\/rag$/;
const AGENT = /POST \/api\/rag\/v3\/retrieval\/agent$/;

const generateNode = () =>
	rag('retrieval', 'generate', { promptName: locator('p'), query: 'What?', context: 'c' });
const queryNode = (options: IDataObject = {}) =>
	rag('retrieval', 'rag', { query: 'What?', topK: 5, options });
const agentNode = (options: IDataObject = {}) =>
	rag('retrieval', 'agent', { message: 'What?', options });

const event = (type: string, data: unknown) =>
	`event: ${type}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (content: unknown, finish: string | null = null) =>
	event('message', { choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const DONE = 'data: [DONE]\n\n';

describe('plain text that begins like JSON is an answer', () => {
	it.each([
		'{"name": ...} is the form of the body.',
		'{ "a" } is a set.',
		'{} is an empty object.',
		'{"quoted"} and more.',
		'[["a"]] is a list in a list.',
		'[[1]](https://example.com) says so.',
		'[{placeholder}] is replaced.',
		'["x", "y"] are the options.\nBoth are free.',
		'[[Link]] says so.',
		'{"a": 1} and {"b": 2} are both right.',
		'["first hour"] is never refunded',
	])('%s', async (text) => {
		stage.service.when(GENERATE, json(text, 200, { 'content-type': 'text/plain' }));
		const { items, error } = await stage.run(generateNode());
		expect(error?.message).toBeUndefined();
		expect(items[0]?.answer).toBe(text);
	});

	it.each([
		'{"results": {"generated_answer": "The first hour is',
		'{"results": {"answer": "The first", ',
		'\n{"results": {"answer": "The first"}',
		'{\n  "answer": "The first\\',
		'{"answer": "The first", "score": 0.',
		'{"answer": "The first", "cited": tru',
		'{"answer": "The first", "sco',
		'{"score": -1e, "answer": "The first',
		'{"score": NaN, "answer": "The first"',
		'[{"answer": "The first',
		'[["The first", "sec',
		'{"answer": "The first \\u00',
	])('JSON that is cut off is none: %s', async (text) => {
		stage.service.when(GENERATE, json(text));
		const { error, details } = await stage.run(generateNode());
		expect(error?.message).toContain('ended early');
		expect(String(details.partial)).toContain('The first');
	});
});

describe('a streamed answer', () => {
	it('keeps all digits of IDs', async () => {
		const parts = [
			'event: search_results\ndata: {"chunk_search_results": [{"id": 1234567890123456789}]}\n\n',
			'event: message\ndata: {"delta": {"content": "Hello"}}\n\n',
			'event: citation\ndata: {"id": 1234567890123456781, "payload": {"document_id": 1234567890123456783}}\n\n',
			'event: citation\ndata: {"id": 1234567890123456782}\n\n',
			'data: {"event": "citation", "data": {"id": 1234567890123456785}}\n\n',
			DONE,
		];
		stage.service.when(RAG_QUERY, pieces(parts));
		const { items, error } = await stage.run(queryNode({ stream: true }));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({
			generated_answer: 'Hello',
			search_results: { chunk_search_results: [{ id: '1234567890123456789' }] },
			citations: [
				{ id: '1234567890123456781', payload: { document_id: '1234567890123456783' } },
				{ id: '1234567890123456782' },
				{ id: '1234567890123456785' },
			],
		});
	});

	it.each([[{}], [[]], [null], [''], ['none'], [false], [{ message: '' }]])(
		'goes on beside the empty error %j',
		async (none) => {
			const parts = [
				event('message', { delta: { content: 'Hel' }, error: none }),
				event('message', { delta: { content: 'lo' }, error: none }),
				DONE,
			];
			stage.service.when(RAG_QUERY, pieces(parts));
			const { items, error } = await stage.run(queryNode({ stream: true }));
			expect(error?.message).toBeUndefined();
			expect(items[0]).toMatchObject({ generated_answer: 'Hello' });
		},
	);

	it.each(['length', 'content_filter', 'error', 'abort', 'max_tokens'])(
		'that ends with %s is truncated, also with [DONE]',
		async (finish) => {
			for (const [line, node] of [
				[RAG_QUERY, queryNode({ stream: true })],
				[AGENT, agentNode({ stream: true })],
			] as const) {
				stage.service.when(line, pieces([chunk('Hel'), chunk('lo', finish), DONE]));
				const { items } = await stage.run(node);
				expect(items[0]).toMatchObject({ generated_answer: 'Hello', truncated: true });
			}
		},
	);

	it('that ends with stop is not', async () => {
		stage.service.when(RAG_QUERY, pieces([chunk('Hello'), chunk('', 'stop'), DONE]));
		const { items } = await stage.run(queryNode({ stream: true }));
		expect(items[0]).not.toHaveProperty('truncated');
	});

	it('may have its text in parts', async () => {
		const part = (text: string) => [{ type: 'text', text }];
		stage.service.when(
			RAG_QUERY,
			pieces([chunk(part('Hel')), event('message', { delta: { content: part('lo') } }), DONE]),
		);
		const { items } = await stage.run(queryNode({ stream: true }));
		expect(items[0]).toMatchObject({ generated_answer: 'Hello' });
	});
});

describe('an answer in one piece', () => {
	const parts = [
		{ type: 'thinking', thinking: 'So.' },
		{ type: 'text', text: 'Hel' },
		{ type: 'text', text: 'lo' },
	];
	const choices = (content: unknown, finish: string) => ({
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
	});

	it.each([
		['as the content of a completion', choices(parts, 'stop')],
		['as the answer', { answer: parts }],
		['in the completion beside it', { completion: choices(parts, 'stop') }],
	])('may have its text in parts: %s', async (_, results) => {
		stage.service.when(GENERATE, json({ results }));
		const { items, error } = await stage.run(generateNode());
		expect(error?.message).toBeUndefined();
		expect(items[0]?.answer).toBe('Hello');
	});

	it('of the agent may have its text in parts', async () => {
		const messages = [
			{ role: 'user', content: 'What?' },
			{ role: 'assistant', content: parts },
		];
		stage.service.when(AGENT, json({ results: { messages, conversation_id: 'c' } }));
		const { items, error } = await stage.run(agentNode());
		expect(error?.message).toBeUndefined();
		expect(items[0]?.answer).toBe('Hello');
	});

	it.each(['length', 'content_filter', 'error'])(
		'that ends with %s is truncated',
		async (finish) => {
			stage.service.when(GENERATE, json(choices('Hello', finish)));
			expect((await stage.run(generateNode())).items[0]).toMatchObject({
				answer: 'Hello',
				truncated: true,
			});
			const results = { generated_answer: 'Hello', completion: choices('Hello', finish) };
			stage.service.when(RAG_QUERY, json({ results }));
			expect((await stage.run(queryNode())).items[0]).toMatchObject({
				generated_answer: 'Hello',
				truncated: true,
			});
			const messages = [{ role: 'assistant', content: 'Hello', finish_reason: finish }];
			stage.service.when(AGENT, json({ results: { messages } }));
			expect((await stage.run(agentNode())).items[0]).toMatchObject({
				answer: 'Hello',
				truncated: true,
			});
		},
	);

	it('that ends with stop is not', async () => {
		const results = { generated_answer: 'Hello', completion: choices('Hello', 'stop') };
		stage.service.when(RAG_QUERY, json({ results }));
		expect((await stage.run(queryNode())).items[0]).not.toHaveProperty('truncated');
	});
});
