import type { ICredentialDataDecryptedObject, IRun } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Served } from '../e2e/serve.mts';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { explorer } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { devices, errorForms } from '../sandbox/index.mts';

/** Explorer with `computeMarketplaceOAuth2Api`; the token server is the test's own. */
const fixture = useFixture();
const SECRETS = {
	clientSecret: 'client-secret-5b1d',
	expired: 'expired-access-token-1f',
	refresh: 'refresh-token-8842',
};

let tokenServer: Served;
let tokenRequests: URLSearchParams[] = [];
let tokenAnswer: () => { status: number; body: unknown };

beforeAll(async () => {
	tokenServer = await serve(({ body }) => {
		tokenRequests.push(new URLSearchParams(body));
		return tokenAnswer();
	});
});
beforeEach(() => {
	tokenRequests = [];
	tokenAnswer = () => ({
		status: 200,
		body: {
			access_token: fixture.sandbox.keys.accessToken,
			token_type: 'bearer',
			expires_in: 3600,
		},
	});
});
afterAll(async () => await tokenServer.close());

const get = explorer(
	'get',
	{ authentication: 'oAuth2', deviceId: devices[0]?.device_id, output: 'device' },
	{
		credentials: { computeMarketplaceOAuth2Api: { id: 'oauth2', name: 'OAuth2' } },
	},
);

async function run(data: ICredentialDataDecryptedObject = {}): Promise<IRun> {
	const accessTokenUrl = `${tokenServer.url}/oauth2/token`;
	const engine = await startEngine({
		oauth2: {
			type: 'computeMarketplaceOAuth2Api',
			data: {
				baseUrl: fixture.sandbox.url,
				service: 'svc',
				grantType: 'authorizationCode',
				authentication: 'header',
				accessTokenUrl,
				clientId: 'client',
				clientSecret: SECRETS.clientSecret,
				scope: 'devices:read',
				oauthTokenData: {
					access_token: SECRETS.expired,
					refresh_token: SECRETS.refresh,
					token_type: 'bearer',
				},
				...data,
			},
		},
	});
	return await engine.run(get);
}

const bearers = () => fixture.sandbox.requests.map(({ headers }) => headers.authorization);

function expectNoSecret(result: IRun): void {
	const text = JSON.stringify(result, (_, value: unknown) =>
		value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value,
	);
	for (const secret of [...Object.values(SECRETS), fixture.sandbox.keys.accessToken])
		expect(text).not.toContain(secret);
}

describe('OAuth2', () => {
	it('a valid token is sent as Authorization: Bearer, and no token is requested', async () => {
		const result = await run({
			oauthTokenData: {
				access_token: fixture.sandbox.keys.accessToken,
				refresh_token: SECRETS.refresh,
				token_type: 'bearer',
			},
		});
		expect(onlyJson(result).device_id).toBe(devices[0]?.device_id);
		expect(bearers()).toEqual([`Bearer ${fixture.sandbox.keys.accessToken}`]);
		expect(fixture.sandbox.requests[0]?.headers).not.toHaveProperty('x-api-key');
		expect(tokenRequests).toHaveLength(0);
		expectNoSecret(result);
	});

	it('401 is followed by exactly one refresh and a second request with the new token', async () => {
		const result = await run();
		expect(onlyJson(result).device_id).toBe(devices[0]?.device_id);
		expect(bearers()).toEqual([
			`Bearer ${SECRETS.expired}`,
			`Bearer ${fixture.sandbox.keys.accessToken}`,
		]);
		expect(
			tokenRequests.map((form) => [form.get('grant_type'), form.get('refresh_token')]),
		).toEqual([['refresh_token', SECRETS.refresh]]);
		expectNoSecret(result);
	});

	it('client credentials: 401 is followed by exactly one new token with its scope', async () => {
		const result = await run({
			grantType: 'clientCredentials',
			oauthTokenData: { access_token: SECRETS.expired, token_type: 'bearer' },
		});
		expect(onlyJson(result).device_id).toBe(devices[0]?.device_id);
		expect(tokenRequests.map((form) => [form.get('grant_type'), form.get('scope')])).toEqual([
			['client_credentials', 'devices:read'],
		]);
	});

	it('a refresh that the token server refuses is a readable error without secrets', async () => {
		tokenAnswer = () => ({
			status: 400,
			body: {
				error: 'invalid_grant',
				error_description: `refresh token ${SECRETS.refresh} is revoked`,
			},
		});
		const result = await run();
		expect(errorOf(result).message).toBe('The credential "OAuth2" needs to be reconnected.');
		expect(errorOf(result).description).toContain('Open the credential and reconnect it');
		expect(tokenRequests).toHaveLength(1);
		expectNoSecret(result);
	});

	it('a token server that answers 500 is asked three times, then a readable error without secrets', async () => {
		tokenAnswer = () => ({
			status: 500,
			body: {
				error: 'server_error',
				error_description: `no luck with ${SECRETS.refresh} of ${SECRETS.clientSecret}`,
			},
		});
		const result = await run();
		expect(errorOf(result).message).toBe(
			'The token server of the credential answered with status 500',
		);
		expect(errorOf(result).description).toContain('Check the Access Token URL');
		expect(tokenRequests).toHaveLength(3);
		expectNoSecret(result);
	});

	it('the words of a token server that does not know the client, after one try', async () => {
		tokenAnswer = () => ({
			status: 401,
			body: {
				error: 'invalid_client',
				error_description: `no client with ${SECRETS.clientSecret}`,
			},
		});
		const result = await run();
		expect(errorOf(result).message).toMatch(/^Client authentication failed/);
		expect(tokenRequests).toHaveLength(1);
		expectNoSecret(result);
	});

	it('a token server that cannot be reached is named as a possible cause', async () => {
		const result = await run({ accessTokenUrl: 'http://127.0.0.1:1/token' });
		expect(errorOf(result).message).toBe(
			`The service at ${new URL(fixture.sandbox.url).host} or its token server cannot be reached (ECONNREFUSED)`,
		);
		expectNoSecret(result);
	});

	it('a new token that is refused too: the 401 with the words of the service', async () => {
		tokenAnswer = () => ({
			status: 200,
			body: { access_token: 'another-wrong-token-3c', token_type: 'bearer' },
		});
		const result = await run();
		expect(errorOf(result).message).toBe(
			'The service did not accept the credential (401): Invalid access token',
		);
		expect(bearers()).toEqual([`Bearer ${SECRETS.expired}`, 'Bearer another-wrong-token-3c']);
		expect(tokenRequests).toHaveLength(1);
		expectNoSecret(result);
		expect(JSON.stringify(errorOf(result))).not.toContain('another-wrong-token-3c');
	});

	it('any other status is an error of the node, and no token is requested', async () => {
		fixture.sandbox.faults.add(errorForms.detailString(403, 'scope missing'));
		const result = await run();
		expect(errorOf(result).message).toBe('The account may not do this (403): scope missing');
		expect(tokenRequests).toHaveLength(0);
		expectNoSecret(result);
	});
});
