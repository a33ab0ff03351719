import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { startServer, type TestServer } from '../engine/server.mts';

/** A service of its own, written from the contract alone: none of the forms that the sandbox knows. */
const KEY = 'key-ab/cd+ef=gh&1234567890';
let server: TestServer;
let engine: Engine;
let reply: { body: string; type?: string; status?: number; isCut?: boolean };

beforeAll(async () => {
	server = await startServer((request, response) => {
		request.resume();
		response.writeHead(reply.status ?? 200, { 'content-type': reply.type ?? 'application/json' });
		if (!reply.isCut) response.end(reply.body);
		else response.write(reply.body, () => setTimeout(() => response.destroy(), 20));
	});
	const data = { baseUrl: server.url, ragSegment: 'rag', apiKey: KEY, header: 'bearer' };
	engine = await startEngine({
		'compute-intelligence': { type: 'computeIntelligenceApi', data },
	});
});
beforeEach(() => server.requests.splice(0));
afterAll(async () => await server.close());

const complete = async (options: IDataObject = {}, more: IDataObject = {}) => {
	const asked = { model: locator('m'), input: 'prompt', prompt: 'Why?' };
	return await engine.run(chat('chat', 'complete', { ...asked, options, ...more }));
};
const sse = (...events: unknown[]) =>
	events.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
const delta = (content: string, more: object = {}) => ({
	choices: [{ index: 0, delta: { content }, ...more }],
});
const STOP = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const message = (content: string) => ({ choices: [{ index: 0, message: { content } }] });

describe('messages without a finish reason, of a connection that is lost', () => {
	it.each([
		['streamed', true, sse(message('Half')), 'text/event-stream'],
		['streamed, all of it so far', true, sse(message('H'), message('Half')), 'text/event-stream'],
		['a stream that nobody asked for', false, sse(message('Half')), 'text/event-stream'],
		['a line that nobody asked for', false, `${JSON.stringify(message('Half'))}\n`, undefined],
	])('%s', async (_, stream, body, type) => {
		reply = { body, type, isCut: true };
		const error = errorOf(await complete({ stream }));
		expect(error.message).toBe('The response ended early: the connection was lost');
		expect(JSON.stringify(error.context)).toMatch('Half');
	});

	it('or of a body that ends as announced, but is no JSON object', async () => {
		reply = { body: sse(message('Half')), type: 'text/event-stream' };
		for (const stream of [true, false]) {
			const error = errorOf(await complete({ stream }));
			expect(error.message).toMatch('ended early: the stream ended without a finish reason');
		}
	});

	it('but one JSON object that came whole is the response', async () => {
		reply = { body: JSON.stringify(message('Whole')) };
		expect(onlyJson(await complete({ stream: true }))).toMatchObject({ content: 'Whole' });
	});
});

describe('a finish reason in each chunk', () => {
	const reason = { finish_reason: 'stop' };
	const body = sse(delta('Wh', reason), delta('ole', reason));

	it('is that of the response where the body has ended', async () => {
		reply = { body, type: 'text/event-stream' };
		expect(onlyJson(await complete({ stream: true }))).toMatchObject({ content: 'Whole' });
	});

	it('says nothing where the connection is lost', async () => {
		reply = { body, type: 'text/event-stream', isCut: true };
		expect(errorOf(await complete({ stream: true })).message).toMatch('the connection was lost');
	});
});

it('a message of another type is no part of the completion', async () => {
	const ping = { type: 'ping', cost: 0.5 };
	reply = { body: sse(ping, delta('Hi'), ping, STOP), type: 'text/event-stream' };
	const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }];
	expect(onlyJson(await complete({ stream: true }, { simplify: false }))).toEqual({
		object: 'chat.completion',
		choices,
	});
});

describe('a body that is no completion', () => {
	it('and breaks off is in the error of the connection', async () => {
		reply = { body: 'It is bl', type: 'text/plain', isCut: true };
		const error = errorOf(await complete());
		expect(error.message).toBe('The response ended early: the connection was lost');
		expect(error.context.known).toEqual({ partial: 'It is bl' });
	});

	it('but half of one is in the error, also where it says that it is a page', async () => {
		reply = { body: JSON.stringify(message('Half')).replace('"}}]}', ''), type: 'text/html' };
		const error = errorOf(await complete());
		expect(error.message).toBe('The response ended early: its JSON is cut off');
		expect(error.context.known).toMatchObject({
			partial: { choices: [{ message: { content: 'Half' } }] },
		});
	});

	it('and is empty is an error without one', async () => {
		reply = { body: '' };
		const error = errorOf(await complete());
		expect(error.message).toBe('The response is empty; a JSON object was expected');
		expect(error.context.known).toEqual({});
	});
});

describe('what follows a complete response does not end it', () => {
	it.each([['"[DONE]"'], ['DONE'], ['[END]'], ['[]']])('%s', async (end) => {
		reply = { body: sse(delta('Hi'), STOP, end), type: 'text/event-stream' };
		expect(onlyJson(await complete({ stream: true }))).toMatchObject({ content: 'Hi' });
	});

	it('in the middle, it does', async () => {
		reply = { body: sse(delta('Hi'), 'upstream', STOP, '[DONE]'), type: 'text/event-stream' };
		expect(errorOf(await complete({ stream: true })).message).toMatch('not a JSON object');
	});
});

it('an empty error in each chunk is none', async () => {
	const error = { code: 0, message: '' };
	reply = { body: sse({ ...delta('Hi'), error }, { ...STOP, error }), type: 'text/event-stream' };
	expect(onlyJson(await complete({ stream: true }))).toMatchObject({ content: 'Hi' });
});

describe('a key that the service shows is not shown', () => {
	const escaped: Array<[string, string]> = [
		['slashes', KEY.replaceAll('/', String.raw`\/`)],
		['code points', KEY.replace(/[^\w-]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
		[
			'code points in capitals',
			KEY.replace(/[+=]/g, (one) => (one === '+' ? '\\u002B' : '\\u003D')),
		],
	];
	it.each(escaped)('escaped in an error: %s', async (_, key) => {
		reply = { body: `{"error":{"message":"wrong: ${key}"}}`, status: 400 };
		expect(errorOf(await complete()).message).toBe('Request rejected (400): wrong: ***');
	});

	it.each(escaped)('escaped in a response: %s', async (_, key) => {
		reply = { body: `{"choices":[{"message":{"content":"${key}"},"finish_reason":"stop"}]}` };
		expect(onlyJson(await complete())).toMatchObject({ content: '***' });
	});

	it('in pieces of a stream', async () => {
		const pieces = [delta(KEY.slice(0, 9)), delta(KEY.slice(9))];
		reply = { body: sse(...pieces, STOP), type: 'text/event-stream' };
		expect(onlyJson(await complete({ stream: true }))).toMatchObject({ content: '***' });
	});
});
