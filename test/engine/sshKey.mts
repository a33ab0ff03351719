import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import type { StoredCredential } from './credentials.mts';

/** A key pair of this process. */
export interface TestKey {
	privateKey: string;
	/** As in a `.pub` file, made by `ssh2` and not by the package. */
	publicKey: string;
}

export function newKey(): TestKey {
	const { privateKey } = generateKeyPairSync('ec', {
		namedCurve: 'P-256',
		privateKeyEncoding: { type: 'sec1', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** The public part of a private key that `ssh2` reads. */
export function publicKeyOf(privateKey: string, passphrase?: string): string {
	const parsed = ssh2.utils.parseKey(privateKey, passphrase);
	if (parsed instanceof Error) throw parsed;
	const [key] = [parsed].flat();
	if (!key) throw new Error('There is no key');
	return `${key.type} ${key.getPublicSSH().toString('base64')}`;
}

/** The key of the SSH credential of every test. */
export const OWN_KEY = newKey();

/** An SSH credential as n8n stores it. */
export function sshCredential(
	privateKey: string,
	more: { passphrase?: string; username?: string } = {},
): StoredCredential {
	return { type: 'computeSshApi', data: { privateKey, passphrase: '', username: '', ...more } };
}
