import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { collect } from '../../nodes/Vmaas/resources/job/collect.ts';
import { jobIdOf, markedName } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

/** As Start makes it. */
const NAME = markedName('train-start-0123456');

const form = inputOf(collect, {
	deploymentId: locator(DEPLOYMENT),
	jobId: jobIdOf(NAME),
	resultFiles: '',
	whenFinished: 'destroy',
	ifStillRunning: 'output',
	options: {},
});

it.each([
	['an hour', -60, 0],
	['no time', 0, 2],
])('has ended by itself: what else has the name of the job ends (%s old)', async (_, age, min) => {
	const startedAt = Date.now();
	const shows = startedAt + min * 60_000 - 20_000;
	const created_at = new Date(startedAt + age * 60_000).toISOString();
	const details = { deployment_id: DEPLOYMENT, status: 'failed', created_at };
	const copy: IDataObject = { deployment_id: 'copy', name: NAME, status: 'running' };
	const bench = jobBench({ details });
	bench.instead = (request) => {
		const list = [{ ...details, name: NAME }, ...(Date.now() < shows ? [] : [copy])];
		if (request.endsWith('/deployments'))
			return [200, { data: { deployments: list, total: list.length } }];
		if (!request.endsWith('/copy')) return undefined;
		if (request.startsWith('DELETE')) copy.status = 'destroyed';
		return [200, { data: copy }];
	};
	expect(await outcome(async () => await collect.run(bench.context(), form))).toMatchObject([
		{ state: 'lost', status: 'failed', verified: true, resource_private_name: NAME },
	]);
	expect(copy.status).toBe('destroyed');
	expect(Date.now() - startedAt).toBeLessThan((min + 1) * 60_000);
});
