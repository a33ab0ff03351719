import type { IDataObject, IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, RETRY, deployment, vmaas, LIMIT, purchaseOperations } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';
import { until } from '../engine/time.mts';

/** After a lost answer: other items, and other calls of an agent's tool, in the same execution. */
const fixture = useFixture();

/** Longer than the request waits for its answer and the node looks for what became of it. */
const LATE = { delayMs: 260_000 };
const NOT_AGAIN =
	'It is sent again only after 15 minutes, by a retry or another item, if it still does not show.';
/** After so long what does not show was never bought. */
const LONG = 16 * 60_000;

const made = () => fixture.sandbox.books.deployments;
const journalOf = (run: IRun) => {
	const { computeMarketplace } = run.data.executionData?.contextData.flow as {
		computeMarketplace: { journal: Record<string, { results?: IDataObject[] }> };
	};
	return Object.values(computeMarketplace.journal)[0];
};
/** What the model reads of each call. */
const readByModel = (run: IRun) => answersOf(run).map(([json]) => JSON.stringify(json));

/** Gives the first request up while the service still works on it. */
async function givenUp(running: Promise<IRun>, sent: () => unknown[]): Promise<IRun> {
	await until(() => sent().length === 1);
	fixture.sandbox.clock.advance(120_000);
	return await running;
}

describe.each(purchaseOperations())('%s', (operation, parameters) => {
	const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
	const UNKNOWN =
		/^Deploy of "job": outcome unknown\. .* Do not deploy it again before you have looked for it/;
	const sent = () => fixture.sent('POST', DEPLOY.path);
	const run = async (items: IDataObject[], changes: IDataObject = {}, settings = {}) =>
		await fixture.run(
			deployment(operation, { ...parameters, ...changes }, { ...CONTINUE, ...settings }),
			items,
		);
	const asTool = async (
		calls: number,
		settings = {},
		beforeCall?: (call: number) => void,
		changes: IDataObject = {},
	) =>
		await runAsTool(
			fixture.engine,
			vmaas('deployment', operation, { ...parameters, safety: LIMIT, ...changes }, settings),
			Array(calls).fill({}),
			beforeCall,
		);

	it('another item of the same name sends nothing while the outcome is unknown', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const output = jsonOf(await run([{}, {}], { safety: { ifNameExists: 'deploy' } }));
		expect(output).toEqual(
			Array(2).fill({
				error: expect.stringMatching(UNKNOWN),
				details: expect.objectContaining({
					resource_private_name: 'job',
					deployment_id: null,
					outcome: 'unknown',
					description: expect.stringContaining(NOT_AGAIN),
				}),
			}),
		);
		expect(sent()).toHaveLength(1);
	});

	it("another item finds the deployment: it is the first item's, and the name exists", async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...LATE });
		const ended = await givenUp(run([{}, {}]), sent);
		const id = made()[0]?.id;
		expect(jsonOf(ended)).toEqual([
			expect.objectContaining({ error: expect.stringMatching(UNKNOWN) }),
			expect.objectContaining({ error: expect.stringContaining(`"job" already exists (${id}`) }),
		]);
		expect(journalOf(ended)?.results).toMatchObject([{ deployment_id: id, recovered: true }]);
		expect(sent()).toHaveLength(1);
	});

	it('a retry by n8n returns it for the first item', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...LATE });
		const output = jsonOf(await givenUp(run([{}, {}], {}, RETRY), sent));
		expect(output).toMatchObject([
			{ deployment_id: made()[0]?.id, recovered: true },
			{ error: expect.stringContaining('already exists') },
		]);
		expect(sent()).toHaveLength(1);
	});

	it('Deploy Anyway deploys the second once the first is found', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...LATE });
		const output = jsonOf(
			await givenUp(run([{}, {}], { safety: { ifNameExists: 'deploy' } }, RETRY), sent),
		);
		expect(output.map((json) => json.deployment_id)).toEqual(made().map(({ id }) => id));
		expect(made()).toHaveLength(2);
	});

	it('an item of another name is deployed', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const output = jsonOf(
			await run([{}, {}], { resourcePrivateName: '=job{{ $itemIndex || "" }}' }),
		);
		expect(output).toMatchObject([
			{ error: expect.stringMatching(UNKNOWN) },
			{ resource_private_name: 'job1' },
		]);
	});

	it('a repeated tool call deploys nothing while the outcome is unknown', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const ended = await asTool(2, RETRY);
		expect(readByModel(ended)).toEqual(
			Array(2).fill(expect.stringMatching(/outcome unknown.*Do not deploy it again/)),
		);
		expect(sent()).toHaveLength(1);
		expect(made()).toEqual([]);
	});

	it('a tool call long after a deploy that never showed deploys; not where the list cannot be read', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const ended = await asTool(3, {}, (call) => {
			if (call > 0) fixture.sandbox.clock.advance(LONG);
			if (call === 1)
				fixture.sandbox.faults.add({
					match: { method: 'GET', path: /vmaas\/deployment/ },
					status: 403,
					times: 7,
				});
		});
		expect(readByModel(ended)).toEqual([
			...Array<unknown>(2).fill(expect.stringContaining('outcome unknown')),
			expect.stringContaining('"deployment_id"'),
		]);
		expect(made()).toHaveLength(1);
	});

	it.each(['error', 'useExisting', 'deploy'])(
		'a repeated tool call returns the deployment that was found: If Name Exists = %s',
		async (ifNameExists) => {
			fixture.sandbox.faults.add({ match: DEPLOY, ...LATE });
			const ended = await givenUp(
				asTool(2, {}, undefined, { safety: { ...LIMIT, ifNameExists } }),
				sent,
			);
			expect(answersOf(ended)[1]).toMatchObject([
				{
					deployment_id: made()[0]?.id,
					resource_private_name: 'job',
					duration_hours: 2,
					recovered: true,
				},
			]);
			expect(sent()).toHaveLength(1);
		},
	);
});
