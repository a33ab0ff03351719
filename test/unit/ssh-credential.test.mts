import { describe, expect, it } from 'vitest';
import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';
import { readKey } from '../../nodes/shared/ssh/index.ts';
import { testSshKey } from '../../nodes/Vmaas/sshCredential.ts';
import { OWN_KEY } from '../engine/sshKey.mts';

/** What the test of a credential says where n8n's client answers a login so. */
async function tested(
	data: ICredentialsDecrypted['data'],
	answer: Error = Object.assign(new Error('Bad port'), { level: 'client-socket' }),
) {
	const logins: unknown[] = [];
	const getSSHClient = async (login: unknown) => {
		logins.push(login);
		return await Promise.reject(answer);
	};
	const functions = { helpers: { getSSHClient } } as unknown as ICredentialTestFunctions;
	const credential = { id: '1', name: 'SSH', type: 'computeSshApi', data };
	return { result: await testSshKey.call(functions, credential), logins };
}

describe('the test of the SSH credential', () => {
	it('says which key n8n can use', async () => {
		const { fingerprint } = readKey(OWN_KEY.privateKey, '');
		const { result } = await tested({ privateKey: OWN_KEY.privateKey });
		expect(result).toEqual({ status: 'OK', message: `n8n can use this key (${fingerprint})` });
	});

	it.each([
		['no data', undefined],
		['no key', {}],
	])('says that the key is empty where there is %s', async (_, data) => {
		const { result, logins } = await tested(data);
		expect(result).toEqual({
			status: 'Error',
			message: 'The private key of the SSH credential is empty',
		});
		expect(logins).toEqual([]);
	});

	it('says why the client of n8n cannot use a key', async () => {
		const { result } = await tested(
			{ privateKey: OWN_KEY.privateKey, passphrase: 'unused' },
			new Error('privateKey value does not contain a (valid) private key'),
		);
		expect(result).toEqual({
			status: 'Error',
			message: 'The private key of the SSH credential is a public key',
		});
	});

	it('reads the key with its passphrase', async () => {
		const { createPrivateKey } = await import('node:crypto');
		const privateKey = createPrivateKey(OWN_KEY.privateKey)
			.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' })
			.toString();
		expect((await tested({ privateKey, passphrase: 'open' })).result.status).toBe('OK');
		expect((await tested({ privateKey })).result).toEqual({
			status: 'Error',
			message:
				'The private key of the SSH credential is encrypted: set Passphrase in the credential, too',
		});
	});
});
