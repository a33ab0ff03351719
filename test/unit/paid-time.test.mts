import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	extendedBy,
	growthOf,
	minutesOf,
	paidSince,
	paidTimeOf,
	summandsOf,
	type PaidTime,
} from '../../nodes/marketplace/paidTime.ts';
import { now } from '../../nodes/shared/time.ts';
import { useStillClock } from './still-time.mts';

useStillClock();

/** The details of a deployment that runs, as far as its time is concerned. */
const details = (served: unknown, remaining: unknown, more: IDataObject = {}): IDataObject => ({
	status: 'running',
	compute_minutes_served: served as number,
	compute_minutes_remaining: remaining as number,
	...more,
});

/** An hour that was bought for 2 USD, half of which is used. */
const BEFORE: PaidTime = { minutes: 60, remaining: 30, readAt: now(), paid: 2 };

describe('the paid time of a deployment', () => {
	it('is what was served and what remains, which some services send as text', () => {
		expect(minutesOf(details(10, 50))).toBe(60);
		expect(minutesOf(details('10', '50'))).toBe(60);
		expect(minutesOf(details(10, null))).toBeUndefined();
		expect(minutesOf({ compute_minutes_remaining: 50 })).toBeUndefined();
		expect(paidTimeOf(details(10, 50, { amount_paid: '2.5' }))).toEqual({
			minutes: 60,
			remaining: 50,
			readAt: now(),
			paid: 2.5,
		});
	});

	it('is unknown where it is not shown', () => {
		const unknown = { minutes: null, remaining: null, readAt: now(), paid: null };
		expect(paidTimeOf({ status: 'running' })).toEqual(unknown);
		expect(paidTimeOf({ status: 'running' }, BEFORE)).toEqual(unknown);
	});

	it.each([
		[
			'0 minutes before the start are not known yet',
			details(0, 0, { status: 'deploying' }),
			null,
			null,
		],
		[
			'0 remaining minutes alone neither',
			{ status: 'deploying', compute_minutes_remaining: 0 },
			null,
			null,
		],
		['0 minutes of one that runs are none', details(0, 0), 0, 0],
		['some before the start count', details(0, 60, { status: 'deploying' }), 60, 60],
		[
			'none that remain count where some were served',
			details(60, 0, { status: 'destroyed' }),
			60,
			0,
		],
	])('%s', (_, shown, minutes, remaining) => {
		expect(paidTimeOf(shown as IDataObject)).toMatchObject({ minutes, remaining });
	});

	it('is at least what was known: details may be behind', () => {
		expect(paidTimeOf(details(10, 20, { amount_paid: 1 }), BEFORE)).toMatchObject({
			minutes: 60,
			remaining: 20,
			paid: 2,
		});
		const unknown = { ...BEFORE, minutes: null, paid: null };
		for (const known of [BEFORE, unknown])
			expect(paidTimeOf(details(10, 90, { amount_paid: 3 }), known)).toMatchObject({
				minutes: 100,
				paid: 3,
			});
	});

	it('grows by what an extension adds, where it is known', () => {
		expect(extendedBy(BEFORE, 2, 3)).toEqual({ ...BEFORE, minutes: 180, paid: 5 });
		expect(extendedBy(BEFORE, 2)).toEqual({ ...BEFORE, minutes: 180 });
		const unknown = { ...BEFORE, minutes: null, paid: null };
		expect(extendedBy(unknown, 2, 3)).toEqual(unknown);
	});

	it('was paid for since then, where both amounts are shown', () => {
		expect(paidSince(BEFORE, { amount_paid: 3.5 })).toBe(1.5);
		expect(paidSince(BEFORE, {})).toBeUndefined();
		expect(paidSince({ ...BEFORE, paid: null }, { amount_paid: 3.5 })).toBeUndefined();
	});
});

