import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deployParameters } from '../engine/fixture.mts';
import { errorOf, jsonOf, MoneyBench, onlyJson, RETRY } from '../engine/hooks.mts';
import { errorForms } from '../sandbox/index.mts';

/** What the error of wrong input tells of the machines of the same run. Lists in an item are emptied by its expression: one value for each try. */
const bench = new MoneyBench();

const GOES_ON = { onError: 'continueRegularOutput' as const };
const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const DESTROY = { method: 'DELETE' };
const INVALID = 'Duration (Hours) must be a whole number from 1 to 8760, got 0';
const SENT = 'An earlier try was sent, and its outcome is unknown:';

const deploy = async (hours: number[][], settings: object = RETRY) => {
	const parameters = deployParameters({ resourcePrivateName: '=job-{{ $itemIndex }}', durationHours: '={{ $json.hours.shift() }}' });
	return await bench.run('deploy', parameters, settings, hours.map((list) => ({ hours: list })));
};
const machine = async (name: string) => String(onlyJson(await bench.run('deploy', deployParameters({ resourcePrivateName: name }))).deployment_id);
const sent = ({ method }: { method: string }) => bench.sent(method, /./);

describe('an item that is not valid any more in a retry', () => {
	it('has its outcome unknown: the error says so, with the name', async () => {
		bench.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const error = errorOf(await deploy([[2, 0, 0]]));
		expect(error.message).toBe(`${INVALID}. ${SENT} resource_private_name job-0`);
		expect(error.context.known).toEqual({ resource_private_name: 'job-0', outcome: 'unknown' });
		expect(sent(DEPLOY)).toHaveLength(1);
	});

	it('goes on: its item says so', async () => {
		bench.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const output = jsonOf(await deploy([[2, 0, 0], [2, 2, 2]], { ...RETRY, ...GOES_ON }));
		expect(output[0]).toEqual({ error: `${INVALID}. ${SENT} resource_private_name job-0`, details: { resource_private_name: 'job-0', outcome: 'unknown', description: null } });
		expect(output[1]).toMatchObject({ resource_private_name: 'job-1' });
	});

	it('extend: with the deployment and the hours', async () => {
		const deploymentId = await machine('job');
		bench.sandbox.faults.add({ match: { path: /\/extend$/ }, drop: 'before' });
		const error = errorOf(await bench.run('extend', { deploymentId, durationHours: '={{ $json.hours.shift() }}', safety: {} }, RETRY, [{ hours: [3, 0, 0] }]));
		expect(error.message).toContain(`got 0. ${SENT} deployment_id ${deploymentId}, added_hours 3`);
		expect(error.context.known).toEqual({ deployment_id: deploymentId, added_hours: 3, outcome: 'unknown' });
	});

	it('destroyMany: with the machines that it was about', async () => {
		const ids = [await machine('job-1'), await machine('job-2')];
		bench.sandbox.faults.add({ match: DESTROY, times: Infinity, ...errorForms.detailString(403, 'not yours') });
		const parameters = { namePrefix: '={{ $json.prefix.shift() ?? "" }}', limit: 5, dryRun: false, options: {} };
		const error = errorOf(await bench.run('destroyMany', parameters, RETRY, [{ prefix: ['job-', 'job-'] }]));
		expect(error.message).toContain(`Name Prefix is required and must not be empty. ${SENT} Destroy of `);
		for (const id of ids) expect(error.message).toContain(id);
	});

	it.each([['', {}], [' where the node goes on', GOES_ON]])('is done: it is given again, and the others are run%s', async (_, settings) => {
		// n8n looks at the first item alone
		bench.sandbox.faults.add({ match: DEPLOY, skip: settings === GOES_ON ? 0 : 1, ...errorForms.detailString(422, 'try again') });
		const hours = [[2, 0, 0], [2, 2, 2]];
		const output = jsonOf(await deploy(settings === GOES_ON ? hours.reverse() : hours, { ...RETRY, ...settings }));
		expect(output.map((json) => json.deployment_id).sort()).toEqual(bench.sandbox.books.deployments.map(({ id }) => id).sort());
		expect(sent(DEPLOY)).toHaveLength(3);
	});

	it('stops the others: what an earlier try has sent for them is named', async () => {
		bench.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const error = errorOf(await deploy([[2, 2, 2], [2, 0, 0]]));
		expect(error.message).toBe(INVALID);
		expect(error.description).toContain('Item 0 was sent by an earlier try, and its outcome is unknown: resource_private_name job-0');
	});
});
