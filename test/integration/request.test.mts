import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { exchange, header, readBytes, readText, type Head } from '../../nodes/shared/http.ts';
import {
	failure,
	request,
	requestObject,
	send,
	type ApiRequest,
	type Outcome,
} from '../../nodes/shared/request.ts';
import { API_KEY, beginning, broken, hangUp, json, silence, text, useApi } from '../engine/api.mts';
import { until } from '../engine/time.mts';

const service = useApi();
const GET: ApiRequest = {
	method: 'GET',
	path: '/v1/{service}/things/{id}',
	params: { id: 'a b' },
	retry: 'read',
};
const POST: ApiRequest = { method: 'POST', path: '/things', retry: 'once' };
const AT_ONCE = { 'retry-after': '0' };

async function errorOf(work: Promise<unknown>): Promise<NodeApiError> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof NodeApiError || error instanceof NodeOperationError))
		throw new Error(`no error of a node: ${String(error)}`);
	return error as NodeApiError;
}

describe('a request', () => {
	it('goes to the path with the values of the item, and brings the key', async () => {
		service.answers = [json({ a: 1 })];
		const query = { region: ['x', 'y'], page: 0, all: false, name: 'ü&', none: undefined };
		expect(
			await request(await service.api(), { ...GET, query, headers: { 'X-Own': 'yes' } }),
		).toEqual({ a: 1 });
		const [sent] = service.received;
		expect(sent?.url).toBe(
			'/v1/svc/things/a%20b?region=x&region=y&page=0&all=false&name=%C3%BC%26',
		);
		expect(sent?.headers).toMatchObject({
			accept: 'application/json',
			'x-api-key': API_KEY,
			'x-own': 'yes',
		});
		expect(sent?.headers).not.toHaveProperty('content-type');
		expect(sent?.body).toHaveLength(0);
	});

	it('carries JSON, or bytes as they are', async () => {
		service.answers = [json({})];
		const api = await service.api();
		await request(api, { ...POST, body: { name: 'ü', list: [1] } });
		await request(api, {
			...POST,
			payload: { contentType: 'text/x-own', bytes: Buffer.from([0, 255, 10]) },
		});
		const [first, second] = service.received;
		expect(first?.headers['content-type']).toBe('application/json');
		expect(JSON.parse(String(first?.body))).toEqual({ name: 'ü', list: [1] });
		expect(second?.headers['content-type']).toBe('text/x-own');
		expect([...(second?.body ?? [])]).toEqual([0, 255, 10]);
	});

	it.each([
		['[1]', [1]],
		['"x"', 'x'],
		['0', 0],
		['plain', 'plain'],
		['', ''],
	])('answered with %j gives %j', async (body, value) => {
		service.answers = [text(body)];
		expect(await request(await service.api(), GET)).toEqual(value);
	});

	it('answered with an error says what the service says', async () => {
		service.answers = [json({ detail: 'no such thing' }, 404)];
		const error = await errorOf(request(await service.api(), GET));
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'Not found (404): no such thing',
			httpCode: '404',
			context: { itemIndex: 2 },
		});
	});

	it('of the intelligence service speaks of quotas', async () => {
		service.answers = [json({}, 429)];
		const generate: ApiRequest = { ...POST, retry: 'generate', path: '/{rag}' };
		expect((await errorOf(request(await service.intelligence(), generate))).description).toContain(
			'metered in credits',
		);
		expect((await errorOf(request(await service.api(), POST))).description).not.toContain(
			'metered in credits',
		);
	});

	it('that finds nothing names the segment that its credential has', async () => {
		service.answers = [json({}, 404)];
		expect(
			(await errorOf(request(await service.intelligence(), { ...GET, path: '/{rag}' })))
				.description,
		).toContain('Retrieval Segment');
		expect((await errorOf(request(await service.api(), GET))).description).toContain(
			'service segment',
		);
	});

	it.each([
		['a page', '<p>Hi', 'text/html; charset=utf-8'],
		['a page as text', '\ufeff \n<!DOCTYPE html><p>Hi', 'text/plain'],
		['a page as JSON', '<HTML lang="en">', 'application/json'],
	])('takes no web page for an answer: %s', async (_, body, type) => {
		service.answers = [text(body, 200, { 'content-type': type })];
		expect((await errorOf(request(await service.api(), GET))).message).toBe(
			'The answer is not a JSON object: an HTML page instead of JSON',
		);
	});

	it.each([
		['', 'text/html', ''],
		['{"a":1}', 'text/html', { a: 1 }],
		['all right', 'text/plain', 'all right'],
		['a < b', 'text/plain', 'a < b'],
	])('takes %j of the type %s', async (body, type, expected) => {
		service.answers = [text(body, 200, { 'content-type': type })];
		expect(await request(await service.api(), GET)).toEqual(expected);
	});

	it('that needs an object takes nothing else', async () => {
		const api = await service.api();
		const problem = async (body: string, contentType = 'application/json') => {
			service.answers = [text(body, 200, { 'content-type': contentType })];
			return await errorOf(requestObject(api, GET));
		};
		service.answers = [json({ b: [] })];
		expect(await requestObject(api, GET)).toEqual({ b: [] });
		const empty = await problem('');
		expect(empty).toMatchObject({
			message: 'The answer is empty where a JSON object was expected',
			httpCode: null,
		});
		expect(empty.description).toContain('Check the Base URL');
		expect((await problem('["a"]')).message).toBe('The answer is not a JSON object: a');
		expect((await problem('<html><title>Log in</title>', 'text/html')).message).toBe(
			'The answer is not a JSON object: an HTML page titled "Log in" instead of JSON',
		);
		expect((await problem('x'.repeat(900), 'text/plain')).message).toBe(
			`The answer is not a JSON object: ${'x'.repeat(200)}`,
		);
		service.answers = [json({ message: 'busy' }, 418)];
		expect((await errorOf(requestObject(api, GET))).message).toBe(
			'The service refused the request (418): busy',
		);
	});

	it('hides the key in what comes back', async () => {
		service.answers = [json({ echo: `your key ${API_KEY}` })];
		expect(await request(await service.api(), GET)).toEqual({ echo: 'your key ***' });
	});
});

