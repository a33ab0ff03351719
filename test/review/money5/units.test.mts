import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deployment } from '../../engine/nodes.mts';
import { HOUR, type Machine, type Service } from './service.mts';
import { deploy, extend, stage, told } from './stage.mts';

type Row = Record<string, unknown>;

/** Minutes that are summed over the GPUs. */
const summed = (machine: Machine, row: Row): Row => {
	const count = machine.gpus * machine.workers;
	return {
		...row,
		compute_minutes_served: Number(row.compute_minutes_served) * count,
		compute_minutes_remaining: Number(row.compute_minutes_remaining) * count,
	};
};

/** Times as text of a place that is so many hours from UTC, without a zone. */
const localTimes = (row: Row, hours: number): Row => ({
	...row,
	...Object.fromEntries(
		['created_at', 'started_at', 'finished_at']
			.filter((key) => typeof row[key] === 'string')
			.map((key) => {
				const ms = Date.parse(String(row[key])) + hours * HOUR;
				return [key, new Date(ms).toISOString().replace('T', ' ').slice(0, 19)];
			}),
	),
});

function show(service: Service, change: (machine: Machine, row: Row) => Row): void {
	service.listed = service.detailed = (machine, row) => change(machine, row);
}

const spending = (more: IDataObject = {}) =>
	deployment('getSpending', { groupBy: 'none', filters: {}, options: {}, ...more });

/** All that a machine is for an hour; what ran for `ran` hours of `hours`. */
function addRunning(service: Service, ran: number, hours: number, gpus: number): Machine {
	const at = service.clock.now() - ran * HOUR;
	return service.add({ gpus, hours, paid: hours * 4, boughtAt: at, startedAt: at });
}

describe.each([0, -1, -2, -5, -8, 1, 2, 9])('local times of UTC%d', (zone) => {
	describe.each([1, 2, 4, 8])('%d GPUs', (gpus) => {
		it.each([
			['counted once', false],
			['summed over the GPUs', true],
		])('cost 4 an hour or an unknown amount, minutes %s', async (_, isSummed) => {
			const wrong: IDataObject[] = [];
			for (const ran of [0.5, 1, 2, 3, 5, 8, 10]) {
				const { service, run } = await stage();
				addRunning(service, ran, 24, gpus);
				show(service, (machine, row) => localTimes(isSummed ? summed(machine, row) : row, zone));
				const [sums] = told(await run(spending())).of();
				const isRight = sums?.cost_per_hour === 4 || sums?.unknown_cost_per_hour === 1;
				if (!isRight) wrong.push({ ran, shown: sums?.cost_per_hour });
			}
			expect(wrong).toEqual([]);
		});
	});
});

describe('what Get Many calls older than a number of hours', () => {
	it('is that old, whatever the zone of its times', async () => {
		const wrong: IDataObject[] = [];
		for (const zone of [-1, -2, -5, -8])
			for (const gpus of [1, 2, 4, 8])
				for (const ran of [0.25, 1, 2, 5, 8]) {
					const { service, run } = await stage();
					addRunning(service, ran, 24, gpus);
					show(service, (_, row) => localTimes(row, zone));
					const filters = { olderThanHours: ran + 0.5 };
					const node = deployment('getAll', { returnAll: true, filters });
					const [item] = told(await run(node)).of();
					// Destroy may follow
					if (item?.deployment_id) wrong.push({ zone, gpus, ran, age: item.age_hours });
				}
		expect(wrong).toEqual([]);
	});
});

describe('a clock that is hours off', () => {
	it.each([-30, -3, 3, 30])('by %d hours: a lost answer is no second purchase', async (hours) => {
		const { service, run } = await stage({ skewMs: hours * HOUR });
		service.answered = (call, said) => (call.method === 'POST' ? { reset: true } : said);
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { all } = told(await run(deploy({}, settings)));
		expect(service.machines).toHaveLength(1);
		expect(all).toContain('dep-1');
	});
});

describe('the limit on what runs', () => {
	it('holds where times are local and minutes are summed', async () => {
		const { service, run } = await stage();
		addRunning(service, 5, 24, 2);
		show(service, (machine, row) => localTimes(summed(machine, row), -5));
		// 4 an hour run, 1 comes: above 4.5
		const safety = { maxPrice: 50, maxRunningCost: 4.5 };
		const { error } = told(await run(deploy({ resourcePrivateName: 'new', safety })));
		expect({ error: typeof error, bought: service.machines.length - 1 }).toEqual({
			error: 'string',
			bought: 0,
		});
	});
});

describe('Use the Existing One', () => {
	it.each([
		['counted once', false],
		['summed over the GPUs', true],
	])('has as much time left as is asked for, minutes %s', async (_, isSummed) => {
		const { service, run } = await stage();
		service.offers = [{ ...service.offers[0], num_cards: 4 }];
		// An hour of five is left
		addRunning(service, 4, 5, 4);
		show(service, (machine, row) => (isSummed ? summed(machine, row) : row));
		const safety = { ifNameExists: 'useExisting', minRemainingHours: 2 };
		const { error, of } = told(await run(deploy({ gpusPerVm: 4, safety })));
		expect(of()).toEqual([]);
		expect(error).toContain('Min Remaining Hours');
	});
});

describe('an extension', () => {
	it.each([1, 2, 8])('of %d GPUs whose minutes are summed is proven once', async (gpus) => {
		for (const zone of [0, -5]) {
			const { service, run } = await stage();
			addRunning(service, 5, 24, gpus);
			show(service, (machine, row) => localTimes(summed(machine, row), zone));
			service.answered = (call, said) => (call.method === 'POST' ? { reset: true } : said);
			const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
			const { error, of } = told(await run(extend('dep-1', 2, {}, settings)));
			expect(service.sent('POST')).toHaveLength(1);
			if (error === undefined) expect(of()).toMatchObject([{ added_hours: 2 }]);
		}
	});

	it.each(['2', '2.0', ' 2 ', 2])('of %j hours is of 2', async (hours) => {
		const { service, run } = await stage();
		const machine = service.add();
		expect(told(await run(extend('dep-1', hours))).error).toBeUndefined();
		expect(machine.hours).toBe(7);
	});

	it.each(['', ' ', null, true, [], [2, 3], {}, '2h', '1,5', 1.5, 0, -1, 'NaN', 1e300])(
		'of %j hours is refused before anything is sent',
		async (hours) => {
			const { service, run } = await stage();
			service.add();
			expect(told(await run(extend('dep-1', hours))).error).toContain('Additional Hours');
			expect(service.calls).toEqual([]);
		},
	);
});

describe('all numbers as text', () => {
	const asText = (row: Row): Row =>
		Object.fromEntries(
			Object.entries(row).map(([key, value]) => [
				key,
				typeof value === 'number' ? value.toFixed(2) : value,
			]),
		);
	it('leave costs, limits and extensions as they are', async () => {
		const { service, run } = await stage();
		addRunning(service, 2, 24, 1);
		show(service, (_, row) => asText(row));
		const [sums] = told(await run(spending())).of();
		expect(sums).toMatchObject({ paid: 96, cost_per_hour: 4, is_complete: true });
		service.answered = (call, said) => (call.method === 'POST' ? { reset: true } : said);
		const { of, error } = told(await run(extend('dep-1', 2), undefined, { executionId: '2' }));
		expect(error).toBeUndefined();
		expect(of()).toMatchObject([{ added_hours: 2 }]);
		expect(service.sent('POST')).toHaveLength(1);
	});
});
