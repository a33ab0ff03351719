import { describe, expect, it } from 'vitest';
import { rag } from '../../engine/nodes.mts';
import { DONE, event, events, whole } from './service.mts';
import {
	agent,
	AGENT,
	askDocuments,
	CHAT,
	complete,
	generate,
	GENERATE,
	query,
	RAG_QUERY,
	SEARCH,
	useStage,
} from './stage.mts';

const stage = useStage();
const line = (content: string, finish: unknown = null) =>
	`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n`;
const piece = (content: string, finish: unknown = null) => `${line(content, finish)}\n`;
const final = event({ generated_answer: 'Hello', citations: [] }, 'final_answer');

const STREAMED = [
	['RAG Query', RAG_QUERY, query({ stream: true })],
	['Agent', AGENT, agent({ stream: true })],
] as const;

describe.each(STREAMED)('a streamed answer of %s', (_, path, node) => {
	const answer = async (parts: string[]) => {
		stage.service.on(path, events(parts));
		const { items, message } = await stage.run(node);
		expect(message).toBe('');
		return items[0];
	};

	it.each<[string, string[]]>([
		['stop in the end', [piece('Hel', 'length'), piece('lo', 'length'), piece('', 'stop'), DONE]],
		['the final event', [piece('Hel', 'length'), piece('lo', 'length'), final, DONE]],
		['more without a reason', [piece('Hel', 'length'), piece('lo'), DONE]],
	])('is whole where a finish reason comes with pieces: %s', async (_world, parts) => {
		const item = await answer(parts);
		expect(item).toMatchObject({ generated_answer: 'Hello' });
		expect(item).not.toHaveProperty('truncated');
	});

	it.each<[string, string[]]>([
		['length, then stop with nothing new', [piece('Hello', 'length'), piece('', 'stop'), DONE]],
		['length with each piece', [piece('Hel', 'length'), piece('lo', 'length'), DONE]],
		['stop, then length', [piece('Hel', 'stop'), piece('lo', 'length'), DONE]],
		[
			'length in the final event',
			[piece('Hello'), event({ metadata: { finish_reason: 'length' } }, 'final_answer'), DONE],
		],
	])('is truncated: %s', async (_world, parts) => {
		expect(await answer(parts)).toMatchObject({ generated_answer: 'Hello', truncated: true });
	});

	it('has all pieces where the empty line between events is missing', async () => {
		const item = await answer([line('Hel'), line('lo'), '\n', piece(' you'), DONE]);
		expect(item).toMatchObject({ generated_answer: 'Hello you' });
	});

	it('has the text beside NaN', async () => {
		const odd = 'data: {"choices":[{"delta":{"content":"Hel"},"logprobs":-Infinity}]}\n\n';
		expect(await answer([odd, piece('lo', 'stop'), DONE])).toMatchObject({
			generated_answer: 'Hello',
		});
	});

	it('is truncated where an event cannot be read, but not with a final text', async () => {
		const parts = [piece('Hel'), 'data: {"choices":[{"delta":{"content":"\n\n', piece('o')];
		expect(await answer([...parts, DONE])).toMatchObject({ truncated: true });
		const item = await answer([...parts, final, DONE]);
		expect(item).toMatchObject({ generated_answer: 'Hello' });
		expect(item).not.toHaveProperty('truncated');
	});

	it('keeps the conversation of a service that counts them', async () => {
		const item = await answer([event({ delta: { content: 'Hi' }, conversation_id: 17 }), DONE]);
		expect(item).toMatchObject({ conversation_id: '17' });
	});
});

const WHOLE = [
	['RAG Query', RAG_QUERY, query()],
	['Generate', GENERATE, generate()],
	['Agent', AGENT, agent()],
] as const;

describe.each(WHOLE)('an answer of %s in one piece', (_, path, node) => {
	it.each<[string, unknown]>([
		['beside a text', { results: 'The first hour', finish_reason: 'length' }],
		['in a list', { results: [{ answer: 'The first hour', finish_reason: 'length' }] }],
		['in a message', { results: { message: { content: 'The first', finish_reason: 'length' } } }],
	])('is truncated where its finish reason says so %s', async (_place, body) => {
		stage.service.on(path, whole(body));
		expect((await stage.run(node)).items[0]).toMatchObject({ truncated: true });
	});

	it('is of use with NaN, and keeps IDs', async () => {
		stage.service.on(
			path,
			whole(
				'{"results": {"generated_answer": "NaN is no number: \\"NaN", "id": 1234567890123456789, "scores": [NaN, -Infinity, Infinity]}}',
			),
		);
		const { items, message } = await stage.run(node);
		expect(message).toBe('');
		expect(items[0]).toMatchObject({
			generated_answer: 'NaN is no number: "NaN',
			id: '1234567890123456789',
			scores: [null, null, null],
		});
	});
});

it('an answer of the agent in another form is the answer', async () => {
	stage.service.on(AGENT, whole({ results: 'The first hour' }));
	expect((await stage.run(agent())).items[0]).toMatchObject({ answer: 'The first hour' });
});

it('JSON that is whole but not valid is not called cut off', async () => {
	stage.service.on(GENERATE, whole('{"answer": "The first hour", "score": 01}'));
	const { message, known } = await stage.run(generate());
	expect(message).toBe('The answer is not valid JSON, though it looks like it');
	expect(String(known.partial)).toContain('The first hour');
});

it('a chunk with NaN as its score is found, last', async () => {
	stage.service.on(
		SEARCH,
		whole(
			'{"results":{"chunk_search_results":[{"id":"a","text":"t","score":NaN},{"id":"b","text":"u","score":0.4}]}}',
		),
	);
	const { items } = await stage.run(rag('retrieval', 'search', { query: 'x', topK: 5 }));
	expect(items.map(({ id }) => id)).toEqual(['b', 'a']);
});

it('a chat is shown that an answer beside its finish reason was cut off', async () => {
	stage.service.on(SEARCH, whole({ results: [{ id: 'a', text: 't', score: 1 }] }));
	stage.service.on(GENERATE, whole({ results: 'The first', finish_reason: 'length' }));
	const { shown } = await stage.run(askDocuments(), [{}], {
		mode: 'webhook',
		onChunk: () => undefined,
	});
	expect(shown).toContain('cut off');
});

describe('a completion with NaN', () => {
	const odd = (field: string) =>
		`{"choices":[{"index":0,"${field}":{"content":"Hello"},"logprobs":{"content":[{"logprob":-Infinity}]},"finish_reason":"stop"}]}`;

	it.each<[string, boolean, string]>([
		['streamed', true, `data: ${odd('delta')}\n\n${DONE}`],
		['as lines', true, `${odd('delta')}\n`],
		['whole', false, odd('message')],
	])('is of use, %s', async (_form, isStreamed, body) => {
		stage.service.on(CHAT, isStreamed ? events([body]) : whole(body));
		const { items, message } = await stage.run(complete({ stream: isStreamed }));
		expect(message).toBe('');
		expect(items[0]).toMatchObject({ content: 'Hello', finish_reason: 'stop' });
	});
});
