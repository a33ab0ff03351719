import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { serve, type Served } from '../e2e/serve.mts';
import { startEngine } from '../engine/engine.mts';
import { LOG_PATH, logRequests, logsTrigger, numbered, openLog } from '../engine/logs.mts';
import { MARKETPLACE } from '../engine/nodes.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { useHastyTime, type HastyTime } from '../engine/time.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';

/** The logs trigger with OAuth2: the API key from one credential, the token from the other, renewed by n8n. */
let sandbox: Sandbox;
let tokens: Served;
let time: HastyTime;
let renewed = 0;
let answer: () => { status?: number; body: unknown };

beforeAll(async () => {
	sandbox = await startSandbox();
	time = useHastyTime();
	tokens = await serve(() => {
		renewed++;
		return answer();
	});
});
beforeEach(() => {
	sandbox.reset();
	renewed = 0;
	answer = () => ({
		body: {
			access_token: sandbox.keys.accessToken,
			refresh_token: 'refresh-4711',
			token_type: 'bearer',
			expires_in: 3600,
		},
	});
});
afterAll(async () => {
	time.restore();
	await tokens.close();
	await sandbox.close();
});

async function followWith(token: string, parameters: IDataObject = {}): Promise<ActiveTrigger> {
	const engine = await startEngine({
		...sandboxCredentials(sandbox),
		oauth2: {
			type: 'computeMarketplaceOAuth2Api',
			data: {
				baseUrl: sandbox.url,
				service: 'svc',
				grantType: 'authorizationCode',
				authentication: 'header',
				accessTokenUrl: `${tokens.url}/token`,
				clientId: 'client',
				clientSecret: 'client-secret-0815',
				oauthTokenData: {
					access_token: token,
					refresh_token: 'refresh-4711',
					token_type: 'bearer',
				},
			},
		},
	});
	const credentials = {
		...MARKETPLACE,
		computeMarketplaceOAuth2Api: { id: 'oauth2', name: 'OAuth2' },
	};
	return new ActiveTrigger(engine, {
		...logsTrigger({ authentication: 'oAuth2', ...parameters }),
		credentials,
	});
}

describe('OAuth2', () => {
	it('sends the API key and the token, and renews an expired token once', async () => {
		openLog(sandbox).append('stdout', 'hello');
		const followed = await followWith('expired-token-1234');
		await followed.activate();
		await eventually('the line', () => followed.lines[0] === 'hello');
		expect(renewed).toBe(1);
		expect(
			logRequests(sandbox).map(({ headers }) => [headers['x-api-key'], headers.authorization]),
		).toEqual([
			[sandbox.keys.apiKey, 'Bearer expired-token-1234'],
			[sandbox.keys.apiKey, `Bearer ${sandbox.keys.accessToken}`],
		]);
		await followed.deactivate();
	});

	it('a token that was just renewed is redacted in the lines', async () => {
		openLog(sandbox).append('stdout', `the token is ${sandbox.keys.accessToken}`);
		const followed = await followWith('expired-token-1234');
		await followed.activate();
		await eventually('the line', () => followed.lines.length === 1);
		expect(followed.lines).toEqual(['the token is ***']);
		await followed.deactivate();
	});

	it('a token that expires later is renewed, and no line is lost', async () => {
		openLog(sandbox).append('stdout', ...numbered(10));
		sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 60 });
		sandbox.faults.add({
			match: { path: LOG_PATH },
			status: 401,
			body: { detail: 'Token expired' },
		});
		const followed = await followWith(sandbox.keys.accessToken);
		await followed.activate();
		await eventually('all lines', () => followed.lines.length === 10);
		expect(followed.lines).toEqual(numbered(10));
		expect(renewed).toBe(1);
		expect(followed.errors).toEqual([]);
		await followed.deactivate();
	});

	it('a refusal to renew is reported once for all logs, which resume when it is over', async () => {
		const log = openLog(sandbox);
		log.append('stdout', ...numbered(10));
		log.append('stderr', ...numbered(10));
		sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 20 });
		sandbox.faults.add({
			match: { path: LOG_PATH },
			skip: 1,
			times: Infinity,
			status: 401,
			body: { detail: 'Token expired' },
		});
		const good = answer;
		answer = () => ({ status: 400, body: { error: 'invalid_grant' } });
		const followed = await followWith(sandbox.keys.accessToken, { streams: ['stdout', 'stderr'] });
		await followed.activate();
		await eventually('the report', () => followed.failures.length > 0);
		answer = good;
		await eventually('a renewed token', () => renewed > 1);
		sandbox.faults.clear();
		await eventually('all lines', () => followed.lines.length === 20);
		expect(followed.failures.map(({ message }) => message)).toEqual([
			expect.stringMatching(
				/^The (stdout|stderr) log of container c1 cannot be reached: The credential "OAuth2" needs to be reconnected\.$/,
			),
		]);
		expect(followed.errors).toEqual([]);
		await followed.deactivate();
	});

	it.each([{ message: 'slow down' }, { error: 'too_many_requests' }])(
		'a busy token server is asked again, and no line is lost: %j',
		async (body) => {
			openLog(sandbox).append('stdout', ...numbered(10));
			sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 60 });
			sandbox.faults.add({
				match: { path: LOG_PATH },
				status: 401,
				body: { detail: 'Token expired' },
			});
			let asked = 0;
			const good = answer;
			answer = () => (++asked > 1 ? good() : { status: 429, body });
			const followed = await followWith(sandbox.keys.accessToken);
			await followed.activate();
			await eventually('all lines', () => followed.lines.length === 10);
			expect(followed.lines).toEqual(numbered(10));
			expect(followed.errors).toEqual([]);
			await followed.deactivate();
		},
	);

	it('a renewed token that is refused is reported once, without a secret, and lines come when it is accepted', async () => {
		openLog(sandbox).append('stdout', ...numbered(10));
		sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 60 });
		sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			status: 401,
			body: { detail: `Token ${sandbox.keys.accessToken} was revoked` },
		});
		const followed = await followWith(sandbox.keys.accessToken);
		await followed.activate();
		await eventually('the report', () => followed.failures.length > 0);
		const { length } = logRequests(sandbox);
		await eventually('more tries', () => logRequests(sandbox).length > length + 5);
		sandbox.faults.clear();
		await eventually('all lines', () => followed.lines.length === 10);
		expect(followed.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container c1 cannot be reached: Authentication failed (401): Token *** was revoked',
		]);
		expect(followed.errors).toEqual([]);
		await followed.deactivate();
	});
});
