import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSshd, type Sshd } from '../e2e/sshd.mts';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, deployment, RETRY, vm } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { expectNoSecret } from '../engine/secrets.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { eventually } from '../engine/wait.mts';
import { runningVms, type RunningVms } from '../integration/ssh.mts';

const MIB = 1024 * 1024;

/** The VM of a deployment is OpenSSH's server. */
const fixture = useFixture({ time: 'real' });
let sshd: Sshd;
let vms: RunningVms;

beforeAll(async () => {
	sshd = await startSshd([OWN_KEY.publicKey]);
});
afterAll(async () => {
	await sshd.close();
});
beforeEach(async () => {
	vms = await runningVms(fixture);
	pointTo(sshd.port);
});

function pointTo(port: number): void {
	const ssh_access = `ssh -p ${port} ${sshd.user}@${sshd.host}`;
	const worker = { vm_id: vms.vmIds[0], status: 'running', ssh_access };
	const body = { data: { total: 1, workers: [worker] } };
	fixture.sandbox.faults.add({ match: { path: /\/vms$/ }, times: Infinity, status: 200, body });
}

const file = (name: string) => path.join(sshd.folder, name);
const node = (operation: string, parameters: IDataObject, settings = {}) =>
	vm(operation, { deploymentId: vms.deployment, ...parameters }, settings);
const command = (text: string, options: IDataObject = {}, settings = {}) =>
	node('runCommand', { command: text, options: { cwd: sshd.folder, ...options } }, settings);

describe('with the sshd of OpenSSH', () => {
	it('runs a command with folder, environment and input', async () => {
		const options = {
			environment: { variables: [{ name: 'TEXT', value: `it's "$HOME"` }] },
			stdin: 'in',
			onNonZeroExit: 'output',
		};
		const run = await fixture.run(command('pwd; printf %s "$TEXT"; cat >&2; exit 3', options));
		expect(onlyJson(run)).toMatchObject({
			stdout: `${sshd.folder}\nit's "$HOME"`,
			stderr: 'in',
			exit_code: 3,
			ssh_port: sshd.port,
		});
	});

	it('two at once: one is cancelled, the other ends well', async () => {
		const cancel = new AbortController();
		const cancelled = fixture.engine.run(command('touch one; sleep 30'), [{}], {
			cancel: cancel.signal,
		});
		const other = fixture.run(command('touch two; sleep 3; echo done'));
		await eventually('both run', () => existsSync(file('one')) && existsSync(file('two')));
		cancel.abort();
		await cancelled.catch(() => undefined);
		expect(onlyJson(await other)).toMatchObject({ stdout: 'done\n', exit_code: 0 });
	});

	it('what is left in the background does not hold the node', async () => {
		const output = onlyJson(await fixture.run(command('echo started; sleep 60 &')));
		expect(output).toMatchObject({ stdout: 'started\n', exit_code: 0 });
		expect(Number(output.seconds)).toBeLessThan(20);
	});

	it('a command that is killed', async () => {
		const run = await fixture.run(command('kill -9 $$', { onNonZeroExit: 'output' }));
		expect(onlyJson(run)).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
	});

	it('50 MiB up and down have the same checksum, and replace what was there', async () => {
		for (const size of [1_000, 50 * MIB]) {
			const content = randomBytes(size);
			const digest = createHash('sha256').update(content).digest('hex');
			const item = {
				json: {},
				binary: {
					data: { data: content.toString('base64'), mimeType: 'application/octet-stream' },
				},
			};
			const remotePath = file('work/data.bin');
			const upload = node('uploadFile', {
				remotePath,
				options: { createFolders: true, mode: '600' },
			});
			const up = onlyJson(await fixture.engine.runItems(upload, [item]));
			expect(up).toMatchObject({ size_in_bytes: size, sha256: digest });
			expect(readdirSync(file('work'))).toEqual(['data.bin']);
			expect(createHash('sha256').update(readFileSync(remotePath)).digest('hex')).toBe(digest);
			const down = await fixture.run(node('downloadFile', { remotePath }));
			expect(onlyJson(down).sha256).toBe(digest);
			const bytes = Buffer.from(outputOf(down)[0]?.binary?.data?.data ?? '', 'base64');
			expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
		}
	});

	it('a download of what is not there', async () => {
		const error = errorOf(await fixture.run(node('downloadFile', { remotePath: '/none' })));
		expect(error.message).toBe('/none: there is no such file or folder on the VM');
	});

	it('a wrong key, a closed port, and a VM that is not up are three errors', async () => {
		const wrong = { computeSshApi: { id: 'compute-ssh-stranger', name: 'Stranger' } };
		const errors = [errorOf(await fixture.run(command('true', {}, { credentials: wrong })))];
		fixture.sandbox.faults.clear();
		pointTo(1);
		errors.push(errorOf(await fixture.run(command('true'))));
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({
			match: { path: /\/vms$/ },
			status: 200,
			body: { data: { workers: [{ vm_id: 'a', status: 'deployment requested' }] } },
		});
		errors.push(errorOf(await fixture.run(command('true'))));
		const [login, refused, young] = errors.map(({ message }) => message);
		expect(login).toBe(
			`The SSH server at 127.0.0.1:${sshd.port} rejects the key for "${sshd.user}"`,
		);
		expect(refused).toBe('Nothing listens at 127.0.0.1:1 (connection refused)');
		expect(young).toBe(
			'No login to VM a: it is "deployment requested", and the service shows no SSH address of it yet',
		);
	});

	it('the session ends midway: the outcome is unknown, and it is not repeated', async () => {
		const text = 'printf x >> runs; kill -9 $PPID; sleep 30';
		const error = errorOf(await fixture.run(command(text, {}, RETRY)));
		expect(error.message).toMatch(/outcome unknown|no exit code/);
		expect(readFileSync(file('runs'), 'utf8')).toBe('x');
	});

	it('is reachable for a stranger, and says which port is not', async () => {
		const waitFor = deployment(
			'waitFor',
			{
				deploymentId: vms.deployment,
				waitUntil: 'ssh',
				pollInterval: 1,
				timeout: 2,
				onTimeout: 'error',
			},
			CONTINUE,
		);
		expect(onlyJson(await fixture.run(waitFor))).toMatchObject({ reached: true });
		fixture.sandbox.faults.clear();
		pointTo(1);
		expect(onlyJson(await fixture.run(waitFor)).error).toContain('connection refused');
	});

	it('neither key nor passphrase are in its log or in that of n8n', () => {
		expectNoSecret('the log of sshd', sshd.log());
		expectNoSecret('the log of n8n', fixture.engine.log);
	});
});
