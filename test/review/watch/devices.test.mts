import { expect, test } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { MINUTE, openService, type Answer } from './service.mts';

/** Downtime by device and day, as the service shows it (compute-api.md "Downtime entry"). */
type Days = Record<string, unknown>;

/** A trigger on devices, with a service whose devices have these days at the activation. */
async function watching(devices: Record<string, Days | Answer>) {
	const service = await openService();
	let shown = devices;
	service.odd = ({ path }) => {
		const id = /devices\/([^/]+)\/details/.exec(path)?.[1] ?? '';
		const days = shown[decodeURIComponent(id)];
		if (!days) return { status: 404 };
		if (typeof days.status === 'number') return days as unknown as Answer;
		return {
			status: 200,
			json: { status: 'succeeded', data: { device_id: id, downtime_by_date: days } },
		};
	};
	const trigger = new PolledTrigger(
		service.engine,
		computeTrigger('deviceDown', { deviceIds: Object.keys(devices), downtimeMinutes: 10 }),
	);
	await trigger.activate();
	return {
		trigger,
		async poll(now: Record<string, Days | Answer>) {
			shown = now;
			service.advance(5 * MINUTE);
			const before = trigger.items.length;
			await trigger.poll();
			return trigger.items.slice(before).map((item) => [item.device_id, item.date, item.downtime]);
		},
	};
}

const down = (seconds: unknown) => ({ downtime: seconds, note: '' });

test('each step of downtime is told once, whatever its form, and whichever copy answers', async () => {
	const { poll } = await watching({ a: { '2026-11-23': down(900), '2026-11-24': down(0) } });
	const old = { '2026-11-23': down(900) };
	expect(await poll({ a: { ...old, '2026-11-24': down(599) } })).toEqual([]);
	expect(await poll({ a: { ...old, '2026-11-24': down('600.0') } })).toEqual([
		['a', '2026-11-24', 600],
	]);
	expect(await poll({ a: { '2026-11-24': down(540) } })).toEqual([]);
	expect(await poll({ a: { ...old, '2026-11-24': [down(300), down(400)] } })).toEqual([]);
	expect(await poll({ a: { ...old, '2026-11-24': [down(700), down(600)] } })).toEqual([
		['a', '2026-11-24', 1300],
	]);
	expect(await poll({ a: { '2026-11-22': down(5000), ...old } })).toEqual([]);
	expect(await poll({ a: { ...old, '2026-11-25': down(700) } })).toEqual([
		['a', '2026-11-25', 700],
	]);
});

test('a device that cannot be read holds up no other, and loses nothing', async () => {
	const { poll, trigger } = await watching({ a: {}, b: {} });
	const out: Answer = { status: 401, json: {} };
	expect(await poll({ a: out, b: { '2026-11-24': down(660) } })).toEqual([
		['b', '2026-11-24', 660],
	]);
	expect(await poll({ a: out, b: out })).toEqual([]);
	expect(trigger.errors).toHaveLength(1);
	expect(await poll({ a: { '2026-11-24': down(660) }, b: out })).toEqual([
		['a', '2026-11-24', 660],
	]);
});

test('100 devices are read in turn, and each is told', async () => {
	const ids = Array.from({ length: 100 }, (_, index) => `device-${index}`);
	const all = (days: Days) => Object.fromEntries(ids.map((id) => [id, days]));
	const { poll, trigger } = await watching(all({}));
	for (let polls = 0; polls < 4; polls++) await poll(all({}));
	for (let polls = 0; polls < 5; polls++) await poll(all({ '2026-11-24': down(700) }));
	expect(new Set(trigger.items.map(({ device_id: id }) => id)).size).toBe(100);
	expect(trigger.items).toHaveLength(100);
});
