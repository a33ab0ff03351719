import { readFileSync } from 'node:fs';
import type { IDataObject, IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { PROJECT, type NodeUnderTest, type WorkflowJson } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, vmaas } from '../engine/nodes.mts';
import { PolledTrigger } from '../engine/poll.mts';
import { jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ ssh: true });

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
/** It has two pages, and is read once more. */
const EMPTY_LIST_REQUESTS = 4;
const made = () => fixture.sandbox.books.deployments;

describe('deploy, extend, destroy', () => {
	it('ends with the deployment destroyed', async () => {
		const run = await runExample('deploy-extend-destroy');
		expect(run.data.resultData.error).toBeUndefined();
		expect(made().map(({ state, extensions }) => ({ state, extensions }))).toEqual([
			{ state: 'destroyed', extensions: [1] },
		]);
		expect(items(run, 'Destroy')).toEqual([
			expect.objectContaining({ deleted: true, verified: true }),
		]);
		expect(items(run, 'Get Price')).toHaveLength(5);
	});
});

describe('inference endpoint', () => {
	const ended = () => made().map(({ state }) => state);

	it('deploys, waits until it answers, asks it, destroys it', async () => {
		const run = await runExample('inference-endpoint');
		expect(items(run, 'Wait Until It Answers')).toMatchObject([
			{ reached: true, public_url: expect.stringMatching(/^http/) },
		]);
		expect(items(run, 'Ask')).toHaveLength(1);
		expect(items(run, 'Destroy')).toMatchObject([{ deleted: true, verified: true }]);
		expect(ended()).toEqual(['destroyed']);
	});

	it('destroys it where it never answers', async () => {
		fixture.sandbox.faults.add({
			match: { path: /\/public\// },
			times: Infinity,
			...errorForms.empty(503),
		});
		const run = await runExample('inference-endpoint');
		expect(items(run, 'Ask')).toEqual([]);
		expect(ended()).toEqual(['destroyed']);
	});

	it('destroys it by its name where the outcome of the deploy is unknown', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/caas\/deploy$/ },
			times: 1,
			afterWork: true,
			...errorForms.empty(504),
		});
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/caas\/deployments$/ },
			times: 30,
			...errorForms.empty(500),
		});
		await runExample('inference-endpoint');
		expect(ended()).toEqual(['destroyed']);
	});
});

describe('nightly training', () => {
	it('deploys the cheapest, waits for SSH, runs a command, destroys it', async () => {
		const run = await runExample('nightly-training');
		expect(items(run, 'Train Here')).toEqual([
			expect.objectContaining({ exit_code: 0, stdout: expect.stringMatching(/loss/) }),
		]);
		expect(made().map(({ state }) => state)).toEqual(['destroyed']);
		expect(items(run, 'Destroy')).toMatchObject([{ deleted: true, verified: true }]);
		expect(items(run, 'Destroy by Name')).toEqual([]);
	});

	it('destroys it where it never becomes reachable', async () => {
		fixture.sandbox.faults.add({
			match: { path: /\/vms$/ },
			times: Infinity,
			...errorForms.empty(500),
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Train Here')).toEqual([]);
		expect(made().map(({ state }) => state)).toEqual(['destroyed']);
	});

	it('finds the deployment by its name where the response has no ID', async () => {
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, emptyBody: true });
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			skip: EMPTY_LIST_REQUESTS,
			times: 8 * EMPTY_LIST_REQUESTS,
			status: 200,
			body: { data: { deployments: [] } },
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Deploy Cheapest')).toEqual([
			expect.objectContaining({ deployment_id: null }),
		]);
		expect(items(run, 'Destroy by Name')).toEqual([
			expect.objectContaining({ deleted: true, deployment_id: made()[0]?.id }),
		]);
		expect(made().map(({ state }) => state)).toEqual(['destroyed']);
	});

	it('destroys what has its own name where the deploy is an error', async () => {
		// three tries of the node, eight looks each, and three requests for each look
		const looks = 3 * 8 * 3;
		fixture.sandbox.faults.add({ match: { path: /vmaas\/deploy$/ }, drop: 'after' });
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			skip: EMPTY_LIST_REQUESTS,
			times: looks,
			...errorForms.empty(500),
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Wait for SSH')).toEqual([]);
		expect(items(run, 'Destroy After Failed Deploy')).toEqual([
			expect.objectContaining({ deleted: true, deployment_id: made()[0]?.id }),
		]);
		expect(made().map(({ state }) => state)).toEqual(['destroyed']);
	});

	it('destroys nothing else where nothing was bought', async () => {
		for (const name of ['nightly', 'nightly-training', 'nightly-training-eu'])
			await fixture.run(
				vmaas('deployment', 'deploy', deployParameters({ resourcePrivateName: name })),
			);
		fixture.sandbox.faults.add({
			match: { path: /vmaas\/deploy$/ },
			times: Infinity,
			...errorForms.detailString(402, 'no credit'),
		});
		const run = await runExample('nightly-training');
		expect(items(run, 'Destroy After Failed Deploy')).toMatchObject([
			{ deleted: null, reason: 'not found' },
		]);
		expect(made().map(({ state }) => state)).toEqual(['running', 'running', 'running']);
		expect(fixture.sent('DELETE', /./)).toEqual([]);
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
		const [old, young] = made();
		expect(items(run, 'Destroy').map((item) => item.deployment_id)).toContain(old?.id);
		expect([old?.state, young?.state]).toEqual(['destroyed', 'running']);
		expect(items(run, 'May Still Run')).toEqual([]);
	});

	it('tells of a deployment whose age cannot be read, and destroys the others', async () => {
		const entry = (id: string, created_at: unknown) => ({ id, status: 'running', created_at });
		const deployments = [entry('young', '22/11/2026'), entry('old', 1_700_000_000)];
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			times: Infinity,
			status: 200,
			body: { data: { deployments, total: 2 } },
		});
		const body = { data: { id: 'old', status: 'destroyed' } };
		fixture.sandbox.faults.add({ match: { path: /\/old$/ }, times: Infinity, status: 200, body });
		const run = await runExample('weekend-guard');
		expect(items(run, 'Destroy')).toMatchObject([{ deployment_id: 'old', deleted: true }]);
		expect(JSON.stringify(items(run, 'May Still Run'))).toContain(
			'Deployment must be an identifier',
		);
		expect(fixture.sent('DELETE', /young/)).toEqual([]);
	});
});

