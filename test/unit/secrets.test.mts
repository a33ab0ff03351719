import { describe, expect, it } from 'vitest';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import { hidingSecrets, isSecretKey, withoutSecrets } from '../../nodes/marketplace/secrets.ts';

describe('a request that is shown', () => {
	it.each([
		'secret_env',
		'secretEnv',
		'secret_environment',
		'SECRET_ENV',
		'registry_secret',
		'registrySecret',
		'registry_password',
	])('%s is masked, with all that is in it', (key) => {
		expect(isSecretKey(key)).toBe(true);
		expect(withoutSecrets({ [key]: 'a', image: 'b' })).toEqual({ [key]: '***', image: 'b' });
		expect(withoutSecrets({ [key]: { TOKEN: 'a', PORT: 8080, on: true } })).toEqual({
			[key]: { TOKEN: '***', PORT: '***', on: '***' },
		});
		expect(withoutSecrets({ deep: [{ [key]: ['a', { b: 'c' }] }] })).toEqual({
			deep: [{ [key]: ['***', { b: '***' }] }],
		});
	});

	it.each(['env', 'my_secret_env', 'registry', 'registry_username', 'secret'])(
		'%s is not',
		(key) => {
			expect(isSecretKey(key)).toBe(false);
			expect(withoutSecrets({ [key]: 'a' })).toEqual({ [key]: 'a' });
		},
	);

	it('what is not there is not masked', () => {
		expect(withoutSecrets({ secret_env: null, registry_secret: undefined })).toEqual({
			secret_env: null,
			registry_secret: undefined,
		});
		expect(withoutSecrets({ secret_env: [], registry_secret: {} })).toEqual({
			secret_env: [],
			registry_secret: {},
		});
	});

	it('the names of secret variables stay, in a list and in a map', () => {
		const variables = [
			{ name: 'TOKEN', value: 'a' },
			{ name: 'KEY', value: 'b', note: 'c' },
			{ value: 'd' },
			{ name: 'no value' },
		];
		expect(withoutSecrets({ secret_env: variables })).toEqual({
			secret_env: [
				{ name: 'TOKEN', value: '***' },
				{ name: 'KEY', value: '***', note: '***' },
				{ value: '***' },
				{ name: '***' },
			],
		});
		expect(withoutSecrets({ env: variables })).toEqual({ env: variables });
	});

	it('also in JSON within a text', () => {
		const text = JSON.stringify({ secret_env: { TOKEN: 'a' }, image: 'b' });
		expect(withoutSecrets({ config: text, list: [text] })).toEqual({
			config: '{"secret_env":{"TOKEN":"***"},"image":"b"}',
			list: ['{"secret_env":{"TOKEN":"***"},"image":"b"}'],
		});
		// Words alone hold no secret
		for (const config of [
			'secret_env is missing',
			'"registry_secret"',
			'{"a": "secret',
			'{"a": 1}',
		])
			expect(withoutSecrets({ config })).toEqual({ config });
	});
});

describe('an answer to a request with secrets', () => {
	const SECRET = 'hf_sEcReT_4711';

	/** What is shown of an answer. */
	function shown(answer: unknown, open: object, secret = SECRET): unknown {
		const account = { redact: (text: string) => text };
		const context = { account, itemIndex: 3 } as unknown as ProductContext;
		const hidden = hidingSecrets(context, [secret], { ...open });
		expect(hidden.itemIndex).toBe(3);
		return JSON.parse(hidden.account.redact(JSON.stringify(answer)));
	}

	it('does not show them', () => {
		expect(shown({ message: `bad ${SECRET}`, list: [SECRET] }, {})).toEqual({
			message: 'bad ***',
			list: ['***'],
		});
	});

	it('shows what is read of it: IDs, names, dates and states', () => {
		const answer = { deployment_id: SECRET, name: SECRET, created_at: SECRET, other: SECRET };
		expect(shown(answer, {})).toEqual({ ...answer, other: '***' });
		expect(shown({ status: 'running', other: 'is running' }, {}, 'running')).toEqual({
			status: 'running',
			other: 'is ***',
		});
	});

	it.each<[string, object]>([
		['a text', { image: SECRET }],
		['a list', { command: ['a', SECRET] }],
		['an object in a list', { ports: [null, 8080, { name: SECRET }] }],
	])('shows what the request has told openly, in %s', (_, open) => {
		expect(shown({ echo: SECRET, other: `a ${SECRET}` }, open)).toEqual({
			echo: SECRET,
			other: 'a ***',
		});
	});
});
