import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import {
	deployment,
	deployParameters,
	LIMIT,
	vmaas,
	purchaseOperations,
} from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';

/** An AI agent spends money only under a price limit that a person has set. */
const fixture = useFixture();

const REFUSED =
	'An AI agent may spend money only under a price limit that a person has set: set Safety > Maximum Price to a fixed value, not an expression';
const BY_MODEL = '={{ $fromAI("max", "the most it may cost", "number", 100) }}';

const call = async (operation: string, parameters: IDataObject) =>
	await fixture.engine.tool(vmaas('deployment', operation, parameters))({});

describe.each(purchaseOperations())('%s called by an AI agent', (operation, parameters) => {
	it.each([
		['without a price limit', { safety: {} }],
		['with a limit that the model chooses', { safety: { maxPrice: BY_MODEL } }],
		['with a limit per hour that the model chooses', { safety: { maxHourlyPrice: BY_MODEL } }],
		[
			'with a limit per hour where the model chooses the hours',
			{
				safety: { maxHourlyPrice: 100 },
				durationHours: '={{ $fromAI("hours", "how long", "number", 2) }}',
			},
		],
	])('%s: nothing is sent', async (_, changes) => {
		await expect(call(operation, { ...parameters, ...changes })).rejects.toThrow(REFUSED);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it.each([
		['with a fixed limit', { safety: LIMIT }],
		['with a fixed limit per hour and fixed hours', { safety: { maxHourlyPrice: 100 } }],
		['with a dry run', { safety: { dryRun: true } }],
	])('%s it runs', async (_, changes) => {
		await call(operation, { ...parameters, ...changes });
		const { dryRun } = changes.safety as { dryRun?: boolean };
		expect(fixture.sandbox.books.deployments).toHaveLength(dryRun ? 0 : 1);
	});
});

it('an extension without a limit is refused, with one it is made', async () => {
	const { deployment_id: deploymentId } = onlyJson(
		await fixture.run(deployment('deploy', deployParameters())),
	);
	fixture.sandbox.clock.advance(60_000);
	const extend = async (safety: IDataObject) =>
		await call('extend', { deploymentId, durationHours: 3, safety });
	await expect(extend({})).rejects.toThrow(REFUSED);
	await extend(LIMIT);
	expect(fixture.sandbox.books.find(String(deploymentId))?.extensions).toEqual([3]);
});

it('reads need no limit', async () => {
	expect(await call('getAll', { returnAll: true, filters: {} })).toBeTruthy();
});
