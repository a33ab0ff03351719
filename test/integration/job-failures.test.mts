import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { fileItem, jobParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, HOUR, jobNode, jsonOf, outputOf, useJobs } from './jobFixture.mts';

const jobs = useJobs();

/** VMs show no address. */
const noSsh = () =>
	jobs.sandbox.faults.addFirst({
		match: { path: /\/vms$/ },
		times: Infinity,
		status: 200,
		body: { data: { workers: [] } },
	});

describe('a connection that is cut', () => {
	it('in mid-run: the output is complete, and the command ran once', async () => {
		const command =
			'echo begun >> ~/begun; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "line $i"; sleep 0.03; done; cp ~/begun .';
		const running = jobs.run(jobNode('run', jobParameters({ command, resultFiles: 'begun' })));
		let cuts = 0;
		const timer = setInterval(() => {
			const vm = jobs.vmOf(jobs.bought[0]);
			if (!vm.files.some((file) => file.endsWith('/begun')) || cuts >= 5) return;
			cuts++;
			jobs.sandbox.vms.cut(vm.id);
		}, 150);
		const run = await running.finally(() => clearInterval(timer));
		const json = jsonOf(run);
		expect(cuts).toBeGreaterThan(1);
		expect(json.stdout).toBe(Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join(''));
		expect(outputOf(run)?.binary?.file_0?.data).toBe(Buffer.from('begun\n').toString('base64'));
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('for good: the error says so, and the VM is destroyed', async () => {
		const running = jobs.run(jobNode('run', jobParameters({ command: 'echo begun; sleep 30' })));
		const timer = setInterval(() => {
			const { files, id } = jobs.vmOf(jobs.bought[0]);
			if (files.some((file) => file.endsWith('/pid'))) jobs.sandbox.vms.cut(id);
		}, 5);
		const error = errorOf(await running.finally(() => clearInterval(timer)));
		expect(error.message).toMatch(/^The VM has not answered for 30 minutes/);
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('since the paid time is over: the error says so', async () => {
		const command = 'echo begun; touch ~/begun; sleep 60';
		const running = jobs.run(
			jobNode(
				'run',
				jobParameters({ command, durationHours: 1, options: { commandTimeout: 100_000 } }),
			),
		);
		const timer = setInterval(() => {
			if (!jobs.vmOf(jobs.bought[0]).files.some((file) => file.endsWith('/begun'))) return;
			clearInterval(timer);
			setTimeout(() => {
				jobs.sandbox.clock.advance(HOUR);
				// It dies when somebody looks at it
				jobs.bought.forEach((one) => one.state !== 'running' && jobs.sandbox.vms.close(one));
			}, 1_000);
		}, 5);
		const { message, context } = errorOf(await running.finally(() => clearInterval(timer)));
		expect(message).toMatch(/^The deployment ended before the job did/);
		expect(context.known).toMatchObject({ stdout: 'begun\n', destroyed: true });
		expect(jobs.states).toEqual(['completed']);
	});
});

describe('time that is over', () => {
	it('of the command', async () => {
		const run = await jobs.run(
			jobNode(
				'run',
				jobParameters({ command: 'echo begun; sleep 30', options: { commandTimeout: 60 } }),
			),
		);
		expect(errorOf(run).message).toBe('The command has not ended within its time');
		expect(errorOf(run).context.known).toMatchObject({ stdout: 'begun\n', destroyed: true });
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('of the wait for SSH', async () => {
		noSsh();
		const run = await jobs.run(jobNode('run', jobParameters({ options: { waitTimeout: 120 } })));
		expect(errorOf(run).message).toContain('The VM did not answer over SSH within its time');
		expect(errorOf(run).description).toContain('Raise Wait Timeout under Options');
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('that is not needed any more, since the deployment failed', async () => {
		noSsh();
		const parameters = jobParameters({ options: { waitTimeout: 3_000 } });
		const running = jobs.run(jobNode('run', parameters));
		const timer = setInterval(() => {
			const [deployment] = jobs.bought;
			if (deployment?.state === 'running') jobs.sandbox.fail(deployment.id);
		}, 1);
		const { message } = errorOf(await running.finally(() => clearInterval(timer)));
		expect(message).toBe('The deployment is "failed" and never ran the job');
		expect(jobs.states).toEqual(['failed']);
	});
});

describe('a destroy that fails', () => {
	const fail = () =>
		jobs.sandbox.faults.add({
			match: { method: 'DELETE', path: /./ },
			times: Infinity,
			status: 500,
		});

	it('after a job that ended: the item says so', async () => {
		fail();
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters())));
		const [deployment] = jobs.bought;
		expect(json).toMatchObject({ exit_code: 0, destroyed: null, verified: false });
		expect(json.hint).toContain(
			`Deployment ${deployment?.id} ("${deployment?.resource_private_name}") may still run and bill`,
		);
		expect(JSON.stringify(jobs.log)).toContain(deployment?.id);
		expect(jobs.states).toEqual(['running']);
	});

	it('after an error: its message says so, and a retry buys nothing else', async () => {
		fail();
		const run = await jobs.run(jobNode('run', jobParameters({ command: 'exit 1' }), RETRY));
		const [deployment] = jobs.bought;
		expect(errorOf(run).message).toContain(`Deployment ${deployment?.id}`);
		expect(errorOf(run).context.known).toMatchObject({ destroyed: null, verified: false });
		expect(jobs.bought).toHaveLength(1);
	});
});

describe('Retry On Fail', () => {
	it('runs again after a failure that has destroyed its VM', async () => {
		const tried = path.join(mkdtempSync(path.join(os.tmpdir(), 'job-')), 'tried');
		const command = `mkdir ${tried} && exit 1; echo second`;
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters({ command }), RETRY)));
		expect(json).toMatchObject({ exit_code: 0, stdout: 'second\n' });
		expect(jobs.states).toEqual(['destroyed', 'destroyed']);
	});

	it('after a lost answer to the deploy, there is one VM', async () => {
		jobs.sandbox.faults.add({ match: { method: 'POST', path: /deploy$/ }, drop: 'after' });
		const json = jsonOf(await jobs.run(jobNode('run', jobParameters(), RETRY)));
		expect(json).toMatchObject({ exit_code: 0, recovered: true });
		expect(jobs.states).toEqual(['destroyed']);
	});
});

describe('cancelled', () => {
	const seen = (method: string, pattern: RegExp) =>
		jobs.sandbox.requests.some((one) => one.method === method && pattern.test(one.path));
	const hasFile = (pattern: RegExp) =>
		jobs.vmOf(jobs.bought[0]).files.some((file) => pattern.test(file));
	const LARGE = 20_000_000;
	const nothing = () => undefined;

	it.each<[string, () => unknown, () => boolean, IDataObject]>([
		[
			'during the deploy',
			() =>
				jobs.sandbox.faults.addFirst({
					match: { method: 'POST', path: /deploy$/ },
					hang: true,
					afterWork: true,
				}),
			() => jobs.bought.length > 0,
			{},
		],
		['during the wait', noSsh, () => seen('GET', /vms$/), {}],
		['during the upload', nothing, () => hasFile(/\.part$/), { inputFields: 'data' }],
		['during the run', nothing, () => hasFile(/\/begun$/), { command: 'touch ~/begun; sleep 30' }],
		[
			'during the download',
			nothing,
			() => jobs.sandbox.vms.bytesSent(jobs.vmOf(jobs.bought[0]).id) > 1_000_000,
			{ command: `head -c ${LARGE} /dev/zero > zeros`, resultFiles: 'zeros' },
		],
	])('%s: the VM is destroyed, and the log says so', async (_, prepare, moment, changes) => {
		prepare();
		const stop = new AbortController();
		const node = jobNode('run', jobParameters(changes));
		const items = [fileItem('in.bin', Buffer.alloc(LARGE))];
		let isCancelled = false;
		const timer = setInterval(() => {
			if (isCancelled || !moment()) return;
			isCancelled = true;
			stop.abort();
		}, 1);
		const isLogged = () =>
			jobs.log.some(({ message }) => message.startsWith('A job was cancelled'));
		const running = jobs.engine
			.runItems(node, items, { cancel: stop.signal })
			.catch(() => undefined);
		try {
			await jobs.time.during(running, 3 * HOUR);
			expect(await jobs.time.until(isLogged, HOUR)).toBe(true);
		} finally {
			clearInterval(timer);
		}
		expect(isCancelled).toBe(true);
		expect(jobs.states).toEqual(['destroyed']);
		const line = jobs.log.find(({ message }) => message.startsWith('A job was cancelled'));
		expect(line?.facts).toMatchObject({
			deployment_id: jobs.bought[0]?.id,
			destroyed: true,
			verified: true,
		});
	});
});
