import { isRecord } from '../guards';
import { SshError, type SshLogin } from './types';

/** Why there is no connection, from the error of n8n's `getSSHClient`, in words that hold nothing of the key. */
export function connectError(error: unknown, { host, port, username }: SshLogin): SshError {
	const { message, level, code } = factsOf(error);
	const target = `${host}:${port}`;
	if (message.startsWith('Cannot parse privateKey')) return keyError(message);
	if (message.startsWith('privateKey value does not contain'))
		return new SshError('key', 'The private key of the SSH credential is a public key');
	switch (level) {
		case 'client-authentication':
			return new SshError('login', `The SSH server at ${target} rejects the key for "${username}"`);
		case 'client-timeout':
			return new SshError(
				'unreachable',
				`No SSH login at ${target} within 20 seconds: nothing answers there, or not in time`,
			);
		case 'client-dns':
			return new SshError('unreachable', `The host ${host} is not known`);
		case 'client-socket':
			return socketError(code, message, target);
		case 'handshake':
			return new SshError(
				'protocol',
				`The SSH server at ${target} and n8n have nothing in common: ${message}`,
				undefined,
				true,
			);
		case 'protocol':
			if (message.startsWith('Connection lost before handshake'))
				return new SshError(
					'unreachable',
					`The connection to ${target} was closed before an SSH server said anything`,
				);
			return new SshError('protocol', `What answers at ${target} is not an SSH server: ${message}`);
		default:
			if (isAbort(error) || message === '')
				return new SshError('closed', `The server at ${target} closed the connection at the login`);
			return new SshError('protocol', `The SSH login at ${target} failed: ${message}`);
	}
}

function socketError(code: string, message: string, target: string): SshError {
	if (code === 'ECONNREFUSED')
		return new SshError('refused', `Nothing listens at ${target} (connection refused)`);
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return new SshError('unreachable', `The host of ${target} is not known (${code})`);
	if (code === 'ECONNRESET' || code === 'EPIPE')
		return new SshError('closed', `The connection to ${target} was cut at the login (${code})`);
	return new SshError('unreachable', `${target} cannot be reached (${code || message})`);
}

/** ssh2 says what is wrong with a key, not what to do. */
function keyError(message: string): SshError {
	const words = message.replace(/^Cannot parse privateKey:\s*/, '');
	if (/no passphrase given/i.test(words))
		return new SshError(
			'key',
			'The private key is encrypted, and the credential has no passphrase',
		);
	if (/bad passphrase|bad decrypt|integrity check failed/i.test(words))
		return new SshError('key', 'The passphrase of the private key is wrong, or the key is damaged');
	if (/unsupported key format/i.test(words))
		return new SshError(
			'key',
			'The private key has a format that SSH clients do not read: convert it with ssh-keygen -p -f FILE',
		);
	return new SshError('key', 'The private key cannot be read: it is damaged, or not complete');
}

function factsOf(error: unknown): { message: string; level: string; code: string } {
	const { message, level, code } = (error instanceof Error ? error : {}) as Record<string, unknown>;
	return {
		message: String(message ?? '').split('\n')[0]!,
		level: String(level ?? ''),
		code: String(code ?? ''),
	};
}

function isAbort(error: unknown): boolean {
	return isRecord(error) && error.name === 'AbortError';
}
