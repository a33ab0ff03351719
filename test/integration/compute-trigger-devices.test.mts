import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import type { PolledTrigger } from '../engine/poll.mts';
import { ids, pollsOf } from './polls.mts';

const fixture = useFixture();
let trigger: PolledTrigger;
const { watch, next } = pollsOf(fixture, (one) => (trigger = one));

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
