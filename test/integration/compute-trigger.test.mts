import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { computeTrigger } from '../engine/nodes.mts';
import { catalogue, offer } from '../engine/offers.mts';
import { PolledTrigger } from '../engine/poll.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const MINUTE = 60_000;
const LIST = { path: '/vmaas/deployments' };

let trigger: PolledTrigger;

async function watch(event: string, parameters: IDataObject = {}): Promise<PolledTrigger> {
	trigger = new PolledTrigger(fixture.engine, computeTrigger(event, parameters));
	await trigger.activate();
	return trigger;
}

/** The items of the next poll, so many minutes later. */
async function next(minutes = 1): Promise<IDataObject[]> {
	fixture.sandbox.clock.advance(minutes * MINUTE);
	const before = trigger.items.length;
	await trigger.poll();
	return trigger.items.slice(before);
}

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

const ids = (items: IDataObject[]) => new Set(items.map((item) => item.event_id)).size;

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

	it('has the same ID for another trigger, and after the state is lost', async () => {
		fixture.sandbox.addResident({ name: 'a', hours: 2, hoursAgo: 1.75 });
		await watch('deploymentExpiresSoon', { minutes: 30 });
		const [first] = await next();
		await watch('deploymentExpiresSoon', { minutes: 20 });
		const [again] = await next();
		expect(again?.event_id).toBe(first?.event_id);
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

describe('offer matches', () => {
	const price = (value: number) => catalogue(fixture.sandbox, offer({ price: value }));

	it('tells an offer that appears or gets cheap enough, and again when it has gone', async () => {
		price(3);
		await watch('offerMatches', { maxHourlyPrice: 2, filters: { gpu: 'H100' } });
		expect(await next()).toEqual([]);
		price(1.9);
		expect(await next()).toMatchObject([
			{ event: 'offerMatches', name: 'H100', price: 1.9, hourly_price: 1.9, former_price: null },
		]);
		price(1.5);
		expect(await next()).toEqual([]);
		price(2.1);
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toHaveLength(1);
		catalogue(fixture.sandbox, offer({ price: 1.5, capacity: 0 }));
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toHaveLength(1);
		expect(ids(trigger.items)).toBe(3);
	});

	it('tells a lower price where that is wanted', async () => {
		price(3);
		await watch('offerMatches', { offerOptions: { alsoCheaper: true } });
		price(2);
		expect(await next()).toMatchObject([{ price: 2, former_price: 3 }]);
		price(4);
		expect(await next()).toEqual([]);
		price(2.5);
		expect(await next()).toEqual([]);
		price(1.5);
		expect(await next()).toMatchObject([{ price: 1.5, former_price: 2 }]);
	});

	it('one empty answer is not believed', async () => {
		price(1);
		await watch('offerMatches');
		const hardware = { match: { path: '/vmaas/hardware' }, status: 200 };
		fixture.sandbox.faults.add({ ...hardware, body: { data: { hardware: [] } } });
		expect([await next(), await next()]).toEqual([[], []]);
		fixture.sandbox.faults.add({ ...hardware, times: 2, body: { data: { hardware: [] } } });
		expect([await next(), await next()]).toEqual([[], []]);
		expect(await next()).toHaveLength(1);
	});

	it('a service that ignores the filters shows nothing that does not pass', async () => {
		fixture.sandbox.adopt({ filters: 'ignored' });
		price(1);
		await watch('offerMatches', { filters: { gpuMemoryMin: 80 } });
		catalogue(
			fixture.sandbox,
			offer({ vram_per_card: 80, deploy_id: 2 }),
			offer({ vram_per_card: 24, deploy_id: 3 }),
		);
		expect(await next()).toMatchObject([{ deploy_id: 2 }]);
	});
});

describe('device down', () => {
	const DEVICE = 'device-1';
	const down = (byDate: IDataObject) => {
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({
			match: { path: new RegExp(`/devices/${DEVICE}/details$`) },
			times: Infinity,
			status: 200,
			body: { status: 'succeeded', data: { device_id: DEVICE, downtime_by_date: byDate } },
		});
	};
	const seconds = (downtime: number) => ({ downtime, note: `down for ${downtime}` });

	it('tells each step of the downtime of a day', async () => {
		down({ '2026-01-01': seconds(3_600) });
		await watch('deviceDown', { deviceIds: [DEVICE], downtimeMinutes: 10 });
		expect(await next()).toEqual([]);
		down({ '2026-01-01': seconds(3_900), '2026-01-02': seconds(60) });
		expect(await next()).toEqual([]);
		down({ '2026-01-01': [seconds(3_900), seconds(300)], '2026-01-02': seconds(60) });
		expect(await next()).toMatchObject([
			{ event: 'deviceDown', device_id: DEVICE, date: '2026-01-01', downtime: 4_200 },
		]);
		down({});
		expect(await next()).toEqual([]);
		down({ '2026-01-01': seconds(4_200), '2026-01-02': seconds(1_900) });
		expect(await next()).toMatchObject([{ date: '2026-01-02', downtime: 1_900 }]);
		expect(ids(trigger.items)).toBe(2);
	});

	it('a device that cannot be read is not down, and hides no other', async () => {
		down({});
		await watch('deviceDown', { deviceIds: [DEVICE], downtimeMinutes: 1 });
		trigger.change({ deviceIds: ['unknown', DEVICE] });
		await trigger.activate('update').catch(() => undefined);
		down({ '2026-01-01': seconds(600) });
		expect(await next()).toMatchObject([{ device_id: DEVICE }]);
		expect(await next()).toEqual([]);
		expect(trigger.errors).toMatchObject([{ message: 'Not found (404)' }]);
	});

	it('reads 20 devices a poll, all of them in turn', async () => {
		const deviceIds = Array.from({ length: 45 }, (_, index) => `d-${index}`);
		fixture.sandbox.faults.add({
			match: { path: /\/details$/ },
			times: Infinity,
			status: 200,
			body: { status: 'succeeded', data: {} },
		});
		await watch('deviceDown', { deviceIds });
		expect(fixture.sandbox.requests).toHaveLength(20);
		await next();
		await next();
		expect(new Set(fixture.sandbox.requests.map(({ path }) => path)).size).toBe(45);
		expect(fixture.sandbox.requests).toHaveLength(60);
	});
});

describe('activation, restart, test run', () => {
	beforeEach(() => void fixture.sandbox.addResident({ name: 'a' }));

	it('an outage at the activation is shown to the person who activates', async () => {
		fixture.sandbox.faults.add({ times: Infinity, ...errorForms.empty(503) });
		await expect(watch('deploymentStateChanged')).rejects.toThrow('Server error (503)');
	});

	it('an outage when n8n starts does not keep the workflow down', async () => {
		await watch('deploymentStateChanged');
		fixture.sandbox.faults.add({ times: Infinity, ...errorForms.empty(503) });
		await trigger.restart();
		expect(trigger.errors).toMatchObject([{ message: 'Server error (503)' }]);
		fixture.sandbox.faults.clear();
		fixture.sandbox.addResident({ name: 'b' });
		expect(await next()).toMatchObject([{ resource_private_name: 'b' }]);
	});

	it('another filter has another base line', async () => {
		await watch('deploymentStateChanged', { options: { namePrefix: 'x' } });
		trigger.change({ options: { namePrefix: 'a' } });
		await trigger.activate('update');
		expect(await next()).toEqual([]);
	});

	it('events that n8n drops are told again, with the same ID', async () => {
		await watch('deploymentStateChanged');
		fixture.sandbox.addResident({ name: 'b' });
		trigger.isSuperseded = true;
		expect(await next()).toEqual([]);
		trigger.isSuperseded = false;
		await trigger.activate('update');
		expect(trigger.items).toMatchObject([{ resource_private_name: 'b' }]);
	});

	it.each([
		['deploymentStateChanged', { status: 'running', former_state: null }],
		['deploymentExpiresSoon', { remaining_minutes: 48 * 60 }],
		['offerMatches', { former_price: null }],
	])('%s: a test run shows a sample, and changes nothing', async (event, expected) => {
		await watch(event, { minutes: 5 });
		const saved = JSON.stringify(trigger.saved);
		const [item] = await trigger.testRun();
		expect(item?.json).toMatchObject({ event, sample: true, ...expected });
		expect(String(item?.json.event_id)).toMatch(/^sample-/);
		expect(JSON.stringify(trigger.saved)).toBe(saved);
		expect(await next()).toEqual([]);
	});

	it('a test run with nothing to show says so', async () => {
		catalogue(fixture.sandbox);
		await expect(watch('offerMatches').then((one) => one.testRun())).rejects.toThrow(
			'There is nothing to show as a sample now',
		);
	});

	it.each([
		['deploymentStateChanged', { product: 'vms' }, /Product must be one of/],
		['deploymentExpiresSoon', { minutes: 0 }, /Minutes Before must be/],
		[
			'deviceDown',
			{ deviceIds: ['d'], authentication: 'apiKey' },
			/Authentication must be Access Token or OAuth2/,
		],
		['deploymentStateChanged', { authentication: 'oAuth2' }, /Authentication must be API Key/],
		['deviceDown', { deviceIds: [] }, /Device IDs must be 1 to 100/],
		['deviceDown', { deviceIds: ['a/b'] }, /Device IDs must contain only/],
		['offerMatches', { maxHourlyPrice: -1 }, /Maximum Hourly Price must be/],
		['offerMatches', { filters: { gpu: '' } }, /must not be empty/],
		['deploymentStateChanged', { options: { namePrefix: '' } }, /must not be empty/],
	])('%s %j is refused at the activation', async (event, parameters, message) => {
		await expect(watch(event, parameters as IDataObject)).rejects.toThrow(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
