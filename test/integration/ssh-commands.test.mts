import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, RETRY, vm } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { eventually } from '../engine/wait.mts';
import { runningVms, type RunningVms } from './ssh.mts';

const fixture = useFixture({ ssh: true, time: 'real' });
let vms: RunningVms;

beforeEach(async () => {
	vms = await runningVms(fixture, { resource_private_name: 'job' });
});

const command = (text: string, options: IDataObject = {}, settings = {}) =>
	vm('runCommand', { deploymentId: vms.deployment, command: text, options }, settings);
const homeOf = (vmId = vms.vmId) => String(fixture.sandbox.vms.homeOf(vmId));
const inHome = (name: string) => path.join(homeOf(), name);

describe('Run Command', () => {
	it('returns the output, the exit code and where it ran', async () => {
		const output = onlyJson(await fixture.run(command('echo out; echo err >&2')));
		expect(output).toEqual({
			stdout: 'out\n',
			stderr: 'err\n',
			exit_code: 0,
			signal: null,
			seconds: expect.any(Number),
			stdout_bytes: 4,
			stderr_bytes: 4,
			stdout_truncated: false,
			stderr_truncated: false,
			deployment_id: vms.deploymentId,
			vm_id: vms.vmIds[0],
			ssh_user: 'ubuntu',
			ssh_host: '127.0.0.1',
			ssh_port: expect.any(Number),
		});
	});

	it('finds the deployment by its name', async () => {
		const deploymentId = { __rl: true, mode: 'name', value: 'job' };
		const run = await fixture.run(vm('runCommand', { deploymentId, command: 'echo here' }));
		expect(onlyJson(run)).toMatchObject({ stdout: 'here\n', deployment_id: vms.deploymentId });
	});

	it.each(['address', 'command'] as const)('where ssh_access is a %s', async (sshAccess) => {
		fixture.sandbox.adopt({ sshAccess });
		expect(onlyJson(await fixture.run(command('pwd'))).stdout).toBe(`${homeOf()}\n`);
	});

	it('passes folder, environment and input as they are', async () => {
		const value = `it's "$HOME" \`id\` \\ ü\n;exit 3`;
		const folder = "a 'b' $c";
		await fixture.run(command(`mkdir "a 'b' \\$c"`));
		const environment = { variables: [{ name: 'TEXT', value }] };
		for (const cwd of [folder, `~/${folder}`, inHome(folder)]) {
			const options = { cwd, environment, stdin: 'line 1\nline 2' };
			const run = await fixture.run(command('printf %s "$TEXT"; pwd >&2; cat >&2', options));
			expect(onlyJson(run)).toMatchObject({
				stdout: value,
				stderr: `${inHome(folder)}\nline 1\nline 2`,
			});
		}
	});

	it('a folder that is not there: the command does not run', async () => {
		const error = errorOf(await fixture.run(command('touch ran', { cwd: '-missing' })));
		expect(error.message).toMatch(/ended with exit code \d+: .*missing/);
		expect(existsSync(inHome('ran'))).toBe(false);
	});

	it('several lines with Windows line ends', async () => {
		const text = 'cat > f <<EOF\r\none\r\nEOF\r\nwc -c < f\r\n';
		expect(String(onlyJson(await fixture.run(command(text))).stdout).trim()).toBe('4');
	});

	it('keeps the tail of a long output, with whole characters', async () => {
		const text = 'i=0; while [ $i -lt 3000 ]; do printf ü; i=$((i+1)); done; printf end';
		const output = onlyJson(await fixture.run(command(text, { maxOutputBytes: 10 })));
		expect(output).toMatchObject({ stdout: 'üüüend', stdout_bytes: 6_003, stdout_truncated: true });
		expect(output).toMatchObject({ stderr: '', stderr_truncated: false });
	});

	it('100 MB of output fit into what is kept', async () => {
		const run = await fixture.run(command('head -c 100000000 /dev/zero | tr "\\0" x', {}));
		const { stdout, stdout_bytes: bytes } = onlyJson(run);
		expect(bytes).toBe(100_000_000);
		expect(String(stdout)).toHaveLength(262_144);
	});

	it('a non-zero exit is an error with the exit code and the tail of stderr', async () => {
		const node = command('echo said; echo first >&2; echo why >&2; exit 3');
		const error = errorOf(await fixture.run(node));
		expect(error.message).toBe(`The command on VM ${vms.vmIds[0]} ended with exit code 3: why`);
		expect(error.description).toBe('first\nwhy');
		const run = await fixture.run({ ...node, ...CONTINUE });
		expect(onlyJson(run).details).toMatchObject({
			exit_code: 3,
			signal: null,
			stdout: 'said\n',
			stderr: 'first\nwhy\n',
			vm_id: vms.vmIds[0],
		});
	});

	it('a non-zero exit or a signal is an output where the form says so', async () => {
		const options = { onNonZeroExit: 'output' };
		const exit = onlyJson(await fixture.run(command('exit 7', options)));
		expect(exit).toMatchObject({ exit_code: 7, signal: null });
		const killed = onlyJson(await fixture.run(command('kill -9 $$', options)));
		expect(killed).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
	});

	it('ends although something in the background holds its output', async () => {
		const output = onlyJson(await fixture.run(command('echo started; sleep 60 &')));
		expect(output).toMatchObject({ stdout: 'started\n', exit_code: 0 });
		expect(Number(output.seconds)).toBeLessThan(20);
	});

	it('timeout: the outcome is unknown, and what it has said is in the error', async () => {
		const node = command('echo begun; sleep 30', { timeout: 1 }, CONTINUE);
		const { error, details } = onlyJson(await fixture.run(node));
		expect(error).toBe(
			`Command on VM ${vms.vmIds[0]}: outcome unknown. The command has not ended within 1 seconds`,
		);
		expect(details).toMatchObject({ stdout: 'begun\n', outcome: 'unknown' });
	});
});

