import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../../engine/results.mts';
import { collect, job, toldBy, world, type World } from './world.mts';

/** Goes on until the test says so. */
const slow = ({ ledger }: World) =>
	`echo first; echo x >>${ledger}; until [ -e ~/go ]; do sleep 0.02; done; echo r >r; echo last`;

async function started(
	here: World,
	line = slow(here),
	parameters: IDataObject = {},
): Promise<IDataObject> {
	const before = here.starts();
	const item = onlyJson(await here.run(job('start', line, { durationHours: 3, ...parameters })));
	expect(item.state).toBe('running');
	// The shell that runs it may be behind the one that has started it
	await vi.waitUntil(() => here.starts() > before, PATIENCE);
	return item;
}

const PATIENCE = { timeout: 30_000, interval: 5 };

/** Lets the job of a VM end, and waits until it has. */
async function end(here: World, index = 0): Promise<void> {
	const { home, jobs } = here.market.vm(index);
	writeFileSync(join(home, 'go'), '');
	const hasEnded = (id: string) => existsSync(join(jobs, id, 'exit_code'));
	await vi.waitUntil(() => readdirSync(jobs).every(hasEnded), PATIENCE);
}

const RESULTS = { resultFiles: 'r' };

describe('a job that is collected', () => {
	it('too early, in time, and again', async () => {
		const here = await world();
		const item = { json: await started(here) };
		const early = onlyJson(await here.run(collect(RESULTS), [item]));
		expect(early).toMatchObject({
			state: 'running',
			finished: false,
			exit_code: null,
			stdout: 'first\n',
		});
		expect(here.market.books.alive()).toHaveLength(1);
		await end(here);
		const done = onlyJson(await here.run(collect(RESULTS), [item]));
		expect(done).toMatchObject({
			state: 'finished',
			exit_code: 0,
			stdout: 'first\nlast\n',
			destroyed: true,
			files: [{ path: 'r' }],
		});
		here.expectOver(1);
		const again = onlyJson(await here.run(collect(RESULTS), [item]));
		expect(again).toMatchObject({ state: 'lost', exit_code: null });
		expect(here.starts()).toBe(1);
	});

	it('by two at once', async () => {
		const here = await world();
		const item = { json: await started(here) };
		await end(here);
		const runs = await Promise.all([
			here.run(collect(RESULTS), [item]),
			here.run(collect(RESULTS), [item]),
		]);
		expect(runs.some((run) => toldBy(run).includes('"state":"finished"'))).toBe(true);
		here.expectOver(1);
	});

	it('with the job_id of another: nothing of either ends', async () => {
		const here = await world();
		const one = await started(here);
		const two = await started(here, slow(here), { jobKey: 'train-2' });
		const mixed = { json: { ...one, job_id: two.job_id } };
		expect(
			errorOf(await here.run(collect({ ifStillRunning: 'destroy' }), [mixed])).message,
		).toContain('has no job');
		expect(here.market.books.alive()).toHaveLength(2);
	});

	it('among others, of which one runs on', async () => {
		const here = await world();
		const items = [];
		for (const jobKey of ['a', 'b', 'c'])
			items.push({ json: await started(here, slow(here), { jobKey }) });
		await end(here, 0);
		await end(here, 2);
		items.push({ json: { deployment_id: 'dep-9', job_id: '0123456789' } });
		const run = await here.run(collect(RESULTS, CONTINUE), items);
		expect(jsonOf(run)).toMatchObject([
			{ state: 'finished' },
			{ state: 'running' },
			{ state: 'finished' },
			{},
		]);
		expect(jsonOf(run)[3]).toHaveProperty('error');
		expect(JSON.stringify(jsonOf(run)[3])).not.toContain('goes on and bills');
		expect(here.market.books.alive()).toMatchObject([{ id: 'dep-2' }]);
	});

	it('and whose end fails at first: its results are not lost by a retry', async () => {
		const here = await world();
		const item = { json: await started(here) };
		await end(here);
		const until = here.clock.now() + 1_000_000;
		here.market.gateway = (call, forward) =>
			call.method === 'DELETE' && here.clock.now() < until
				? { status: 500, body: 'no' }
				: forward(call);
		const run = await here.run(collect(RESULTS, RETRY), [item]);
		expect(onlyJson(run)).toMatchObject({
			state: 'finished',
			stdout: 'first\nlast\n',
			destroyed: true,
			files: [{ path: 'r' }],
		});
		here.expectOver(1);
	});

	it('after its paid time', async () => {
		const here = await world();
		const item = { json: await started(here) };
		here.clock.pass(4 * 3_600_000);
		expect(onlyJson(await here.run(collect(RESULTS), [item]))).toMatchObject({
			state: 'lost',
			status: 'completed',
		});
	});

	it('while its deployment ends: that it has ended is not said', async () => {
		const here = await world();
		here.market.books.behaviour.endTakes = 3_600_000;
		const item = { json: await started(here) };
		const now = here.clock.now();
		const ends = { endingAt: now, endedAt: now + 3_600_000 };
		Object.assign(here.market.books.machines[0] ?? {}, ends);
		const run = await here.run(collect(RESULTS), [item]);
		expect(here.market.books.alive()).toHaveLength(1);
		expect(toldBy(run)).not.toMatch(/has ended|is gone/);
		expect(toldBy(run)).toContain('termination requested');
	});

	it('after the VM was restarted', async () => {
		const here = await world();
		const item = { json: await started(here) };
		here.market.first.killJobs();
		// Whoever has started it notices its end a moment later
		await vi.waitUntil(() => !here.market.first.hasJobs(), PATIENCE);
		expect(onlyJson(await here.run(collect(RESULTS), [item]))).toMatchObject({
			state: 'lost',
			exit_code: null,
			stdout: 'first\n',
			destroyed: true,
		});
		here.expectOver(1);
	});
});

