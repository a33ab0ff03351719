import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { catalogue } from '../engine/offers.mts';
import type { PolledTrigger } from '../engine/poll.mts';
import { errorForms } from '../sandbox/index.mts';
import { pollsOf } from './polls.mts';

const fixture = useFixture();
let trigger: PolledTrigger;
const { watch, next } = pollsOf(fixture, (one) => (trigger = one));

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