describe('which VM', () => {
	it('several: the error names them, and one can be chosen', async () => {
		vms = await runningVms(fixture, { resource_private_name: 'two', vms_qty: 2 });
		expect(errorOf(await fixture.run(command('true'))).message).toBe(
			`The deployment has 2 VMs: choose one of ${vms.vmIds.join(', ')}`,
		);
		for (const id of vms.vmIds) {
			const vmId = { __rl: true, mode: 'list', value: id };
			const parameters = { deploymentId: vms.deployment, vmId, command: 'pwd' };
			const output = onlyJson(await fixture.run(vm('runCommand', parameters)));
			expect(output).toMatchObject({ vm_id: id, stdout: `${homeOf(id)}\n` });
		}
	});

	it('one that the deployment does not have', async () => {
		const parameters = { deploymentId: vms.deployment, vmId: 'other', command: 'true' };
		expect(errorOf(await fixture.run(vm('runCommand', parameters))).message).toBe(
			`The deployment has no VM other. It has ${vms.vmIds[0]}`,
		);
	});

	it('the list shows the VMs of the chosen deployment', async () => {
		const node = vm('runCommand', { deploymentId: vms.deployment });
		const { results } = await fixture.engine.search(node, 'searchVms');
		expect(results).toEqual([
			{ name: expect.stringContaining('running · ubuntu@127.0.0.1'), value: vms.vmIds[0] },
		]);
	});
});

describe('sent once', () => {
	const count = () => readFileSync(inHome('runs'), 'utf8').length;

	it('Retry On Fail does not repeat a command that failed', async () => {
		const error = errorOf(await fixture.run(command('printf x >> runs; exit 4', {}, RETRY)));
		expect(count()).toBe(1);
		expect(error.message).toContain('ended with exit code 4');
		expect(error.message).toContain('was not run again');
	});

	it('Retry On Fail does not repeat a command whose outcome is unknown', async () => {
		const running = fixture.run(command('printf x >> runs; sleep 30', {}, RETRY));
		await eventually('it runs', () => existsSync(inHome('runs')));
		fixture.sandbox.vms.cut(vms.vmId);
		const error = errorOf(await running);
		expect(error.message).toContain('outcome unknown. An earlier try of this node has sent it');
		expect(count()).toBe(1);
	});

	it('Retry On Fail runs it once the VM answers', async () => {
		const home = homeOf();
		writeFileSync(path.join(home, 'runs'), '');
		const node = command('printf x >> runs', {}, RETRY);
		fixture.sandbox.faults.add({ match: { path: /\/vms$/ }, times: 4, status: 500 });
		expect(onlyJson(await fixture.run(node))).toMatchObject({ exit_code: 0 });
		expect(count()).toBe(1);
	});

	it('the connection is lost midway: the outcome is unknown', async () => {
		const running = fixture.run(command('echo begun; touch begun; sleep 30', {}, CONTINUE));
		await eventually('it runs', () => existsSync(inHome('begun')));
		await sleep(100);
		fixture.sandbox.vms.cut(vms.vmId);
		const { error, details } = onlyJson(await running);
		expect(error).toMatch(/outcome unknown\. The SSH connection was lost/);
		expect(details).toMatchObject({ outcome: 'unknown', stdout: 'begun\n' });
		expect(onlyJson(await fixture.run(command('echo again'))).stdout).toBe('again\n');
	});
});

describe('several at once', () => {
	it('one is cancelled, the other ends well', async () => {
		const cancel = new AbortController();
		const cancelled = fixture.engine.run(command('touch one; sleep 30'), [{}], {
			cancel: cancel.signal,
		});
		const other = fixture.run(command('touch two; sleep 2; echo done'));
		await eventually('both run', () => existsSync(inHome('one')) && existsSync(inHome('two')));
		const begun = Date.now();
		cancel.abort();
		await cancelled.catch(() => undefined);
		expect(Date.now() - begun).toBeLessThan(1_500);
		expect(onlyJson(await other)).toMatchObject({ stdout: 'done\n', exit_code: 0 });
	});

	it('the first one ends, and the connection stays for the other', async () => {
		const long = fixture.run(command('touch two; sleep 2; echo done'));
		await eventually('it runs', () => existsSync(inHome('two')));
		expect(onlyJson(await fixture.run(command('echo short'))).stdout).toBe('short\n');
		expect(onlyJson(await long).stdout).toBe('done\n');
	});

	it('one after the other, without a pause', async () => {
		for (let count = 0; count < 10; count++)
			expect(onlyJson(await fixture.run(command(`echo ${count}`))).stdout).toBe(`${count}\n`);
	});
});

describe('AI agents', () => {
	const call = async (options: IDataObject) =>
		await fixture.engine.tool(command('touch ran', options))({});

	it('must not run commands', async () => {
		const answer = await call({}).catch((error: Error) => error.message);
		expect(String(answer)).toContain('Run Command is not allowed for AI agents');
		expect(existsSync(inHome('ran'))).toBe(false);
	});

	it('may where a person has allowed it', async () => {
		await call({ allowAiAgents: true });
		expect(existsSync(inHome('ran'))).toBe(true);
	});

	it('not where an expression allows it', async () => {
		const answer = await call({ allowAiAgents: '={{ true }}' }).catch(
			(error: Error) => error.message,
		);
		expect(String(answer)).toContain('is not allowed for AI agents');
	});
});
