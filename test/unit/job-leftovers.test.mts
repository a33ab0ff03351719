import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { sshCredential } from '../../nodes/marketplace/ssh.ts';
import { whileAlive } from '../../nodes/Vmaas/resources/job/aliveRuns.ts';
import { jobName, markedName } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { endLeftovers } from '../../nodes/Vmaas/resources/job/leftovers.ts';
import { DEPLOYMENT, jobBench, outcome, type Bench, type Said } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const WAIT_MS = 60_000;
const NAME = markedName('train-run-0123456');
const OTHER = markedName('train-run-7654321');

type Changes = Partial<Bench> & { status?: string };

const leftBy = ({ status = 'running', ...changes }: Changes = {}) =>
	jobBench({ details: { deployment_id: DEPLOYMENT, name: NAME, status }, ...changes });

/** What the clean-up before a run has done. */
async function cleaned(bench: Bench, ownName = OTHER) {
	const context = { ...bench.context(), product: VMAAS };
	const credential = await sshCredential(context);
	const job = { key: 'train', credential, waitMs: WAIT_MS };
	return await outcome(async () => await endLeftovers(context, job, ownName));
}

/** The VM's answers to one look after the other; the last one again and again. */
function heartbeats(...answers: Said[]) {
	let looks = 0;
	return () => answers[Math.min(looks++, answers.length - 1)] ?? SILENT;
}

const SILENT: Said = {};
const beat = (stdout: string) => ({ stdout, exitCode: 0 });

const leftAlone = (reason: string, entry: IDataObject = {}) => ({
	ended_leftovers: [],
	left_alone: [
		{ deployment_id: DEPLOYMENT, resource_private_name: NAME, status: 'running', reason, ...entry },
	],
});

const NOTHING = { ended_leftovers: [], left_alone: [] };

const ENDED = {
	ended_leftovers: [
		{
			deployment_id: DEPLOYMENT,
			resource_private_name: NAME,
			destroyed: true,
			verified: true,
			amount_paid: null,
		},
	],
	left_alone: [],
};

const wasDestroyed = ({ requests }: Bench) => requests.some((one) => one.startsWith('DELETE'));

