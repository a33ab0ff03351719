import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag, RETRY } from '../../engine/nodes.mts';
import { KEY, useStage } from './play.mts';
import { hangUp, json, pieces, type Answer } from './service.mts';

const stage = useStage();
const SEARCH = /POST \/api\/rag\/v3\/retrieval\/search$/;
const GENERATE = /POST \/api\/rag\/v3\/rag\/generate$/;
const RAG_QUERY = /POST \/api\/rag\/v3\/retrieval\/rag$/;
const AGENT = /POST \/api\/rag\/v3\/retrieval\/agent$/;

const askNode = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'ask', { query: 'What?', topK: 5, promptName: locator('p'), options }, settings);
const generateNode = (settings = {}) =>
	rag(
		'retrieval',
		'generate',
		{ promptName: locator('p'), query: 'What?', context: 'c' },
		settings,
	);
const queryNode = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'rag', { query: 'What?', topK: 5, options }, settings);
const agentNode = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'agent', { message: 'What?', options }, settings);

const found = (chunks: unknown) => json({ results: { chunk_search_results: chunks } });
const CHUNKS = [
	{ id: 'a', document_id: 'd', score: 0.9, text: 'first', metadata: { title: 'T' } },
	{ id: 'b', document_id: 'd', score: 0.2, text: 'second', metadata: null },
];
const event = (type: string, data: unknown) =>
	`event: ${type}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (value: string) => ({ delta: { content: [{ type: 'text', payload: { value } }] } });

describe('no half answer is an answer', () => {
	it.each<[string, string]>([
		['JSON that is cut off', '{"results": {"generated_answer": "The first hour is'],
		['JSON that is cut off, after a blank', '\n{"results": {"answer": "The first'],
		['a list that is cut off', '[{"answer": "The first'],
		['NaN in it, and cut off', '{"results": {"generated_answer": "The first", "score": NaN'],
	])('Generate and Ask: %s', async (_, body) => {
		stage.service.when(SEARCH, found(CHUNKS));
		stage.service.when(GENERATE, json(body));
		for (const node of [generateNode(), askNode()]) {
			const { error, details } = await stage.run(node);
			expect(error).toBeDefined();
			expect(JSON.stringify(details)).toContain('The first');
		}
		expect(stage.service.asked(GENERATE)).toHaveLength(2);
	});

	it.each<[string, Answer]>([
		['nothing', json('')],
		['an empty envelope', json({ results: {} })],
		['null', json({ results: null })],
		['an answer of null', json({ results: { generated_answer: null } })],
		['blanks', json({ results: { generated_answer: '  ' } })],
		['an error with 200', json({ detail: 'out of credits' })],
		['an error in the envelope', json({ results: { error: 'out of credits' } })],
		['a page', json('<html><title>Login</title></html>', 200, { 'content-type': 'text/html' })],
		['a reset', hangUp],
		['a 500', json({ message: 'boom', error_type: 'X' }, 500)],
	])('%s is an error of all four, and asked for once', async (_, answer) => {
		stage.service.when(SEARCH, found(CHUNKS));
		for (const line of [GENERATE, RAG_QUERY, AGENT]) stage.service.when(line, answer);
		for (const node of [generateNode(), askNode(), queryNode(), agentNode()]) {
			const { error, words } = await stage.run(node);
			expect(error).toBeDefined();
			expect(words).not.toContain(KEY);
		}
		expect(stage.service.asked(GENERATE)).toHaveLength(2);
		expect(stage.service.asked(RAG_QUERY)).toHaveLength(1);
	});

	it('Ask: what was paid for is kept where a later item fails', async () => {
		stage.service.when(SEARCH, found(CHUNKS));
		stage.service.when(GENERATE, (response, heard, nth) =>
			(nth === 1 ? json({ detail: 'x' }, 500) : json({ results: `answer ${nth}` }))(
				response,
				heard,
				nth,
			),
		);
		const { items } = await stage.run(askNode({}, RETRY), [{}, {}, {}]);
		expect(items).toHaveLength(3);
		expect(stage.service.asked(GENERATE)).toHaveLength(4);
	});
});

describe('a streamed answer has all of its words', () => {
	const plain = (words: string[]) =>
		pieces([...words.map((word) => event('message', word)), event('message', '[DONE]')]);
	it.each<[string, string[]]>([
		['numbers', ['In ', '2024', ' we had ', '3.50', ' hours']],
		['brackets and quotes', ['see ', '[1]', ' and ', '"', 'x', '"', ' {a}']],
		['words of JSON', ['it is ', 'true', ' or ', 'null']],
		['blanks alone', ['a', ' ', 'b']],
		['a number first', ['42', ' is it']],
	])('plain words: %s', async (_, words) => {
		// The first blank after the colon is of the format
		stage.service.when(RAG_QUERY, plain(words));
		const { items, error } = await stage.run(queryNode({ stream: true }));
		expect(error?.message).toBeUndefined();
		expect(items[0]?.generated_answer).toBe(words.join(''));
	});

	it.each<[string, string[]]>([
		[
			'deltas of the engine',
			[event('message', delta('Hel')), event('message', delta('lo')), event('message', '[DONE]')],
		],
		[
			'chunks of a completion',
			[
				event('message', { choices: [{ index: 0, delta: { content: 'Hel' } }] }),
				event('message', {
					choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }],
				}),
				'data: [DONE]\n\n',
			],
		],
		['JSON texts', [event('message', '"Hel"'), event('message', '"lo"'), 'data: [DONE]\n\n']],
		[
			'content fields',
			[
				event('message', { content: 'Hel' }),
				event('message', { content: 'lo' }),
				'data: [DONE]\n\n',
			],
		],
		[
			'an envelope in the data',
			[
				`data: ${JSON.stringify({ event: 'message', data: delta('Hel') })}\n\n`,
				`data: ${JSON.stringify({ event: 'message', data: delta('lo') })}\n\n`,
				'data: [DONE]\n\n',
			],
		],
		[
			'a final answer alone',
			[event('final_answer', { generated_answer: 'Hello', citations: [] }), 'data: [DONE]\n\n'],
		],
		[
			'a final answer without words',
			[
				event('message', delta('Hello')),
				event('final_answer', { generated_answer: '', citations: null }),
				'data: [DONE]\n\n',
			],
		],
		[
			'CR alone',
			[event('message', delta('Hello')), 'data: [DONE]\n\n'].map((one) =>
				one.replaceAll('\n', '\r'),
			),
		],
		[
			'no blank line at the end',
			[
				event('message', delta('Hello')),
				event('final_answer', { generated_answer: 'Hello' }).trimEnd(),
			],
		],
		[
			'keep-alives',
			[
				': ping\n\n',
				event('ping', '{}'),
				event('message', delta('Hello')),
				': ping\n\n',
				'data: [DONE]\n\n',
			],
		],
		[
			'characters split within',
			[event('message', delta('Hello')), 'data: [DONE]\n\n'].join('').split(''),
		],
	])('%s', async (_, parts) => {
		stage.service.when(RAG_QUERY, pieces(parts));
		const { items, error } = await stage.run(queryNode({ stream: true }));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ generated_answer: 'Hello' });
		expect(items[0]?.truncated).toBeUndefined();
		stage.service.when(RAG_QUERY, pieces(parts));
		expect((await stage.talk(queryNode())).shown).toMatch(/^(?:Hello)?$/);
	});

	it('the end without a last event is called truncated', async () => {
		stage.service.when(RAG_QUERY, pieces([event('message', delta('The first'))]));
		expect((await stage.run(queryNode({ stream: true }))).items[0]).toMatchObject({
			generated_answer: 'The first',
			truncated: true,
		});
	});

	it.each<[string, string[], boolean]>([
		['a reset', [], true],
		['an error event', [event('error', { message: 'boom' })], false],
		['an error in a message', [event('message', { error: { message: 'boom' } })], false],
		['an error event in words', [event('error', 'boom')], false],
	])('%s after the first words is an error with them and their citations', async (_, rest, cut) => {
		const cited = event('citation', {
			id: 'c1',
			object: 'citation',
			span: { start: 1 },
			payload: { document_id: 'd' },
		});
		stage.service.when(
			RAG_QUERY,
			pieces(
				[
					event('search_results', { data: { chunk_search_results: CHUNKS } }),
					event('message', delta('The first')),
					cited,
					...rest,
				],
				{ cut },
			),
		);
		const { error, details } = await stage.run(queryNode({ stream: true }));
		expect(error).toBeDefined();
		expect(details.partial).toMatchObject({
			generated_answer: 'The first',
			citations: [{ id: 'c1' }],
		});
		expect(stage.service.asked(RAG_QUERY)).toHaveLength(1);
	});

	it.each<[string, unknown]>([
		['null', null],
		['missing', undefined],
		['text', 'none'],
	])('citations with a payload that is %s', async (_, payload) => {
		stage.service.when(
			RAG_QUERY,
			json({
				results: {
					generated_answer: 'Hello',
					citations: [{ id: '1', payload }, null, 'x'],
					search_results: null,
				},
			}),
		);
		const { items } = await stage.run(queryNode());
		expect(items[0]).toMatchObject({ generated_answer: 'Hello' });
		const { shown, error } = await stage.talk(queryNode());
		expect(error?.message).toBeUndefined();
		expect(shown).toBe('Hello');
	});
});
