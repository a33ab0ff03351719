import type { IDataObject, INode } from 'n8n-workflow';
import { expect, it } from 'vitest';
import type { NodeUnderTest } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';

/** A purchase that the service confirms without an ID, and that shows late or never: what is bought under its name after it. */
const fixture = useFixture();

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const MINUTE = 60_000;
const BOUGHT = { deployment_id: expect.any(String) };
const CONFIRMED = {
	deployment_id: null,
	hint: expect.stringMatching(/^The service confirmed the deployment without an ID/),
};
const REFUSED = { error: 'A deployment named "job" already exists (ID unknown, state unknown)' };

const deploy = (parameters: IDataObject = {}): NodeUnderTest =>
	deployment('deploy', deployParameters(parameters));
const sent = () => fixture.sent('POST', DEPLOY.path).length;
const confirm = () =>
	fixture.sandbox.faults.add({ match: DEPLOY, status: 202, body: { ticket: 'T-7' } });

/** The list shows these from now on. */
function show(...deployments: IDataObject[]): void {
	const body = { data: { deployments, total: deployments.length } };
	fixture.sandbox.faults.clear();
	fixture.sandbox.faults.add({
		match: { path: '/vmaas/deployments' },
		times: Infinity,
		status: 200,
		body,
	});
}

/** What each node puts out, one after the other in one execution; `before` happens just before it. */
async function inTurn(...steps: Array<{ node: NodeUnderTest; before?: () => void }>) {
	const named = steps.map(({ node }, index) => ({ name: `Deploy ${index}`, ...node }));
	const nodes: INode[] = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
		...named,
	].map((node) => ({
		id: node.name,
		typeVersion: 1,
		position: [0, 0],
		onError: 'continueRegularOutput',
		...node,
	}));
	const connections = Object.fromEntries(
		named.map(({ name }, index) => [
			String(nodes[index]?.name),
			{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
		]),
	);
	const run = await fixture.engine.runWorkflow(
		{ nodes, connections },
		{ onNodeStart: (name) => steps[named.findIndex((one) => one.name === name)]?.before?.() },
	);
	return named.map(
		({ name }) => run.data.resultData.runData[name]?.at(-1)?.data?.main?.[0]?.[0]?.json,
	);
}

it('the same execution does not buy the name again', async () => {
	confirm();
	expect(await inTurn({ node: deploy() }, { node: deploy() })).toMatchObject([CONFIRMED, REFUSED]);
	expect(sent()).toBe(1);
});

it('another execution does not, for 15 minutes', async () => {
	confirm();
	await fixture.run(deploy(), [{}], { executionId: '1' });
	const other = async () => await fixture.run(deploy(), [{}], { executionId: '2' });
	expect(errorOf(await other()).message).toBe(
		'Another execution has sent a deploy of "job", and its outcome is unknown',
	);
	const dryRun = deploy({ safety: { dryRun: true } });
	expect(errorOf(await fixture.run(dryRun, [{}], { executionId: '3' })).message).toContain(
		'unknown',
	);
	expect(errorOf(await other()).message).toContain('unknown');
	expect(sent()).toBe(1);
	fixture.sandbox.clock.advance(14 * MINUTE);
	expect(errorOf(await other()).message).toContain('unknown');
	fixture.sandbox.clock.advance(MINUTE);
	expect((await other()).data.resultData.error).toBeUndefined();
	expect(sent()).toBe(2);
});

it('other names are free', async () => {
	confirm();
	const other = deploy({ resourcePrivateName: 'other' });
	expect(await inTurn({ node: deploy() }, { node: other })).toMatchObject([CONFIRMED, BOUGHT]);
});

it('after 15 minutes it is taken for never made', async () => {
	confirm();
	const later = { node: deploy(), before: () => fixture.sandbox.clock.advance(15 * MINUTE) };
	expect(await inTurn({ node: deploy() }, later)).toMatchObject([CONFIRMED, BOUGHT]);
	expect(sent()).toBe(2);
});

it('one that shows is taken for it, and not what was there before', async () => {
	const old = { id: 'old', name: 'job', status: 'destroyed' };
	const late = { id: 'late', name: 'job', status: 'destroyed' };
	confirm();
	show(old);
	confirm();
	expect(
		await inTurn(
			{ node: deploy() },
			{ node: deploy(), before: () => show(old) },
			{
				node: deploy(),
				before: () => {
					fixture.sandbox.clock.advance(2 * MINUTE);
					show(old, late);
				},
			},
		),
	).toMatchObject([CONFIRMED, REFUSED, BOUGHT]);
	expect(sent()).toBe(2);
});
