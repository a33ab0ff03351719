import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { contextError, pause } from '../../nodes/shared/operation/context.ts';
import { SshError, type SshProblem } from '../../nodes/shared/ssh/index.ts';
import { now } from '../../nodes/shared/time.ts';
import type { Vm } from '../../nodes/Vmaas/resources/job/awaitSsh.ts';
import { overSsh, type Remote } from '../../nodes/Vmaas/resources/job/overSsh.ts';
import { DEPLOYMENT, JOB, jobBench, loginRefused, outcome, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const VM: Vm = {
	deploymentId: DEPLOYMENT,
	login: { host: '192.0.2.1', port: 22, username: 'ubuntu', privateKey: 'key' },
	facts: {},
};

const lost = (problem: SshProblem = 'closed') => new SshError(problem, 'it broke');

/**
 * What comes of work over SSH, and when it was begun, in seconds.
 * @param work gets the number of the try
 */
async function worked(
	bench: Bench,
	work: (remote: Remote, tries: number) => Promise<unknown>,
	{ heartOf, signal, sftp }: { heartOf?: string; signal?: AbortSignal; sftp?: string[] } = {},
) {
	const context = { ...bench.context(), product: VMAAS, signal };
	const { helpers } = context.functions;
	const usually = helpers.getSSHClient.bind(helpers);
	if (sftp)
		helpers.getSSHClient = async (...connection) =>
			Object.assign(await usually(...connection), {
				sftp: (opened: (error: Error) => void) => opened(new Error(sftp.shift())),
			});
	const startedAt = now();
	const begun: number[] = [];
	const result = await outcome(
		async () =>
			await overSsh(
				context,
				VM,
				async (remote) => {
					begun.push((now() - startedAt) / 1_000);
					return await work(remote, begun.length);
				},
				heartOf,
			),
	);
	const seconds = (now() - startedAt) / 1_000;
	if (!(result instanceof Error)) return { value: result, begun, seconds };
	const { message, description } = result as NodeApiError;
	return { message, description, begun, seconds };
}

const failing = async () => await Promise.reject(lost());
const until = (tries: number, error: () => Error) => async (_: Remote, tried: number) => {
	if (tried < tries) throw error();
	return await Promise.resolve('done');
};

describe('work on a VM', () => {
	it('is done once where nothing goes wrong, and no one asks for its deployment', async () => {
		const bench = jobBench({ vm: () => ({ stdout: 'hi', exitCode: 4 }) });
		const work = async ({ script }: Remote) => await script('echo hi');
		expect(await worked(bench, work)).toEqual({
			value: { stdout: 'hi', exitCode: 4 },
			begun: [0],
			seconds: 0,
		});
		expect(bench.scripts).toEqual(['echo hi']);
		expect(bench.requests).toEqual([]);
	});

	it.each<SshProblem>(['refused', 'unreachable', 'closed', 'timeout', 'protocol'])(
		'is done again each ten seconds while its connection is %s and its deployment runs',
		async (problem) => {
			const bench = jobBench();
			expect(
				await worked(
					bench,
					until(3, () => lost(problem)),
				),
			).toEqual({
				value: 'done',
				begun: [0, 10, 20],
				seconds: 20,
			});
			expect(bench.requests).toHaveLength(2);
		},
	);

	it.each<SshProblem>(['key', 'absent', 'sftp'])(
		'is over after a problem of %s',
		async (problem) => {
			expect(
				await worked(
					jobBench(),
					until(2, () => lost(problem)),
				),
			).toMatchObject({
				message: 'SSH to the VM failed: it broke',
				begun: [0],
				seconds: 0,
			});
		},
	);

	it('is over after an error of its own', async () => {
		const bench = jobBench();
		const own = () => contextError(bench.context(), { message: 'no space' });
		expect(await worked(bench, until(2, own))).toMatchObject({ message: 'no space', begun: [0] });
	});

	it('is over when the execution is cancelled', async () => {
		const controller = new AbortController();
		const work = async () => {
			controller.abort();
			return await Promise.reject(lost());
		};
		const result = await worked(jobBench(), work, { signal: controller.signal });
		expect(result.message).toBe('The execution was cancelled');
		expect(result.begun).toEqual([0]);
	});

	it.each(['destroyed', 'terminating'])('is over where its deployment is %s', async (status) => {
		const bench = jobBench({ details: { deployment_id: DEPLOYMENT, status } });
		expect(await worked(bench, failing)).toEqual({
			message: `The deployment ended before the job did (${status})`,
			description: 'Its paid time may be over: choose a longer Duration.',
			begun: [0],
			seconds: 0,
		});
	});

	it('is over where its deployment has vanished for good', async () => {
		const bench = jobBench({ list: [{ deployment_id: 'other', name: 'x', status: 'running' }] });
		const { message } = await worked(bench, async (_, tries) => {
			if (tries === 2) bench.details = undefined;
			return await failing();
		});
		expect(message).toBe('The deployment ended before the job did');
	});
});

describe('a VM that rejects the key', () => {
	const rejecting = (isRejected: (seconds: number) => boolean) => {
		const startedAt = now();
		return jobBench({
			refusal: () => (isRejected((now() - startedAt) / 1_000) ? loginRefused() : undefined),
		});
	};
	const work = async () => await Promise.resolve('done');

	it('may restart: it is tried for three minutes', async () => {
		expect(
			await worked(
				rejecting((seconds) => seconds < 180),
				work,
			),
		).toMatchObject({ value: 'done' });
		expect(
			await worked(
				rejecting(() => true),
				work,
			),
		).toMatchObject({
			message: 'SSH to the VM failed: The SSH server at 192.0.2.1:22 rejects the key for "ubuntu"',
			begun: [],
			seconds: 180,
		});
	});

	it('has so much time again after another problem', async () => {
		const bench = rejecting((seconds) => seconds !== 100 && seconds < 250);
		expect(await worked(bench, until(2, lost))).toMatchObject({
			value: 'done',
			begun: [100, 250],
		});
	});
});

describe('a step over SSH that the server has no session for', () => {
	const FULL = '(SSH) Channel open failure: open failed';
	const { signal } = new AbortController();
	const download = async ({ session }: Remote) =>
		await session.download('a', { maxBytes: 1, signal });
	const upload = async ({ session }: Remote) =>
		await session.upload('a', (async function* () {})(), { maxBytes: 1, signal });

	it.each([
		['download', download],
		['upload', upload],
	])('is tried once more at once: %s', async (_, work) => {
		const sftp = [FULL, 'no such subsystem'];
		expect(await worked(jobBench(), work, { sftp })).toMatchObject({
			message: 'SSH to the VM failed: The server offers no SFTP: no such subsystem',
			begun: [0],
		});
		expect(sftp).toEqual([]);
	});

	it('is tried again with its work after a second time', async () => {
		const sftp = [FULL, FULL, 'no such subsystem', 'unused'];
		expect(await worked(jobBench(), download, { sftp })).toMatchObject({ begun: [0, 10] });
		expect(sftp).toEqual(['unused']);
	});
});

describe('a VM that is lost', () => {
	it('is given up half an hour after its last answer', async () => {
		expect(await worked(jobBench(), failing)).toMatchObject({
			message: 'The VM has not answered for 30 minutes: it broke',
			seconds: 1_800,
		});
	});

	it('is given up where it answers the heartbeat alone: the job comes no further', async () => {
		const context = jobBench().context();
		const work = async () => {
			await pause(context, 1_000);
			throw lost();
		};
		const result = await worked(jobBench(), work, { heartOf: JOB });
		expect(result.message).toBe('The job has come no further for 30 minutes: it broke');
		expect(result.seconds).toBeGreaterThanOrEqual(1_800);
		expect(result.seconds).toBeLessThan(1_820);
	});

	it('is not given up while steps of the job are done', async () => {
		const work = async ({ script }: Remote, tries: number) => {
			await script('true');
			if (tries <= 185) throw lost();
		};
		expect((await worked(jobBench(), work)).begun).toHaveLength(186);
	});
});

describe('the heartbeat of a job', () => {
	const beats = (bench: Bench) =>
		bench.scripts.map((script) => {
			expect(script).toContain(`/.compute-job/${JOB}/heartbeat`);
			return /'([0-9a-f]{8}) (\d{8})'/.exec(script)?.slice(1);
		});

	it('is written each 20 seconds while the work lasts, also after one that did not arrive', async () => {
		const bench = jobBench({ vm: () => (bench.scripts.length === 1 ? {} : { exitCode: 0 }) });
		const context = bench.context();
		await worked(bench, async () => await pause(context, 50_000), { heartOf: JOB });
		await outcome(async () => await pause(context, 60_000));
		const own = beats(bench)[0]?.[0];
		expect(own).toBeDefined();
		expect(beats(bench)).toEqual([
			[own, '00000000'],
			[own, '00000001'],
			[own, '00000002'],
		]);
	});

	it('is another one after each connection, so that it always changes', async () => {
		const bench = jobBench();
		await worked(bench, until(2, lost), { heartOf: JOB });
		const [first, second] = beats(bench);
		expect(first?.[0]).not.toBe(second?.[0]);
	});

	it('is not written for a job that nobody else may end', async () => {
		const bench = jobBench();
		const context = bench.context();
		await worked(bench, async () => await pause(context, 50_000));
		expect(bench.scripts).toEqual([]);
	});
});
