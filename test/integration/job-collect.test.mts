import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { jobParameters, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jobNode, jsonOf, outputOf, useJobs } from './jobFixture.mts';

const jobs = useJobs();

const UNTIL_GO = 'echo begun; while [ ! -e ~/go ]; do sleep 0.05; done; echo result > result.txt';

async function started(command = UNTIL_GO): Promise<IDataObject> {
	return jsonOf(await jobs.run(jobNode('start', jobParameters({ command }))));
}

function collect(handle: IDataObject, changes: IDataObject = {}, settings = {}) {
	const parameters = {
		deploymentId: locator(handle.deployment_id),
		jobId: handle.job_id,
		resultFiles: 'result.txt',
		whenFinished: 'destroy',
		ifStillRunning: 'output',
		options: {},
		...changes,
	};
	return jobs.run(jobNode('collect', parameters, settings), [{ json: {} }], { executionId: '2' });
}

describe('Start', () => {
	it('returns a handle, and the VM goes on', async () => {
		const handle = await started();
		const [deployment] = jobs.bought;
		expect(handle).toMatchObject({
			deployment_id: deployment?.id,
			job_id: expect.stringMatching(/^[0-9a-f]{10}$/) as unknown,
			job_key: 'train',
			resource_private_name: expect.stringMatching(/^train-start-/) as unknown,
			state: 'running',
			ssh_user: 'ubuntu',
		});
		expect(jobs.states).toEqual(['running']);
	});

	it('destroys what it has bought where the VM never answers', async () => {
		const body = { data: { workers: [] } };
		jobs.sandbox.faults.add({ match: { path: /\/vms$/ }, times: Infinity, status: 200, body });
		const { message, description } = errorOf(await jobs.run(jobNode('start', jobParameters())));
		expect(message).toContain('did not answer over SSH');
		expect(description).toContain('was destroyed, and its end was seen');
		expect(jobs.states).toEqual(['destroyed']);
	});
});

describe('Collect', () => {
	it('of a job that runs returns what it has said, and ends nothing', async () => {
		const json = jsonOf(await collect(await started()));
		expect(json).toMatchObject({
			state: 'running',
			finished: false,
			exit_code: null,
			stdout: 'begun\n',
		});
		expect(jobs.states).toEqual(['running']);
	});

	it('of a job that has finished brings its files and destroys its VM', async () => {
		const run = await collect(await started('echo a; echo b > result.txt'));
		expect(jsonOf(run)).toMatchObject({
			state: 'finished',
			finished: true,
			exit_code: 0,
			stdout: 'a\n',
			files: [{ path: 'result.txt', bytes: 2 }],
			destroyed: true,
			verified: true,
		});
		expect(outputOf(run)?.binary?.file_0?.data).toBe(Buffer.from('b\n').toString('base64'));
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('of a job that has failed is an error, and its VM is destroyed', async () => {
		const { message, context } = errorOf(await collect(await started('echo bad >&2; exit 4')));
		expect(message).toContain('exit code 4');
		expect(context.known).toMatchObject({ stderr: 'bad\n', destroyed: true });
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('may keep the VM of a job that has finished', async () => {
		const handle = await started('echo a');
		expect(jsonOf(await collect(handle, { whenFinished: 'keep' }))).not.toHaveProperty('destroyed');
		expect(jobs.states).toEqual(['running']);
	});

	it('may end a job that runs', async () => {
		const json = jsonOf(await collect(await started(), { ifStillRunning: 'destroy' }));
		expect(json).toMatchObject({ state: 'running', finished: false, destroyed: true });
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('of a VM that is gone says that the job is lost', async () => {
		const handle = await started();
		await jobs.time.pass(3 * 3_600_000);
		expect(jsonOf(await collect(handle))).toMatchObject({ state: 'lost', finished: false });
	});

	it('of another job is an error, and ends nothing', async () => {
		const handle = await started();
		const error = errorOf(await collect({ ...handle, job_id: '0123456789' }));
		expect(error.message).toContain('The VM has no job 0123456789');
		expect(jobs.states).toEqual(['running']);
	});

	it('after a destroy that failed, a retry has the files still', async () => {
		jobs.sandbox.faults.add({
			match: { method: 'DELETE', path: /./ },
			times: 30,
			status: 500,
		});
		const run = await collect(await started('echo b > result.txt'), {}, RETRY);
		expect(jsonOf(run)).toMatchObject({ state: 'finished', destroyed: true });
		expect(outputOf(run)?.binary?.file_0).toBeDefined();
		expect(jobs.states).toEqual(['destroyed']);
	});
});
