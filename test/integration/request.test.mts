import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import {
	isTransient,
	replyError,
	request,
	requestObject,
	send,
	type ApiRequest,
} from '../../nodes/shared/http/request.ts';
import { API_KEY, broken, hangUp, json, skipPauses, text, useApi } from '../engine/api.mts';

skipPauses();
const service = useApi();
const GET: ApiRequest = {
	method: 'GET',
	path: '/v1/{service}/things/{id}',
	params: { id: 'a b' },
	retry: 'idempotent',
};
const POST: ApiRequest = { method: 'POST', path: '/things', retry: 'ifUnsent' };
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
	it('has its parameters in the path and the query, and the key in a header', async () => {
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
			'cache-control': 'no-cache',
		});
		expect(sent?.headers).not.toHaveProperty('content-type');
		expect(sent?.body).toHaveLength(0);
	});

	it('carries JSON, or bytes unchanged', async () => {
		service.answers = [json({})];
		const api = await service.api();
		await request(api, { ...POST, body: { name: 'ü', list: [1] } });
		await request(api, {
			...POST,
			payload: { contentType: 'text/x-own', bytes: Buffer.from([0, 255, 10]) },
		});
		const [first, second] = service.received;
		expect(first?.headers['content-type']).toBe('application/json');
		expect(first?.headers).not.toHaveProperty('cache-control');
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

	it('that is refused throws the words of the service', async () => {
		service.answers = [json({ detail: 'no such thing' }, 404)];
		const error = await errorOf(request(await service.api(), GET));
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'Not found (404): no such thing',
			httpCode: '404',
			context: { itemIndex: 2 },
		});
	});

	it('to the intelligence service mentions its quota', async () => {
		service.answers = [json({}, 429)];
		const generate: ApiRequest = { ...POST, retry: 'billed', path: '/{rag}' };
		expect((await errorOf(request(await service.intelligence(), generate))).description).toContain(
			'metered in credits',
		);
		expect((await errorOf(request(await service.api(), POST))).description).not.toContain(
			'metered in credits',
		);
	});

	it('that finds nothing names the segment of its credential', async () => {
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
	])('rejects a web page: %s', async (_, body, type) => {
		service.answers = [text(body, 200, { 'content-type': type })];
		expect((await errorOf(request(await service.api(), GET))).message).toBe(
			'The response is not a JSON object: an HTML page instead of JSON',
		);
	});

	it.each([
		['', 'text/html', ''],
		['{"a":1}', 'text/html', { a: 1 }],
		['all right', 'text/plain', 'all right'],
		['a < b', 'text/plain', 'a < b'],
	])('accepts %j of the type %s', async (body, type, expected) => {
		service.answers = [text(body, 200, { 'content-type': type })];
		expect(await request(await service.api(), GET)).toEqual(expected);
	});

	it('for an object accepts nothing else', async () => {
		const api = await service.api();
		const problem = async (body: string, contentType = 'application/json') => {
			service.answers = [text(body, 200, { 'content-type': contentType })];
			return await errorOf(requestObject(api, GET));
		};
		service.answers = [json({ b: [] })];
		expect(await requestObject(api, GET)).toEqual({ b: [] });
		const empty = await problem('');
		expect(empty).toMatchObject({
			message: 'The response is empty; a JSON object was expected',
			httpCode: null,
		});
		expect(empty.description).toContain('Check the Base URL');
		expect((await problem('["a"]')).message).toBe('The response is not a JSON object: a');
		expect((await problem('<html><title>Log in</title>', 'text/html')).message).toBe(
			'The response is not a JSON object: an HTML page titled "Log in" instead of JSON',
		);
		expect((await problem('x'.repeat(900), 'text/plain')).message).toBe(
			`The response is not a JSON object: ${'x'.repeat(200)}`,
		);
		service.answers = [json({ message: 'busy' }, 418)];
		expect((await errorOf(requestObject(api, GET))).message).toBe('Request rejected (418): busy');
	});

	it.each([request, requestObject])(
		'fails with a no, and with half of a success: $name',
		async (by) => {
			service.answers = [json({ success: false, message: 'no funds' })];
			expect((await errorOf(by(await service.api(), POST))).message).toBe(
				'The service answered 200, but says no: no funds',
			);
			service.answers = [broken('{"a": ', 201)];
			expect((await errorOf(by(await service.api(), POST))).message).toBe(
				'The connection was lost while reading the response',
			);
			service.answers = [json({ a: 1, message: 'no funds' }, 402)];
			expect((await errorOf(by(await service.api(), POST))).message).toContain('no funds');
		},
	);

	it('redacts the key in the response', async () => {
		service.answers = [json({ echo: `your key ${API_KEY}` })];
		expect(await request(await service.api(), GET)).toEqual({ echo: 'your key ***' });
	});
});

