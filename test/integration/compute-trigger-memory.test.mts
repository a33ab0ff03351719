import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { computeTrigger } from '../engine/nodes.mts';
import { PolledTrigger } from '../engine/poll.mts';

/** What the trigger remembers of a service that forgets, or that never forgets. */
const fixture = useFixture();
const DAY_MINUTES = 24 * 60;

async function watch(event: string, parameters: IDataObject = {}): Promise<PolledTrigger> {
	const trigger = new PolledTrigger(fixture.engine, computeTrigger(event, parameters));
	await trigger.activate();
	return trigger;
}

async function next(trigger: PolledTrigger, minutes = 1): Promise<IDataObject[]> {
	fixture.sandbox.clock.advance(minutes * 60_000);
	const before = trigger.items.length;
	await trigger.poll();
	return trigger.items.slice(before);
}

function answer(path: string | RegExp, data: IDataObject): void {
	fixture.sandbox.faults.clear();
	const body = { status: 'succeeded', data };
	fixture.sandbox.faults.add({ match: { path }, times: Infinity, status: 200, body });
}

const show = (deployments: IDataObject[]) =>
	answer('/vmaas/deployments', { deployments, total: deployments.length });
const many = (count: number, prefix: string, status = 'running') =>
	Array.from({ length: count }, (_, index) => ({ id: `${prefix}-${index}`, status }));

describe('deployment state changed', () => {
	it('deployments that go without an end do not fill the memory', async () => {
		show(many(6_000, 'gone'));
		const trigger = await watch('deploymentStateChanged');
		show(many(3_000, 'there'));
		expect(await next(trigger)).toHaveLength(3_000);
		show([...many(3_000, 'there'), ...many(2_000, 'later')]);
		expect(await next(trigger, DAY_MINUTES)).toHaveLength(2_000);
		show([...many(3_000, 'there'), ...many(2_000, 'later'), { id: 'last', status: 'running' }]);
		expect(await next(trigger)).toMatchObject([{ deployment_id: 'last' }]);
		expect(trigger.errors).toEqual([]);
	});

	it('more than 10,000 that have not ended are an error that says what to do', async () => {
		show(many(10_001, 'there'));
		await expect(watch('deploymentStateChanged')).rejects.toMatchObject({
			message: 'More than 10000 deployments have not ended',
			description: 'Set Name Prefix to watch fewer of them.',
		});
	});

	it('beside 20,000 that have ended, one that was never seen before its end is no event', async () => {
		const ended = (count: number) => many(count, 'old', 'destroyed');
		show(ended(19_999));
		const trigger = await watch('deploymentStateChanged');
		show(ended(20_000));
		expect(await next(trigger)).toMatchObject([{ deployment_id: 'old-19999' }]);
		show([...ended(20_001), { id: 'new', status: 'running' }]);
		expect(await next(trigger)).toMatchObject([{ deployment_id: 'new' }]);
	});

	it('activated again, what has changed meanwhile comes as events', async () => {
		show([{ id: 'a', status: 'running' }]);
		const trigger = await watch('deploymentStateChanged');
		show([
			{ id: 'a', status: 'destroyed' },
			{ id: 'b', status: 'running' },
		]);
		await trigger.activate();
		expect(trigger.items).toMatchObject([{ deployment_id: 'a' }, { deployment_id: 'b' }]);
	});

	it('another event has another base line', async () => {
		show([{ id: 'a', status: 'running', compute_minutes_remaining: 5 }]);
		const trigger = await watch('deploymentExpiresSoon', { minutes: 30 });
		trigger.change({ event: 'deploymentStateChanged' });
		await trigger.activate();
		expect(trigger.items).toEqual([]);
	});

	it('the end of one that the list leaves out is told, with a name prefix too', async () => {
		const { id } = fixture.sandbox.addResident({ name: 'mine-1' });
		const trigger = await watch('deploymentStateChanged', { options: { namePrefix: 'mine-' } });
		show([]);
		fixture.sandbox.fail(id);
		expect(await next(trigger)).toMatchObject([{ deployment_id: id, status: 'failed' }]);
	});

	it('one that has another name now is not told', async () => {
		const { id } = fixture.sandbox.addResident({ name: 'mine-1' });
		const trigger = await watch('deploymentStateChanged', { options: { namePrefix: 'mine-' } });
		show([{ id, name: 'yours-1', status: 'running' }]);
		fixture.sandbox.fail(id);
		expect(await next(trigger)).toEqual([]);
		expect(fixture.sent('GET', /\/deployment\//)).toEqual([]);
	});

	it('a list without names is an error where a name prefix is set, and not one without matches', async () => {
		show([{ id: 'a', status: 'running', title: 'mine-1' }]);
		const options = { namePrefix: 'mine-' };
		for (const event of ['deploymentStateChanged', 'deploymentExpiresSoon'])
			await expect(watch(event, { minutes: 5, options })).rejects.toThrow(
				'No entry of the list shows a name that is known',
			);
	});

	it('the sample is one that has not ended, or else the first of the list', async () => {
		const ended = { id: 'old', status: 'destroyed' };
		show([ended, { id: 'new', status: 'running' }]);
		const trigger = await watch('deploymentStateChanged');
		expect(await trigger.testRun()).toMatchObject([{ json: { deployment_id: 'new' } }]);
		show([ended]);
		expect(await trigger.testRun()).toMatchObject([{ json: { deployment_id: 'old' } }]);
	});

	it('one end has several statuses, and is one event', async () => {
		show([{ id: 'a', status: 'running' }]);
		const trigger = await watch('deploymentStateChanged');
		show([{ id: 'a', status: 'completed' }]);
		expect(await next(trigger)).toMatchObject([{ status: 'completed', state: 'ended' }]);
		show([{ id: 'a', status: 'destroyed' }]);
		expect(await next(trigger)).toEqual([]);
	});
});

describe('deployment expires soon', () => {
	it('one that is shown as running for weeks after its end is told once', async () => {
		show([
			{ id: 'a', status: 'running', compute_minutes_remaining: 0, compute_minutes_served: 60 },
		]);
		const trigger = await watch('deploymentExpiresSoon', { minutes: 30 });
		expect(await next(trigger)).toHaveLength(1);
		for (let day = 0; day < 20; day++) expect(await next(trigger, DAY_MINUTES)).toEqual([]);
	});

	it.each([
		['archived', 60],
		['queued', 0],
	])('"%s" without time is none that runs', async (status, served) => {
		show([{ id: 'a', status, compute_minutes_remaining: 0, compute_minutes_served: served }]);
		const trigger = await watch('deploymentExpiresSoon', { minutes: 30 });
		expect(await next(trigger)).toEqual([]);
	});
});

describe('device down', () => {
	const down = (days: string[]) =>
		answer(/\/devices\/d\/details$/, {
			device_id: 'd',
			downtime_by_date: Object.fromEntries(days.map((day) => [day, { downtime: 600 }])),
		});
	const before = (days: number) =>
		new Date(fixture.sandbox.clock.now() - days * 86_400_000).toISOString().slice(0, 10);
	const history = Array.from({ length: 90 }, (_, index) => index + 5);

	it('an answer that goes back further than the others is no news', async () => {
		down([]);
		const trigger = await watch('deviceDown', { deviceIds: ['d'], downtimeMinutes: 10 });
		down(history.map(before));
		expect(await next(trigger)).toEqual([]);
		down([before(5)]);
		expect(await next(trigger)).toEqual([]);
		down([before(0), ...history.map(before)]);
		expect(await next(trigger)).toMatchObject([{ date: before(0) }]);
		expect(trigger.items).toHaveLength(1);
	});
});
