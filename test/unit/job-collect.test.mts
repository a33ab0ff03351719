import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import { collect } from '../../nodes/Vmaas/resources/job/collect.ts';
import { jobIdOf, markedName } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, JOB, jobBench, outcome, poll, type Bench } from './job-bench.mts';
import { message } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const form = (changes: IDataObject = {}) =>
	inputOf(collect, {
		deploymentId: locator(DEPLOYMENT),
		jobId: JOB,
		resultFiles: 'gone.txt, logs/*.txt',
		whenFinished: 'keep',
		ifStillRunning: 'output',
		options: {},
		...changes,
	});

/** As Start makes it. */
const NAME = markedName('train-start-0123456');
const NAMED = { whenFinished: 'destroy', jobId: jobIdOf(NAME) };

const isPoll = (script: string) => script.includes('echo complete');

/** A VM that says this of its job; no pattern finds a file. */
const saying = (stdout: string) => (script: string) =>
	isPoll(script) ? { stdout, exitCode: 0 } : { stdout: 'count 0\0count 0\0', exitCode: 0 };

async function collected(bench: Bench, changes: IDataObject = {}) {
	return await outcome(async () => await collect.run(bench.context(), form(changes)));
}

async function failed(bench: Bench, changes: IDataObject = {}) {
	const error = await collected(bench, changes);
	if (!(error instanceof Error)) throw new Error(`No error: ${JSON.stringify(error)}`);
	return error;
}

const wasDestroyed = ({ requests }: Bench) => requests.some((one) => one.startsWith('DELETE'));

describe('the form of Collect', () => {
	it('has defaults, and takes what Start has returned', () => {
		expect(form()).toEqual({
			reference: { id: DEPLOYMENT },
			jobId: JOB,
			outputs: ['gone.txt', 'logs/*.txt'],
			whenFinished: 'keep',
			ifStillRunning: 'output',
			onNonZeroExit: 'error',
			maxOutputBytes: 65_536,
		});
		const options = { onNonZeroExit: 'output', maxOutputBytes: 2_048 };
		expect(form({ options })).toMatchObject(options);
	});

	it.each(['0123456789a', 'x0123456789', '012345678', '012345678G'])(
		'takes %s for no ID of a job',
		(jobId) => {
			const text = message(() => form({ jobId }));
			expect(text).toContain('Job ID must be the job_id that Start has returned');
			expect(text).toContain(`got "${jobId}"`);
		},
	);
});

