import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	loginOf,
	readSshAccess,
	sshContextError,
	sshCredential,
	type SshCredential,
} from '../../nodes/marketplace/ssh.ts';
import { SshError, type SshProblem } from '../../nodes/shared/ssh/index.ts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { jobBench } from './job-bench.mts';
import { refusalOf } from './market-parts.mts';
import { node } from './parameters-form.mts';

describe('the address of a VM', () => {
	it.each<[string, unknown]>([
		['ubuntu@vm.example:1', ['ubuntu', 'vm.example', 1]],
		['ubuntu@vm.example:65535', ['ubuntu', 'vm.example', 65_535]],
		['ssh  ubuntu@vm.example', ['ubuntu', 'vm.example', 22]],
		['SSH ubuntu@vm.example', ['ubuntu', 'vm.example', 22]],
		['ssh -A ubuntu@vm.example', ['ubuntu', 'vm.example', 22]],
		['ssh -p 2222 -l root vm.example uptime', ['root', 'vm.example', 2222]],
		['ssh -lroot ubuntu@vm.example', ['root', 'vm.example', 22]],
		['ssh vm-p.example', [undefined, 'vm-p.example', 22]],
		['ssh://ubuntu@vm.example//', ['ubuntu', 'vm.example', 22]],
		['me@corp@vm.example', ['me@corp', 'vm.example', 22]],
		['@vm.example', [undefined, 'vm.example', 22]],
		['ubuntu@vm-.example-', ['ubuntu', 'vm-.example-', 22]],
		['fe80::1%eth0', undefined],
		['[fe80::1%eth0]', [undefined, 'fe80::1%eth0', 22]],
		['x2001:db8::7', undefined],
		['2001:db8::7/64', undefined],
		['ubuntu@vm.example -p', ['ubuntu', 'vm.example', 22]],
		['ubuntu@vm.example:65536', undefined],
		['ssh -p 1.5 vm.example', undefined],
		['ubuntu@my-ssh://vm.example', undefined],
	])('%s is read as a login or none', (ssh_access, login) => {
		const access = readSshAccess({ ssh_access });
		expect(access && [access.ssh_user, access.ssh_host, access.ssh_port]).toEqual(login);
	});

	it.each<[string, unknown, number]>([
		['has the name ssh', { SSH: { port: 2200, public_port: 31_022 } }, 31_022],
		['leads to port 22, as text', { shell: { port: '22', public_port: '31022' } }, 31_022],
		['is the first', { ssh: { public_port: 1_001 }, a: { port: 22, public_port: 1_002 } }, 1_001],
		['is not that of another service', { web: { port: 80, public_port: 31_080 } }, 22],
		['is not 0', { ssh: { port: 22, public_port: 0 } }, 22],
		['is not absent', { ssh: { port: 22 } }, 22],
		['is not in a text', { ssh: 'open' }, 22],
		['is not without services', null, 22],
	])('has the port of a network service where that %s', (_, network_services, port) => {
		const access = readSshAccess({ ssh_access: 'vm.example', network_services } as IDataObject);
		expect(access).toEqual({ ssh_host: 'vm.example', ssh_port: port });
	});
});

describe('the SSH credential', () => {
	const read = async (data: IDataObject, hasCredential = true) => {
		const context = jobBench().context();
		Object.assign(context.functions, {
			getCredentials: async (type: string) =>
				await Promise.resolve(type === 'computeSshApi' ? data : {}),
			...(!hasCredential && { getNode: () => node }),
		});
		return await sshCredential(context);
	};

	it('is the key, and a user name only where one is set', async () => {
		const { privateKey } = OWN_KEY;
		const key = await read({ privateKey, username: ' root ' });
		expect(key).toMatchObject({ username: 'root', publicKey: expect.any(String) as string });
		expect(key.privateKey.trim()).toBe(privateKey.trim());
		expect(await read({ privateKey, username: ' ' })).not.toHaveProperty('username');
		expect(await read({ privateKey, username: null })).not.toHaveProperty('username');
	});

	it('is asked for where the node has none, before anything is sent', async () => {
		expect(await refusalOf(read({}, false))).toMatchObject({
			message: 'This needs the credential Compute SSH API: choose one in the node',
			description: 'It holds the private key that logs in to your VMs. Nothing was sent.',
		});
	});

	it('is named where its key cannot be read', async () => {
		const refusal = await refusalOf(read({ privateKey: undefined }));
		expect(refusal?.message).toMatch(/is empty$/);
		expect(refusal?.description).toBe('Check the credential Compute SSH API.');
	});
});

describe('the login to a VM', () => {
	const credential: SshCredential = {
		privateKey: 'private',
		publicKey: 'public',
		fingerprint: 'print',
	};
	const VM = { ssh_access: 'ubuntu@192.0.2.1:2222' };
	const LOGIN = { host: '192.0.2.1', port: 2222, username: 'ubuntu', privateKey: 'private' };

	it('has the address that the service shows, and the key of the credential', () => {
		expect(loginOf(VM, credential)).toStrictEqual(LOGIN);
		expect(loginOf(VM, { ...credential, passphrase: 'words', username: 'root' })).toStrictEqual({
			...LOGIN,
			username: 'root',
			passphrase: 'words',
		});
	});

	it.each([
		[
			'a host alone',
			'192.0.2.1',
			'the service shows no user of it: set User Name in the credential',
		],
		['a word', 'pending', 'its SSH address cannot be read'],
		['a blank', ' ', 'the service shows no SSH address of it yet'],
		['nothing', null, 'the service shows no SSH address of it yet'],
	])('is not known where the service shows %s', (_, ssh_access, reason) => {
		expect(loginOf({ ssh_access }, credential)).toBe(reason);
	});
});

describe('a problem over SSH', () => {
	it.each<[SshProblem, string | undefined, string]>([
		['key', undefined, 'Check the credential Compute SSH API.'],
		['key', 'Sent.', 'Check the credential Compute SSH API. Sent.'],
		['cancelled', 'Sent.', 'Sent.'],
	])(
		'of the kind %s says how to go on, after what was done: %s',
		async (kind, more, description) => {
			const context = { ...jobBench().context(), known: { deployment_id: 'd1' } };
			const error = sshContextError(context, new SshError(kind, 'It broke'), { vm_id: '1' }, more);
			expect(await refusalOf(Promise.reject(error))).toEqual({
				message: 'It broke',
				description,
				known: { deployment_id: 'd1', vm_id: '1' },
			});
		},
	);
});
