import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { jobNode, jobParameters, useJobs } from './jobFixture.mts';

const jobs = useJobs();

const bought = () => jobs.sandbox.books.deployments;
const states = () => bought().map(({ state }) => state);
const outputOf = (run: IRun): INodeExecutionData | undefined =>
	run.data.resultData.runData.Node?.at(-1)?.data?.main?.[0]?.[0];
const jsonOf = (run: IRun): IDataObject => {
	if (run.data.resultData.error) throw run.data.resultData.error;
	return outputOf(run)?.json ?? {};
};
const errorOf = (run: IRun) => {
	const { error } = run.data.resultData;
	if (!error) throw new Error(`No error: ${JSON.stringify(outputOf(run))}`);
	return error as unknown as {
		message: string;
		description: string;
		context: { known: IDataObject };
	};
};

describe('a job that ends', () => {
	it('brings output and files back, and its VM is destroyed', async () => {
		const node = jobNode(
			'run',
			jobParameters({
				command: 'cat in.txt; echo "$GREETING" >&2; mkdir logs; echo 1 > logs/a.txt; echo 2 > "logs/b c.txt"',
				inputFields: 'data',
				resultFiles: 'logs/*.txt, missing.txt, none/*',
				environment: { variables: [{ name: 'GREETING', value: "it's\n$HOME" }] },
			}),
		);
		const run = await jobs.run(node, [fileItem('in.txt', 'héllo')]);
		const json = jsonOf(run);
		const [deployment] = bought();
		expect(json).toMatchObject({
			job_key: 'train',
			exit_code: 0,
			stdout: 'héllo',
			stderr: "it's\n$HOME\n",
			stdout_bytes: 6,
			deployment_id: deployment?.id,
			resource_private_name: expect.stringMatching(/^train-run-[0-9a-f]{10}$/) as unknown,
			destroyed: true,
			verified: true,
			amount_paid: expect.any(Number) as unknown,
			missing_files: ['missing.txt'],
			files: [{ path: 'logs/a.txt' }, { path: 'logs/b c.txt' }],
		});
		expect(outputOf(run)?.binary).toMatchObject({
			file_0: { fileName: 'a.txt' },
			file_1: { fileName: 'b c.txt', data: Buffer.from('2\n').toString('base64') },
		});
		expect(states()).toEqual(['destroyed']);
		expect(deployment?.order.request).toMatchObject({
			duration_hours: 2,
			ssh_keys: { n8n: expect.stringMatching(/^ssh-rsa /) as unknown },
		});
	});

	it('with an exit code: an error with its output, and its VM is destroyed', async () => {
		const run = await jobs.run(jobNode('run', jobParameters({ command: 'echo no >&2; exit 3' })));
		const { message, description, context } = errorOf(run);
		expect(message).toBe('The command ended with exit code 3');
		expect(description).toContain('no');
		expect(description).toContain('was destroyed, and its end was seen');
		expect(context.known).toMatchObject({
			exit_code: 3,
			destroyed: true,
			verified: true,
			deployment_id: bought()[0]?.id,
		});
		expect(states()).toEqual(['destroyed']);
	});

	it('with an exit code and On Non-Zero Exit: an item with its files', async () => {
		const run = await jobs.run(
			jobNode(
				'run',
				jobParameters({
					command: 'echo partial > part.txt; exit 3',
					resultFiles: 'part.txt',
					options: { onNonZeroExit: 'output' },
				}),
			),
		);
		expect(jsonOf(run)).toMatchObject({ exit_code: 3, files: [{ path: 'part.txt' }], destroyed: true });
		expect(states()).toEqual(['destroyed']);
	});

	it('runs what the first line of the command names', async () => {
		const command = '#!/usr/bin/env -S awk -f\nBEGIN { print 6 * 7 }';
		const run = await jobs.run(jobNode('run', jobParameters({ command })));
		expect(jsonOf(run).stdout).toBe('42\n');
	});
});

describe('before anything is sent', () => {
	it.each([
		['no price limit', { safety: {} }, 'Safety must hold a Maximum Price or a Maximum Hourly Price'],
		['no command', { command: ' ' }, 'Command is required and must not be empty'],
		['a wrong job key', { jobKey: 'a b' }, 'Job Key must have at most 40 characters'],
		['no such input file', { inputFields: 'data' }, 'Input Files must name fields with files'],
	])('%s is an error', async (_, changes, message) => {
		const run = await jobs.run(jobNode('run', jobParameters(changes)));
		expect(errorOf(run).message).toContain(message);
		expect(jobs.sandbox.requests).toEqual([]);
	});

	it('an AI agent needs the permission of a person', async () => {
		const call = jobs.engine.tool(jobNode('run', jobParameters()));
		await expect(call({})).rejects.toThrow('Jobs are not allowed for AI agents');
		expect(jobs.sandbox.requests).toEqual([]);
	});
});

describe('a connection that is cut', () => {
	it('in mid-run: the output is complete, and the command ran once', async () => {
		const command = 'echo start >> ../../starts; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done';
		const running = jobs.run(jobNode('run', jobParameters({ command })));
		let cuts = 0;
		const timer = setInterval(() => {
			if (cuts < 5 && jobs.vm.cut() > 0) cuts++;
		}, 120);
		const json = jsonOf(await running.finally(() => clearInterval(timer)));
		expect(cuts).toBeGreaterThan(0);
		expect(json.stdout).toBe(Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join(''));
		expect(readFileSync(path.join(jobs.vm.home, '.compute-job', '..', 'starts'), 'utf8')).toBe('start\n');
		expect(states()).toEqual(['destroyed']);
	});
});