describe('the outcome of a request', () => {
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

	it('is that of the last try', async () => {
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

	it('with the policy once: nothing is sent again', async () => {
		service.answers = [text('', 503, AT_ONCE)];
		expect(await send(await service.api(), POST)).toMatchObject({ status: 503 });
		service.answers = [hangUp];
		const outcome = await send(await service.api(), POST);
		expect(outcome).toMatchObject({
			kind: 'lost',
			reason: expect.stringMatching(
				/^The connection to 127\.0\.0\.1:\d+ was lost before a response arrived \(ECONNRESET\)$/,
			),
		});
		const error = replyError(await service.api(), outcome);
		expect(error).toMatchObject({
			description: 'The request may have reached the service, but its response is incomplete.',
			httpCode: null,
		});
		expect(service.received).toHaveLength(2);
	});

	it('is lost, with its status, where the body breaks', async () => {
		service.answers = [broken('{"deployment_id": ', 201)];
		const outcome = await send(await service.api(), POST);
		expect(outcome).toMatchObject({
			kind: 'lost',
			status: 201,
			reason: 'The connection was lost while reading the response',
			permanent: false,
		});
		expect(replyError(await service.api(), outcome)).toMatchObject({ httpCode: '201' });
	});

	it('is unsent where nobody listens', async () => {
		const api = await service.api();
		const closed = { ...api, account: { ...api.account, baseUrl: 'http://127.0.0.1:9' } };
		const outcome = await send(closed, { ...POST, retry: 'never' });
		expect(outcome).toMatchObject({
			kind: 'unsent',
			reason: 'The service at 127.0.0.1:9 cannot be reached (ECONNREFUSED)',
		});
		expect(replyError(api, outcome)).toMatchObject({
			description: expect.stringContaining('Nothing was sent.'),
			context: { itemIndex: 2 },
		});
		const advised: Reply = { kind: 'unsent', reason: 'not allowed', advice: 'ask for it' };
		expect(replyError(api, advised).description).toBe('ask for it');
	});
});

it.each<[string, Reply, boolean]>([
	['503', { kind: 'answer', status: 503, contentType: '', text: '' }, true],
	['404', { kind: 'answer', status: 404, contentType: '', text: '' }, false],
	['a success of no use', { kind: 'answer', status: 200, contentType: '', text: '' }, false],
	['a lost answer', { kind: 'lost', reason: 'lost' }, true],
	['one that would be lost again', { kind: 'lost', reason: 'lost', permanent: true }, false],
	['an end by a person', { kind: 'cancelled' }, false],
])('may the same read succeed after %s?', async (_, reply, isPassing) =>
	expect(isTransient(replyError(await service.api(), reply))).toBe(isPassing),
);

describe('a cancelled execution', () => {
	const cancelled = { kind: 'cancelled' };

	it('sends nothing', async () => {
		service.answers = [json({})];
		const outcome = await send(await service.api(AbortSignal.abort()), GET);
		expect(outcome).toEqual(cancelled);
		expect(service.received).toHaveLength(0);
		const error = replyError(await service.api(), outcome);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: 'The execution was cancelled',
			context: { itemIndex: 2 },
		});
	});
});
