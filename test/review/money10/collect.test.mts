import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Call, type Json } from '../money7/service.mts';
import { collectJob, job, startJob, type Stage } from '../money7/stage.mts';
import { hideSecond, withVms } from '../money7/vms.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

const START = { jobKey: 'nightly-training', command: 'sleep 600' };

/** Two jobs that run, in the list as well. */
async function twoJobs(): Promise<Stage & { jobs: IDataObject[] }> {
	const set = await withVms();
	const jobs = [];
	for (const jobKey of ['nightly-training', 'evaluation']) {
		const [item] = (await set.run(startJob({ ...START, jobKey }))).items;
		jobs.push(item ?? {});
	}
	await set.time.pass(5 * MINUTE);
	return { ...set, jobs };
}

describe('the deployment of one job with the ID of another one, which runs', () => {
	it.each(['failed', 'completed', 'destroyed', 'termination requested'])(
		'does not end the other one where the deployment is %s',
		async (status) => {
			const { service, run, jobs } = await twoJobs();
			const [first, second] = service.own;
			Object.assign(first ?? {}, { status });
			const { all } = await run(collectJob(jobs[0]?.deployment_id, jobs[1]?.job_id));
			expect(second?.endsAt).toBeUndefined();
			expect(all).not.toContain('"verified":true');
		},
	);

	it('does not end the other one where it runs', async () => {
		const { service, run, jobs } = await twoJobs();
		// Each VM of the stage is the same machine, so it has both jobs: their commands have not ended
		await run(collectJob(jobs[0]?.deployment_id, jobs[1]?.job_id));
		expect(service.own.map(({ endsAt }) => endsAt)).toEqual([undefined, undefined]);
	});

	it('does not end the other one where that deployment is not of a job', async () => {
		const { service, run, jobs } = await twoJobs();
		const theirs = service.add('web', { product: 'vmaas', status: 'completed' });
		await run(collectJob(theirs.id, jobs[1]?.job_id));
		expect(service.own.map(({ endsAt }) => endsAt)).toEqual([undefined, undefined]);
	});
});

/** How a service writes the creation of a deployment that is some seconds old. */
const CREATED: Array<[string, (madeAt: number) => Json]> = [
	['in UTC', (madeAt) => ({ created_at: new Date(madeAt).toISOString() })],
	['not', () => ({ created_at: null })],
	[
		'in local time without a zone',
		(madeAt) => ({ created_at: new Date(madeAt - 5 * 60 * MINUTE).toISOString().slice(0, 19) }),
	],
	['as epoch seconds', (madeAt) => ({ created_at: Math.floor(madeAt / 1_000) })],
	['as an empty text', () => ({ created_at: '' })],
	['as 0', () => ({ created_at: 0 })],
];

describe.each(CREATED)('a lost job whose details show its creation %s', (_how, shows) => {
	it.each([10 * SECOND, 80 * SECOND])('has its twin ended or told (after %i ms)', async (lagMs) => {
		const set = await withVms({ copies: 2, named: 'first' });
		const { service, run } = set;
		hideSecond(service, lagMs);
		service.details = ({ madeAt }, shown) => ({ ...shown, ...shows(madeAt) });
		const [started] = (await run(startJob(START))).items;
		const [first, second] = service.own;
		Object.assign(first ?? {}, { status: 'failed' });
		const { all } = await run(collectJob(started?.deployment_id, started?.job_id));
		expect(second?.endsAt !== undefined || all.includes(String(second?.id))).toBe(true);
	});
});

describe('two that one deploy has made, whose answer is lost', () => {
	it.each([
		[0, 30 * SECOND],
		[30 * SECOND, 60 * SECOND],
		[60 * SECOND, 100 * SECOND],
		[100 * SECOND, 115 * SECOND],
	])('show %i and %i ms later: both are ended or told', async (firstMs, secondMs) => {
		const set = await withVms({ copies: 2 });
		const { service, run } = set;
		const { list } = service;
		service.after = (call, own) => (isDeploy(call) ? { status: 504, body: '' } : own);
		const isHidden = (id: unknown) => {
			const nth = service.own.findIndex((one) => one.id === id);
			const [own] = service.own;
			if (nth < 0 || own === undefined) return false;
			return service.clock.now() < own.madeAt + (nth === 0 ? firstMs : secondMs);
		};
		service.list = (entries, call) =>
			list(
				entries.filter(({ id }) => !isHidden(id)),
				call,
			);
		service.details = ({ id }, shown) => (isHidden(id) ? undefined : shown);
		const { items, all } = await run(job({ jobKey: START.jobKey }, CONTINUE));
		const open = service.billing;
		for (const { id } of open) expect(all).toContain(id);
		if (open.length > 0) expect(JSON.stringify(items)).not.toContain('"verified":true');
	});
});