describe('time that is over', () => {
	it('of the command', async () => {
		const run = await jobs.run(
			jobNode('run', jobParameters({ command: 'echo begun; sleep 30', options: { commandTimeout: 60 } })),
		);
		expect(errorOf(run).message).toBe('The command has not ended within its time');
		expect(errorOf(run).context.known).toMatchObject({ stdout: 'begun\n', destroyed: true });
		expect(states()).toEqual(['destroyed']);
	});

	it('of the wait for SSH', async () => {
		jobs.vm.refuse(true);
		const run = await jobs.run(jobNode('run', jobParameters({ options: { waitTimeout: 120 } })));
		expect(errorOf(run).message).toContain('The VM did not answer over SSH within its time');
		expect(states()).toEqual(['destroyed']);
	});
});

describe('a destroy that fails', () => {
	const fail = () =>
		jobs.sandbox.faults.add({ match: { method: 'DELETE', path: /./ }, times: Infinity, status: 500 });

	it('after a job that ended: the item says so', async () => {
		fail();
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters())));
		const [deployment] = bought();
		expect(json).toMatchObject({ exit_code: 0, destroyed: null, verified: false });
		expect(json.hint).toContain(`Deployment ${deployment?.id} ("${deployment?.resource_private_name}") may still run and bill`);
		expect(JSON.stringify(jobs.log)).toContain(deployment?.id);
		expect(states()).toEqual(['running']);
	});

	it('after an error: its message says so, and a retry buys nothing else', async () => {
		fail();
		const run = await jobs.run(jobNode('run', jobParameters({ command: 'exit 1' }), RETRY));
		const [deployment] = bought();
		expect(errorOf(run).message).toContain(`Deployment ${deployment?.id}`);
		expect(errorOf(run).context.known).toMatchObject({ destroyed: null, verified: false });
		expect(bought()).toHaveLength(1);
	});
});

describe('Retry On Fail', () => {
	it('runs again after a failure that has destroyed its VM', async () => {
		const home = jobs.vm.home;
		const command = `if [ -e ${home}/tried ]; then echo second; else touch ${home}/tried; exit 1; fi`;
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters({ command }), RETRY)));
		expect(json).toMatchObject({ exit_code: 0, stdout: 'second\n' });
		expect(states()).toEqual(['destroyed', 'destroyed']);
	});

	it('after a lost answer to the deploy, there is one VM', async () => {
		jobs.sandbox.faults.add({ match: { method: 'POST', path: /deploy$/ }, drop: 'after' });
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters(), RETRY)));
		expect(json).toMatchObject({ exit_code: 0, recovered: true });
		expect(states()).toEqual(['destroyed']);
	});
});

describe('cancelled', () => {
	const seen = (method: string, pattern: RegExp) =>
		jobs.sandbox.requests.some((one) => one.method === method && pattern.test(one.path));

	it.each<[string, () => void, () => boolean, IDataObject]>([
		[
			'during the deploy',
			() => jobs.sandbox.faults.addFirst({ match: { method: 'POST', path: /deploy$/ }, hang: true, afterWork: true }),
			() => bought().length > 0,
			{},
		],
		['during the wait', () => jobs.vm.refuse(true), () => seen('GET', /vms$/), {}],
		['during the upload', () => jobs.vm.stallWrites(), () => jobs.vm.isStalled(), { inputFields: 'data' }],
		['during the run', () => undefined, () => jobs.vm.has('begun'), { command: 'touch ../../../begun; sleep 30' }],
		['during the download', () => jobs.vm.stallReads(), () => jobs.vm.isStalled(), { command: 'echo a > a', resultFiles: 'a' }],
	])('%s: the VM is destroyed, and the log says so', async (_, prepare, moment, changes) => {
		prepare();
		const stop = new AbortController();
		const node = jobNode('run', jobParameters(changes));
		const running = jobs.engine.runItems(node, [fileItem('in.txt', 'x')], { cancel: stop.signal });
		running.catch(() => undefined);
		expect(await jobs.time.until(moment, 3_600_000)).toBe(true);
		stop.abort();
		await jobs.time.during(running.catch(() => undefined), 3_600_000);
		expect(await jobs.time.until(() => jobs.log.some(({ message }) => message.startsWith('A job was cancelled')), 3_600_000)).toBe(true);
		expect(states()).toEqual(['destroyed']);
		expect(jobs.log.find(({ message }) => message.startsWith('A job was cancelled'))?.facts).toMatchObject({
			deployment_id: bought()[0]?.id,
			destroyed: true,
			verified: true,
		});
	});
});

describe('two jobs at once', () => {
	it('of one key leave each other alone', async () => {
		const nodes = ['1', '2'].map((executionId) =>
			jobs.engine.runItems(jobNode('run', jobParameters({ command: 'sleep 0.3; echo ok' })), [{ json: {} }], { executionId }),
		);
		const runs = await jobs.time.during(Promise.all(nodes), 6 * 3_600_000);
		expect(runs.map((run) => jsonOf(run).stdout)).toEqual(['ok\n', 'ok\n']);
		expect(states()).toEqual(['destroyed', 'destroyed']);
	});
});

void writeFileSync;
