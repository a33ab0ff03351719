import { beforeEach, describe, expect, it } from 'vitest';
import { deployment } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at } from '../sandbox/testing/client.mts';
import { DETAILS, LIST, useOrdered } from './ordered.mts';

const ordered = useOrdered();
const { fixture, waitFor } = ordered;
let deploymentId: string;
beforeEach(() => void ({ deploymentId } = ordered));

describe('waitFor', () => {
	it('returns with the first check after the state is reached', async () => {
		expect(onlyJson(await waitFor())).toMatchObject({
			deployment_id: deploymentId,
			status: 'running',
			reached: true,
			waited_seconds: 30,
		});
		expect(fixture.sandbox.requests).toHaveLength(4);
	});

	it('until every VM has an SSH address', async () => {
		expect(onlyJson(await waitFor({ waitUntil: 'ssh' }))).toMatchObject({ reached: true });
		expect(fixture.sent('GET', /\/vms$/).length).toBeGreaterThan(0);
	});

	it.each([['destroyed'], ['final']])('until %s', async (waitUntil) => {
		await fixture.run(deployment('destroy', { deploymentId, options: { verify: false } }));
		expect(onlyJson(await waitFor({ waitUntil }))).toMatchObject({
			reached: true,
			status: 'destroyed',
			waited_seconds: 20,
		});
	});

	it.each([['running'], ['ssh']])(
		'an error at once where it ends already (%s)',
		async (waitUntil) => {
			await fixture.run(deployment('destroy', { deploymentId, options: { verify: false } }));
			const error = errorOf(await waitFor({ waitUntil }));
			expect(error.message).toMatch(/ and will not become running$/);
			expect(error.description).toBe(
				'Waiting longer would not help. See Deployment > Get and VM > Get Many for what happened.',
			);
			expect(fixture.time.waits).toEqual([]);
		},
	);

	it('an error at once where it has ended, but not by a destroy', async () => {
		fixture.sandbox.fail(deploymentId);
		expect(errorOf(await waitFor({ waitUntil: 'destroyed' })).message).toBe(
			`Deployment ${deploymentId} is "failed" and will not become destroyed`,
		);
	});

	it('an error at once where a final state rules it out', async () => {
		fixture.sandbox.fail(deploymentId);
		const error = errorOf(await waitFor());
		expect(error.message).toBe(
			`Deployment ${deploymentId} is "failed" and will not become running`,
		);
		expect(error.context.known).toMatchObject({ deployment_id: deploymentId, status: 'failed' });
		expect(fixture.time.waits).toEqual([]);
	});

	it.each(['running', 'ssh', 'destroyed', 'final'])(
		'one that was never seen is looked for for two minutes, then an error (%s)',
		async (waitUntil) => {
			const error = errorOf(await waitFor({ deploymentId: 'nope', waitUntil }));
			expect(error.message).toBe('There is no deployment nope');
			expect(error.description).toContain('did not show it for two minutes');
			expect(fixture.time.waits.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
		},
	);

	it('one that is too young to show is waited for', async () => {
		const nothing = { times: Infinity, status: 404, body: {} };
		fixture.sandbox.faults.add({ match: DETAILS, ...nothing });
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		const shown = fixture.sandbox.clock.now() + 60_000;
		fixture.time.onWait = () => {
			if (fixture.sandbox.clock.now() >= shown) fixture.sandbox.faults.clear();
		};
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true, status: 'running' });
	});

	it('what the service no longer shows is gone after two minutes, where it is new, and only if it was seen', async () => {
		fixture.sandbox.faults.add({ match: DETAILS, skip: 1, times: Infinity, status: 404, body: {} });
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		expect(onlyJson(await waitFor({ waitUntil: 'destroyed' }))).toMatchObject({
			reached: true,
			status: 'unknown to the service',
			waited_seconds: 120,
		});
	});

	it.each(['destroyed', 'final'])(
		'what shows nowhere for half a minute has not ended (%s)',
		async (waitUntil) => {
			const start = fixture.sandbox.clock.now();
			const vanish = () => {
				fixture.sandbox.faults.add({ match: DETAILS, times: Infinity, status: 404, body: {} });
				const body = { data: { deployments: [], total: 0 } };
				fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body });
			};
			// Twice, with one look in between that sees it
			fixture.time.onWait = () => {
				const seconds = (fixture.sandbox.clock.now() - start) / 1_000;
				fixture.sandbox.faults.clear();
				if ((seconds >= 30 && seconds < 60) || (seconds >= 80 && seconds < 110)) vanish();
			};
			expect(onlyJson(await waitFor({ waitUntil, onTimeout: 'output' }))).toMatchObject({
				reached: false,
				status: 'running',
			});
		},
	);

	it.each([
		['running', 'Running'],
		['destroyed', 'DESTROYED'],
		['final', 'Completed'],
	])('until %s, where the service says "%s"', async (waitUntil, status) => {
		const body = { data: { id: deploymentId, status } };
		fixture.sandbox.faults.add({ match: DETAILS, times: Infinity, status: 200, body });
		expect(onlyJson(await waitFor({ waitUntil }))).toMatchObject({ reached: true, status });
	});

	it('VMs that were replaced or have ended do not count for SSH', async () => {
		fixture.sandbox.clock.advance(60_000);
		const { json } = await fixture.client.get(`/deployment/${deploymentId}/vms`);
		const ssh_access = at(json, 'data', 'workers', 0, 'ssh_access');
		const workers = [
			{ vm_id: 1, status: 'Terminated' },
			{ vm_id: 2, status: 'replaced', ssh_access: null },
			{ vm_id: 3, status: 'running', ssh_access },
		];
		fixture.sandbox.faults.add({
			match: { path: /\/vms$/ },
			times: Infinity,
			status: 200,
			body: { data: { workers } },
		});
		expect(onlyJson(await waitFor({ waitUntil: 'ssh', timeout: 60 }))).toMatchObject({
			reached: true,
			waited_seconds: 0,
		});
	});

	it('by name: the one that has not ended, and ended ones where that is the goal', async () => {
		const named = { deploymentId: { __rl: true, mode: 'name', value: 'job' } };
		expect(onlyJson(await waitFor(named))).toMatchObject({
			reached: true,
			deployment_id: deploymentId,
			resource_private_name: 'job',
		});
		await fixture.run(deployment('destroy', { deploymentId }));
		for (const waitUntil of ['destroyed', 'final'])
			expect(onlyJson(await waitFor({ ...named, waitUntil }))).toMatchObject({
				reached: true,
				status: 'destroyed',
			});
		expect(errorOf(await waitFor(named)).message).toBe(
			'Deployment "job" is "destroyed" and will not become running',
		);
	});

	it('waits 300 seconds at most', async () => {
		const body = { data: { id: deploymentId, status: 'deployment requested' } };
		fixture.sandbox.faults.add({ match: DETAILS, times: Infinity, status: 200, body });
		expect(errorOf(await waitFor({ timeout: 600 })).message).toBe(
			`Deployment ${deploymentId} was still "deployment requested" after 300 seconds. The node waits 300 seconds at most`,
		);
		expect(onlyJson(await waitFor({ timeout: 600, onTimeout: 'output' }))).toMatchObject({
			reached: false,
			waited_seconds: 300,
			hint: 'The timeout is 600 seconds, but the node waits 300 at most.',
		});
	});

	it('timeout: an error with the last state and the ID', async () => {
		const error = errorOf(await waitFor({ timeout: 25 }));
		expect(error.message).toBe(
			`Deployment ${deploymentId} was still "deployment requested" after 25 seconds`,
		);
		expect(fixture.time.waits).toEqual([10_000, 10_000, 5_000]);
	});

	it('timeout with On Timeout = Output: an item with reached: false', async () => {
		expect(onlyJson(await waitFor({ timeout: 0, onTimeout: 'output' }))).toMatchObject({
			reached: false,
			status: 'deployment requested',
			deployment_id: deploymentId,
		});
	});
});
