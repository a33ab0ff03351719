import { readFileSync } from 'node:fs';
import type { IDataObject, IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { PROJECT, type WorkflowJson } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, vmaas } from '../engine/nodes.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

/** Runs a workflow of examples/, with n8n's pauses between tries taken out. */
async function runExample(name: string): Promise<IRun> {
	const workflow = JSON.parse(
		readFileSync(`${PROJECT}/examples/${name}.json`, 'utf8'),
	) as WorkflowJson;
	for (const node of workflow.nodes)
		if (node.waitBetweenTries !== undefined) node.waitBetweenTries = 1;
	return await fixture.engine.runWorkflow(workflow);
}

const items = (run: IRun, node: string): IDataObject[] =>
	(run.data.resultData.runData[node] ?? [])
		.flatMap((task) => task.data?.main?.[0] ?? [])
		.map(({ json }) => json);
const machines = () => fixture.sandbox.books.deployments;

describe('deploy, extend, destroy', () => {
	it('ends with the machine gone, the hours booked and the rest refunded', async () => {
		const run = await runExample('deploy-extend-destroy');
		expect(run.data.resultData.error).toBeUndefined();
		expect(machines().map(({ state, extensions }) => ({ state, extensions }))).toEqual([
			{ state: 'destroyed', extensions: [1] },
		]);
		expect(items(run, 'Destroy')).toEqual([
			expect.objectContaining({ deleted: true, verified: true }),
		]);
		expect(items(run, 'Get Price')).toHaveLength(5);
	});
});

describe('nightly training', () => {
	it('deploys the cheapest, waits for SSH, hands on the machine, destroys it', async () => {
		const run = await runExample('nightly-training');
		expect(items(run, 'Train Here')).toEqual([
			expect.objectContaining({ ssh_access: expect.stringMatching(/@/) }),
		]);
		expect(machines().map(({ state }) => state)).toEqual(['destroyed']);
		expect(items(run, 'Destroy Leftovers')).toEqual([]);
	});

	it('destroys too when the machine never becomes reachable', async () => {
		fixture.sandbox.faults.add({
			match: { path: /\/vms$/ },
			times: Infinity,
			...errorForms.empty(500),
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Train Here')).toEqual([]);
		expect(machines().map(({ state }) => state)).toEqual(['destroyed']);
	});

	it('finds the machine by its name when the deploy is confirmed without an ID', async () => {
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, emptyBody: true });
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			skip: 2,
			times: 6,
			status: 200,
			body: { data: { deployments: [] } },
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Deploy Cheapest')).toEqual([
			expect.objectContaining({ deployment_id: null }),
		]);
		expect(items(run, 'Destroy Leftovers')).toEqual([
			expect.objectContaining({ deleted: true, resource_private_name: 'nightly-training' }),
		]);
		expect(machines().map(({ state }) => state)).toEqual(['destroyed']);
	});

	it('looks for leftovers when the deploy itself ends in an error', async () => {
		// three tries of the node, six looks each, and three requests for each look
		const looks = 3 * 6 * 3;
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, drop: 'after' });
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			skip: 2,
			times: looks,
			...errorForms.empty(500),
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Wait for SSH')).toEqual([]);
		expect(items(run, 'Destroy Leftovers')).toEqual([
			expect.objectContaining({ deleted: true, resource_private_name: 'nightly-training' }),
		]);
		expect(machines().map(({ state }) => state)).toEqual(['destroyed']);
	});
});

describe('weekend guard', () => {
	it('destroys what is older than twelve hours and nothing else', async () => {
		const deploy = async (name: string) =>
			await fixture.run(
				vmaas(
					'deployment',
					'deploy',
					deployParameters({ resourcePrivateName: name, durationHours: 100 }),
				),
			);
		await deploy('old');
		fixture.sandbox.clock.advance(13 * 3_600_000);
		await deploy('young');
		fixture.sandbox.clock.advance(60_000);
		const run = await runExample('weekend-guard');
		const [old, young] = machines();
		expect(items(run, 'Destroy').map((item) => item.deployment_id)).toContain(old?.id);
		expect([old?.state, young?.state]).toEqual(['destroyed', 'running']);
	});
});

describe('price watch', () => {
	it('tells of an offer within the limit, deploying nothing', async () => {
		const run = await runExample('price-watch');
		expect(items(run, 'Tell Me Here')).toEqual([
			expect.objectContaining({ dry_run: true, hardware_name: 'H200', hourly_price: 3.29 }),
		]);
		expect(items(run, 'Too Dear')).toEqual([]);
		expect(machines()).toEqual([]);
	});

	it('says why when everything is above the limit', async () => {
		for (const offer of fixture.sandbox.hardware) offer.price *= 10;
		const run = await runExample('price-watch');
		expect(items(run, 'Tell Me Here')).toEqual([]);
		expect(items(run, 'Too Dear')).toEqual([
			expect.objectContaining({ error: 'None of the 1 cheapest offers could be deployed' }),
		]);
	});
});
