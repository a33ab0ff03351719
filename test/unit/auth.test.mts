import { describe, expect, it } from 'vitest';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import { LOG_CREDENTIALS } from '../../nodes/marketplace/log/credentials.ts';
import {
	openAccount,
	type Account,
	type CredentialChoices,
	type N8nFunctions,
} from '../../nodes/shared/http/credentials.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';

type Data = Record<string, unknown>;

/** The account of a node with these credentials, by type; of the context of a node nothing else is asked here. */
async function open(
	credentials: Record<string, Data>,
	choices: CredentialChoices,
	authentication?: string,
): Promise<Account> {
	const node = {
		id: 'Node',
		name: 'Node',
		type: 'node',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const ctx = {
		getNode: () => node,
		getCredentials: async (type: string) =>
			credentials[type] ?? (await Promise.reject(new Error('There is no such credential'))),
		getNodeParameter: () => authentication,
	};
	return await openAccount(ctx as unknown as N8nFunctions, choices);
}

async function accountOf(data: Data): Promise<Account> {
	return await open(
		{ computeMarketplaceApi: { baseUrl: 'https://api.example.com', ...data } },
		KEY_CREDENTIALS,
	);
}

/** The same of the intelligence API. */
async function intelligenceOf(data: Data): Promise<Account> {
	return await open(
		{ computeIntelligenceApi: { baseUrl: 'https://api.example.com', ...data } },
		INTELLIGENCE_CREDENTIALS,
		'apiKey',
	);
}

describe('the secrets of a credential', () => {
	it.each([
		'plain-key',
		'a.b*c+d?e',
		'(a-key)',
		'[a-z]-key',
		'k{3}ey',
		'^a-key$',
		'one|two',
		'back\\slash',
		'sl/ash',
		'key-$&-$1',
	])('such as %s are redacted in every encoding', async (apiKey) => {
		const { redact } = await accountOf({ apiKey });
		expect(redact(`${apiKey} and ${apiKey}${apiKey}`)).toBe('*** and ******');
		expect(redact(`?key=${encodeURIComponent(apiKey)}`)).toBe('?key=***');
		expect(redact(JSON.stringify({ apiKey }))).toBe('{"apiKey":"***"}');
	});

	it.each([' a-pasted-key', 'a-pasted-key\n'])(
		'pasted as %j are redacted as they are sent',
		async (apiKey) => {
			const { redact } = await accountOf({ apiKey });
			expect(redact('key: a-pasted-key')).not.toContain('a-pasted-key');
			expect(redact(`key: ${apiKey}.`)).not.toContain('a-pasted-key');
		},
	);

	it('are not evaluated as regular expressions', async () => {
		const { redact } = await accountOf({ apiKey: 'a.b*c+d?e' });
		expect(redact('axbbbccde and abcde')).toBe('axbbbccde and abcde');
	});

	it('are redacted whole where one is a prefix of another', async () => {
		const { redact } = await accountOf({ apiKey: 'secret', accessToken: 'secret-and-more' });
		expect(redact('secret, secret-and-more')).toBe('***, ***');
	});

	it('of a few characters are not redacted', async () => {
		expect((await accountOf({ apiKey: 'short' })).redact('a short text')).toBe('a short text');
		expect((await accountOf({ apiKey: ' short ' })).redact('a short text')).toBe('a short text');
		expect((await accountOf({})).redact('a text')).toBe('a text');
	});
});

describe('the address in a credential', () => {
	it.each([
		['https://api.example.com', 'https://api.example.com'],
		['  http://127.0.0.1:8080/  ', 'http://127.0.0.1:8080'],
		['https://api.example.com/gateway//', 'https://api.example.com/gateway'],
	])('%j', async (baseUrl, expected) => {
		expect(await accountOf({ baseUrl })).toMatchObject({ baseUrl: expected });
	});

	it.each<[unknown, string]>([
		['', 'is required and must not be empty'],
		['   ', 'is required and must not be empty'],
		[undefined, 'is required and must not be empty'],
		[7, 'is required and must not be empty'],
		['api.example.com', 'must be a full address that starts with https:// or http://'],
		['ftp://api.example.com', 'must start with https:// or http://'],
		['https://me@api.example.com', 'must not contain a user name or a password'],
		['https://:secret@api.example.com', 'must not contain a user name or a password'],
		['https://api.example.com?key=secret', 'must not contain a query (?) or a fragment (#)'],
		['https://api.example.com/#secret', 'must not contain a query (?) or a fragment (#)'],
	])('%j is an error that does not repeat it', async (baseUrl, problem) => {
		const error = (await accountOf({ baseUrl }).catch((caught: unknown) => caught)) as Error & {
			description: string;
		};
		expect(error).toMatchObject({
			message: `Base URL in the credential ${problem}`,
			description:
				'It looks like https://api.example.com, without a path of the API and without a key.',
		});
	});

	it.each(['svc', ' svc ', 'a.b', 'A_b~c-1'])('has the segment %j', async (service) => {
		expect((await accountOf({ service })).segments).toEqual({ service: service.trim() });
		expect((await intelligenceOf({ ragSegment: service })).segments).toEqual({
			rag: service.trim(),
		});
	});

	it.each<unknown>(['', ' ', '.', '..', 'a/b', 'a b', '?', undefined, 7])(
		'%j is no segment',
		async (segment) => {
			const problem =
				'in the credential must be a single URL path segment: letters, digits and . _ ~ -';
			await expect(accountOf({ service: segment })).rejects.toThrow(`Service Segment ${problem}`);
			await expect(intelligenceOf({ ragSegment: segment })).rejects.toThrow(
				`Retrieval Segment ${problem}`,
			);
		},
	);

	it('has the domains that n8n allows', async () => {
		expect(
			(await accountOf({ allowedHttpRequestDomains: 'domains', allowedDomains: 'api.example.com' }))
				.allowedDomains,
		).toBe('api.example.com');
		expect((await accountOf({ allowedHttpRequestDomains: 'all' })).allowedDomains).toBeUndefined();
	});
});

describe('two credentials', () => {
	const service = { baseUrl: 'https://api.example.com', service: 'svc' };
	const credentials = (changes: Data = {}) => ({
		computeMarketplaceApi: { ...service, apiKey: ' the-api-key ' },
		computeMarketplaceTokenApi: { ...service, accessToken: 'the-token\n', ...changes },
		computeMarketplaceOAuth2Api: {
			...service,
			baseUrl: 'https://api.example.com/other',
			oauthTokenData: { access_token: 'the-oauth-token', refresh_token: 'the-refresh-token' },
		},
	});

	it('the second adds its header, and all secrets are redacted', async () => {
		const account = await open(credentials(), LOG_CREDENTIALS, 'accessToken');
		expect(account).toMatchObject({
			credentialType: 'computeMarketplaceApi',
			baseUrl: 'https://api.example.com',
			isOAuth2: false,
			headers: { Authorization: 'Bearer the-token' },
		});
		expect(account.redact('the-api-key, the-token')).toBe('***, ***');
	});

	it('the API key decides the host, as the second one too', async () => {
		const account = await open(credentials(), LOG_CREDENTIALS, 'oAuth2');
		expect(account).toMatchObject({
			credentialType: 'computeMarketplaceOAuth2Api',
			baseUrl: 'https://api.example.com',
			isOAuth2: true,
			headers: { 'x-api-key': 'the-api-key' },
		});
		expect(account.redact('the-oauth-token, the-refresh-token')).toBe('***, ***');
	});

	it('one alone', async () => {
		expect((await open(credentials(), LOG_CREDENTIALS, 'apiKey')).headers).toBeUndefined();
	});

	it.each([
		['none', '"none"'],
		[undefined, 'nothing'],
	])('Authentication %s does not exist', async (authentication, shown) => {
		await expect(open(credentials(), LOG_CREDENTIALS, authentication)).rejects.toThrow(
			`Authentication must be one of accessToken, oAuth2, apiKey, got ${shown}`,
		);
	});

	it.each<[string, Data]>([
		['Base URL', { baseUrl: 'https://api.example.org' }],
		['Base URL', { baseUrl: 'http://api.example.com' }],
		['Service Segment', { service: 'other' }],
		['Base URL and Service Segment', { baseUrl: 'https://api.example.org', service: 'other' }],
	])('of two services are an error: %s', async (what, changes) => {
		const error = (await open(credentials(changes), LOG_CREDENTIALS, 'accessToken').catch(
			(caught: unknown) => caught,
		)) as Error & { description: string };
		expect(error).toMatchObject({
			message: `The two credentials of this node must belong to the same service: ${what} must be equal in both`,
			description:
				'Nothing was sent, so that no key reaches another service. Choose two credentials of one account.',
		});
	});

	it.each<unknown>(['', '  ', undefined, 7])(
		'without a secret in the second (%j) are an error',
		async (accessToken) => {
			await expect(
				open(credentials({ accessToken }), LOG_CREDENTIALS, 'accessToken'),
			).rejects.toThrow('Access Token in the credential is required and must not be empty');
		},
	);
});

describe('a token that n8n has renewed', () => {
	it('is redacted from then on, beside the earlier one', async () => {
		const data = {
			baseUrl: 'https://api.example.com',
			oauthTokenData: { access_token: 'the-first-token' },
		};
		const credentials = { computeIntelligenceOAuth2Api: data };
		const account = await open(credentials, INTELLIGENCE_CREDENTIALS, 'oAuth2');
		data.oauthTokenData = { access_token: 'the-second-token' };
		await account.learnSecrets?.();
		expect(account.redact('the-first-token, the-second-token')).toBe('***, ***');
		Reflect.deleteProperty(credentials, 'computeIntelligenceOAuth2Api');
		await account.learnSecrets?.();
		expect(account.redact('the-first-token')).toBe('***');
	});

	it('is read with OAuth2 alone', async () => {
		expect((await accountOf({ apiKey: 'the-key' })).learnSecrets).toBeUndefined();
	});
});
