import { getEventListeners } from 'node:events';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { readBytes, readText } from '../../nodes/shared/http/body.ts';
import type { Account, N8nFunctions } from '../../nodes/shared/http/credentials.ts';
import { exchange, type ExchangeRequest } from '../../nodes/shared/http/exchange.ts';
import type { ByteStream, Head } from '../../nodes/shared/http/reply.ts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const MIB = 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);

/** A body that sends these chunks and ends, or fails where it is destroyed before. */
function bodyOf(chunks: Uint8Array[], { isEndless = false } = {}) {
	const state = { isDestroyed: false, fail: (_error: Error) => {} };
	const destroyed = new Promise<never>((_, reject) => (state.fail = reject));
	destroyed.catch(() => undefined);
	const body: ByteStream = {
		async *[Symbol.asyncIterator]() {
			for (const chunk of chunks) {
				if (state.isDestroyed) await destroyed;
				yield chunk;
			}
			if (isEndless || state.isDestroyed) await destroyed;
		},
		destroy() {
			state.isDestroyed = true;
			state.fail(new Error('destroyed'));
		},
	};
	return { body, state };
}

const headOf = (body: ByteStream, deadlineSignal?: AbortSignal): Head => ({
	status: 200,
	headers: {},
	body,
	deadlineSignal,
});

const listenersOn = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('reading a body', () => {
	it('gives all of it and lets go of what could have ended it', async () => {
		const { body, state } = bodyOf([bytes('one '), bytes('zwö')]);
		const [signal, deadline] = [new AbortController().signal, new AbortController().signal];
		const reading = readText(headOf(body, deadline), signal);
		expect([listenersOn(signal), listenersOn(deadline)]).toEqual([1, 1]);
		expect(await reading).toEqual({ text: 'one zwö' });
		expect([listenersOn(signal), listenersOn(deadline)]).toEqual([0, 0]);
		expect(state.isDestroyed).toBe(true);
	});

	it('ends with the execution', async () => {
		const { body, state } = bodyOf([bytes('one')], { isEndless: true });
		const controller = new AbortController();
		const reading = readBytes(headOf(body), controller.signal);
		await pass();
		controller.abort();
		expect(state.isDestroyed).toBe(true);
		expect(await reading).toEqual({
			problem: 'The connection was lost while reading the response',
			tooLarge: false,
		});
		expect(listenersOn(controller.signal)).toBe(0);
	});

	it('does not begin where the execution has ended', async () => {
		const { body } = bodyOf([bytes('one')]);
		expect(await readBytes(headOf(body), AbortSignal.abort())).toHaveProperty('problem');
	});

	it('ends at the deadline, and says so', async () => {
		const { body } = bodyOf([], { isEndless: true });
		const controller = new AbortController();
		const reading = readText(headOf(body, controller.signal));
		await pass();
		controller.abort();
		expect(await reading).toEqual({
			problem: 'The response was incomplete at the deadline',
			tooLarge: false,
		});
	});

	it('has a limit', async () => {
		const { body, state } = bodyOf([new Uint8Array(2 * MIB), new Uint8Array(1)], {
			isEndless: true,
		});
		expect(await readBytes(headOf(body), undefined, 2 * MIB)).toEqual({
			problem: 'The response is larger than 2 MiB',
			tooLarge: true,
		});
		expect(state.isDestroyed).toBe(true);
		const whole = await readBytes(
			headOf(bodyOf([new Uint8Array(2 * MIB)]).body),
			undefined,
			2 * MIB,
		);
		expect('bytes' in whole && whole.bytes.byteLength).toBe(2 * MIB);
	});
});

describe('an exchange', () => {
	const account = {
		credentialType: 'computeApi',
		baseUrl: 'https://api.example.com',
		isPublic: true,
		allowedDomains: 'api.example.com',
	} as Account;
	const request: ExchangeRequest = {
		method: 'GET',
		url: 'https://api.example.com/v1/things',
		deadlineMs: 5_000,
	};

	/** A host that answers when it is told to. */
	function host() {
		const httpRequest = vi.fn((_options: IHttpRequestOptions) => answer);
		let respond: (response: unknown) => void = () => {};
		const answer = new Promise((resolve) => (respond = resolve));
		const functions = { helpers: { httpRequest } } as unknown as N8nFunctions;
		return { functions, httpRequest, respond };
	}

	const late = () => ({ statusCode: 200, headers: {}, body: { destroy: vi.fn(), on: vi.fn() } });

	it('keeps to the domains that the credential allows', async () => {
		const { functions, httpRequest, respond } = host();
		const answering = exchange(functions, account, request);
		respond({ ...late(), statusCode: 204 });
		expect(await answering).toMatchObject({ status: 204 });
		expect(httpRequest.mock.calls[0]?.[0]).toMatchObject({
			allowedDomains: 'api.example.com',
			disableFollowRedirect: true,
			timeout: 5_000,
		});
	});

	it.each([
		['at its deadline', request, 5],
		['when its head is late', { ...request, headMs: 2_000 }, 2],
	])('that is given up %s leaves no socket to a late answer', async (_, limited, seconds) => {
		const { functions, respond } = host();
		const answering = exchange(functions, account, limited);
		await pass(seconds * 1_000 - 1);
		const answer = late();
		const settled = vi.fn();
		void answering.then(settled);
		await pass();
		expect(settled).not.toHaveBeenCalled();
		await pass(1);
		expect(await answering).toEqual({
			kind: 'lost',
			reason: `No response within ${seconds} seconds`,
		});
		respond(answer);
		await pass();
		expect(answer.body.destroy).toHaveBeenCalled();
	});

	it('that is cancelled says so, and lets go of the signal', async () => {
		const { functions } = host();
		const controller = new AbortController();
		const answering = exchange(functions, account, { ...request, signal: controller.signal });
		await pass();
		controller.abort();
		expect(await answering).toEqual({ kind: 'cancelled' });
		expect(listenersOn(controller.signal)).toBe(0);
	});
});