describe('how a request ended', () => {
	it.each([
		[299, true],
		[300, false],
		[304, false],
		[400, false],
	])('%i is a success: %j', async (status, isSuccess) => {
		service.answers = [text('', status)];
		const outcome = await send(await service.api(), GET);
		expect(outcome).toMatchObject({ kind: 'answer', status, contentType: '', text: '' });
		await expect(
			request(await service.api(), GET).then(
				() => true,
				() => false,
			),
		).resolves.toBe(isSuccess);
	});

	it('is tried again by its row, and the last answer is told', async () => {
		service.answers = [text('', 503, AT_ONCE), hangUp, json({ ok: true })];
		expect(await request(await service.api(), GET)).toEqual({ ok: true });
		expect(service.received).toHaveLength(3);
		service.answers = [text('first', 503, AT_ONCE), text('last', 500, AT_ONCE)];
		expect(await send(await service.api(), GET)).toMatchObject({
			kind: 'answer',
			status: 500,
			text: 'last',
			retryAfter: '0',
		});
		expect(service.received).toHaveLength(6);
	});

	it('once: nothing is sent again', async () => {
		service.answers = [text('', 503, AT_ONCE)];
		expect(await send(await service.api(), POST)).toMatchObject({ status: 503 });
		service.answers = [hangUp];
		const outcome = await send(await service.api(), POST);
		expect(outcome).toMatchObject({
			kind: 'lost',
			reason: expect.stringMatching(
				/^The connection to 127\.0\.0\.1:\d+ broke before an answer came \(ECONNRESET\)$/,
			),
		});
		const error = failure(await service.api(), outcome);
		expect(error).toMatchObject({
			description: 'The request may have reached the service, but its answer did not arrive whole.',
			httpCode: null,
		});
		expect(service.received).toHaveLength(2);
	});

	it('lost, with its status, where the body broke', async () => {
		service.answers = [broken('{"deployment_id": ', 201)];
		const outcome = await send(await service.api(), POST);
		expect(outcome).toMatchObject({
			kind: 'lost',
			status: 201,
			reason: 'The connection broke in the middle of the answer',
			permanent: false,
		});
		expect(failure(await service.api(), outcome)).toMatchObject({ httpCode: '201' });
	});

	it('unsent where nobody listens', async () => {
		const api = await service.api();
		const closed = { ...api, account: { ...api.account, baseUrl: 'http://127.0.0.1:9' } };
		const outcome = await send(closed, { ...POST, retry: 'never' });
		expect(outcome).toMatchObject({
			kind: 'unsent',
			reason: 'The service at 127.0.0.1:9 cannot be reached (ECONNREFUSED)',
		});
		expect(failure(api, outcome)).toMatchObject({
			description: expect.stringContaining('Nothing was sent.'),
			context: { itemIndex: 2 },
		});
		const advised: Outcome = { kind: 'unsent', reason: 'not allowed', advice: 'ask for it' };
		expect(failure(api, advised).description).toBe('ask for it');
	});
});

