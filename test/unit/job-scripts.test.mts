import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
	answerOf,
	asked,
	beatScript,
	filesScript,
	pollScript,
	prepareScript,
	readFiles,
	readPoll,
	startScript,
	type Poll,
} from '../../nodes/Vmaas/resources/job/scripts.ts';

const JOB = '0123456789';
let home: string;
beforeEach(() => {
	home = mkdtempSync(path.join(os.tmpdir(), 'job-scripts-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => path.join(home, '.compute-job', JOB);

function sh(script: string, PATH = process.env.PATH, greeting = '') {
	const env = { HOME: home, PATH };
	const command = `${greeting} exec /bin/sh -s`;
	return spawnSync('/bin/sh', ['-c', command], { input: script, env, encoding: 'utf8' });
}

function poll(): Poll | undefined {
	return readPoll(sh(pollScript(JOB, { stdout: 0, stderr: 0 }, 1_024)).stdout);
}

async function ended(): Promise<Poll | undefined> {
	for (let looks = 0; looks < 500 && poll()?.state !== 'ended'; looks++) await setTimeout(20);
	return poll();
}

describe('a job on its VM', () => {
	it('has an exit code where its environment has another PATH', async () => {
		sh(prepareScript(JOB, 'echo hi', [['PATH', '/nowhere']]));
		sh(startScript(JOB, []));
		expect(await ended()).toMatchObject({ state: 'ended', exitCode: 127 });
	});

	it('writes its exit code over what is there, for a full disk', async () => {
		sh(prepareScript(JOB, 'ls -i ../exit_code.new; exit 3', []));
		sh(startScript(JOB, []));
		const poll = await ended();
		expect(poll?.exitCode).toBe(3);
		const { stdout } = sh(`ls -i "${folder()}/exit_code"`);
		expect(stdout.split(' ')[0]).toBe(poll?.stdout.bytes.toString().trim().split(' ')[0]);
	});

	it('does not run where another process has its number', () => {
		mkdirSync(`${folder()}/lock`, { recursive: true });
		writeFileSync(`${folder()}/pid`, `${process.pid}\n`);
		expect(poll()?.state).toBe('killed');
	});

	it('is not started where a program is missing that its output needs', () => {
		expect(sh(prepareScript(JOB, 'true', []), '/nowhere').status).toBe(92);
	});

	it('begins without the halves of lost uploads', async () => {
		sh(prepareScript(JOB, 'true', []));
		writeFileSync(`${folder()}/work/in.bin.0123456789ab.part`, 'half');
		writeFileSync(`${folder()}/work/mine.part`, 'whole');
		sh(startScript(JOB, ['in.bin']));
		await ended();
		expect(readdirSync(`${folder()}/work`)).toEqual(['mine.part']);
	});

	it('tells for each pattern what matches', () => {
		mkdirSync(`${folder()}/work`, { recursive: true });
		for (const name of ['-dash', '~tilde', `it's "b"`, 'a[1]'])
			writeFileSync(`${folder()}/work/${name}`, '');
		const { stdout } = sh(
			filesScript(JOB, ['~/gone', '-dash', '~tilde', `it's "b"`, 'a[1]', 'none*'], 9),
		);
		expect(readFiles(stdout)).toEqual({
			paths: ['-dash', '~tilde', `it's "b"`, 'a[1]'],
			matched: new Set([1, 2, 3, 4]),
			most: 1,
		});
	});

	it('is understood where the login shell greets', () => {
		const { stdout } = sh(asked('echo answer'), process.env.PATH, 'echo Welcome;');
		expect(stdout).toMatch(/^Welcome\n/);
		expect(answerOf(stdout)).toBe('answer\n');
		expect(answerOf('Welcome\n')).toBeUndefined();
	});

	it('overwrites its heartbeat, which so needs no space', () => {
		sh(beatScript(JOB, 'longer than the next'));
		sh(beatScript(JOB, 'beat'));
		expect(readFileSync(`${folder()}/heartbeat`, 'utf8')).toBe('beater than the next');
	});
});
