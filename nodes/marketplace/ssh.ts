import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import type { RequestContext } from '../shared/http/request';
import { contextError, type OperationContext } from '../shared/operation/context';
import { SshError, readKey, type SshKey, type SshLogin, type SshProblem } from '../shared/ssh';

/** The credential type of the key pair for the VMs. */
export const SSH_CREDENTIAL = 'computeSshApi';

/** Where a VM takes logins, split from its `ssh_access`. */
export interface SshAccess {
	/** Absent where the service shows a host alone. */
	ssh_user?: string;
	ssh_host: string;
	ssh_port: number;
}

/**
 * Splits `ssh_access` of a VM (beyond-the-spec.md section 1 "VMs of a deployment": `user@ip`). Others write a command line
 * (`ssh user@host -p 2222`), an address with a port or a URL. Without a port it is that of a network service for SSH, else 22.
 */
export function readSshAccess(worker: IDataObject): SshAccess | undefined {
	if (typeof worker.ssh_access !== 'string') return undefined;
	const words = worker.ssh_access
		.trim()
		.replace(/^ssh:\/\//i, '')
		.split(/\s+/);
	if (words[0]?.toLowerCase() === 'ssh') words.shift();
	let port: string | undefined;
	let user: string | undefined;
	let target: string | undefined;
	for (let index = 0; index < words.length; index++) {
		const [, letter = '', attached = ''] = /^-([A-Za-z])(.*)$/.exec(words[index]!) ?? [];
		if (letter === '') target ??= words[index]!.replace(/\/+$/, '');
		else if (OPTIONS_WITH_VALUE.has(letter)) {
			const value = attached === '' ? words[++index] : attached;
			if (letter === 'p') port = value;
			if (letter === 'l') user = value;
		}
	}
	const [, userPart, rest = ''] = /^(?:(.*)@)?([^@]*)$/.exec(target ?? '') ?? [];
	const [, bracketed, plain, portPart] =
		/^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(rest) ?? /^()([0-9A-Fa-f:.]+)$/.exec(rest) ?? [];
	const ssh_host = bracketed || plain;
	if (!ssh_host || !/^[A-Za-z0-9.:%_-]+$/.test(ssh_host) || ssh_host.startsWith('-'))
		return undefined;
	// A word in place of an address that is not there yet, such as `pending` or `None`
	if (!/[.:]/.test(ssh_host) && ssh_host !== 'localhost') return undefined;
	const ssh_user = user ?? userPart;
	const ssh_port = Number(port ?? portPart ?? servicePort(worker.network_services) ?? 22);
	if (!Number.isInteger(ssh_port) || ssh_port < 1 || ssh_port > 65_535) return undefined;
	return { ...(ssh_user && { ssh_user }), ssh_host, ssh_port };
}

/** Options of OpenSSH's client whose next word is their value. */
const OPTIONS_WITH_VALUE = new Set('BbcDEeFIiJLlmOopQRSWw');

/** The public port of a network service that forwards SSH. */
function servicePort(services: unknown): unknown {
	if (!isRecord(services)) return undefined;
	const ofSsh = Object.entries(services).find(
		([name, service]) =>
			isRecord(service) &&
			(name.toLowerCase() === 'ssh' || Number(service.port) === 22) &&
			Number(service.public_port) > 0,
	);
	return isRecord(ofSsh?.[1]) ? ofSsh[1].public_port : undefined;
}

/** What the SSH credential of a node says, read and checked. */
export interface SshCredential extends SshKey {
	/** Absent where the one that the service shows counts. */
	username?: string;
}

type Context = OperationContext | (RequestContext & { known?: IDataObject });

/** Whether the node has the SSH credential, which it needs for some operations alone. */
export function hasSshCredential(context: Context): boolean {
	return context.functions.getNode().credentials?.[SSH_CREDENTIAL] !== undefined;
}

/**
 * Reads the SSH credential of the node.
 * @throws where there is none, or where its key cannot be read; nothing was sent
 */
export async function sshCredential(context: Context): Promise<SshCredential> {
	if (!hasSshCredential(context))
		throw contextError(context, {
			message: 'This needs the credential Compute SSH API: choose one in the node',
			description: 'It holds the private key that logs in to your VMs. Nothing was sent.',
		});
	const data = await context.functions.getCredentials(SSH_CREDENTIAL);
	const username = textOf(data.username).trim();
	let key: SshKey | SshError;
	try {
		key = readKey(textOf(data.privateKey), textOf(data.passphrase));
	} catch (error) {
		key = error as SshError;
	}
	if (key instanceof Error) throw sshContextError(context, key);
	return { ...key, ...(username !== '' && { username }) };
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** How to log in to a VM, or in words why that cannot be said. */
export function loginOf(worker: IDataObject, credential: SshCredential): SshLogin | string {
	const access = readSshAccess(worker);
	if (!access)
		return typeof worker.ssh_access === 'string' && worker.ssh_access.trim() !== ''
			? 'its SSH address cannot be read'
			: 'the service shows no SSH address of it yet';
	const username = credential.username ?? access.ssh_user;
	if (username === undefined)
		return 'the service shows no user of it: set User Name in the credential';
	const { privateKey, passphrase } = credential;
	return {
		host: access.ssh_host,
		port: access.ssh_port,
		username,
		privateKey,
		...(passphrase !== undefined && { passphrase }),
	};
}

/**
 * The error of an operation for a problem over SSH.
 * @param known facts beside those of the context: IDs, host
 * @param more what to say after the advice, such as what was sent
 */
export function sshContextError(
	context: Context,
	error: SshError,
	known: IDataObject = {},
	more = '',
): NodeApiError {
	const description = [ADVICE[error.problem], more].filter(Boolean).join(' ');
	return contextError(context, { message: error.message, description }, known);
}

const CHECK_PATH =
	'Check the path and the permissions on the VM. Relative paths begin in the home folder.';

const ADVICE: Record<SshProblem, string> = {
	refused:
		'The VM is up, but no SSH server listens there (yet). Put Deployment > Wait For (Running and Reachable by SSH) before this node.',
	unreachable:
		'The VM may still be starting, or a firewall is in the way. Put Deployment > Wait For (Running and Reachable by SSH) before this node.',
	login:
		'Check that the deployment was made with the public key of this credential, and User Name in the credential. A VM that has just started may not have its keys yet.',
	key: 'Check the credential Compute SSH API.',
	protocol: 'Check the SSH address and port that VM > Get Many shows.',
	closed: 'The VM may have ended or restarted: look with VM > Get Many.',
	timeout: 'Raise Timeout, or look on the VM at what holds it up.',
	cancelled: '',
	absent: CHECK_PATH,
	sftp: CHECK_PATH,
};
