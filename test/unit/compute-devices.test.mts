import { describe, expect, it } from 'vitest';
import { watchDevices } from '../../nodes/ComputeTrigger/events/devices.ts';
import { DAY, jsonOf, useNoon, watched } from './compute-parts.mts';

useNoon();

/** The day so many days ago. */
const day = (ago = 0) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
const downtime = (seconds: Record<string, unknown>) => ({
	downtime_by_date: Object.fromEntries(
		Object.entries(seconds).map(([date, value]) => [date, { downtime: value, note: 'why' }]),
	),
});

function device(downtimeMinutes = 10) {
	const one = watched(watchDevices({ deviceIds: ['d'], downtimeMinutes }));
	const look = async (seconds: Record<string, unknown>, minutes?: number) => {
		one.show(downtime(seconds));
		return await one.look(minutes);
	};
	return { ...one, look };
}

describe('the downtime of a device', () => {
	it.each([
		[599, 0],
		[600, 1],
		[1_199, 1],
		[1_200, 2],
		[null, 0],
		['600', 1],
	])('of %j seconds is %d steps of ten minutes', async (seconds, steps) => {
		const { look } = device();
		await look({});
		const { events } = await look({ [day()]: seconds });
		expect(events.map(({ identity, isUnique }) => [identity, isUnique])).toEqual(
			steps === 0 ? [] : [[['d', day(), String(steps * 10)], true]],
		);
	});

	it('that grows, but by no step, or that shrinks is no event', async () => {
		const { look } = device();
		await look({ [day()]: 600 });
		const lists = [];
		for (const seconds of [1_199, 0, 600, 1_199, 1_200, 1_200])
			lists.push((await look({ [day()]: seconds })).events.length);
		expect(lists).toEqual([0, 0, 0, 0, 1, 0]);
	});

	it('at the base line is none, nor is that of a day before it; the day before is the oldest', async () => {
		const { look } = device();
		expect(jsonOf(await look({ [day()]: 6_000 }))).toEqual([]);
		const older = { [day(2)]: 6_000, [day(1)]: 600, [day()]: 6_000 };
		expect(jsonOf(await look(older))).toMatchObject([{ date: day(1), downtime: 600 }]);
	});

	it.each(['1 of 7', '1: 2020-01-01', '2020-01-1'])(
		'of %j, which is no date, is told',
		async (date) => {
			const { look } = device();
			await look({});
			expect(jsonOf(await look({ [date]: 600 }))).toMatchObject([{ date }]);
		},
	);

	it('of a day is remembered while it is shown, and of 60 more days', async () => {
		const { look } = device();
		await look({});
		const days = Array.from({ length: 70 }, (_, index) => day(-index));
		await look(Object.fromEntries(days.map((date) => [date, 600])));
		const { seen } = await look({ [day(-1)]: 600 });
		const kept = Object.keys(seen.steps.d ?? {}).sort();
		expect(kept).toEqual([day(-1), ...days.slice(10)].sort());
	});

	it('is told with what the service says of the device', async () => {
		const { show, look, ...one } = device();
		await look({});
		show({ ...downtime({}), hardware_name: 'H100', iso2: undefined, down_percentage: 0 });
		expect(await one.sample()).toEqual({
			device_id: 'd',
			date: null,
			downtime: 0,
			note: null,
			hardware_name: 'H100',
			down_percentage: 0,
		});
		const days = { [day(2)]: 5, [day()]: 7, [day(1)]: 6 };
		show(downtime(days));
		expect(await one.sample()).toMatchObject({ date: day(), downtime: 7, note: 'why' });
		show({ downtime_by_date: { [day()]: [{ downtime: 1 }, { downtime: 2, note: 7 }] } });
		expect(await one.sample()).toMatchObject({ downtime: 3, note: null });
	});
});

describe('many devices', () => {
	const named = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`);

	it.each([
		[20, ['d0', 'd0']],
		[21, ['d0', 'd20']],
	])('%d are read in turn, 20 in a poll', async (count, firsts) => {
		const deviceIds = named(count);
		const { asked, look, show } = watched(watchDevices({ deviceIds, downtimeMinutes: 1 }));
		show({});
		await look();
		await look();
		expect([asked[0], asked[20]]).toEqual(firsts);
		expect(asked).toHaveLength(40);
	});

	it('begin with the first where the next one is not watched any more, whose steps are forgotten', async () => {
		const look = watchDevices({ deviceIds: ['a', 'b'], downtimeMinutes: 1 });
		const { asked, ...one } = watched({
			...look,
			look: async (context) =>
				await look.look(context, { steps: { gone: { [day()]: 1 }, b: {} }, next: 'gone' }),
		});
		one.show({});
		const { seen } = await one.look();
		expect(asked).toEqual(['a', 'b']);
		expect(Object.keys(seen.steps).sort()).toEqual(['a', 'b']);
		expect(seen).not.toHaveProperty('next');
	});

	it('of which one cannot be read: the others are, and the first reason is told', async () => {
		const { answers, look, asked } = watched(
			watchDevices({ deviceIds: ['a', 'b', 'c'], downtimeMinutes: 1 }),
		);
		answers((path) =>
			path.includes('/c/') ? { json: { data: {} } } : { status: path.includes('/a/') ? 404 : 403 },
		);
		const { seen, failure } = await look();
		expect(asked).toEqual(['a', 'b', 'c']);
		expect(Object.keys(seen.steps)).toEqual(['c']);
		expect(String(failure)).toContain('404');
	});

	it('are not asked for once the time of the poll is over', async () => {
		const controller = new AbortController();
		const { answers, look, asked } = watched(
			watchDevices({ deviceIds: ['a', 'b'], downtimeMinutes: 1 }),
			controller.signal,
		);
		answers(() => {
			controller.abort();
			return { status: 404 };
		});
		const { failure } = await look();
		expect(asked).toEqual(['a']);
		expect(failure).toBeInstanceOf(Error);
	});
});
