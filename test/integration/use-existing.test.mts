import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

/** Use the Existing One takes what is as large as the order and runs long enough, and says what it cannot tell. */
const fixture = useFixture();

/** Orders under the name of a deployment of one VM with one GPU, whose details show something else. */
const order = async (shown: IDataObject, changes: IDataObject = {}) => {
	const { deployment_id: id } = onlyJson(
		await fixture.run(deployment('deploy', deployParameters())),
	);
	fixture.sandbox.faults.add({
		match: { method: 'GET', path: /\/deployment\/[^/]+$/ },
		times: Infinity,
		status: 200,
		body: { data: { id, name: 'job', ...shown } },
	});
	fixture.sandbox.requests.length = 0;
	const { safety, ...others } = changes;
	return await fixture.run(
		deployment(
			'deploy',
			deployParameters({
				safety: { ifNameExists: 'useExisting', ...(safety as IDataObject) },
				...others,
			}),
		),
	);
};
const RUNNING = { status: 'running', compute_minutes_remaining: 120 };
const SUMMED =
	'The service may add its minutes up over GPUs, so less of its paid time may be left.';
/** Two VMs with four GPUs each. */
const LARGE = { gpusPerVm: 4, additionalFields: { vmsQty: 2 } };

describe('it is used', () => {
	it.each<[string, IDataObject, IDataObject, string | undefined]>([
		['one that shows all', RUNNING, {}, undefined],
		[
			'one that does not show its end',
			{ status: 'running', compute_minutes_remaining: null },
			{},
			'The service does not show how much of its paid time is left.',
		],
		[
			'one that starts has no end yet',
			{ status: 'deployment requested', compute_minutes_remaining: null },
			{},
			undefined,
		],
		[
			'one that starts shows no time yet',
			{ status: 'deployment requested', compute_minutes_remaining: 0 },
			{},
			undefined,
		],
		[
			'one with as many minutes as it must have',
			{ ...RUNNING, compute_minutes_remaining: 60 },
			{ safety: { minRemainingHours: 1 } },
			undefined,
		],
		[
			'one that shows its GPUs in all',
			{ ...RUNNING, total_gpus: 8 },
			LARGE,
			`${SUMMED} The service shows how many GPUs it has in all, not how many each VM has.`,
		],
		[
			'one that shows the GPUs of each VM',
			{ ...RUNNING, total_gpus: 8, total_vms: 2 },
			LARGE,
			SUMMED,
		],
	])('%s', async (_, shown, changes, hint) => {
		const item = onlyJson(await order(shown, changes));
		expect(item).toMatchObject({ existing: true, resource_private_name: 'job' });
		expect(item.hint).toBe(hint);
		expect(fixture.sent('POST', /./)).toEqual([]);
	});
});

describe('it cannot be used, and nothing is deployed', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['does not show its state yet', { ...RUNNING, status: null }, {}],
		['is "paused"', { ...RUNNING, status: 'paused' }, {}],
		[
			'has 59 minutes left, and Min Remaining Hours is 1',
			{ ...RUNNING, compute_minutes_remaining: 59 },
			{ safety: { minRemainingHours: 1 } },
		],
		['has 7 GPUs in all, and 8 are ordered', { ...RUNNING, total_gpus: 7 }, LARGE],
		['has 1 VMs, and 2 are ordered', { ...RUNNING, gpus_per_vm: 4, total_vms: 1 }, LARGE],
		['has 2 GPUs per VM, and 4 are ordered', { ...RUNNING, gpus_per_vm: 2, total_vms: 2 }, LARGE],
	])('%s', async (problem, shown, changes) => {
		const { message, description } = errorOf(await order(shown, changes));
		expect(message).toMatch(/^The existing deployment named "job" cannot be used: /);
		expect(message.endsWith(` ${problem}`)).toBe(true);
		expect(description).toContain('Nothing was deployed.');
		expect(fixture.sent('POST', /./)).toEqual([]);
	});
});