describe('a start', () => {
	it('of which nothing comes is no running job', async () => {
		const here = await world();
		// Out of processes: the shell says so to nobody
		here.habits.fate = ({ stdin }) =>
			stdin.includes('setsid')
				? { instead: "sh -c 'cd ~/.compute-job/* && mkdir lock'; echo BEGIN-OF-COMPUTE-JOB-8d1f4c" }
				: undefined;
		const run = await here.run(job('start', slow(here)));
		expect(errorOf(run).message).toContain('no process shows');
		here.expectOver(1);
	});

	it('whose VM is restarted at that moment is not running forever', async () => {
		const here = await world();
		const item = { json: await started(here) };
		here.market.first.killJobs();
		const { jobs } = here.market.first;
		const [id = ''] = readdirSync(jobs);
		rmSync(join(jobs, id, 'pid'));
		const first = onlyJson(await here.run(collect(RESULTS), [item]));
		here.clock.pass(600_000);
		expect(first.state).not.toBe('finished');
		expect(here.starts()).toBe(1);
	});

	it('whose answer is lost, with Retry On Fail: one machine and one start', async () => {
		const here = await world();
		let lost = 0;
		here.habits.fate = ({ stdin }) => (stdin.includes('setsid') && lost++ < 2 ? 'lost' : undefined);
		const run = await here.run(job('start', slow(here), {}, RETRY));
		expect(onlyJson(run)).toMatchObject({ state: 'running', deployment_id: 'dep-1' });
		await end(here);
		expect(here.starts()).toBe(1);
		expect(here.market.books.machines).toHaveLength(1);
	});

	it('that fails at the files: nothing bills', async () => {
		const here = await world({ file: (step) => (step === 'open' ? 3 : undefined) });
		const file = { data: 'eA==', fileName: 'x', mimeType: 'text/plain' };
		const run = await here.run(job('start', slow(here), { inputFields: 'data' }), [
			{ json: {}, binary: { data: file } },
		]);
		expect(errorOf(run).message).toContain('permission denied');
		here.expectOver(1);
	});
});
