import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { amountOf, runningCostOf } from '../../nodes/marketplace/spending.ts';

const HOURS = 4;
const PAID = 8;

/** What 4 hours for 8 usdc cost an hour, after so many minutes, where each minute is counted so often. */
function costAfter(minutes: number, counted: number, details: IDataObject, lateBy = 0) {
	const ago = (time: number) => new Date(Date.now() - time * 60_000).toISOString();
	const served = (minutes - lateBy) * counted;
	const cost = runningCostOf({
		status: 'running',
		amount_paid: String(PAID),
		compute_minutes_served: served,
		compute_minutes_remaining: String(HOURS * 60 * counted - served),
		created_at: ago(minutes),
		started_at: ago(minutes),
		...details,
	});
	return cost && Math.round(cost.perHour * 1e6) / 1e6;
}

describe('what a deployment costs an hour', () => {
	it.each([
		['one GPU', 1, { gpus_per_vm: 1, total_vms: 1 }],
		['8 GPUs, minutes of the deployment', 1, { gpus_per_vm: 8, total_gpus: '8' }],
		['8 GPUs, minutes of all of them', 8, { gpus_per_vm: 8, total_gpus: 8 }],
		['2 VMs of 4 GPUs, minutes of the VMs', 2, { total_vms: 2, gpus_per_vm: 4, total_gpus: 8 }],
		['3 containers, minutes of all', 3, { total_containers: 3, gpus_per_container: 1 }],
	])('%s', (_, counted, size) => {
		for (const minutes of [15, 60, 200]) expect(costAfter(minutes, counted, size)).toBe(2);
	});

	it.each<[string, number, number, IDataObject, number?]>([
		['no size is shown, and more minutes than have passed', 60, 8, {}],
		['the size is not that by which minutes are counted', 60, 8, { total_gpus: 2 }],
		['it has only just begun', 2, 8, { total_gpus: 8 }],
		['minutes that are late look like those of fewer', 4, 2, { total_gpus: 2 }, 1.5],
		['since its creation it has waited', 25, 8, { total_gpus: 8, started_at: null }, 20],
		['since its creation it may have waited', 25, 8, { total_gpus: 8, started_at: null }, 22],
	])('is not a fraction of it where %s', (_, minutes, counted, size, lateBy) => {
		expect([undefined, 2]).toContain(costAfter(minutes, counted, size, lateBy));
	});

	it.each([
		['an unknown state whose time is over', 'paused', 0, { perHour: 0, remainingHours: 0 }],
		['an unknown state with time left', 'paused', 120, { perHour: 2, remainingHours: 2 }],
		['a known state whose time is over', 'running', 0, { perHour: 2, remainingHours: 0 }],
	])('%s', (_, status, minutes, expected) => {
		const details = {
			status,
			amount_paid: 8,
			compute_minutes_served: 240 - minutes,
			compute_minutes_remaining: minutes,
		};
		expect(runningCostOf(details)).toEqual(expected);
	});
});

it.each<[string, unknown, number | undefined]>([
	['running', '1.50', 1.5],
	// It may not be booked yet
	['running', 0, undefined],
	['paused', 0, undefined],
	['destroyed', 0, 0],
	['destroyed', 1, 1],
	['destroyed', -1, undefined],
	['destroyed', null, undefined],
])('one that is %s with %j paid has cost %j', (status, paid, expected) => {
	expect(amountOf({ status, amount_paid: paid as string })).toBe(expected);
});
