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
