import { generateKeyPairSync } from 'node:crypto';
import { Connection } from './connection';
import type { SshKey } from './key';
import { SshError, type SshFunctions, type SshLogin } from './types';

/**
 * Whether an SSH server has said its banner. A login that it rejects proves that, so a key of this moment does.
 * Throws nothing; ends within 40 seconds, or at once when the signal aborts.
 * @param login where there is one, in place of a key of this moment, so that no failed login is counted
 */
export async function saysBanner(
	functions: SshFunctions,
	target: { host: string; port: number; username: string },
	login: SshLogin | undefined,
	signal: AbortSignal,
): Promise<{ reachable: boolean; problem?: string }> {
	const error = await loginError(functions, login ?? strangerAt(target), signal);
	if (login && error?.problem === 'key')
		return await saysBanner(functions, target, undefined, signal);
	return !error || error.isServer
		? { reachable: true }
		: { reachable: false, problem: error.message };
}

async function loginError(
	functions: SshFunctions,
	login: SshLogin,
	signal: AbortSignal,
): Promise<SshError | undefined> {
	try {
		return await Connection.use(functions, login, signal, async () => undefined);
	} catch (error) {
		return error instanceof SshError ? error : new SshError('protocol', (error as Error).message);
	}
}

/** ssh2 reads EC keys in this format; those of Ed25519 only in a format that Node.js does not write. */
function strangerAt(target: { host: string; port: number; username: string }): SshLogin {
	const { privateKey } = generateKeyPairSync('ec', {
		namedCurve: 'P-256',
		privateKeyEncoding: { type: 'sec1', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	return { ...target, privateKey };
}

/**
 * In words, why n8n's SSH client cannot use a key, or undefined. It reads the key before it connects, and there is no port
 * of this number: nothing is sent.
 */
export async function keyTrouble(
	functions: SshFunctions,
	{ privateKey, passphrase }: SshKey,
): Promise<string | undefined> {
	const login = { host: '127.0.0.1', port: 65_536, username: 'n8n', privateKey, passphrase };
	const error = await loginError(functions, login, new AbortController().signal);
	return error?.problem === 'key' ? error.message : undefined;
}
