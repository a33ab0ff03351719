import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { keyTrouble, readKey, type SshKey } from '../shared/ssh';

/** Where the form shows the SSH credential: n8n reads it nowhere else. */
export const SSH_RESOURCES = ['vm', 'deployment', 'job'];
export const SSH_OPERATIONS = [
	...['runCommand', 'uploadFile', 'downloadFile'],
	...['deploy', 'deployCheapest', 'waitFor'],
	...['run', 'start', 'collect'],
];

/** n8n's test of the SSH credential. No server is asked: which VM would be the one? So it tells whether n8n can use the key. */
export async function testSshKey(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	let key: SshKey;
	try {
		key = readKey(String(data?.privateKey ?? ''), String(data?.passphrase ?? ''));
	} catch (error) {
		return { status: 'Error', message: (error as Error).message };
	}
	const trouble = await keyTrouble(this, key);
	return trouble === undefined
		? { status: 'OK', message: `n8n can use this key (${key.fingerprint})` }
		: { status: 'Error', message: trouble };
}
