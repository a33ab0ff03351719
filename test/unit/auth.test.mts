import { describe, expect, it } from 'vitest';
import { openAccount, type Account, type Context } from '../../nodes/shared/auth.ts';

/** The account of a credential; of the context of a node nothing else is asked here. */
async function accountOf(data: Record<string, string>): Promise<Account> {
	const node = { id: 'Node', name: 'Node', type: 'node', typeVersion: 1, position: [0, 0], parameters: {} };
	const ctx = { getNode: () => node, getCredentials: async () => ({ baseUrl: 'https://api.example.com', ...data }) };
	return await openAccount(ctx as unknown as Context, 'computeIntelligenceApi');
}

describe('the secrets of a credential', () => {
	it.each(['plain-key', 'a.b*c+d?e', '(a-key)', '[a-z]-key', 'k{3}ey', '^a-key$', 'one|two', 'back\\slash', 'sl/ash', 'key-$&-$1'])('such as %s are struck out wherever they stand', async (apiKey) => {
		const { redact } = await accountOf({ apiKey });
		expect(redact(`${apiKey} and ${apiKey}${apiKey}`)).toBe('*** and ******');
		expect(redact(`?key=${encodeURIComponent(apiKey)}`)).toBe('?key=***');
		expect(redact(JSON.stringify({ apiKey }))).toBe('{"apiKey":"***"}');
	});

	it.each([' a-pasted-key', 'a-pasted-key\n'])('pasted as %j are struck out as they are sent, too', async (apiKey) => {
		const { redact } = await accountOf({ apiKey });
		expect(redact('key: a-pasted-key')).not.toContain('a-pasted-key');
		expect(redact(`key: ${apiKey}.`)).not.toContain('a-pasted-key');
	});

	it('are no expressions', async () => {
		const { redact } = await accountOf({ apiKey: 'a.b*c+d?e' });
		expect(redact('axbbbccde and abcde')).toBe('axbbbccde and abcde');
	});

	it('are struck out whole where one is the beginning of another', async () => {
		const { redact } = await accountOf({ apiKey: 'secret', accessToken: 'secret-and-more' });
		expect(redact('secret, secret-and-more')).toBe('***, ***');
	});

	it('of a few characters stay, and so does a text without any', async () => {
		expect((await accountOf({ apiKey: 'short' })).redact('a short text')).toBe('a short text');
		expect((await accountOf({ apiKey: ' short ' })).redact('a short text')).toBe('a short text');
		expect((await accountOf({})).redact('a text')).toBe('a text');
	});
});
