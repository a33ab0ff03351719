import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import type { PolledTrigger } from '../engine/poll.mts';
import { errorForms } from '../sandbox/index.mts';
import { ids, MINUTE, pollsOf } from './polls.mts';

const fixture = useFixture();
let trigger: PolledTrigger;
const { watch, next } = pollsOf(fixture, (one) => (trigger = one));
const LIST = { path: '/vmaas/deployments' };

/** Shows this list from now on. */
function show(deployments: IDataObject[], path: string | RegExp = LIST.path): void {
	fixture.sandbox.faults.clear();
	fixture.sandbox.faults.add({
		match: { path },
		times: Infinity,
		status: 200,
		body: { data: { deployments, total: deployments.length } },
	});
}

describe('deployment state changed', () => {
	it('tells what begins, changes and ends after the base line, once each', async () => {
		const there = fixture.sandbox.addResident({ name: 'there', hours: 2, hoursAgo: 1 });
		await watch('deploymentStateChanged');
		expect(await next()).toEqual([]);
		const begun = fixture.sandbox.addResident({ name: 'begun' });
		expect(await next()).toMatchObject([
			{
				event: 'deploymentStateChanged',
				product: 'vmaas',
				deployment_id: begun.id,
				resource_private_name: 'begun',
				status: 'running',
				state: 'running',
				former_status: null,
				former_state: null,
				seen_at: new Date(fixture.sandbox.clock.now()).toISOString(),
			},
		]);
		expect(await next()).toEqual([]);
		expect(await next(60)).toMatchObject([
			{ deployment_id: there.id, status: 'completed', former_status: 'running', state: 'ended' },
		]);
		fixture.sandbox.fail(begun.id);
		expect(await next()).toMatchObject([{ deployment_id: begun.id, status: 'failed' }]);
		expect(await next()).toEqual([]);
		expect(ids(trigger.items)).toBe(3);
		expect(trigger.errors).toEqual([]);
	});

	it('tells of VMs and containers, whose IDs may be equal', async () => {
		await watch('deploymentStateChanged', { product: 'both' });
		show([{ id: 'same', name: 'a', status: 'running' }], /deployments$/);
		const items = await next();
		expect(items).toMatchObject([
			{ product: 'vmaas', deployment_id: 'same' },
			{ product: 'caas', deployment_id: 'same' },
		]);
		expect(ids(items)).toBe(2);
	});

	it('leaves out other names', async () => {
		await watch('deploymentStateChanged', { options: { namePrefix: 'mine-' } });
		fixture.sandbox.addResident({ name: 'mine-1' });
		fixture.sandbox.addResident({ name: 'yours-1' });
		expect(await next()).toMatchObject([{ resource_private_name: 'mine-1' }]);
	});

	it('reads one list of 1,000 deployments in ten requests, and no details', async () => {
		for (let index = 0; index < 1_000; index++) fixture.sandbox.addResident({ name: `n-${index}` });
		await watch('deploymentStateChanged');
		fixture.sandbox.requests.length = 0;
		fixture.sandbox.addResident({ name: 'new' });
		expect(await next()).toHaveLength(1);
		expect(fixture.sandbox.requests.length).toBeLessThanOrEqual(12);
		expect(fixture.sent('GET', /\/deployment\//)).toEqual([]);
		expect(JSON.stringify(trigger.saved).length).toBeLessThan(80_000);
	});

	it.each([
		['an empty list', { status: 200, body: { data: { deployments: [], total: 0 } } }],
		['an outage', errorForms.empty(503)],
		['a web page', errorForms.html(200)],
		['half of a list', { status: 200, body: { data: { deployments: [], total: 2 } } }],
		['404', errorForms.empty(404)],
	])('%s is no end', async (_, fault) => {
		fixture.sandbox.addResident({ name: 'a' });
		fixture.sandbox.addResident({ name: 'b' });
		await watch('deploymentStateChanged');
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, ...fault });
		for (let polls = 0; polls < 5; polls++) expect(await next()).toEqual([]);
		fixture.sandbox.faults.clear();
		expect(await next()).toEqual([]);
	});

	it('an empty base line is no reason to tell what was there already', async () => {
		fixture.sandbox.addResident({ name: 'a', hoursAgo: 5 });
		fixture.sandbox.faults.add({
			match: LIST,
			times: 3,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		await watch('deploymentStateChanged');
		fixture.sandbox.faults.clear();
		expect(await next()).toEqual([]);
		fixture.sandbox.addResident({ name: 'b' });
		expect(await next()).toMatchObject([{ resource_private_name: 'b' }]);
	});

	it('asks for the details of what the list does not show any more', async () => {
		fixture.sandbox.adopt({ hidesEnded: true });
		const one = fixture.sandbox.addResident({ name: 'a', hours: 2, hoursAgo: 1 });
		await watch('deploymentStateChanged');
		expect(await next(61)).toMatchObject([{ deployment_id: one.id, status: 'completed' }]);
		expect(await next()).toEqual([]);
	});

	it('says nothing of what nothing shows', async () => {
		fixture.sandbox.adopt({ hidesEnded: true, forgetsEnded: true });
		fixture.sandbox.addResident({ name: 'a', hours: 2, hoursAgo: 1 });
		await watch('deploymentStateChanged');
		for (let polls = 0; polls < 5; polls++) expect(await next(30)).toEqual([]);
	});

	it('an answer of a copy that is behind is no change', async () => {
		show([{ id: '1', name: 'a', status: 'running' }]);
		await watch('deploymentStateChanged');
		const statuses = ['Termination_Requested', 'running', 'termination requested', 'RUNNING'];
		for (const status of [...statuses, 'destroyed', 'running']) {
			show([{ id: '1', name: 'a', status }]);
			await next();
		}
		expect(trigger.items.map(({ state }) => state)).toEqual(['ending', 'ended']);
		// What lasts is no copy
		await next();
		expect(await next()).toMatchObject([{ state: 'running', former_state: 'ended' }]);
	});

	it('a state that comes again is another event', async () => {
		show([{ id: '1', name: 'a', status: 'running' }]);
		await watch('deploymentStateChanged');
		for (const status of ['paused', 'running', 'paused']) {
			show([{ id: '1', name: 'a', status }]);
			await next();
		}
		expect(trigger.items.map(({ status }) => status)).toEqual(['paused', 'running', 'paused']);
		expect(ids(trigger.items)).toBe(3);
	});

	it('tells of containers while the list of VMs cannot be read, and says so once there is nothing to tell', async () => {
		await watch('deploymentStateChanged', { product: 'both' });
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, ...errorForms.empty(500) });
		fixture.sandbox.addResident({ name: 'vm' });
		fixture.sandbox.addResident({ name: 'container', kind: 'caas' });
		expect(await next()).toMatchObject([{ product: 'caas' }]);
		expect(await next()).toEqual([]);
		expect(trigger.errors).toHaveLength(1);
		fixture.sandbox.faults.clear();
		expect(await next()).toMatchObject([{ product: 'vmaas' }]);
	});
});

