import { describe, expect, it, vi } from 'vitest';
import { readBytes, readText } from '../../nodes/shared/http/body.ts';
import { exchange, header } from '../../nodes/shared/http/exchange.ts';
import type { Head } from '../../nodes/shared/http/reply.ts';
import { send, type ApiRequest } from '../../nodes/shared/http/request.ts';
import type { RetryPolicy } from '../../nodes/shared/http/retry.ts';
import { API_KEY, beginning, json, silence, text, useApi } from '../engine/api.mts';

const service = useApi();
const GET: ApiRequest = {
	method: 'GET',
	path: '/v1/{service}/things/{id}',
	params: { id: 'a b' },
	retry: 'idempotent',
};

describe('a file', () => {
	it('comes as bytes, with its name', async () => {
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

	it('above its limit is an error, and not requested again', async () => {
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

describe('a body that is left to the caller', () => {
	it('is not read', async () => {
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
		await service.noConnection();
	});

	it('has no type where the service sends none; that of an error is read', async () => {
		service.answers = [text('', 200), text('no', 404)];
		const kept = await send(await service.api(), { ...GET, keepsBody: true });
		expect(kept).toMatchObject({ contentType: '' });
		if (kept.kind === 'answer') kept.head?.body.destroy();
		const refused = await send(await service.api(), { ...GET, keepsBody: true });
		expect(refused).toMatchObject({ status: 404, text: 'no' });
		expect(refused).not.toHaveProperty('head');
	});
});

describe('an answer', () => {
	it('has its type without the key', async () => {
		service.answers = [text('', 200, { 'content-type': `text/${API_KEY}` })];
		expect(await send(await service.api(), GET)).toMatchObject({ contentType: 'text/***' });
	});

	it.each<[RetryPolicy, number, string | undefined]>([
		['billed', 429, '100'],
		['billed', 500, undefined],
		['ifUnsent', 429, undefined],
	])('tells when a limit resets: %s, %i', async (retry, status, retryAfter) => {
		service.answers = [text('', status, { 'x-ratelimit-reset-requests': '100s' })];
		expect(await send(await service.api(), { ...GET, retry })).toMatchObject({ retryAfter });
	});

	it('of which a person wants no more is cancelled, and not lost', async () => {
		service.answers = [beginning('one')];
		const controller = new AbortController();
		const api = await service.api(controller.signal);
		const learnSecrets = async () => await Promise.resolve(controller.abort());
		expect(
			await send({ ...api, account: { ...api.account, learnSecrets } }, { ...GET, retry: 'never' }),
		).toEqual({ kind: 'cancelled' });
		await service.noConnection();
	});
});

describe('an exchange', () => {
	const read = async (what: { deadlineMs: number; signal?: AbortSignal }, largest?: number) => {
		const { functions: ctx, account } = await service.api();
		const head = await exchange(ctx, account, {
			method: 'GET',
			url: `${account.baseUrl}/x`,
			...what,
		});
		return 'kind' in head ? head : await readBytes(head, what.signal, largest);
	};

	it('has one deadline for head and body', async () => {
		service.answers = [silence];
		expect(await read({ deadlineMs: 60 })).toEqual({
			kind: 'lost',
			reason: 'No response within 0.06 seconds',
		});
		service.answers = [beginning('slow')];
		const { functions: ctx, account } = await service.api();
		const end = new AbortController();
		const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal);
		const request = { method: 'GET', url: account.baseUrl, deadlineMs: 60_000 } as const;
		const head = (await exchange(ctx, account, request)) as Head;
		timeout.mockRestore();
		end.abort();
		expect(await readBytes(head)).toEqual({
			problem: 'The response was incomplete at the deadline',
			tooLarge: false,
		});
		await service.noConnection();
	});

	it('has the times of its request', async () => {
		service.answers = [silence];
		const api = await service.api();
		const once: ApiRequest = { ...GET, retry: 'never' };
		expect(await send(api, { ...once, deadlineMs: 40 })).toEqual({
			kind: 'lost',
			reason: 'No response within 0.04 seconds',
		});
		expect(await send(api, { ...once, headMs: 30 })).toEqual({
			kind: 'lost',
			reason: 'No response within 0.03 seconds',
		});
	});

	it('of a stream has a deadline for the head alone', async () => {
		service.answers = [silence];
		const { functions: ctx, account } = await service.api();
		const open = async (deadlineMs: number) =>
			await exchange(ctx, account, {
				method: 'GET',
				url: account.baseUrl,
				deadlineMs,
				isEndless: true,
			});
		expect(await open(60)).toEqual({ kind: 'lost', reason: 'No response within 0.06 seconds' });
		let end = () => {};
		service.answers = [
			(response) => {
				response.write('one,');
				end = () => response.end('two');
			},
		];
		const head = (await open(1_000)) as Head;
		const reading = readText({ ...head, deadlineSignal: undefined });
		await new Promise((resolve) => head.deadlineSignal?.addEventListener('abort', resolve));
		end();
		expect(await reading).toEqual({ text: 'one,two' });
	});

	it('has a limit of bytes, itself included', async () => {
		service.answers = [text('x'.repeat(1024 * 1024))];
		expect(await read({ deadlineMs: 60_000 }, 1024 * 1024)).toMatchObject({
			bytes: { length: 1024 * 1024 },
		});
		expect(await read({ deadlineMs: 60_000 }, 1024 * 1024 - 1)).toMatchObject({
			problem: expect.stringMatching(/^The response is larger than 0\.99+\d* MiB$/),
			tooLarge: true,
		});
	});

	it('that is cancelled before its body is read is not read', async () => {
		service.answers = [beginning('one')];
		const { functions: ctx, account } = await service.api();
		const head = (await exchange(ctx, account, {
			method: 'GET',
			url: account.baseUrl,
			deadlineMs: 60_000,
		})) as Head;
		expect(await readBytes(head, AbortSignal.abort())).toEqual({
			problem: 'The connection was lost while reading the response',
			tooLarge: false,
		});
		await service.noConnection();
	});

	it('returns text and headers; a header that came twice is undefined', async () => {
		service.answers = [text('grüße', 200, { 'x-one': 'a', 'set-cookie': ['a=1', 'b=2'] })];
		const { functions: ctx, account } = await service.api();
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