describe('a job that is collected', () => {
	it('has finished: its output and what is missing', async () => {
		const bench = jobBench({ vm: saying(poll('ended 0', { stdout: 'a\n', stderr: 'b\n' })) });
		expect(await collected(bench)).toEqual([
			{
				deployment_id: DEPLOYMENT,
				job_id: JOB,
				state: 'finished',
				finished: true,
				exit_code: 0,
				stdout: 'a\n',
				stderr: 'b\n',
				stdout_bytes: 2,
				stderr_bytes: 2,
				files: [],
				missing_files: ['gone.txt'],
			},
		]);
		expect(wasDestroyed(bench)).toBe(false);
	});

	it('runs: its output so far, and no look for files that it may still write', async () => {
		const bench = jobBench({ vm: saying(poll('running', { stdout: 'begun\n' })) });
		expect(await collected(bench, { whenFinished: 'destroy' })).toEqual([
			{
				deployment_id: DEPLOYMENT,
				job_id: JOB,
				state: 'running',
				finished: false,
				exit_code: null,
				stdout: 'begun\n',
				stderr: '',
				stdout_bytes: 6,
				stderr_bytes: 0,
			},
		]);
		expect(wasDestroyed(bench)).toBe(false);
		expect(bench.scripts.every(isPoll)).toBe(true);
	});

	it('was killed: it is lost, and its deployment ends as that of one that has finished', async () => {
		const bench = jobBench({ vm: saying(poll('killed', { stdout: 'begun\n' })) });
		expect(await collected(bench, { whenFinished: 'destroy' })).toMatchObject([
			{
				state: 'lost',
				finished: false,
				exit_code: null,
				reason: 'its process was ended from outside, without an exit code',
				stdout: 'begun\n',
				destroyed: true,
			},
		]);
	});

	it.each<[string, IDataObject, IDataObject[]?]>([
		['the name that the service shows', { name: NAME }],
		['the name of the list', {}, [{ deployment_id: DEPLOYMENT, name: NAME }]],
	])('ends with its deployment under %s', async (_, shown, list) => {
		const details = { deployment_id: DEPLOYMENT, status: 'running', ...shown };
		const bench = jobBench({ details, list, vm: saying(poll('ended 0')) });
		const [item] = (await collected(bench, NAMED)) as IDataObject[];
		expect(item).toMatchObject({
			destroyed: true,
			verified: true,
			resource_private_name: NAME,
		});
		expect(item).not.toHaveProperty('hint');
	});

	it.each([undefined, NAME.slice(0, 16), 'GPU cluster', NAME.slice(0, -10)])(
		'ends alone where the service shows %s for its name, and says that a copy may be there',
		async (name) => {
			const details = { deployment_id: DEPLOYMENT, status: 'running', name };
			const list = [
				{ deployment_id: DEPLOYMENT, status: 'running', name },
				{ deployment_id: 'other', status: 'running', name },
			];
			const bench = jobBench({ details, list, vm: saying(poll('ended 0')) });
			expect(await collected(bench, NAMED)).toMatchObject([
				{
					destroyed: true,
					verified: false,
					resource_private_name: null,
					hint: expect.stringContaining('does not show the name of the job') as unknown,
				},
			]);
			expect(bench.requests.filter((one) => /^DELETE .*other/.test(one))).toEqual([]);
		},
	);

	it('is not on the VM: an error, and nothing ends', async () => {
		const bench = jobBench({ vm: () => ({ exitCode: 90 }) });
		const all = { whenFinished: 'destroy', ifStillRunning: 'destroy' };
		const error = await failed(bench, all);
		expect(error.message).toBe(`The VM has no job ${JOB}. Deployment dep-1 goes on and bills`);
		expect(error.description).toContain('the deployment_id and the job_id of one item of Start');
		expect(wasDestroyed(bench)).toBe(false);
	});

	it('has ended before the connection was lost: it is not looked at again', async () => {
		let isLost = false;
		const vm = saying(poll('ended 0', { stdout: 'a\n' }));
		const bench = jobBench({
			vm(script) {
				if (isPoll(script) || isLost) return vm(script);
				isLost = true;
				return {};
			},
		});
		expect(await collected(bench)).toMatchObject([{ state: 'finished', stdout: 'a\n', files: [] }]);
		expect(bench.scripts.map(isPoll)).toEqual([true, false, false]);
	});
});

describe('a deployment without its job', () => {
	it.each([
		['terminating', /^the deployment is being ended, .*goes with it$/],
		['destroyed', /^the deployment has ended, .*is gone$/],
	])('is %s: the job is lost', async (status, reason) => {
		const bench = jobBench({ details: { deployment_id: DEPLOYMENT, status } });
		expect(await collected(bench)).toEqual([
			{
				deployment_id: DEPLOYMENT,
				job_id: JOB,
				state: 'lost',
				finished: false,
				exit_code: null,
				status,
				reason: expect.stringMatching(reason) as unknown,
			},
		]);
		expect(bench.scripts).toEqual([]);
	});

	it('has no VM that answers: it goes on, and bills', async () => {
		const error = await failed(jobBench({ workers: [] }), { whenFinished: 'destroy' });
		expect(error.message).toContain('The VM of the job does not answer over SSH: it is "running"');
		expect(error.description).toContain('The deployment goes on and bills');
	});

	it('does not show: that it bills is not said for sure', async () => {
		const error = await failed(jobBench({ details: undefined, workers: [] }));
		expect(error.message).toContain('The VM of the job does not answer over SSH');
		expect(error.description).toContain('The service does not show the deployment now');
		expect(error.description).not.toContain('goes on');
	});
});

