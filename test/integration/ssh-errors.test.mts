import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, vm, MARKETPLACE } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { newKey, OWN_KEY, sshCredential } from '../engine/sshKey.mts';
import { runningVms, type RunningVms } from './ssh.mts';

const fixture = useFixture({ ssh: true, time: 'real' });
const servers: Server[] = [];
const sockets = new Set<Socket>();
let vms: RunningVms;

beforeEach(async () => {
	vms = await runningVms(fixture);
});
afterEach(() => {
	for (const socket of sockets) socket.destroy();
	sockets.clear();
	servers.splice(0).forEach((server) => server.close());
});

const node = (settings = {}, operation = 'runCommand', parameters: IDataObject = {}) =>
	vm(operation, { deploymentId: vms.deployment, command: 'true', ...parameters }, settings);
const stranger = { credentials: { computeSshApi: { id: 'compute-ssh-stranger', name: 's' } } };

/** A server that is none of SSH. */
async function listen(serve: (socket: Socket) => void): Promise<number> {
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined);
		serve(socket);
	});
	servers.push(server);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** The VM is there, at another address. */
function moveTo(ssh_access: unknown): void {
	const workers = [{ vm_id: vms.vmIds[0], status: 'running', ssh_access }];
	fixture.sandbox.faults.add({
		match: { path: /\/vms$/ },
		times: Infinity,
		status: 200,
		body: { data: { workers } },
	});
}

describe('no login', () => {
	it('a wrong key', async () => {
		const error = errorOf(await fixture.run(node(stranger)));
		expect(error.message).toMatch(
			/^The SSH server at 127\.0\.0\.1:\d+ rejects the key for "ubuntu"$/,
		);
		expect(error.description).toContain('public key of this credential');
		expect(error.description).toContain('The command was not sent.');
	});

	it('a closed port', async () => {
		moveTo('ubuntu@127.0.0.1:1');
		const error = errorOf(await fixture.run(node()));
		expect(error.message).toBe('Nothing listens at 127.0.0.1:1 (connection refused)');
		expect(error.description).toContain('Running and Reachable by SSH');
	});

	it('a VM that is not up yet', async () => {
		const { json } = await fixture.client.post('/deploy', {
			...deployBody(),
			resource_private_name: 'young',
		});
		const deploymentId = (json as { deployment_id: string }).deployment_id;
		const error = errorOf(await fixture.run(node({}, 'runCommand', { deploymentId })));
		expect(error.message).toMatch(
			/^No login to VM \S+: it is "deployment requested", and the service shows no SSH address of it yet$/,
		);
	});

	it('what answers is no SSH server', async () => {
		const port = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
		moveTo(`ubuntu@127.0.0.1:${port}`);
		expect(errorOf(await fixture.run(node())).message).toMatch(/127\.0\.0\.1:\d+/);
	});

	it('a connection that is closed before a banner', async () => {
		const port = await listen((socket) => socket.end());
		moveTo(`ubuntu@127.0.0.1:${port}`);
		expect(errorOf(await fixture.run(node())).message).toContain(
			'was closed before an SSH server said anything',
		);
	});

	it('a banner and then the end', async () => {
		const port = await listen((socket) => socket.end('SSH-2.0-odd\r\n'));
		moveTo(`ubuntu@127.0.0.1:${port}`);
		expect(errorOf(await fixture.run(node())).message).toContain(
			'closed the connection at the login',
		);
	});

	it('a banner and then silence ends within half a minute', async () => {
		const port = await listen((socket) => socket.write('SSH-2.0-odd\r\n'));
		moveTo(`ubuntu@127.0.0.1:${port}`);
		expect(errorOf(await fixture.run(node())).message).toContain('within 20 seconds');
	});

	it('after each of them the right key gets in at once', async () => {
		for (let count = 0; count < 3; count++) {
			errorOf(await fixture.run(node(stranger)));
			expect(onlyJson(await fixture.run(node())).exit_code).toBe(0);
		}
	});

	it('without the credential, before anything is asked', async () => {
		const without = node();
		without.credentials = MARKETPLACE;
		expect(errorOf(await fixture.run(without)).message).toBe(
			'This needs the credential Compute SSH API: choose one in the node',
		);
	});

	it('an address that cannot be read', async () => {
		moveTo('on request');
		expect(errorOf(await fixture.run(node())).message).toContain('its SSH address cannot be read');
	});
});

function deployBody(): IDataObject {
	return {
		duration_hours: 1,
		gpus_per_vm: 8,
		hardware_id: 12,
		location_ids: ['2'],
		ssh_keys: { n8n: OWN_KEY.publicKey },
	};
}

