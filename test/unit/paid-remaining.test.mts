import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	growthOf,
	leastRemainingMinutes,
	remainingMinutes,
	summandsOf,
} from '../../nodes/marketplace/paidTime.ts';
import { now } from '../../nodes/shared/time.ts';
import { minutesAgo } from './purchase-parts.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const PAIR = { gpus_per_vm: 2, total_vms: 3 };

describe('the minutes that remain', () => {
	it('are each counted once where that can be told', () => {
		const shown = { ...PAIR, started_at: minutesAgo(60), compute_minutes_remaining: '60' };
		expect(remainingMinutes({ ...shown, compute_minutes_served: 360 })).toBe(10);
		expect(remainingMinutes({ ...shown, compute_minutes_served: 60 })).toBe(60);
		expect(remainingMinutes({ ...shown, compute_minutes_served: 360 }, 3_600_000)).toBe(60);
		expect(remainingMinutes({ compute_minutes_remaining: 60 })).toBe(60);
		expect(remainingMinutes(PAIR)).toBeUndefined();
	});

	it('are at least those of the largest count', () => {
		expect(leastRemainingMinutes({ ...PAIR, compute_minutes_remaining: 60 })).toBe(10);
		expect(leastRemainingMinutes({ compute_minutes_remaining: 60 })).toBe(60);
		expect(leastRemainingMinutes(PAIR)).toBeUndefined();
	});
});

describe('a time without a zone', () => {
	const local = (minutes: number) => minutesAgo(minutes).slice(0, -1);

	it('may be of any place, so that most minutes served fit it', () => {
		const started = (served: number, more: IDataObject = {}) =>
			summandsOf({ started_at: local(60), compute_minutes_served: served, ...more });
		expect(started(1_300)).toBe(1);
		expect(started(1_400)).toBeUndefined();
		// 60 minutes and 14 hours, or none
		expect(started(60, { gpus_per_vm: 2 })).toBeUndefined();
		expect(started(1_500, { gpus_per_vm: 2 })).toBe(2);
	});

	it('counts as one where it is the time that is used', () => {
		const both = { created_at: local(60), started_at: minutesAgo(60), gpus_per_vm: 2 };
		expect(summandsOf({ ...both, compute_minutes_served: 120 })).toBe(2);
		const created = { created_at: minutesAgo(60), started_at: local(60), gpus_per_vm: 2 };
		expect(summandsOf({ ...created, compute_minutes_served: 120 })).toBeUndefined();
	});
});

it('an extension of several that is denied by the remaining time counts its hours for each', () => {
	const before = { minutes: 60, remaining: 30, readAt: now(), paid: 2 };
	const grown = (served: number, remaining: number) =>
		growthOf(
			before,
			{
				status: 'running',
				gpus_per_vm: 2,
				amount_paid: 4,
				compute_minutes_served: served,
				compute_minutes_remaining: remaining,
			},
			{ hours: 1, price: 2, isAnswer: true },
		);
	expect(grown(30, 150)).toEqual({ state: 'made' });
	expect(grown(80, 100)).toEqual({
		state: 'unknown',
		problem: 'its remaining time does not show it (30 minutes before, 100 now)',
	});
});