describe('deployment expires soon', () => {
	it('tells each end once: after an extension it is another event', async () => {
		const one = fixture.sandbox.addResident({ name: 'a', hours: 3 });
		await watch('deploymentExpiresSoon', { minutes: 30 });
		expect(await next(149)).toEqual([]);
		expect(await next()).toMatchObject([
			{
				event: 'deploymentExpiresSoon',
				deployment_id: one.id,
				remaining_minutes: 30,
				expires_at: new Date(fixture.sandbox.clock.now() + 30 * MINUTE).toISOString(),
			},
		]);
		for (let polls = 0; polls < 20; polls++) expect(await next()).toEqual([]);
		await fixture.client.call(`/deployment/${one.id}/extend`, {
			method: 'POST',
			body: { duration_hours: 1 },
		});
		expect(await next()).toEqual([]);
		expect(await next(45)).toMatchObject([{ deployment_id: one.id }]);
		expect(await next(60)).toEqual([]);
		expect(ids(trigger.items)).toBe(2);
	});

	it('tells what expires at the activation with the second poll', async () => {
		fixture.sandbox.addResident({ name: 'a', hours: 2, hoursAgo: 1.75 });
		await watch('deploymentExpiresSoon', { minutes: 30 });
		expect(trigger.items).toEqual([]);
		expect(await next()).toHaveLength(1);
	});

	it('says nothing without minutes, nor of what has not begun or ends', async () => {
		fixture.sandbox.adopt({ minutes: 'fromStart' });
		await fixture.client.call('/deploy', {
			method: 'POST',
			body: {
				resource_private_name: 'a',
				duration_hours: 1,
				gpus_per_vm: 1,
				hardware_id: 7,
				location_ids: ['us-west-2'],
				ssh_keys: {
					a: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB a',
				},
			},
		});
		await watch('deploymentExpiresSoon', { minutes: 30 });
		await trigger.poll();
		expect(trigger.items).toEqual([]);
		fixture.sandbox.adopt({ minutes: 'none' });
		expect(await next(50)).toEqual([]);
	});
});