describe('what cannot be done on the VM', () => {
	it.each([
		['looked at', 91, 'Its home folder may be full or read-only', { exitCode: 91 }],
		['looked at', 92, 'It lacks one of the programs', { exitCode: 92 }],
		['searched for its files', 91, 'Its home folder', saying(poll('ended 0'))('echo complete')],
	])('to be %s (exit code %d)', async (what, exitCode, advice, said) => {
		const bench = jobBench({ vm: (script) => (isPoll(script) ? said : { exitCode: 91 }) });
		const error = await failed(bench);
		expect(error.message).toBe(
			`The job could not be ${what} on the VM (exit code ${exitCode}). Deployment dep-1 goes on and bills`,
		);
		expect(error.description).toContain(advice);
	});

	it('is to bring back more than 100 files', async () => {
		const finished = saying(poll('ended 0'));
		const bench = jobBench({
			vm: (script) =>
				isPoll(script) ? finished(script) : { stdout: '1 a\0count 0\0count 101\0', exitCode: 0 },
		});
		const error = await failed(bench);
		expect(error.message).toMatch(/^101 files match Result Files, and 100 /);
		expect(error.description).toContain('Pack them into one file');
	});
});

describe('a retry of Collect', () => {
	it('has what was collected before a destroy that failed', async () => {
		const bench = jobBench({
			vm: saying(poll('ended 0', { stdout: 'a\n' })),
			destroy: () => [500, {}],
		});
		bench.details = { ...bench.details, name: NAME };
		const error = await failed(bench, NAMED);
		expect(error.message).toContain(`${DEPLOYMENT} ("${NAME}") may still run and bill`);
		expect(error.context).toMatchObject({
			known: { state: 'finished', stdout: 'a\n', destroyed: null },
		});
		// Its VM is gone meanwhile
		bench.details = { ...bench.details, status: 'destroyed' };
		expect(await collected(bench, NAMED)).toMatchObject([
			{ state: 'finished', stdout: 'a\n', destroyed: true },
		]);
		expect(bench.scripts.filter(isPoll)).toHaveLength(1);
	});

	it('of one that has failed still says so, and of each item its own', async () => {
		const bench = jobBench({ vm: saying(poll('ended 3', { stderr: 'no disk\n' })) });
		const error = await failed(bench);
		expect(error.message).toBe('The command ended with exit code 3');
		expect(error.description).toBe('no disk');
		const options = { onNonZeroExit: 'output' };
		expect(await collected(bench, { options })).toMatchObject([{ exit_code: 3 }]);
		expect(bench.scripts.filter(isPoll)).toHaveLength(1);
		const other = form({ options, jobId: 'abcdefabcd' });
		await outcome(async () => await collect.run(bench.context(1), other));
		expect(bench.scripts.filter(isPoll)).toHaveLength(2);
	});

	it('brings the files of each item again', async () => {
		const json = { state: 'finished' };
		const items = [0, 1].map((index) => new FileItem({ ...json, index }, {}));
		const kept = items.map((item, index) => [
			`collected job ${index}`,
			{ progress: { item: () => item } },
		]);
		const bench = jobBench({ kept: new Map(kept as Array<[string, unknown]>) });
		const again = async (index: number) => await collect.again?.(bench.context(index), [json]);
		expect(await again(0)).toEqual([items[0]]);
		expect(await again(1)).toEqual([items[1]]);
		expect(await again(2)).toEqual([json]);
		expect(bench.requests).toEqual([]);
	});

	it('looks again at one that ran', async () => {
		const bench = jobBench({ vm: saying(poll('running')) });
		await collected(bench);
		bench.vm = saying(poll('ended 0'));
		expect(await collected(bench)).toMatchObject([{ state: 'finished' }]);
	});
});
