import { describe, expect, it } from 'vitest';
import { markedName } from '../../nodes/Vmaas/resources/job/jobName.ts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { jobParameters } from '../engine/nodes.mts';
import { jobNode, jsonOf, useJobs } from './jobFixture.mts';

const jobs = useJobs();

async function deploy(name: string): Promise<void> {
	const client = cloud(jobs.sandbox, 'vmaas');
	const body = {
		...sampleDeploy,
		ssh_keys: { n8n: OWN_KEY.publicKey },
		resource_private_name: name,
	};
	await client.post('/deploy', body);
	jobs.sandbox.clock.advance(60_000);
}

describe('what is not a dead leftover', () => {
	it('a deployment with a date in its name is not ended', async () => {
		await deploy('train-run-2026112215');
		expect(jsonOf(await jobs.run(jobNode('run', jobParameters())))).toMatchObject({ exit_code: 0 });
		expect(jobs.states).toEqual(['running', 'destroyed']);
	});

	it('a run whose VM the service does not show is left alone, and told', async () => {
		await deploy(markedName('train-run-0123456'));
		const [id] = jobs.bought.map((one) => one.id);
		jobs.sandbox.faults.addFirst({
			match: { path: new RegExp(`${id}/vms$`) },
			times: Infinity,
			status: 503,
		});
		expect(jsonOf(await jobs.run(jobNode('run', jobParameters())))).toMatchObject({
			left_alone: [{ deployment_id: id }],
		});
		expect(jobs.states).toEqual(['running', 'destroyed']);
	});
});
