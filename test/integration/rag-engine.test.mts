import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture();

const run = async (operation: string, parameters: IDataObject) =>
	await fixture.run(rag('retrieval', operation, parameters));
const lastBody = () => fixture.sandbox.requests.at(-1)?.body as IDataObject;

const BOATS = 'Boats lie in the harbour.';

beforeEach(async () => {
	for (const rawText of ['The first hour is never refunded.', BOATS]) {
		onlyJson(await fixture.run(textDocument(rawText)));
	}
	fixture.sandbox.requests.length = 0;
});

describe('the engine answers by itself', () => {
	it('rag: the streamed answer is the same, whole', async () => {
		const plain = onlyJson(await run('rag', { query: 'Where are the boats?', topK: 1 }));
		const streamed = onlyJson(
			await run('rag', { query: 'Where are the boats?', topK: 1, options: { stream: true } }),
		);
		expect(fixture.sandbox.requests.at(-1)).toMatchObject({
			headers: { accept: 'text/event-stream' },
			body: { rag_generation_config: { stream: true } },
		});
		for (const key of ['generated_answer', 'citations', 'search_results'])
			expect(streamed[key]).toEqual(plain[key]);
	});

	const events = (...lines: string[]) => ({
		match: { path: '/retrieval/rag' },
		status: 200,
		rawBody: lines.join('\n'),
		contentType: 'text/event-stream',
	});
	it.each([
		[
			'ends before any text',
			events('event: search_results', 'data: {"data":{}}', '', ''),
			'The response ended early',
		],
		[
			'reports an error',
			events('event: error', 'data: {"message":"out of tokens"}', '', ''),
			'The service ended the answer with an error: out of tokens',
		],
		[
			'reports an error in plain text',
			events(
				'data: {"content":"Ye"}',
				'',
				'event: error',
				'data: out of tokens',
				'',
				'data: [DONE]',
				'',
				'',
			),
			'The service ended the answer with an error: out of tokens',
		],
		[
			'reports an error in a list',
			events(
				'event: error',
				'data: {"detail":[{"loc":["body","query"],"msg":"too long"}]}',
				'',
				'data: [DONE]',
				'',
				'',
			),
			'The service ended the answer with an error: query: too long',
		],
		[
			'holds an error in place of text',
			events(
				'data: {"content":"Ye"}',
				'',
				'data: {"error":{"message":"out of tokens"}}',
				'',
				'data: [DONE]',
				'',
				'',
			),
			'The service ended the answer with an error: out of tokens',
		],
	])('rag: a stream that %s is an error', async (_, fault, message) => {
		fixture.sandbox.faults.add(fault);
		expect(
			errorOf(await run('rag', { query: 'a', topK: 1, options: { stream: true } })).message,
		).toBe(message);
	});

	it('rag: pieces of text alone make the answer, and JSON in place of a stream is taken', async () => {
		fixture.sandbox.faults.add(
			events(
				'data: {"delta":{"content":"Ye"}}',
				'',
				'data: {"content":"s."}',
				'',
				'data: [DONE]',
				'',
				'',
			),
		);
		const stream = { query: 'a', topK: 1, options: { stream: true } };
		expect(onlyJson(await run('rag', stream))).toEqual({ generated_answer: 'Yes.', citations: [] });
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/rag' },
			status: 200,
			body: { results: { generated_answer: 'No.' } },
		});
		expect(onlyJson(await run('rag', stream))).toEqual({ generated_answer: 'No.' });
	});

	const STREAMED = { query: 'a', topK: 1, options: { stream: true } };
	const partsOf = (...last: string[]) =>
		events(
			'event: message',
			'data: {"delta":{"content":[{"type":"text","payload":{"value":"Yes"}}]}}',
			'',
			'event: citation',
			'data: {"id":"a","payload":{"text":"source"}}',
			'',
			...last,
		);

	it('rag: a final event with nothing in it takes nothing back', async () => {
		for (const nothing of ['""', 'null']) {
			fixture.sandbox.faults.add(
				partsOf(
					'event: final_answer',
					`data: {"generated_answer":${nothing},"citations":${nothing === 'null' ? nothing : '[]'}}`,
					'',
					'data: [DONE]',
					'',
					'',
				),
			);
			expect(onlyJson(await run('rag', STREAMED))).toEqual({
				generated_answer: 'Yes',
				citations: [{ id: 'a', payload: { text: 'source' } }],
			});
		}
	});

	it('rag: the last event counts without a blank line after it', async () => {
		fixture.sandbox.faults.add(partsOf('data: {"content":" indeed"}'));
		expect(onlyJson(await run('rag', STREAMED))).toEqual({
			generated_answer: 'Yes indeed',
			citations: [{ id: 'a', payload: { text: 'source' } }],
			truncated: true,
		});
	});

	it('rag: an answer that ends at its limit is kept, with each source', async () => {
		fixture.sandbox.faults.add(
			events(
				'event: message',
				'data: {"delta":{"content":[{"type":"text","payload":{"value":"Ye"}}]}}',
				'',
				'event: citation',
				'data: {"id":"a","is_new":true,"span":{"start":0,"end":1},"payload":{"text":"source"}}',
				'',
				'event: citation',
				'data: {"id":"a","is_new":false,"span":{"start":1,"end":2},"payload":null}',
				'',
				'',
			),
		);
		expect(onlyJson(await run('rag', { query: 'a', topK: 1, options: { stream: true } }))).toEqual({
			generated_answer: 'Ye',
			truncated: true,
			citations: [
				{
					id: 'a',
					is_new: true,
					span: { start: 0, end: 1 },
					spans: [
						{ start: 0, end: 1 },
						{ start: 1, end: 2 },
					],
					payload: { text: 'source' },
				},
			],
		});
	});

	it('rag: what came before an error is in the error', async () => {
		fixture.sandbox.faults.add(
			events('data: {"content":"Ye"}', '', 'event: error', 'data: {"message":"stop"}', '', ''),
		);
		const error = errorOf(await run('rag', { query: 'a', topK: 1, options: { stream: true } }));
		expect(error.description).toBe(
			'The error details contain what arrived, under partial. Run the item again for a complete answer.',
		);
		expect(error.context.known).toMatchObject({ partial: { generated_answer: 'Ye' } });
	});

	const labelled = (contentType: string, ...lines: string[]) => ({
		...partsOf(...lines),
		contentType,
	});
	it('rag: a stream is read by its content, whatever its content type is', async () => {
		const whole = {
			generated_answer: 'Yes',
			citations: [{ id: 'a', payload: { text: 'source' } }],
		};
		for (const contentType of ['application/json', 'text/html', 'text/plain']) {
			fixture.sandbox.faults.add(labelled(contentType, 'data: [DONE]', '', ''));
			expect(onlyJson(await run('rag', STREAMED))).toEqual(whole);
			fixture.sandbox.faults.add({ ...labelled(contentType, 'data: {"conte'), cutBodyAt: 140 });
			expect(errorOf(await run('rag', STREAMED)).context.known).toMatchObject({
				partial: { generated_answer: 'Yes' },
			});
		}
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/rag' },
			status: 200,
			rawBody: '{\n "results": {\n  "generated_answer": "No."\n }\n}',
			contentType: 'text/event-stream',
		});
		expect(onlyJson(await run('rag', STREAMED))).toEqual({ generated_answer: 'No.' });
	});

	it.each<[string, string, IDataObject, string]>([
		['rag', 'nothing', {}, '{}'],
		['rag', 'null', {}, '{"results":null}'],
		['rag', 'an answer without words', {}, '{"results":{"generated_answer":"","citations":[]}}'],
		['rag', 'an answer that is null', {}, '{"results":{"generated_answer":null}}'],
		['rag', 'nothing, though a stream was asked for', { stream: true }, '{}'],
		['rag', 'a stream that is done without words', { stream: true }, 'data: [DONE]\n\n'],
		['agent', 'nothing', {}, '{}'],
		['agent', 'no messages', {}, '{"results":{"messages":[]}}'],
		[
			'agent',
			'a message without words',
			{},
			'{"results":{"messages":[{"role":"assistant","content":null}],"conversation_id":"c"}}',
		],
	])('%s: %s is an error with what came, sent once', async (operation, _, options, rawBody) => {
		fixture.sandbox.faults.add({ match: { method: 'POST' }, status: 200, rawBody });
		const error = errorOf(await run(operation, { message: 'a', query: 'a', topK: 1, options }));
		expect(error.message).toBe('The response contains no answer');
		expect(error.context.known).toHaveProperty('response');
		expect(fixture.sent('POST', /retrieval/)).toHaveLength(1);
	});

	it('agent: calls of tools before its answer are no answer', async () => {
		const messages = [
			{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }] },
			{ role: 'tool', content: 'found' },
			{ role: 'assistant', content: 'Yes.' },
		];
		fixture.sandbox.faults.add({ status: 200, body: { results: { messages } } });
		expect(onlyJson(await run('agent', { message: 'a' })).answer).toBe('Yes.');
	});

	it('agent: answers, and goes on in the conversation', async () => {
		const first = onlyJson(await run('agent', { message: 'Where are the boats?' }));
		expect(first).toMatchObject({
			answer: expect.stringContaining('harbour'),
			conversation_id: expect.any(String),
			messages: [{ role: 'assistant' }],
		});
		const second = onlyJson(
			await run('agent', {
				message: 'Sure?',
				options: { conversationId: first.conversation_id, mode: 'research' },
			}),
		);
		expect(second.conversation_id).toBe(first.conversation_id);
		expect(lastBody()).toEqual({
			message: { role: 'user', content: 'Sure?' },
			conversation_id: first.conversation_id,
			mode: 'research',
			search_settings: {},
		});
		const messages = jsonOf(
			await fixture.run(
				rag('conversation', 'get', { conversationId: first.conversation_id, returnAll: true }),
			),
		);
		expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
	});
});