describe('a file', () => {
	it('comes as its bytes, with its name', async () => {
		service.answers = [
			text('\u0000\u00ff', 200, {
				'content-type': 'application/x-own',
				'content-disposition': 'attachment; filename="a"',
			}),
		];
		const outcome = await send(await service.api(), { ...GET, largestFileBytes: 3 });
		expect(outcome).toMatchObject({
			kind: 'answer',
			contentType: 'application/x-own',
			text: '',
			file: { disposition: 'attachment; filename="a"' },
		});
		expect(
			outcome.kind === 'answer' && outcome.file?.bytes.equals(Buffer.from('\u0000\u00ff')),
		).toBe(true);
	});

	it('beyond its size is given up, and not fetched again', async () => {
		service.answers = [text('x'.repeat(4))];
		expect(await send(await service.api(), { ...GET, largestFileBytes: 3 })).toMatchObject({
			kind: 'lost',
			permanent: true,
		});
		expect(service.received).toHaveLength(1);
	});

	it('that is refused is a text', async () => {
		service.answers = [json({ detail: 'gone' }, 404)];
		const outcome = await send(await service.api(), { ...GET, largestFileBytes: 3 });
		expect(outcome).toMatchObject({
			status: 404,
			text: '{"detail":"gone"}',
			contentType: 'application/json',
		});
		expect(outcome).not.toHaveProperty('file');
	});
});

describe('a body that is kept', () => {
	it('is left unread', async () => {
		service.answers = [beginning('data: one')];
		const outcome = await send(await service.api(), { ...GET, keepsBody: true, isEndless: true });
		expect(outcome).toMatchObject({
			kind: 'answer',
			status: 200,
			contentType: 'text/plain',
			text: '',
		});
		if (outcome.kind !== 'answer' || !outcome.head) throw new Error('There is no body');
		for await (const bytes of outcome.head.body) {
			expect(Buffer.from(bytes).toString()).toBe('data: one');
			break;
		}
		outcome.head.body.destroy();
		while ((await service.connections()) > 0) await new Promise(setImmediate);
	});

	it('has no type where the service names none; an error is read', async () => {
		service.answers = [text('', 200), text('no', 404)];
		const kept = await send(await service.api(), { ...GET, keepsBody: true });
		expect(kept).toMatchObject({ contentType: '' });
		if (kept.kind === 'answer') kept.head?.body.destroy();
		const refused = await send(await service.api(), { ...GET, keepsBody: true });
		expect(refused).toMatchObject({ status: 404, text: 'no' });
		expect(refused).not.toHaveProperty('head');
	});
});

