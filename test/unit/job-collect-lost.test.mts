import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { elapsed } from '../../nodes/shared/time.ts';
import { collect } from '../../nodes/Vmaas/resources/job/collect.ts';
import { jobIdOf, markedName } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

/** As Start makes them. */
const NAME = markedName('train-start-0123456');
const OTHER = markedName('eval-start-6543210');

const MINUTE_MS = 60_000;

/** A deployment that has failed, and one of the job that runs. */
function lostBench(details: IDataObject, listed: IDataObject = details): Bench {
	const ended = { deployment_id: DEPLOYMENT, status: 'failed' };
	const twin = { deployment_id: 'dep-2', name: NAME, status: 'running' };
	return jobBench({
		details: { ...ended, ...details },
		list: [{ ...ended, ...listed }, twin],
		instead: (request) => {
			if (!request.endsWith('/dep-2')) return undefined;
			if (request.startsWith('DELETE')) twin.status = 'destroyed';
			return [200, twin];
		},
	});
}

const form = inputOf(collect, {
	deploymentId: locator(DEPLOYMENT),
	jobId: jobIdOf(NAME),
	resultFiles: '',
	whenFinished: 'destroy',
	ifStillRunning: 'output',
	options: {},
});

async function collected(bench: Bench): Promise<{ result: unknown; tookMs: number }> {
	const begun = elapsed();
	const result = await outcome(async () => await collect.run(bench.context(), form));
	return { result, tookMs: elapsed() - begun };
}

const endedIn = ({ requests }: Bench) =>
	requests.filter((one) => one.startsWith('DELETE')).map((one) => one.slice(-'dep-1'.length));

describe('the deployment of a lost job', () => {
	it.each([
		['its details', { name: NAME }, {}],
		['the list alone', {}, { name: NAME }],
	])('has its copy ended with it where %s have its name', async (_, details, listed) => {
		const bench = lostBench(details, listed);
		const { result } = await collected(bench);
		expect(result).toMatchObject([{ state: 'lost', destroyed: true, verified: true }]);
		expect(endedIn(bench)).toContain('dep-2');
	});

	it('is that of another job: nothing is ended', async () => {
		const bench = lostBench({ name: OTHER });
		const { result } = await collected(bench);
		expect((result as Error).message).toBe(
			`The deployment "${OTHER}" is not that of job ${jobIdOf(NAME)}, so nothing was ended`,
		);
		expect(endedIn(bench)).toEqual([]);
	});

	it.each([['web'], ['train-start-01'], [undefined]])(
		'with the name %s does not tell whether the other one is its copy: that is told, and not ended',
		async (name) => {
			const bench = lostBench({ name });
			const { result } = await collected(bench);
			expect(result).toMatchObject([
				{ state: 'lost', verified: false, hint: expect.stringContaining('dep-2') as unknown },
			]);
			expect(endedIn(bench)).not.toContain('dep-2');
		},
	);

	it('has its copy ended where the list fails at first and then shows both names', async () => {
		const bench = lostBench({}, { name: NAME });
		const usually = bench.instead;
		let looks = 0;
		bench.instead = (request) =>
			request.endsWith('/deployments') && ++looks <= 3 ? [500, {}] : usually?.(request);
		const { result } = await collected(bench);
		expect(result).toMatchObject([{ state: 'lost', destroyed: true, verified: true }]);
		expect(endedIn(bench)).toContain('dep-2');
	});

	const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

	it.each<[string, () => string | undefined, number]>([
		['not shown', () => undefined, 120_000],
		['a minute ago', () => ago(MINUTE_MS), 60_000],
		['an hour ago', () => ago(60 * MINUTE_MS), 0],
		['an hour ago, in whatever zone', () => ago(60 * MINUTE_MS).slice(0, 19), 120_000],
		['a day ago, in whatever zone', () => ago(1_440 * MINUTE_MS).slice(0, 19), 0],
		['later than now', () => ago(-MINUTE_MS), 120_000],
	])('was made %s: so long the list may lack its copy', async (_, created, ms) => {
		const { tookMs } = await collected(lostBench({ name: NAME, created_at: created() }));
		expect(tookMs).toBeGreaterThanOrEqual(ms - 1_000);
		expect(tookMs).toBeLessThan(ms + 30_000);
	});

	it.each([
		['an hour', -60, 0],
		['no time', 0, 2],
	])(
		'has ended by itself: what else has the name of the job ends (%s old)',
		async (_, age, min) => {
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
			expect((await collected(bench)).result).toMatchObject([
				{ state: 'lost', status: 'failed', verified: true, resource_private_name: NAME },
			]);
			expect(copy.status).toBe('destroyed');
			expect(Date.now() - startedAt).toBeLessThan((min + 1) * 60_000);
		},
	);
});