describe('what an earlier run has left', () => {
	it.each([
		['the same heartbeat', [beat('7'), beat('7')]],
		['no heartbeat', [beat(''), beat('')]],
		['the same heartbeat, after answers that were lost', [SILENT, SILENT, beat('7')]],
		[
			'the same heartbeat, after three that failed',
			[beat('7'), ...Array<Said>(3).fill({ exitCode: 1 }), beat('7')],
		],
	])('is ended where its VM shows %s in two looks', async (_, answers) => {
		const bench = leftBy({ vm: heartbeats(...answers) });
		expect(await cleaned(bench)).toEqual(ENDED);
		expect(wasDestroyed(bench)).toBe(true);
	});

	it('is ended where its VM never answers, later than its owner would have waited', async () => {
		const bench = leftBy({ workers: [] });
		expect(await cleaned(bench)).toEqual(ENDED);
		const looks = bench.requests.filter((one) => one.endsWith('/vms')).length;
		// A look in ten seconds, for the ten minutes after a lost connection
		expect(looks).toBeGreaterThan(WAIT_MS / 10_000 + 1);
	});

	it('is left alone while the heartbeat changes', async () => {
		const bench = leftBy({ vm: heartbeats(beat('7'), beat('8')) });
		expect(await cleaned(bench)).toEqual(
			leftAlone('an execution of another n8n process works on it'),
		);
		expect(bench.scripts).toHaveLength(2);
		expect(wasDestroyed(bench)).toBe(false);
	});

	it.each([
		['first', [SILENT]],
		['second', [beat('7'), SILENT]],
		['second, which always fails', [beat('7'), { stdout: '8', exitCode: 1 }]],
	])('is left alone where the VM does not answer the %s look', async (_, answers) => {
		const bench = leftBy({ vm: heartbeats(...answers) });
		expect(await cleaned(bench)).toEqual(
			leftAlone(
				'its VM answered and does not answer any more, so it cannot be told whether an execution works on it',
			),
		);
		// Each look is tried four times
		const failed = answers.length === 1 ? 8 : 5;
		expect(bench.scripts).toHaveLength(failed);
		expect(wasDestroyed(bench)).toBe(false);
	});

	it('is left alone while this process works on it', async () => {
		const bench = leftBy();
		const work = async () => await cleaned(bench);
		const result = await whileAlive(NAME.toUpperCase(), () => new Error('twice'), work);
		expect(result).toEqual(leftAlone('another execution of this n8n works on it'));
		expect(bench.scripts).toEqual([]);
	});

	it('is not told of where it is of this execution, or has ended', async () => {
		expect(await cleaned(leftBy(), NAME.toUpperCase())).toEqual(NOTHING);
		for (const status of ['destroyed', 'destroying', 'failed'])
			expect(await cleaned(leftBy({ status }))).toEqual(NOTHING);
	});

	it('is not told of where it has ended by the time of the look', async () => {
		const bench = leftBy({ list: [{ deployment_id: DEPLOYMENT, name: NAME, status: 'running' }] });
		bench.details = { deployment_id: DEPLOYMENT, name: NAME, status: 'destroyed' };
		expect(await cleaned(bench)).toEqual(NOTHING);
		expect(wasDestroyed(bench)).toBe(false);
	});

	/** Two deployments under one name: a proxy has sent a deploy again, and only the first of them shows its VM. */
	function two(vm: Bench['vm']): Bench {
		const entries = [DEPLOYMENT, 'dep-2'].map((deployment_id) => ({
			deployment_id,
			name: NAME,
			status: 'running',
		}));
		const [, second] = entries;
		return leftBy({
			vm,
			list: entries,
			instead(request) {
				if (request.endsWith('/dep-2/vms')) return [200, { data: { workers: [] } }];
				if (!request.endsWith('/dep-2') || !second) return undefined;
				if (request.startsWith('DELETE')) second.status = 'destroyed';
				return [200, { data: second }];
			},
		});
	}

	it('is left alone with what else has its name while one of them works', async () => {
		let beats = 0;
		const bench = two(() => beat(String(++beats)));
		const reason = 'an execution of another n8n process works on it';
		const [first] = leftAlone(reason).left_alone;
		expect(await cleaned(bench)).toEqual({
			ended_leftovers: [],
			left_alone: [first, { ...first, deployment_id: 'dep-2' }],
		});
		expect(wasDestroyed(bench)).toBe(false);
	});

	it('is ended with what else has its name where none of them works', async () => {
		const bench = two(() => beat('7'));
		expect(await cleaned(bench)).toEqual(ENDED);
		expect(bench.requests.flatMap((one) => /^DELETE .*\/(dep-\d)$/.exec(one)?.[1] ?? [])).toEqual([
			DEPLOYMENT,
			'dep-2',
		]);
	});

	it('is left alone where its name was cut', async () => {
		const name = NAME.slice(0, -2);
		const bench = leftBy({ list: [{ deployment_id: DEPLOYMENT, name, status: 'running' }] });
		expect(await cleaned(bench)).toEqual(
			leftAlone('its name is cut: it may be of another job', { resource_private_name: name }),
		);
		expect(bench.scripts).toEqual([]);
	});

	it('is an error where it cannot be ended: nothing is bought', async () => {
		const bench = leftBy({ vm: heartbeats(beat('7')), destroy: () => [500, {}] });
		const error = await cleaned(bench);
		if (!(error instanceof Error)) throw new Error('It was ended');
		expect(error.message).toContain('An earlier run of this job could not be ended.');
		expect(error.message).toContain(`Deployment ${DEPLOYMENT} ("${NAME}") may still run and bill`);
		expect(error.description).toContain('Nothing was deployed now.');
		expect(error.context).toMatchObject({
			known: { deployment_id: DEPLOYMENT, resource_private_name: NAME },
		});
	});
});

describe('a list that cannot be read', () => {
	it('is told where the service has none', async () => {
		const reason = 'the service has no list of deployments: earlier runs cannot be found';
		expect(await cleaned(leftBy({ list: [404, {}] }))).toEqual({
			ended_leftovers: [],
			left_alone: [{ reason }],
		});
	});

	it.each<[string, Bench['list']]>([
		['is refused', [403, {}]],
		['has an entry without an ID', [{ name: NAME, status: 'running' }]],
	])('is an error where it %s: nothing is bought', async (_, list) => {
		const bench = leftBy({ list });
		const error = await cleaned(bench);
		expect(wasDestroyed(bench)).toBe(false);
		if (!(error instanceof Error)) throw new Error('It was read');
		expect(error.message).toContain('The list of deployments could not be read');
		expect(error.description).toContain(
			'Nothing was deployed: an earlier run of this job may still be there.',
		);
	});
});

it('a name of this execution is one that a later one finds', async () => {
	const name = jobName({ ...leftBy().context(), product: VMAAS }, 'train', 'run');
	const bench = leftBy({ vm: heartbeats(beat('')) });
	bench.details = { deployment_id: DEPLOYMENT, name, status: 'running' };
	const [ended] = ENDED.ended_leftovers;
	expect(await cleaned(bench)).toEqual({
		ended_leftovers: [{ ...ended, resource_private_name: name }],
		left_alone: [],
	});
});