describe('a cancelled execution', () => {
	const cancelled = { kind: 'cancelled' };

	it('sends nothing more', async () => {
		service.answers = [json({})];
		const outcome = await send(await service.api(AbortSignal.abort()), GET);
		expect(outcome).toEqual(cancelled);
		expect(service.received).toHaveLength(0);
		const error = failure(await service.api(), outcome);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: 'The execution was cancelled',
			context: { itemIndex: 2 },
		});
	});

	it.each([
		['before the head', silence],
		['in the middle of the body', beginning('{')],
		['while it waits to try again', text('', 503, { 'retry-after': '50' })],
	])('ends %s', async (_, answer) => {
		service.answers = [answer];
		const stop = new AbortController();
		const sending = send(await service.api(stop.signal), GET);
		await until(() => service.received.length === 1);
		await new Promise((resolve) => setTimeout(resolve, 20));
		stop.abort();
		expect(await sending).toEqual(cancelled);
		while ((await service.connections()) > 0) await new Promise(setImmediate);
		expect(service.received).toHaveLength(1);
	});
});

describe('an exchange', () => {
	const read = async (what: { deadlineMs: number; signal?: AbortSignal }, largest?: number) => {
		const { ctx, account } = await service.api();
		const head = await exchange(ctx, account, {
			method: 'GET',
			url: `${account.baseUrl}/x`,
			...what,
		});
		return 'kind' in head ? head : await readBytes(head, what.signal, largest);
	};

	it('has a time for the head and the body together', async () => {
		service.answers = [silence];
		expect(await read({ deadlineMs: 60 })).toEqual({
			kind: 'lost',
			reason: 'No answer came within 0.06 seconds',
		});
		service.answers = [beginning('slow')];
		expect(await read({ deadlineMs: 60 })).toEqual({
			problem: 'The answer did not arrive whole in time',
			tooLarge: false,
		});
		while ((await service.connections()) > 0) await new Promise(setImmediate);
	});

	it('of a stream has a time for the head alone', async () => {
		service.answers = [silence];
		const { ctx, account } = await service.api();
		const open = async (deadlineMs: number) =>
			await exchange(ctx, account, {
				method: 'GET',
				url: account.baseUrl,
				deadlineMs,
				isEndless: true,
			});
		expect(await open(60)).toEqual({ kind: 'lost', reason: 'No answer came within 0.06 seconds' });
		let end = () => {};
		service.answers = [
			(response) => {
				response.write('one,');
				end = () => response.end('two');
			},
		];
		const head = (await open(1_000)) as Head;
		const reading = readText({ ...head, overdue: undefined });
		await new Promise((resolve) => head.overdue?.addEventListener('abort', resolve));
		end();
		expect(await reading).toEqual({ text: 'one,two' });
	});

	it('has a size; that very size is not too large', async () => {
		service.answers = [text('x'.repeat(1024 * 1024))];
		expect(await read({ deadlineMs: 60_000 }, 1024 * 1024)).toMatchObject({
			bytes: { length: 1024 * 1024 },
		});
		expect(await read({ deadlineMs: 60_000 }, 1024 * 1024 - 1)).toMatchObject({
			problem: expect.stringMatching(/^The answer is larger than 0\.99+\d* MiB$/),
			tooLarge: true,
		});
	});

	it('that was cancelled before its body is read is not read', async () => {
		service.answers = [beginning('one')];
		const { ctx, account } = await service.api();
		const head = (await exchange(ctx, account, {
			method: 'GET',
			url: account.baseUrl,
			deadlineMs: 60_000,
		})) as Head;
		expect(await readBytes(head, AbortSignal.abort())).toEqual({
			problem: 'The connection broke in the middle of the answer',
			tooLarge: false,
		});
		while ((await service.connections()) > 0) await new Promise(setImmediate);
	});

	it('gives the text and the headers; a header that came several times is none', async () => {
		service.answers = [text('grüße', 200, { 'x-one': 'a', 'set-cookie': ['a=1', 'b=2'] })];
		const { ctx, account } = await service.api();
		const head = (await exchange(ctx, account, {
			method: 'GET',
			url: account.baseUrl,
			deadlineMs: 1_000,
		})) as Head;
		expect([header(head, 'x-one'), header(head, 'set-cookie'), header(head, 'x-two')]).toEqual([
			'a',
			undefined,
			undefined,
		]);
		expect(await readText(head)).toEqual({ text: 'grüße' });
	});
});
