import { describe, expect, it } from 'vitest';
import type { Account, N8nFunctions } from '../../nodes/shared/http/credentials.ts';
import { exchange } from '../../nodes/shared/http/exchange.ts';

const account: Account = {
	credentialType: 'computeMarketplaceApi',
	baseUrl: 'https://api.example.com/base',
	segments: {},
	keyHash: '',
	advice: {},
	isOAuth2: false,
	redact: (text) => text.replace('the-key', '***'),
};

/** An error with these fields, which a second one wraps, which n8n's own wraps: as its helper throws them. */
function thrown(fields: object, ofClient: object = { isAxiosError: true }): Error {
	const cause = Object.assign(new Error('of the system'), fields);
	return new Error('of n8n', {
		cause: Object.assign(new Error('of the client', { cause }), ofClient),
	});
}

/** How an exchange ends where n8n's helper throws. */
async function endOf(error: unknown, changes: Partial<Account> = {}) {
	const helpers = {
		httpRequestWithAuthentication: async () => await Promise.reject(error as Error),
	};
	return await exchange(
		{ helpers } as unknown as N8nFunctions,
		{ ...account, ...changes },
		{ method: 'POST', url: account.baseUrl, deadlineMs: 60_000 },
	);
}

const unreachable = (code: string) => ({
	kind: 'unsent',
	reason: `The service at api.example.com cannot be reached (${code})`,
});
const broke = (code: string) => ({
	kind: 'lost',
	reason: `The connection to api.example.com was lost before a response arrived (${code})`,
});
const untrusted = (code: string) => ({
	kind: 'unsent',
	reason: `The certificate of api.example.com is not accepted (${code})`,
	permanent: true,
});

describe("errors of n8n's helper", () => {
	it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])(
		'%s: nothing was sent',
		async (code) => {
			expect(await endOf(thrown({ code }))).toEqual(unreachable(code));
			expect(await endOf(thrown({ code, syscall: 'connect' }))).toEqual(unreachable(code));
		},
	);

	it.each(['connect', 'getaddrinfo'])('nor where %s failed', async (syscall) => {
		expect(await endOf(thrown({ code: 'ETIMEDOUT', syscall }))).toEqual(unreachable('ETIMEDOUT'));
		expect(await endOf(thrown({ syscall }))).toEqual(unreachable('no connection'));
	});

	it.each(['read', 'write'])(
		'the network is lost in a %s: the request may have arrived',
		async (syscall) => {
			for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNRESET'])
				expect(await endOf(thrown({ code, syscall }))).toEqual(broke(code));
		},
	);

	it.each([
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'CERT_HAS_EXPIRED',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'ERR_SSL_UNSUPPORTED_PROTOCOL',
		'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
		'ERR_SSL_PACKET_LENGTH_TOO_LONG',
	])('%s: nothing was sent, and a retry would not help', async (code) => {
		expect(await endOf(thrown({ code }))).toEqual(untrusted(code));
	});

	it.each([
		'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
		'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
		'EPIPE',
		'NOT_CERT_AT_ALL',
	])('%s: the request may have arrived', async (code) => {
		expect(await endOf(thrown({ code }))).toEqual(broke(code));
	});

	it('an error of the client without a code: the request may have arrived', async () => {
		expect(await endOf(thrown({}))).toEqual(broke('unknown'));
	});

	it('a cancelled request', async () => {
		expect(await endOf(thrown({ code: 'ERR_CANCELED' }))).toEqual({ kind: 'cancelled' });
	});

	it.each([
		[401, true],
		[499, true],
		[408, false],
		[429, false],
		[500, false],
		[503, false],
		[501, true],
	])('a token server that answers %d', async (status, permanent) => {
		const end = await endOf(thrown({}, { isAxiosError: true, response: { status } }), {
			isOAuth2: true,
		});
		expect(end).toEqual({
			kind: 'unsent',
			reason: `The token server of the credential answered with status ${status}`,
			advice: 'Check the Access Token URL, the client and the scope in the credential.',
			permanent,
		});
	});

	it.each([
		[400, true],
		[429, false],
	])("a token server that answers %d, in the words of n8n's client", async (status, permanent) => {
		const end = await endOf(
			Object.assign(new Error(`HTTP status ${status}`), { code: 'ESTATUS', status, body: '{}' }),
			{ isOAuth2: true },
		);
		expect(end).toMatchObject({
			kind: 'unsent',
			reason: `The token server of the credential answered with status ${status}`,
			permanent,
		});
	});

	it.each([
		['slow_down', false],
		['too_many_requests', false],
		['temporarily_unavailable', false],
		['server_error', false],
		['invalid_client', true],
	])('a token server that answers with the code %s', async (code, permanent) => {
		const end = await endOf(
			Object.assign(new Error('In words'), { code: 'EAUTH', body: { error: code } }),
			{ isOAuth2: true },
		);
		expect(end).toMatchObject({ kind: 'unsent', reason: 'In words', permanent });
	});

	it('a token server whose response n8n cannot read: the words of n8n', async () => {
		const end = await endOf(
			Object.assign(new Error('Expected JSON response'), { code: 'ESTATUS', status: 200 }),
			{ isOAuth2: true },
		);
		expect(end).toMatchObject({
			kind: 'unsent',
			reason: 'Expected JSON response',
			permanent: true,
		});
	});

	it('an error of n8n that has a status of its own: the words of n8n', async () => {
		const end = await endOf(Object.assign(new Error('Not allowed'), { status: 403 }));
		expect(end).toMatchObject({ kind: 'unsent', reason: 'Not allowed', permanent: true });
	});

	it('with OAuth2 the token server may be what cannot be reached', async () => {
		expect(await endOf(thrown({ code: 'ENOTFOUND' }), { isOAuth2: true })).toMatchObject({
			reason: 'The service at api.example.com or its token server cannot be reached (ENOTFOUND)',
		});
	});

	it('what n8n refuses, in its words and without the key', async () => {
		const refusal = Object.assign(new Error('the-key may not go there'), {
			description: 'Allow it for the-key',
		});
		expect(await endOf(refusal)).toEqual({
			kind: 'unsent',
			reason: '*** may not go there',
			advice: 'Allow it for ***',
			permanent: true,
		});
		expect(await endOf(new Error('No credential'))).toEqual({
			kind: 'unsent',
			reason: 'No credential',
			advice: undefined,
			permanent: true,
		});
		expect(await endOf('a text')).toMatchObject({
			kind: 'unsent',
			reason: 'The request could not be sent',
			permanent: true,
		});
		expect(await endOf({ message: 7, description: 7 })).toEqual({
			kind: 'unsent',
			reason: 'The request could not be sent',
			advice: undefined,
			permanent: true,
		});
	});

	it('causes are read up to the sixth', async () => {
		const deep = (depth: number): Error =>
			depth === 0
				? Object.assign(new Error('x'), { code: 'ENOTFOUND' })
				: new Error('x', { cause: deep(depth - 1) });
		expect(await endOf(deep(5))).toEqual(unreachable('ENOTFOUND'));
		expect(await endOf(deep(6))).toMatchObject({ kind: 'unsent', reason: 'x', permanent: true });
	});
});