describe('the credential', () => {
	const pasted = async (privateKey: string, more = {}) => {
		const own = await startEngine({
			...sandboxCredentials(fixture.sandbox),
			'compute-ssh': sshCredential(privateKey, more),
		});
		return await own.run(node());
	};

	it.each([
		['with \\n in place of line ends', (key: string) => key.trim().replaceAll('\n', '\\n')],
		['with Windows line ends', (key: string) => `\r\n${key.replaceAll('\n', '\r\n')}  `],
		['in one line', (key: string) => key.trim().replaceAll('\n', ' ')],
	])('a key %s', async (_, form) => {
		expect(onlyJson(await pasted(form(OWN_KEY.privateKey))).exit_code).toBe(0);
	});

	it('a user of its own', async () => {
		expect(errorOf(await pasted(OWN_KEY.privateKey, { username: 'root' })).message).toContain(
			'rejects the key for "root"',
		);
	});

	it.each([
		['half a key', OWN_KEY.privateKey.slice(0, 120), 'is not complete'],
		['a public key', newKey().publicKey, 'is a public key'],
		['a password', 'correct horse battery', 'must begin with a line'],
	])('%s is told, and not shown', async (_, text, problem) => {
		const error = errorOf(await pasted(text));
		expect(error.message).toContain(problem);
		expect(JSON.stringify(error)).not.toContain(text.split('\n').at(-1));
	});
});

describe('Deploy with the key of the credential', () => {
	const deploy = (parameters: IDataObject, operation = 'deploy') =>
		deployment(operation, deployParameters({ useSshCredential: true, ...parameters }), {
			credentials: { ...MARKETPLACE, computeSshApi: { id: 'compute-ssh', name: 'SSH' } },
		});
	const sentKeys = () => {
		const [request] = fixture.sent('POST', /\/deploy$/).slice(-1);
		return (request?.body as { ssh_keys: IDataObject }).ssh_keys;
	};

	it('it logs in, without a key in the form', async () => {
		const sshKeys = { keys: [{ name: '', publicKey: '' }] };
		const { deployment_id: id } = onlyJson(await fixture.run(deploy({ sshKeys })));
		expect(sentKeys()).toEqual({ 'n8n-ssh-credential': OWN_KEY.publicKey });
		fixture.sandbox.clock.advance(60_000);
		const run = await fixture.run(node({}, 'runCommand', { deploymentId: id, command: 'echo in' }));
		expect(onlyJson(run).stdout).toBe('in\n');
	});

	it('beside those of the form, and once', async () => {
		const other = newKey().publicKey;
		const keys = [
			{ name: 'mine', publicKey: `${OWN_KEY.publicKey} me@laptop` },
			{ name: 'other', publicKey: other },
		];
		onlyJson(await fixture.run(deploy({ sshKeys: { keys } })));
		expect(Object.keys(sentKeys())).toEqual(['mine', 'other']);
		onlyJson(
			await fixture.run(
				deploy({ resourcePrivateName: 'second', sshKeys: { keys: keys.slice(1) } }),
			),
		);
		expect(sentKeys()).toEqual({ other, 'n8n-ssh-credential': OWN_KEY.publicKey });
	});

	it('without the credential nothing is deployed', async () => {
		const step = deploy({});
		step.credentials = MARKETPLACE;
		expect(errorOf(await fixture.run(step)).message).toContain('Compute SSH API');
		expect(fixture.sent('POST', /\/deploy$/)).toHaveLength(1);
	});
});

describe('Running and Reachable by SSH', () => {
	const waitFor = async (settings = {}) =>
		await fixture.run(
			deployment(
				'waitFor',
				{
					deploymentId: vms.deployment,
					waitUntil: 'ssh',
					pollInterval: 1,
					timeout: 3,
					onTimeout: 'error',
				},
				settings,
			),
		);

	it('without the credential: a server that rejects a stranger is one', async () => {
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true });
	});

	it('names the VM and says why not', async () => {
		moveTo('ubuntu@127.0.0.1:1');
		expect(errorOf(await waitFor()).message).toBe(
			`Deployment ${vms.deploymentId} was still "running" after 3 seconds: VM ${vms.vmIds[0]} does not answer by SSH: Nothing listens at 127.0.0.1:1 (connection refused)`,
		);
	});

	it('a server of another kind is none', async () => {
		const port = await listen((socket) => socket.end('220 mail.example ESMTP\r\n'));
		moveTo(`ubuntu@127.0.0.1:${port}`);
		expect(errorOf(await waitFor()).message).toContain('does not answer by SSH');
	});

	it('cancelled while a server is silent, it ends at once', async () => {
		const port = await listen(() => undefined);
		moveTo(`ubuntu@127.0.0.1:${port}`);
		const cancel = new AbortController();
		const step = deployment('waitFor', {
			deploymentId: vms.deployment,
			waitUntil: 'ssh',
			pollInterval: 1,
			timeout: 60,
			onTimeout: 'error',
		});
		const running = fixture.engine.run(step, [{}], { cancel: cancel.signal });
		while (sockets.size === 0) await new Promise((resolve) => setImmediate(resolve));
		const begun = Date.now();
		cancel.abort();
		await running.catch(() => undefined);
		expect(Date.now() - begun).toBeLessThan(1_500);
	});
});
