import type { IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import {
	checkSameForAll,
	hiding,
	openAccount,
	publicAddress,
	type Account,
} from '../../nodes/shared/http/credentials.ts';

type Data = Record<string, unknown>;

const account = publicAddress('https://api.example.com');

/** The context of a node whose credential has these values, by item; it counts how often each was asked for. */
function contextOf(values: Data[]) {
	const asked: number[] = [];
	const ctx = {
		getNode: () => ({ id: '1', name: 'Node', type: 'n', typeVersion: 1, position: [0, 0] }),
		getNodeParameter: () => 'oAuth2',
		getCredentials: async (_type: string, itemIndex = 0) => {
			asked.push(itemIndex);
			return await Promise.resolve(values[itemIndex] ?? {});
		},
	};
	return { asked, ctx: ctx as unknown as IExecuteFunctions };
}

async function accountOf(data: Data): Promise<Account> {
	const { ctx } = contextOf([{ baseUrl: 'https://api.example.com', ...data }]);
	return await openAccount(ctx, INTELLIGENCE_CREDENTIALS);
}

describe('an account', () => {
	const KEYS = ['apiKey', 'accessToken', 'clientId', 'clientSecret'];
	const hash = async (data: Data) => (await accountOf(data)).keyHash;

	it.each(KEYS)('is another one with another %s, and the same with it pasted', async (key) => {
		const same = await hash({ [key]: 'the-key-1' });
		expect(same).toMatch(/^[\da-f]{64}$/);
		expect(await hash({ [key]: ' the-key-1\n' })).toBe(same);
		expect(await hash({ [key]: 'the-key-1', oauthTokenData: { access_token: 'renewed' } })).toBe(
			same,
		);
		for (const other of [{ [key]: 'the-key-2' }, {}]) expect(await hash(other)).not.toBe(same);
	});

	it('is another one with the same key in another field', async () => {
		const hashes = await Promise.all(KEYS.map(async (key) => await hash({ [key]: 'the-key-1' })));
		expect(new Set(hashes).size).toBe(KEYS.length);
	});

	it.each(['apiKey', 'accessToken', 'clientSecret'])('hides its %s', async (key) => {
		expect((await accountOf({ [key]: 'the-secret' })).redact('the-secret')).toBe('***');
	});

	it.each(['access_token', 'refresh_token'])('hides its %s', async (key) => {
		const { redact } = await accountOf({ oauthTokenData: { [key]: 'the-secret' } });
		expect(redact('the-secret')).toBe('***');
	});

	it.each([undefined, null, 'a token', ['a token'], { access_token: 7_000_000 }])(
		'with the token data %j has no token',
		async (oauthTokenData) => {
			const { redact } = await accountOf({ oauthTokenData });
			expect(redact('a token of 7000000')).toBe('a token of 7000000');
		},
	);

	it('also hides what a request holds, and all that it is stays', () => {
		const key: Account = { ...account, redact: (text) => text.replace('the-key', '***') };
		const { redact, ...others } = hiding(key, ['a-password'], (name) => name === 'id');
		expect(redact('the-key and a-password')).toBe('*** and ***');
		expect(redact('{"id":"a-password","env":"a-password"}')).toBe(
			'{"id":"a-password","env":"***"}',
		);
		expect({ ...others, redact: key.redact }).toEqual(key);
	});

	it('of a public address has no secret and signs nothing', () => {
		expect(account).toMatchObject({ isPublic: true, isOAuth2: false, segments: {} });
		expect(account.headers).toBeUndefined();
		expect(account.redact('a text')).toBe('a text');
	});
});

describe('a credential with an expression', () => {
	const [one, two] = [{ apiKey: 'key-1' }, { apiKey: 'key-2' }];

	it('may give each item the same', async () => {
		const { ctx, asked } = contextOf([one, { ...one }, { ...one }]);
		await checkSameForAll(ctx, account, 3);
		expect(asked).toEqual([0, 1, 2]);
	});

	it('is not read for a single item', async () => {
		const { ctx, asked } = contextOf([one]);
		await checkSameForAll(ctx, account, 1);
		expect(asked).toEqual([]);
	});

	it('may have a token that n8n has renewed since', async () => {
		const tokens = ['a', 'b'].map((token) => ({ ...one, oauthTokenData: { access_token: token } }));
		await expect(checkSameForAll(contextOf(tokens).ctx, account, 2)).resolves.toBeUndefined();
	});

	it.each([
		[1, [one, two]],
		[1, [one, two, one]],
		[2, [one, one, two]],
	])(
		'that gives item %i another key is an error, before anything is sent',
		async (itemIndex, of) => {
			await expect(checkSameForAll(contextOf(of).ctx, account, of.length)).rejects.toMatchObject({
				message: expect.stringContaining('gives the items different values') as string,
				description: expect.stringContaining('Nothing was sent') as string,
				context: { itemIndex },
			});
		},
	);
});
