import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { collect } from '../../nodes/Vmaas/resources/job/collect.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, JOB, jobBench, outcome, poll, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

/** Collects, and is cancelled as soon as a request that fits is sent. */
async function cancelled(bench: Bench, fits: (request: string) => boolean, form: IDataObject = {}) {
	const cancel = new AbortController();
	const { instead } = bench;
	bench.instead = (request, body) => {
		if (fits(request)) cancel.abort();
		return instead?.(request, body);
	};
	const input = inputOf(collect, {
		deploymentId: locator(DEPLOYMENT),
		jobId: JOB,
		resultFiles: '',
		whenFinished: 'destroy',
		ifStillRunning: 'output',
		options: {},
		...form,
	});
	const context = { ...bench.context(), signal: cancel.signal };
	return await outcome(async () => await collect.run(context, input));
}

const ended = (code: number) => ({
	vm: () => ({ stdout: poll(`ended ${code}`), exitCode: 0 }),
});

describe('Collect that is cancelled', () => {
	it('before it has ended anything: n8n’s log says what may still bill', async () => {
		const bench = jobBench();
		expect(await cancelled(bench, () => true)).toBeInstanceOf(Error);
		expect(bench.requests.some((one) => one.startsWith('DELETE'))).toBe(false);
		expect(bench.logged).toEqual([
			[
				'Cancelled before the deployment of a job was seen to end: it may still run and bill.',
				{ deployment_id: DEPLOYMENT, job_id: JOB },
			],
		]);
	});

	it('before an ID is known: by its name', async () => {
		const bench = jobBench();
		const deploymentId = { __rl: true, mode: 'name', value: 'train' };
		await cancelled(bench, () => true, { deploymentId });
		expect(bench.logged).toMatchObject([
			[expect.any(String), { resource_private_name: 'train', job_id: JOB }],
		]);
	});

	it('while it ends the deployment, which cannot be seen to end', async () => {
		const bench = jobBench({ ...ended(0), destroy: () => [500, {}] });
		expect(await cancelled(bench, (one) => one.startsWith('DELETE'))).toBeInstanceOf(Error);
		expect(bench.logged).toMatchObject([[expect.any(String), { deployment_id: DEPLOYMENT }]]);
	});
});
