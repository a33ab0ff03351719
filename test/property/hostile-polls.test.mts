import type { IDataObject } from 'n8n-workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { PolledTrigger } from '../engine/poll.mts';
import { startFixture } from '../engine/start.mts';
import { nodeFor, operationOf } from './hostile/nodes.mts';
import { headerFault, messageFault, prototypeFault, Routes } from './hostile/probe.mts';
import { hostileValue } from './hostile/values.mts';

/** The polling trigger, whose parameters an import may have filled in with anything, and whose lists may hold anything. */

const VALUES = Number(process.env.HOSTILE_VALUES ?? 4);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

const EVENTS = ['deploymentStateChanged', 'deploymentExpiresSoon', 'offerMatches', 'deviceDown'];

const first = await startFixture();
const { parameters, leaves } = operationOf(first.engine, 'computeTrigger');
await first.sandbox.close();

const fixture = useFixture();

/** Why the activation or the next poll failed, or undefined. */
async function watch(values: IDataObject): Promise<Error | undefined> {
	const isOfDevices = values.event === 'deviceDown' && values.authentication === 'apiKey';
	const given = { ...values, ...(isOfDevices && { authentication: 'accessToken' }) };
	const trigger = new PolledTrigger(fixture.engine, nodeFor('computeTrigger', given));
	try {
		await trigger.activate();
		await trigger.poll();
		return trigger.errors[0];
	} catch (error) {
		return error as Error;
	}
}

describe('the polling trigger', () => {
	it.each(leaves.map((leaf, place) => [leaf.title, leaf, place] as const))(
		'%s: it watches or says what is wrong',
		async (_, leaf, place) => {
			for (const event of EVENTS) await watch({ ...parameters, event });
			await watch(leaf.set(leaf.sample));
			const routes = new Routes(fixture.sandbox.requests, ['d-1']);
			await fc.assert(
				fc.asyncProperty(hostileValue, async (value) => {
					fixture.sandbox.requests.length = 0;
					const error = await watch(leaf.set(value));
					if (error) {
						expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
						expect(messageFault(error.message, value)).toBeUndefined();
						if (error.name === 'NodeOperationError')
							expect(
								leaf.labels.some((label) => error.message.includes(label)),
								error.message,
							).toBe(true);
					}
					expect(
						fixture.sandbox.requests
							.flatMap((request) => [routes.fault(request), headerFault(request)])
							.filter(Boolean),
					).toEqual([]);
					expect(prototypeFault()).toBeUndefined();
				}),
				{ numRuns: VALUES, seed: SEED + place, endOnFailure: true },
			);
		},
		300_000,
	);

	it.each([
		['deploymentStateChanged', 'vmaas/deployments', 'deployments'],
		['deploymentExpiresSoon', 'vmaas/deployments', 'deployments'],
		['offerMatches', 'vmaas/hardware', 'hardware'],
	])('%s: whatever the list holds', async (event, path, key) => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(hostileValue, hostileValue, hostileValue)),
				async (rows) => {
					fixture.sandbox.faults.clear();
					const entries = rows.map(([id, status, rest]) => ({
						id,
						deploy_id: id,
						status,
						name: rest,
						price: rest,
						compute_minutes_remaining: rest,
					}));
					const trigger = new PolledTrigger(
						fixture.engine,
						nodeFor('computeTrigger', { ...parameters, event }),
					);
					await trigger.activate();
					fixture.sandbox.faults.add({
						match: { path: new RegExp(`${path}$`) },
						times: Infinity,
						status: 200,
						body: { data: { [key]: entries, total: entries.length } },
					});
					await trigger.poll();
					for (const error of trigger.errors)
						expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
					expect(prototypeFault()).toBeUndefined();
				},
			),
			{ numRuns: VALUES * 3, seed: SEED, endOnFailure: true },
		);
	});
});
