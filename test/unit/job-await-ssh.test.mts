import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { sshCredential } from '../../nodes/marketplace/ssh.ts';
import { now } from '../../nodes/shared/time.ts';
import { awaitSsh } from '../../nodes/Vmaas/resources/job/awaitSsh.ts';
import { DEPLOYMENT, jobBench, loginRefused, outcome, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

/** How a wait of so many seconds has ended, and after which time. */
async function awaited(bench: Bench, waitSeconds = 25, signal?: AbortSignal) {
	const context = { ...bench.context(), product: VMAAS, signal };
	const credential = await sshCredential(context);
	const startedAt = now();
	const result = await outcome(
		async () => await awaitSsh(context, DEPLOYMENT, credential, waitSeconds * 1_000),
	);
	const seconds = (now() - startedAt) / 1_000;
	return result instanceof Error
		? { message: result.message, description: result.description, seconds }
		: { ...result, seconds };
}

const looks = ({ requests }: Bench) =>
	requests.filter((one) => one.endsWith(`/${DEPLOYMENT}`)).length;
const refused = () =>
	Object.assign(new Error('no'), { level: 'client-socket', code: 'ECONNREFUSED' });
const REJECTED = 'The SSH server at 192.0.2.1:22 rejects the key for "ubuntu"';

describe('a wait for SSH', () => {
	it('ends as soon as a VM answers, with what a login needs', async () => {
		const bench = jobBench();
		expect(await awaited(bench)).toEqual({
			vm: {
				deploymentId: DEPLOYMENT,
				name: 'train-start-0',
				login: {
					host: '192.0.2.1',
					port: 22,
					username: 'ubuntu',
					privateKey: expect.any(String) as unknown,
				},
				facts: { vm_id: '1', ssh_user: 'ubuntu', ssh_host: '192.0.2.1', ssh_port: 22 },
			},
			seconds: 0,
		});
		expect(bench.scripts).toEqual([]);
	});

	it('takes the VM that has an address, and may know nothing else of it', async () => {
		const workers = [
			{ vm_id: 1, status: 'running' },
			{ vm_id: 'b', ssh_access: 'root@192.0.2.2:2222', status: 'running' },
		];
		const bench = jobBench({ workers, details: { deployment_id: DEPLOYMENT, status: 'running' } });
		expect(await awaited(bench)).toMatchObject({
			vm: {
				name: undefined,
				facts: { vm_id: 'b', ssh_user: 'root', ssh_host: '192.0.2.2', ssh_port: 2_222 },
			},
		});
	});

	it('looks each ten seconds and once more at its end', async () => {
		const bench = jobBench({ refusal: refused });
		expect(await awaited(bench)).toMatchObject({
			never: 'Nothing listens at 192.0.2.1:22 (connection refused)',
			problem: { problem: 'refused' },
			isSeen: true,
			seconds: 25,
		});
		expect(looks(bench)).toBe(4);
	});

	it.each(['destroyed', 'terminating'])('ends where its deployment is %s', async (status) => {
		const details = { deployment_id: DEPLOYMENT, status };
		const bench = jobBench({ details });
		expect(await awaited(bench)).toEqual({ ended: details, seconds: 0 });
		expect(looks(bench)).toBe(1);
	});

	it.each<[string, Partial<Bench>, IDataObject]>([
		[
			'its deployment shows no VM',
			{ workers: [] },
			{ never: 'it is "running" and shows no VM', isSeen: true, isUnread: false },
		],
		[
			'its VM shows no address',
			{ workers: [{ vm_id: 1, status: 'running' }] },
			{ never: 'the service shows no SSH address of it yet', isSeen: true },
		],
		[
			'its deployment was never seen',
			{ details: undefined, workers: [] },
			{ never: 'it is "never seen" and shows no VM', isSeen: false, isUnread: false },
		],
		[
			'its deployment cannot be read',
			{
				workers: [],
				instead: (request) => (request.endsWith('/vms') ? undefined : [403, {}]),
			},
			{ never: 'it is "unreadable" and shows no VM', isSeen: false, isUnread: true },
		],
	])('ends with the reason where %s', async (_, changes, expected) => {
		expect(await awaited(jobBench(changes))).toEqual({ ...expected, seconds: 25 });
	});

	it('goes on while the list of VMs cannot be read, and says so', async () => {
		const bench = jobBench({
			instead: (request) => (request.endsWith('/vms') ? [503, {}] : undefined),
		});
		expect(await awaited(bench)).toMatchObject({
			never: expect.stringContaining('(503)') as unknown,
			isSeen: true,
			isUnread: true,
		});
	});

	it('is an error where the list of VMs is refused', async () => {
		const bench = jobBench({
			instead: (request) => (request.endsWith('/vms') ? [403, {}] : undefined),
		});
		expect(await awaited(bench)).toMatchObject({
			message: expect.stringContaining('(403)') as unknown,
			seconds: 0,
		});
	});

	it('is an error where the key cannot be read: another look changes nothing', async () => {
		const bench = jobBench({ refusal: () => new Error('Cannot parse privateKey: no such thing') });
		expect(await awaited(bench)).toEqual({
			message: 'The private key cannot be read: it is damaged, or not complete',
			description: 'Check the credential Compute SSH API.',
			seconds: 0,
		});
	});

	it('is over when the execution is cancelled', async () => {
		const controller = new AbortController();
		const refusal = () => {
			controller.abort();
			return refused();
		};
		expect(await awaited(jobBench({ refusal }), 25, controller.signal)).toMatchObject({
			message: 'The execution was cancelled',
			seconds: 0,
		});
	});
});

describe('a VM that rejects the key', () => {
	it('is given up after three minutes: its key will not arrive any more', async () => {
		const bench = jobBench({ refusal: loginRefused });
		expect(await awaited(bench, 900)).toMatchObject({
			never: REJECTED,
			problem: { problem: 'login' },
			seconds: 180,
		});
	});

	it('has so much time again after another problem', async () => {
		const startedAt = now();
		const refusal = () => {
			const seconds = (now() - startedAt) / 1_000;
			return seconds === 100 ? refused() : loginRefused();
		};
		expect(await awaited(jobBench({ refusal }), 900)).toMatchObject({
			never: REJECTED,
			seconds: 290,
		});
	});
});
