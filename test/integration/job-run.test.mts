import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROJECT, type WorkflowJson } from '../engine/engine.mts';
import { fileItem, jobParameters } from '../engine/nodes.mts';
import { errorOf, HOUR, jobNode, jsonOf, outputOf, useJobs } from './jobFixture.mts';

const jobs = useJobs();

describe('a job that ends', () => {
	it('brings output and files back, and its VM is destroyed', async () => {
		const node = jobNode(
			'run',
			jobParameters({
				command:
					'cat in.txt; echo "$GREETING" >&2; mkdir logs; echo 1 > logs/a.txt; echo 2 > "logs/b c.txt"',
				inputFields: 'data',
				resultFiles: 'logs/*.txt, missing.txt, none/*',
				options: { environment: { variables: [{ name: 'GREETING', value: "it's\n$HOME" }] } },
			}),
		);
		const run = await jobs.run(node, [fileItem('in.txt', 'héllo')]);
		const json = jsonOf(run);
		const [deployment] = jobs.bought;
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
		expect(jobs.states).toEqual(['destroyed']);
		expect(deployment?.order.request).toMatchObject({
			duration_hours: 2,
			ssh_keys: expect.objectContaining({}) as unknown,
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
			deployment_id: jobs.bought[0]?.id,
		});
		expect(jobs.states).toEqual(['destroyed']);
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
		expect(jsonOf(run)).toMatchObject({
			exit_code: 3,
			files: [{ path: 'part.txt' }],
			destroyed: true,
		});
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('runs what the first line of the command names', async () => {
		const command = '#!/usr/bin/env -S awk -f\nBEGIN { print 6 * 7 }';
		const run = await jobs.run(jobNode('run', jobParameters({ command })));
		expect(jsonOf(run).stdout).toBe('42\n');
	});
});

describe('before anything is sent', () => {
	it.each([
		[
			'no price limit',
			{ safety: {} },
			'Safety must hold a Maximum Price or a Maximum Hourly Price',
		],
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
		await expect(call({})).rejects.toThrow('Job > Run is not allowed for AI agents');
		expect(jobs.sandbox.requests).toEqual([]);
	});
});

describe('two jobs at once', () => {
	it('of one key leave each other alone', async () => {
		const nodes = ['1', '2'].map((executionId) =>
			jobs.engine.runItems(
				jobNode('run', jobParameters({ command: 'sleep 0.3; echo ok' })),
				[{ json: {} }],
				{ executionId },
			),
		);
		const runs = await jobs.time.during(Promise.all(nodes), 6 * HOUR);
		expect(runs.map((run) => jsonOf(run).stdout)).toEqual(['ok\n', 'ok\n']);
		expect(jobs.states).toEqual(['destroyed', 'destroyed']);
	});
});

describe('example train-on-a-gpu', () => {
	it('computes a model and brings it back', async () => {
		const workflow = JSON.parse(
			readFileSync(`${PROJECT}/examples/train-on-a-gpu.json`, 'utf8'),
		) as WorkflowJson;
		const run = await jobs.time.during(jobs.engine.runWorkflow(workflow), 6 * HOUR);
		const [item] = run.data.resultData.runData.Train?.[0]?.data?.main?.[0] ?? [];
		expect(item?.json).toMatchObject({ exit_code: 0, destroyed: true, verified: true });
		const model = JSON.parse(
			Buffer.from(item?.binary?.file_0?.data ?? '', 'base64').toString(),
		) as Record<string, number>;
		// The points are y = 3 x + 2 with noise
		expect(model.w).toBeCloseTo(3, 0);
		expect(model.b).toBeCloseTo(2, 0);
		expect(jobs.states).toEqual(['destroyed']);
	});
});