/** The settings of a node in examples/: nodes of n8n that decide run in a real n8n (test/e2e/examples.test.mts). */
function settingsOf(name: string, node: string): NodeUnderTest {
	const { nodes } = JSON.parse(
		readFileSync(`${PROJECT}/examples/${name}.json`, 'utf8'),
	) as WorkflowJson;
	const found = nodes.find((one) => one.name === node);
	if (!found) throw new Error(`${name} has no ${node}`);
	return { ...found, name: 'Trigger', parameters: found.parameters };
}

describe('price watch', () => {
	it('tells offers within the limit, and again when they get cheaper', async () => {
		for (const offer of fixture.sandbox.hardware) offer.price *= 10;
		const trigger = new PolledTrigger(fixture.engine, settingsOf('price-watch', 'Cheap Enough'));
		await trigger.activate();
		for (const offer of fixture.sandbox.hardware) offer.price /= 10;
		await trigger.poll();
		expect(trigger.items).toEqual([
			expect.objectContaining({ name: 'H200', hourly_price: 3.29, event: 'offerMatches' }),
		]);
		for (const offer of fixture.sandbox.hardware) if (offer.price === 3.29) offer.price = 3;
		await trigger.poll();
		expect(trigger.items.slice(1)).toEqual([
			expect.objectContaining({ hourly_price: 3, former_price: 3.29 }),
		]);
		expect(made()).toEqual([]);
	});
});

describe('expiry alert', () => {
	it('tells what expires within the hour, and extends what is approved', async () => {
		const one = fixture.sandbox.addResident({ name: 'training', hours: 2, hoursAgo: 1.5 });
		const trigger = new PolledTrigger(fixture.engine, settingsOf('expiry-alert', 'Expires Soon'));
		await trigger.activate();
		await trigger.poll();
		expect(trigger.items).toEqual([expect.objectContaining({ deployment_id: one.id })]);
		const extend = settingsOf('expiry-alert', 'Extend');
		const run = await fixture.run({ ...extend, name: 'Node' }, trigger.items);
		expect(jsonOf(run)).toEqual([expect.objectContaining({ added_hours: 2 })]);
		expect(one.extensions).toEqual([2]);
	});
});

describe('budget guard', () => {
	it('adds up the month, and would deploy under both limits', async () => {
		const spent = settingsOf('budget-guard', 'Spending of the Month');
		expect(jsonOf(await fixture.run({ ...spent, name: 'Node' }))).toEqual([
			expect.objectContaining({ paid: 0, is_complete: true }),
		]);
		const deploy = settingsOf('budget-guard', 'Deploy Cheapest');
		expect(jsonOf(await fixture.run({ ...deploy, name: 'Node' }))).toEqual([
			expect.objectContaining({ dry_run: true }),
		]);
		expect(made()).toEqual([]);
	});
});
