import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { vm } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { eventually } from '../engine/wait.mts';
import { runningVms, type RunningVms } from './ssh.mts';

const fixture = useFixture({ ssh: true, time: 'real' });
const MIB = 1024 * 1024;
let vms: RunningVms;

beforeEach(async () => {
	vms = await runningVms(fixture);
});

const home = () => String(fixture.sandbox.vms.homeOf(vms.vmId));
const inHome = (name: string) => path.join(home(), name);
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const fileOf = (content: Buffer, fileName = 'data.bin') => ({
	json: {},
	binary: {
		data: { data: content.toString('base64'), mimeType: 'application/octet-stream', fileName },
	},
});
const upload = async (content: Buffer, remotePath: string, options: IDataObject = {}) =>
	await fixture.engine.runItems(
		vm('uploadFile', { deploymentId: vms.deployment, remotePath, options }),
		[fileOf(content)],
	);
const download = async (remotePath: string, parameters: IDataObject = {}) =>
	await fixture.run(
		vm('downloadFile', { deploymentId: vms.deployment, remotePath, ...parameters }),
	);

describe('files of a VM', () => {
	it('5 MiB up and down have the same checksum', async () => {
		const content = randomBytes(5 * MIB);
		const up = onlyJson(await upload(content, '~/work/data.bin', { createFolders: true }));
		expect(up).toMatchObject({
			remote_path: '~/work/data.bin',
			size_in_bytes: 5 * MIB,
			sha256: sha256(content),
			vm_id: vms.vmIds[0],
			ssh_host: '127.0.0.1',
		});
		expect(sha256(readFileSync(inHome('work/data.bin')))).toBe(up.sha256);
		const run = await download('work/data.bin');
		expect(onlyJson(run)).toMatchObject({
			file_name: 'data.bin',
			mime_type: 'application/octet-stream',
			size_in_bytes: 5 * MIB,
			sha256: up.sha256,
		});
		const file = outputOf(run)[0]?.binary?.data;
		expect(sha256(Buffer.from(file?.data ?? '', 'base64'))).toBe(up.sha256);
	});

	it.each([0, 1, 32_768, 32_769, 65_536])('%i bytes', async (size) => {
		const content = randomBytes(size);
		expect(onlyJson(await upload(content, 'f')).size_in_bytes).toBe(size);
		expect(onlyJson(await download('f')).sha256).toBe(sha256(content));
	});

	it('replaces a file, with the mode that was chosen, and leaves no other', async () => {
		writeFileSync(inHome('run.sh'), 'old and longer');
		onlyJson(await upload(Buffer.from('new'), 'run.sh', { mode: '755' }));
		expect(readFileSync(inHome('run.sh'), 'utf8')).toBe('new');
		expect(statSync(inHome('run.sh')).mode & 0o777).toBe(0o755);
		expect(readdirSync(home())).toEqual(['run.sh']);
	});

	it('cut midway: nothing is at the path, and the error says so', async () => {
		const before = 'as it was';
		writeFileSync(inHome('data.bin'), before);
		const running = upload(randomBytes(10 * MIB), 'data.bin');
		await eventually('it is on the way', () => readdirSync(home()).length > 1);
		fixture.sandbox.vms.cut(vms.vmId);
		expect(errorOf(await running).message).toMatch(/^The SSH connection was lost/);
		expect(readFileSync(inHome('data.bin'), 'utf8')).toBe(before);
	});

	it('cancelled midway: the part is removed', async () => {
		const cancel = new AbortController();
		const node = vm('uploadFile', { deploymentId: vms.deployment, remotePath: 'data.bin' });
		const running = fixture.engine.runItems(node, [fileOf(randomBytes(10 * MIB))], {
			cancel: cancel.signal,
		});
		await eventually('it is on the way', () => readdirSync(home()).length > 0);
		cancel.abort();
		await running.catch(() => undefined);
		await eventually('the part is gone', () => readdirSync(home()).length === 0);
	});

	it('a folder that is not there, and one in place of a file', async () => {
		const missing = errorOf(await upload(Buffer.from('x'), 'a/b/f'));
		expect(missing.message).toContain('there is no such file or folder on the VM');
		mkdirSync(inHome('folder'));
		const folder = errorOf(await upload(Buffer.from('x'), 'folder'));
		expect(folder.message).toBe('folder is a folder on the VM: name the file, too');
		expect(existsSync(inHome('a'))).toBe(false);
	});

	it('a download of what is not there, not allowed, a folder or too large', async () => {
		expect(errorOf(await download('none')).message).toBe(
			'none: there is no such file or folder on the VM',
		);
		expect(errorOf(await download('/etc/hostname')).message).toBe(
			'/etc/hostname: permission denied on the VM',
		);
		mkdirSync(inHome('folder'));
		expect(errorOf(await download('folder')).message).toBe('folder is a folder on the VM');
		writeFileSync(inHome('large'), '');
		const { truncateSync } = await import('node:fs');
		truncateSync(inHome('large'), 100 * MIB + 1);
		expect(errorOf(await download('large')).message).toBe(
			`large is larger than ${100 * MIB} bytes: it has ${100 * MIB + 1}`,
		);
	});

	it('a file that grows meanwhile is whole up to where it was read', async () => {
		writeFileSync(inHome('log'), 'x'.repeat(3 * MIB));
		const growing = (async () => {
			for (let count = 0; count < 20; count++) {
				writeFileSync(inHome('log'), 'y'.repeat(40_000), { flag: 'a' });
				await sleep(2);
			}
		})();
		const run = await download('log', { options: { fileName: 'train.log' } });
		await growing;
		const { sha256: digest, size_in_bytes: size, file_name: name } = onlyJson(run);
		expect(name).toBe('train.log');
		expect(sha256(readFileSync(inHome('log')).subarray(0, Number(size)))).toBe(digest);
	});

	it.each(['folder/', '~', '..', '/'])('%j names no file', async (remotePath) => {
		expect(errorOf(await download(remotePath)).message).toMatch(/^Path on the VM must name/);
	});
});