describe('an extension by an hour for 2 USD', () => {
	const order = { hours: 1, price: 2, isAnswer: true };
	const grown = (
		shown: IDataObject,
		change: Partial<typeof order & { times: number }> = {},
		before = BEFORE,
	) => growthOf(before, shown, { ...order, ...change });
	const made = { state: 'made' };

	it.each([-2, 0, 2])('is made where the time has grown by it, off by %d minutes', (off) => {
		expect(grown(details(30, 90 + off))).toEqual(made);
	});

	it.each([
		[-3, 'its time has grown by 57 minutes'],
		[3, 'its time has grown by 63 minutes'],
		[60, 'its time has grown by 120 minutes'],
	])('is unknown where it is off by %d minutes', (off, problem) => {
		expect(grown(details(30, 90 + off))).toEqual({ state: 'unknown', problem });
	});

	it.each([-20, 0, 2])('is absent where the time has grown by %d minutes', (minutes) => {
		const problem = 'the deployment shows no change';
		expect(grown(details(30, 30 + minutes))).toEqual({ state: 'absent', problem });
	});

	it.each(['total_vms', 'total_containers', 'gpus_per_vm', 'gpus_per_container', 'total_gpus'])(
		'may be counted for each of several by %s, if its price was paid',
		(key) => {
			const shown = details(30, 210, { [key]: '3', amount_paid: 4 });
			expect(grown(shown)).toEqual(made);
			expect(grown({ ...shown, amount_paid: 6 }).state).toBe('unknown');
			expect(grown({ ...shown, amount_paid: null }).state).toBe('unknown');
			expect(grown({ ...shown, [key]: 1 }).state).toBe('unknown');
		},
	);

	it('may be counted as often as its answer tells, where what was paid is not shown', () => {
		const shown = details(30, 150);
		expect(grown(shown, { times: 2 })).toEqual(made);
		expect(grown(shown, { times: 2, isAnswer: false }).state).toBe('unknown');
		expect(grown(shown, { times: 3 }).state).toBe('unknown');
		// A proxy may have sent it twice
		expect(grown({ ...shown, amount_paid: 6 }, { times: 2 }).state).toBe('unknown');
		expect(grown({ ...shown, amount_paid: 6 }, { times: 2, price: undefined })).toEqual(made);
	});

	describe('of which the time is not shown', () => {
		const paid = (amount?: number) => grown({ status: 'running', amount_paid: amount });

		it('is made where its price was paid, within a hundredth', () => {
			for (const amount of [3.981, 4, 4.019]) expect(paid(amount)).toEqual(made);
		});

		it('is absent where nothing more was paid', () => {
			const absent = { state: 'absent', problem: 'what was paid for it has not changed' };
			for (const amount of [1, 2]) expect(paid(amount)).toEqual(absent);
		});

		it('is unknown where another price was paid, or it has none, or nothing is shown', () => {
			const problem = 'more was paid for it, and its details do not tell its time';
			for (const amount of [3.979, 4.021, 6])
				expect(paid(amount)).toEqual({ state: 'unknown', problem });
			const shown = { status: 'running', amount_paid: 4 };
			expect(grown(shown, { price: undefined })).toEqual({ state: 'unknown', problem });
			expect(paid()).toEqual({
				state: 'unknown',
				problem: 'its details do not tell its time',
			});
		});
	});

	describe('which the remaining time alone may deny', () => {
		// Those that were served are counted anew
		const anew = (remaining: number, more: IDataObject = {}, minutesAgo = 0) =>
			grown(
				details(120 - remaining, remaining, more),
				{},
				{
					...BEFORE,
					readAt: now() - minutesAgo * 60_000,
				},
			);

		it('does not where it has grown, less what has passed and some minutes', () => {
			expect(anew(83)).toEqual(made);
			expect(anew(73, {}, 10)).toEqual(made);
			// Ten minutes and five for a copy that is behind, on two GPUs
			expect(anew(58, { gpus_per_vm: 2 }, 10)).toEqual(made);
		});

		it('does where it has not', () => {
			expect(anew(82)).toEqual({
				state: 'unknown',
				problem: 'its remaining time does not show it (30 minutes before, 82 now)',
			});
			expect(anew(72, {}, 10).state).toBe('unknown');
			expect(anew(57, { gpus_per_vm: 2 }, 10).state).toBe('unknown');
		});

		it('does not where it was not known before, as an earlier version has noted it', () => {
			const { minutes, readAt, paid } = BEFORE;
			for (const before of [
				{ ...BEFORE, remaining: null },
				{ minutes, readAt, paid },
			])
				expect(grown(details(119, 1), {}, before as PaidTime)).toEqual(made);
		});
	});
});

describe('how often each minute is counted', () => {
	const HOUR_MS = 3_600_000;
	/** Details of one that has started so many minutes ago. */
	const started = (minutes: number, served: number, more: IDataObject = {}): IDataObject => ({
		started_at: new Date(now() - minutes * 60_000).toISOString(),
		compute_minutes_served: served,
		...more,
	});

	it('is once for one VM with one GPU', () => {
		expect(summandsOf({})).toBe(1);
		expect(summandsOf(started(60, 60))).toBe(1);
		expect(summandsOf(started(60, 95))).toBe(1);
	});

	it('is unknown where more minutes were served than have passed', () => {
		expect(summandsOf(started(60, 96))).toBeUndefined();
		expect(summandsOf(started(0, 50))).toBe(1);
	});

	it.each<[IDataObject, number]>([
		[{ gpus_per_vm: 4 }, 4],
		[{ gpus_per_container: '4' }, 4],
		[{ total_vms: 3 }, 3],
		[{ total_containers: 3 }, 3],
		[{ gpus_per_vm: 2, total_vms: 3 }, 6],
		[{ total_gpus: 8 }, 8],
		[{ hardware_quantity: 8 }, 8],
	])('with %j is as often as fits the minutes served', (size, count) => {
		expect(summandsOf(started(60, 60 * count, size))).toBe(count);
		expect(summandsOf(started(60, 60, size))).toBe(1);
		// Between two counts, or beyond all
		expect(summandsOf(started(60, 60 * count * 1.3, size))).toBeUndefined();
	});

	it('is unknown while it has run too short to tell', () => {
		expect(summandsOf(started(2.9, 6, { gpus_per_vm: 2 }))).toBeUndefined();
		expect(summandsOf(started(3, 6, { gpus_per_vm: 2 }))).toBe(2);
		expect(summandsOf({ gpus_per_vm: 2, compute_minutes_served: 100 })).toBeUndefined();
	});

	it('allows some minutes for the start, where only the creation is shown', () => {
		const created = (minutes: number, served: number) =>
			summandsOf({
				created_at: new Date(now() - minutes * 60_000).toISOString(),
				compute_minutes_served: served,
				gpus_per_vm: 8,
			});
		expect(created(60, 8 * 29)).toBe(8);
		expect(created(60, 8 * 28)).toBeUndefined();
	});

	it('is told on either clock, and only if both tell the same', () => {
		const shown = started(60, 120, { gpus_per_vm: 2 });
		expect(summandsOf(shown, HOUR_MS / 60)).toBe(2);
		// By the clock of the service it began two hours ago, and then each minute is counted once
		expect(summandsOf(shown, HOUR_MS)).toBeUndefined();
		expect(summandsOf(started(0, 120, { gpus_per_vm: 2 }), 2 * HOUR_MS)).toBe(1);
	});
});
